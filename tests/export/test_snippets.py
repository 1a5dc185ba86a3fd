"""Shell words, Python expressions and parts of snippets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.export.formats import FORMS, find_uncopyable
from rpcexplorer.export.snippets import python_expression, quoted, shell_word, unless_set
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import printable
from tests.export.test_report import SHOP, made
from tests.fakes.certificates import Identity, issued
from tests.fakes.shell import Shell
from tests.fakes.wire import Parts, RawServer, Received, http_reply

ODD = [
    "",
    "plain",
    "it's",
    "''",
    '"$HOME" `id` $(id) \\ !! *?[a] {a,b} ~ # ; & | > <',
    "two\nlines\n",
    "\t\r\x1b]52;c;x\x07\x7f",
    "é 漢字 🎉 \u202e\u200b\ufe0f\u2028",
    "\x1bff",
    "-n",
    "=ls",
    "\\",
    "\\'",
]
TEXTS = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)


def read_by_bash(words: list[str], **variables: str) -> list[str]:
    """Return the words as bash reads them, in the C locale."""
    script = "printf '%s\\0' " + " ".join(words)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", **variables}
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env=environment)
    assert ran.stderr == b""
    return [part.decode() for part in ran.stdout.split(b"\0")[:-1]]


def test_shells_read_words_back_as_their_text() -> None:
    assert read_by_bash([quoted(text) for text in ODD]) == ODD


@given(st.lists(TEXTS, min_size=1, max_size=30))
@settings(max_examples=20)
def test_bash_reads_any_text_back(texts: list[str]) -> None:
    assert read_by_bash([quoted(text) for text in texts]) == texts


@given(TEXTS)
def test_quoted_text_is_printable_and_keeps_its_lines(text: str) -> None:
    word = quoted(text)
    assert printable(word, lines=True).replace("\t", "tab") == word
    assert word.count("\n") == text.count("\n")


SECRET = """a"b\\c'd $HOME `id` é!"""


def test_secret_reference_becomes_a_literal_shell_variable() -> None:
    word = shell_word("Cookie: sessionid=«my-shop.session»; a=b", "my-shop")
    assert word == """'Cookie: sessionid='"${RPCEXPLORER_MY_SHOP_SESSION:?}"'; a=b'"""
    assert read_by_bash([word], RPCEXPLORER_MY_SHOP_SESSION=SECRET) == [f"Cookie: sessionid={SECRET}; a=b"]


def test_variable_in_json_is_escaped_as_json() -> None:
    word = shell_word('{"p":"«shop.password»","u":"«shop.username»"}', "shop", json=True)
    (body,) = read_by_bash([word], RPCEXPLORER_SHOP_PASSWORD=SECRET, RPCEXPLORER_SHOP_USERNAME="ada")
    assert json.loads(body) == {"p": SECRET, "u": "ada"}


@pytest.mark.parametrize(
    "text", ["«a»", "«shop.colour»", "«.password»", "shop.password", "«shop.password", "«é.password»"]
)
def test_text_similar_to_a_secret_reference_is_kept(text: str) -> None:
    assert "$" not in shell_word(text, "shop")
    assert "environ" not in python_expression(text, "shop")


@given(st.text(max_size=30))
def test_python_expression_is_printable_and_evaluates_to_text(text: str) -> None:
    expression = python_expression(text, "shop")
    assert printable(expression) == expression
    assert eval(expression) == text


OTHERS = ["«other.password»", "«not recorded»", "«RPCEXPLORER_OLD_PASSWORD»"]


@pytest.mark.parametrize("mark", OTHERS)
def test_unknown_secret_is_read_from_an_unset_variable(mark: str) -> None:
    body = f'{{"a":"{mark}","b":"«shop.password»"}}'
    for text in (
        shell_word(body, "shop", json=True),
        shell_word(body, "shop"),
        python_expression(body, "shop", json=True),
    ):
        assert "NOT_RECORDED" in text
        assert "RPCEXPLORER_OTHER" not in text
        assert "RPCEXPLORER_OLD" not in text
        assert "RPCEXPLORER_SHOP_PASSWORD" in text


def test_unset_variable_in_json_stops_the_command() -> None:
    body = '{"p":"«shop.password»","x":"«not recorded»","y":"«not recorded»"}'
    script = f"{unless_set(body, 'shop')}echo {shell_word(body, 'shop', json=True)}"
    for known, missing in (({}, b"SHOP_PASSWORD"), ({"RPCEXPLORER_SHOP_PASSWORD": "x"}, b"NOT_RECORDED")):
        ran = subprocess.run(["bash", "-c", script], capture_output=True, check=False, env={**os.environ, **known})
        assert (ran.returncode != 0, ran.stdout) == (True, b"")
        assert missing in ran.stderr
    assert unless_set("{}", "shop") == ""


CURL = Path(__file__).parents[1] / "fakes" / "curl.py"
HANDED = "h4nded/0ver+x="
PASSWORD = 'pa"ss\\w $x`id`'
TRANSMISSION = """envelope = "transmission"
id = "number"
handshake = { header = "X-Transmission-Session-Id" }
"""
PROFILES = {
    "basic": TRANSMISSION + 'auth = { kind = "basic", username = "ada" }',
    "with a login": TRANSMISSION + 'auth = { kind = "bearer", username = "ada" }\nlogin = { session = "/key" }',
    "mcp": 'handshake = "mcp"\naccept = "application/json, text/event-stream"\nauth = { kind = "bearer" }',
}


def transmission(request: Received) -> Parts:
    if request.header("X-Transmission-Session-Id") != HANDED:
        return http_reply(b"<h1>409</h1>", 409, {"X-Transmission-Session-Id": HANDED}, reason="Conflict")
    body = request.json
    answer = {"key": "s3ss10n"} if body["method"] == "auth" else {"came": body["arguments"]}
    return http_reply(json.dumps({"result": "success", "arguments": answer, "tag": body.get("tag")}).encode())


def mcp(request: Received) -> Parts:
    body = request.json
    if body["method"] == "initialize":
        said = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
        return request.reply(result=said, headers={"Mcp-Session-Id": HANDED})
    if request.header("Mcp-Session-Id") != HANDED or request.header("MCP-Protocol-Version") != "2025-06-18":
        return http_reply(b"no session", 400, reason="Bad Request")
    if "id" not in body:
        return http_reply(b"", 202, reason="Accepted")
    return request.reply(result={"came": body["params"]})


def last(requests: list[Received]) -> tuple[object, ...]:
    names = ("X-Transmission-Session-Id", "Mcp-Session-Id", "MCP-Protocol-Version", "Authorization", "Content-Type")
    return requests[-1].line, requests[-1].body, *(requests[-1].header(name) for name in names)


@pytest.mark.everyday(1)
@pytest.mark.parametrize("form", ["curl", "python"])
@pytest.mark.parametrize("kind", PROFILES)
def test_handshake_header_is_requested_and_sent_back(tmp_path: Path, kind: str, form: str) -> None:
    server_is: Callable[[Received], Parts] = mcp if kind == "mcp" else transmission
    shell = Shell(tmp_path)
    held = {"RPCEXPLORER_SHOP_PASSWORD": PASSWORD, "RPCEXPLORER_SHOP_TOKEN": "t0k3n-t0k3n"}
    shell.environment |= held
    with RawServer(server_is) as server:
        shell.sessions(f'version = 1\n[profile.shop]\nurl = "{server.origin}"\n{PROFILES[kind]}\n')
        ran = shell.run("call", "tool", '{"q": "it\'s \\u0000 $HOME"}')
        assert ran.code == 0, ran.err
        sent = last(server.requests)
        copied = shell.run("copy", "--as", form).text
        assert not [value for value in (HANDED, "s3ss10n", *held.values()) if value in copied]
        (tmp_path / "curl").write_text(f'#!/bin/sh\nexec {sys.executable} {CURL} "$@"\n')
        (tmp_path / "curl").chmod(0o755)
        environment = {**os.environ, "PATH": f"{os.environ['PATH']}:{tmp_path}", "NO_PROXY": "*", **held}
        command = [sys.executable, "-c", copied] if form == "python" else ["bash", "-u", "-c", copied]
        done = subprocess.run(command, capture_output=True, check=False, env=environment, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, (copied, done.stderr)
        assert b'"came"' in done.stdout, (copied, done)
        assert b"h4nded" not in done.stdout
    assert last(server.requests) == sent


DRAFT = Draft("ping")
PONG = http_reply(b'"pong"')


def pasted(kind: str, profile: Profile, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a snippet; curl and http only print their arguments."""
    script = made(kind, DRAFT, profile)
    for name in ("curl", "http"):
        (folder / name).write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
        (folder / name).chmod(0o755)
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "NO_PROXY": "*", "HOME": str(folder)}
    command = [sys.executable, "-c", script] if kind == "python" else ["bash", "-c", script]
    return subprocess.run(command, capture_output=True, check=False, env=environment, cwd=folder)


@pytest.mark.thorough
def test_python_accepts_only_the_pinned_certificate(tmp_path: Path, box: Identity) -> None:
    ca = trustme.CA()
    ca.cert_pem.write_to_path(tmp_path / "people.pem")
    cert, key = issued(ca, "ada@example.com").write(tmp_path)
    trusted = replace(SHOP, certificate=box.fingerprint, cert_file=str(cert), key_file=str(key))
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        ran = pasted("python", replace(trusted, url=server.origin), tmp_path)
        assert ran.stdout.split() == [b"200", b'"pong"'], ran.stderr
    with RawServer(PONG, tls=issued(ca).server(tmp_path)) as other:
        ran = pasted("python", replace(trusted, url=other.origin), tmp_path)
        assert other.requests == []
    assert ran.stderr.strip() == b"The server has another certificate than the pinned one."


@pytest.mark.parametrize(("kind", "option"), [("curl", "--cacert"), ("httpie", "--verify")])
def test_shell_accepts_only_the_pinned_certificate(tmp_path: Path, box: Identity, kind: str, option: str) -> None:
    with RawServer(PONG, tls=box.server(tmp_path)) as server:
        profile = replace(SHOP, url=server.origin, certificate=box.fingerprint)
        ran = pasted(kind, profile, tmp_path)
        words = ran.stdout.decode().splitlines()
        assert Path(words[words.index(option) + 1]).read_bytes().split() == box.certificate.split()
        assert not (tmp_path / "shop.pem").exists(), "no file of a person's is written over"
        other = pasted(kind, replace(profile, certificate=f"sha256:{'0' * 64}"), tmp_path)
        assert (other.stdout, other.returncode) == (b"", 1)
        assert server.requests == []


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("curl", ["--cacert", "/the ca.pem", "--cert", "/me.pem", "--key", "/me.key"]),
        ("httpie", ["--verify", "/the ca.pem", "--cert", "/me.pem", "--cert-key", "/me.key"]),
    ],
)
def test_certificate_files_have_the_options_of_each_program(tmp_path: Path, kind: str, options: list[str]) -> None:
    profile = replace(SHOP, ca_file="/the ca.pem", cert_file="/me.pem", key_file="/me.key")
    told = pasted(kind, profile, tmp_path).stdout.decode().split("\n")
    assert [word for word in told if word in options] == options
    assert "certificate" not in made(kind, DRAFT, profile)


def over_socket(path: str, target: str = "/rpc") -> Profile:
    return replace(SHOP, url=f"http+unix://{path}:{target}", path="", cert_file="/me.pem")


def test_python_sends_over_the_unix_socket(tmp_path: Path) -> None:
    path = str(tmp_path / "it's here.sock")
    with RawServer(PONG, socket_path=path) as server:
        ran = pasted("python", replace(over_socket(path), cert_file=None), tmp_path)
        assert ran.stdout.split() == [b"200", b'"pong"'], ran.stderr
    assert server.requests[0].line == "POST /rpc HTTP/1.1"
    assert server.requests[0].header("Host") == "localhost"
    assert "verify" not in made("python", DRAFT, over_socket(path))


def test_curl_gets_the_path_of_the_socket(tmp_path: Path) -> None:
    words = pasted("curl", over_socket("/run/it's here.sock"), tmp_path).stdout.decode().splitlines()
    assert words[words.index("--unix-socket") + 1] == "/run/it's here.sock"
    assert "http://localhost/rpc" in words
    assert "--unix-socket" not in made("curl", DRAFT)


def test_only_httpie_cannot_use_a_socket() -> None:
    reasons = {form: find_uncopyable(form, over_socket("/run/x.sock")) for form in FORMS}
    assert {form for form, why in reasons.items() if why} == {"httpie"}
    assert not find_uncopyable("httpie", SHOP)


def test_ipv6_address_is_written_for_openssl() -> None:
    profile = replace(SHOP, url="https://[::1]:8443", certificate=f"sha256:{'0' * 64}")
    assert "-connect '[::1]:8443' " in made("curl", DRAFT, profile)
    assert 'get_server_certificate(("::1", 8443))' in made("python", DRAFT, profile)
