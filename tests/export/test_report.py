"""Snippets of a call: they send the same request and contain no secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.auth.token import CookieAuth
from rpcexplorer.client.preview import preview
from rpcexplorer.export import formats
from rpcexplorer.export.request import Subject, profile_of, subject_of
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Preview, Refused
from rpcexplorer.model.profile import Login, MethodNote, Profile, ad_hoc
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.printable import printable
from tests.export.snippets import SNIPPETS
from tests.fakes.wire import RawServer, http_reply
from tests.text.exchanges import exchange

PASSWORD = """pa"ss\\wörd $HOME `id`'"""
VARIABLES = {"RPCEXPLORER_SHOP_PASSWORD": PASSWORD, "RPCEXPLORER_SHOP_SESSION": "s3ss10n!$x"}
HOSTILE = """{"q": "it's $HOME `id` $(id) \\\\ \\u001b]52 \u202e é\\n", "tags": ["a", "b"], "n": 1.10}"""
SHOP = Profile("shop", "https://shop.example.com", headers=(("X-Tenant", "ac'me $HOME"),))


def made(kind: str, what: Draft | Batch | Exchange, profile: Profile = SHOP, *, session: bool = True) -> str:
    return copied(kind, subject_of(profile, what, previewing(profile, session=session), ours=True))


def copied(kind: str, subject: Subject | Refused) -> str:
    assert isinstance(subject, Subject)
    return formats.render(kind, subject).decode()


class previewing:  # noqa: N801 - stands for a function
    """Return a preview as ``Explorer.preview`` does, always with the same id."""

    def __init__(self, profile: Profile, *, session: bool = True) -> None:
        self._preview = partial(preview, profile, has_session=session)

    def __call__(self, draft: Draft | Batch, *, id: str | None = None, bare: bool = False) -> Preview | Refused:
        return self._preview(draft, id or "id-1", bare=bare)


def sent_by(profile: Profile, draft: Draft | Batch) -> Preview:
    request = previewing(profile)(draft)
    assert isinstance(request, Preview)
    return request


def opened(text: str, *, escaped: bool = False) -> str:
    """Return a body as it is sent, built without the program's own code."""
    return text.replace("«shop.password»", json.dumps(PASSWORD, ensure_ascii=escaped)[1:-1])


def run_in_bash(script: str, folder: Path, name: str) -> list[str]:
    """Return the arguments and the standard input of a command in the script.

    The content of a pipe replaces its name among the arguments.
    """
    fake = folder / name
    fake.write_text(
        '#!/bin/sh\nfor word in "$@"; do\n'
        "  case $word in\n"
        "    *@/dev/fd/*) printf '%s' \"${word%%/dev/fd/*}\"; cat \"/dev/fd/${word##*/dev/fd/}\"; printf '\\0' ;;\n"
        "    *) printf '%s\\0' \"$word\" ;;\n"
        "  esac\ndone\n[ -t 0 ] || cat\n"
    )
    fake.chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "LC_ALL": "C", **VARIABLES}
    ran = subprocess.run(
        ["bash", "-c", script], capture_output=True, check=True, env=environment, stdin=subprocess.DEVNULL
    )
    assert ran.stderr == b""
    return ran.stdout.decode().split("\0")


def test_record_keeps_its_envelope_without_its_profile() -> None:
    one = exchange(
        Result(b"1"), profile="gone", method="torrent-get", params='{"ids":[1]}', envelope="transmission", id="7"
    )
    profile, _ = profile_of(one, {}, ours=True)
    assert '{"method":"torrent-get","arguments":{"ids":[1]},"tag":7}' in made("curl", one, profile)


@pytest.mark.parametrize(("ours", "said"), [(False, "Someone else recorded"), (True, "Profile gone no longer exists")])
def test_record_without_a_known_profile_gets_none(ours: bool, said: str) -> None:
    profile, missing = profile_of(exchange(Result(b"1"), profile="gone", foreign=not ours), {"shop": SHOP}, ours=ours)
    assert missing.startswith(said)
    assert profile.ad_hoc


def test_foreign_record_gets_the_profile_with_its_address() -> None:
    sent = exchange(Result(b"1"), profile="prod", url=SHOP.endpoint)
    elsewhere = replace(SHOP, name="prod", url="https://prod.example.com")
    for profiles in ({"shop": SHOP}, {"shop": SHOP, "prod": elsewhere}):
        profile, missing = profile_of(sent, profiles, ours=False)
        assert profile is SHOP
        assert "profile shop" in missing


def test_foreign_record_with_two_possible_profiles_gets_none() -> None:
    sent = exchange(Result(b"1"), profile="prod", url=SHOP.endpoint)
    profile, missing = profile_of(sent, {"shop": SHOP, "other": replace(SHOP, name="other")}, ours=False)
    assert profile.ad_hoc
    assert "shop, other" in missing


def test_curl_has_url_ordered_headers_and_exact_body(tmp_path: Path) -> None:
    profile = replace(SHOP, auth=InlineAuth("ada"), ca_file="/etc/corp ca.pem")
    draft = Draft("user.find", HOSTILE)
    assert run_in_bash(made("curl", draft, profile), tmp_path, "curl")[:-1] == [
        "https://shop.example.com/api/v2/",
        *("--cacert", "/etc/corp ca.pem"),
        *("-H", "Content-Type: application/json-rpc"),
        *("-H", "Accept: */*"),
        *("-H", "X-Tenant: ac'me $HOME"),
        *("--data-binary", "@" + opened(sent_by(profile, draft).body.decode())),
    ]


def test_curl_arguments_with_special_characters_stay_literal(tmp_path: Path) -> None:
    profile = replace(SHOP, url="http://[::1]:8000", path="/a/[b]/", headers=(("X-Empty", ""),), auth=CookieAuth())
    arguments = run_in_bash(made("curl", Draft("ping"), profile), tmp_path, "curl")
    assert arguments[:2] == ["--globoff", "http://[::1]:8000/a/[b]/"]
    assert arguments[6:10] == ["-H", "@Cookie: sessionid=s3ss10n!$x", "-H", "X-Empty;"]


@pytest.mark.parametrize(("kind", "program"), [("curl", "curl"), ("httpie", "http")])
def test_missing_session_without_login_stops_the_command(kind: str, program: str, tmp_path: Path) -> None:
    profile = replace(SHOP, auth=CookieAuth())

    def no_login(draft: Draft | Batch, *, id: str | None = None, bare: bool = False) -> Preview | Refused:
        is_login = isinstance(draft, Draft) and draft.method == profile.login.method
        return Refused("profile", "it is not in order") if is_login else previewing(profile)(draft, id=id, bare=bare)

    script = copied(kind, subject_of(profile, Draft("ping"), no_login, ours=True))
    (tmp_path / program).write_text(f"#!/bin/sh\necho sent > {tmp_path}/sent\n")
    (tmp_path / program).chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=False, env=environment)
    assert ran.returncode != 0
    assert b"RPCEXPLORER_SHOP_SESSION" in ran.stderr
    assert not (tmp_path / "sent").exists()


REFUSED = [b'{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"no"}}', b"<html>", b'{"result":{"id":null}}']


@pytest.mark.thorough
@pytest.mark.parametrize("body", REFUSED)
def test_script_with_failed_login_reports_it_and_ends(body: bytes) -> None:
    with RawServer(http_reply(body)) as server:
        profile = replace(SHOP, url=server.origin, auth=CookieAuth("ada"), login=Login(session="/id"))
        script = made("python", Draft("ping"), profile, session=False)
        environment = {**os.environ, "NO_PROXY": "*", "RPCEXPLORER_SHOP_PASSWORD": "wrong-one"}
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, env=environment)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, b"", b"the login returned no session\n")
    assert len(server.requests) == 1


def test_script_imports_only_modules_it_needs() -> None:
    plain = made("python", Draft("ping", '["os.environ[ json.dumps( ssl"]'))
    assert plain.splitlines()[0] == "import httpx"
    compile(made("python", Draft("ping"), replace(SHOP, ca_file="/ca.pem")), "snippet", "exec")
    assert "import ssl\n" in made("python", Draft("ping"), replace(SHOP, ca_file="/ca.pem"))


def test_httpie_gets_url_items_and_the_raw_body(tmp_path: Path) -> None:
    headers = (("X-Empty", ""), ("X-File", "@/etc/passwd"), ("X-Json", "=1"))
    profile = replace(SHOP, auth=CookieAuth(), headers=headers, ca_file="/ca.pem")
    draft = Draft("user.find", HOSTILE)
    assert run_in_bash(made("httpie", draft, profile), tmp_path, "http")[:-1] == [
        "POST",
        "https://shop.example.com/api/v2/",
        "Content-Type:application/json-rpc",
        "Accept:*/*",
        "Cookie:@sessionid=s3ss10n!$x",
        "X-Empty;",
        "X-File:\\@/etc/passwd",
        "X-Json:\\=1",
        *("--verify", "/ca.pem"),
        *("--ignore-stdin", "--raw"),
        sent_by(profile, draft).body.decode(),
    ]


@pytest.mark.parametrize(
    ("what", "profile", "arguments", "stdin"),
    [
        (Draft("ping"), SHOP, ["call", "ping", "-p", "shop"], ""),
        (Draft("a b", '{"x": "it\'s"}'), SHOP, ["call", "a b", '{"x":"it\'s"}', "-p", "shop"], ""),
        (Draft("log", "[1]", notification=True), SHOP, ["notify", "log", "[1]", "-p", "shop"], ""),
        (Draft("@own"), SHOP, ["call", "@@own", "-p", "shop"], ""),  # with one sign it would be a saved call
        (Draft("--help"), SHOP, ["call", "-p", "shop", "--", "--help"], ""),
        (Draft("x\x1b[2J"), SHOP, ["call", "x\x1b[2J", "-p", "shop"], ""),
        (Draft("login", '["«shop.password»"]'), SHOP, ["call", "login", '["«shop.password»"]', "-p", "shop"], ""),
        (Batch('[{"method": "%s"}]'), SHOP, ["batch", "-", "-p", "shop"], '[{"method":"%s"}]'),
        (
            Draft("ping"),
            ad_hoc("http://h:1", InlineAuth()),
            ["call", "ping", "--url", "http://h:1/api/v2/", "--auth", "inline"],
            "",
        ),
        (
            Draft("a", '["«shop.password»"]'),
            replace(SHOP, ad_hoc=True),
            ["call", "a", '["«url.password»"]', "--url", "https://shop.example.com/api/v2/"],
            "",
        ),
    ],
)
def test_rpcexplorer_command_is_short(
    what: Draft | Batch, profile: Profile, arguments: list[str], stdin: str, tmp_path: Path
) -> None:
    assert run_in_bash(made("command", what, profile), tmp_path, "rpcexplorer") == [*arguments, stdin]


def test_report_has_the_sent_request_with_secret_references() -> None:
    told = made("report", Draft("user.find", "{}"), replace(SHOP, auth=InlineAuth("ada")))
    assert told.startswith("## `user.find`\n\n- Profile: `shop`\n- URL: `https://shop.example.com/api/v2/`\n")
    assert told.endswith(
        """\
```http
POST /api/v2/ HTTP/1.1
Host: shop.example.com
Content-Type: application/json-rpc
Accept: */*
X-Tenant: ac'me $HOME

{
  "jsonrpc": "2.0",
  "id": "id-1",
  "method": "user.find",
  "params": {
    "username": "ada",
    "password": "«shop.password»"
  }
}
```"""
    )


def test_report_of_a_batch_is_titled_with_methods() -> None:
    assert made("report", Batch('[{"method": "a"}, {"method": "b"}]')).startswith("## `a, b`\n")


def test_host_header_of_the_profile_appears_once() -> None:
    profile = replace(SHOP, headers=(("Host", "other.example.com"),))
    for kind in ("curl", "python", "httpie", "report"):
        assert made(kind, Draft("ping"), profile).count("other.example.com") == 1


MEMBER = replace(SHOP, auth=CookieAuth(), methods={"free": MethodNote(auth="none")})


@pytest.mark.parametrize(
    ("what", "cookie"),
    [
        (Draft("user.get"), True),
        (Draft("free"), False),
        (Draft("auth"), False),
        (Batch('[{"method": "free"}, {"method": "auth"}]'), False),
        (Batch('[{"method": "free"}, {"method": "user.get"}]'), True),
    ],
)
def test_request_without_session_refers_to_the_later_cookie(what: Draft | Batch, cookie: bool) -> None:
    assert ("RPCEXPLORER_SHOP_SESSION" in made("curl", what, MEMBER, session=False)) is cookie


def test_invalid_draft_is_refused_with_the_reason() -> None:
    refused = subject_of(SHOP, Draft("ping", "[1,"), previewing(SHOP), ours=True)
    assert isinstance(refused, Refused)
    assert "line 1" in refused.sentence


KNOWN = Secret("hunter2-hunter2", "shop.password")


@pytest.mark.parametrize("kind", SNIPPETS)
def test_snippets_contain_no_secret(kind: str) -> None:
    profile = replace(SHOP, headers=(("X-Token", "hunter2-hunter2"),), auth=CookieAuth())
    params = '{"password": "short", "note": "hunter2-hunter2", "encoded": "aHVudGVyMi1odW50ZXIy"}'
    sent = exchange(
        ErrorObject(1, "wrong: hunter2-hunter2", None, b"{}"), params=params, body=params.encode(), profile="shop"
    )
    for what in (sent, Draft("m", params)):
        text = copied(kind, subject_of(profile, what, previewing(profile), secrets=[KNOWN], ours=True))
        assert not [secret for secret in ("hunter2", "short", "aHVudGVy") if secret in text]
        assert ("«shop.password»" if kind in {"command", "report"} else "RPCEXPLORER_SHOP_PASSWORD") in text


@pytest.mark.parametrize("kind", SNIPPETS)
def test_snippets_are_printable(kind: str) -> None:
    odd = "x\x1b]52;c;?\x07\u202e\t\ufeff"
    hostile = exchange(ErrorObject(1, odd, None, b"{}"), method=odd, params=json.dumps([odd], ensure_ascii=False))
    text = made(
        kind, replace(hostile, params='["\u202e\u2066"]\t', response=replace(hostile.response, body=odd.encode()))
    )
    assert printable(text, lines=True) == text


@pytest.mark.parametrize("kind", SNIPPETS)
def test_foreign_record_has_no_secret_references(kind: str) -> None:
    sent = exchange(Result(b"1"), params='{"text": "«shop.password»"}', profile="shop")
    theirs = copied(kind, subject_of(SHOP, sent, previewing(SHOP), ours=False))
    ours = copied(kind, subject_of(SHOP, sent, previewing(SHOP), ours=True))
    for secret in ("RPCEXPLORER_SHOP_PASSWORD", "«shop.password»"):
        assert secret not in theirs
    assert "SHOP_PASSWORD" in ours or "«shop.password»" in ours


HEX = "9f86d081884c7d659a2feaa0c55ad015"


@pytest.mark.parametrize("kind", SNIPPETS)
@pytest.mark.parametrize("path", [f"/v3/{HEX}", f"/?apikey={HEX}", f"/{HEX}/api"])
def test_secret_in_the_profile_url_is_not_copied(kind: str, path: str) -> None:
    for profile in (replace(SHOP, path=path), replace(SHOP, url=f"https://h{path}", path="", ad_hoc=True)):
        text = made(kind, Draft("ping"), profile)
        assert HEX not in text
        if kind in {"curl", "python", "httpie"}:
            assert "NOT_RECORDED" in text
    compile(made("python", Draft("ping"), replace(SHOP, path=path)), "snippet", "exec")
    assert "import os\n" in made("python", Draft("ping"), replace(SHOP, path=path))


@pytest.mark.parametrize("kind", SNIPPETS)
def test_login_password_by_position_is_not_copied(kind: str) -> None:
    params = '["ada", "bobs-own"]'
    for what in (Draft("user.login", params), exchange(Result(b"1"), method="user.login", params=params)):
        text = made(kind, what)
        assert "bobs-own" not in text
        assert "ada" in text


@pytest.mark.parametrize("kind", SNIPPETS)
def test_login_password_in_a_batch_is_not_copied(kind: str) -> None:
    text = '[{"method": "user.login", "params": ["ada", "bobs-own"]}, {"method": "add", "params": ["a", "kept-too"]}]'
    names = "user.login, add"
    for what in (Batch(text), exchange(Result(b"1"), method=names, params=text, kind="batch")):
        copied = made(kind, what)
        assert "bobs-own" not in copied
        assert "ada" in copied
        assert "kept-too" in copied
