"""``copy``: print a recorded call as something to paste."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from rpcexplorer.demo import PASSWORD as DEMO_PASSWORD
from rpcexplorer.demo import USERNAME
from rpcexplorer.export.formats import FORMS
from rpcexplorer.text.printable import printable
from tests import fakes
from tests.export.snippets import SNIPPETS
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, Received, http_reply

PASSWORD = "correct-horse"


def answer(request: Received) -> bytes:
    """Answer with the request itself as the result."""
    call = request.json
    return request.reply(result=call["params"])


@dataclass(frozen=True)
class Used:
    """A shell with one recorded call."""

    shell: Shell
    origin: str
    id: str

    def profile(self, *lines: str, name: str = "shop") -> None:
        self.shell.sessions("\n".join([f"[profile.{name}]", f'url = "{self.origin}"', *lines, ""]))

    def copy(self, form: str) -> tuple[str, str]:
        ran = self.shell.run("copy", self.id, "--as", form)
        assert ran.code == 0
        return ran.text, ran.err


AUTH = 'auth = { kind = "inline", username = "ada" }'


@pytest.fixture
def used(shell: Shell) -> Used:
    with RawServer(answer) as server:
        shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
        found = Used(shell, server.origin, "")
        found.profile(AUTH)
        ran = shell.run("call", "user.get", '{"id": 42}', "--response")
    assert ran.code == 0
    return Used(shell, server.origin, json.loads(ran.out)["id"])


@pytest.mark.parametrize("form", FORMS)
def test_each_format_is_printed_without_the_secret(used: Used, form: str) -> None:
    text, err = used.copy(form)
    assert "user.get" in text or form == "response"
    assert "42" in text
    assert PASSWORD not in text
    assert err == ("" if form == "command" else "rpcexplorer: 1 secret replaced\n")


def test_request_is_exact_except_for_the_secret(shell: Shell) -> None:
    params = '{"q": "it\'s \u202e é\\u0000 $HOME", "n": 1.10}'
    with RawServer(answer) as server:
        shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\n{AUTH}\n')
        assert shell.run("call", "user.get", params).code == 0
        (received,) = server.requests
        ran = shell.run("copy", "--as", "request")
    head, _, body = ran.out.partition(b"\n\n")
    assert body.replace("«shop.password»".encode(), PASSWORD.encode()) == received.body
    assert head.split(b"\n") == received.head.rstrip().split(b"\r\n")
    shown = shell.run("copy", "--as", "request", terminal=True, NO_COLOR="1").text
    assert printable(shown, lines=True) == shown


@pytest.mark.parametrize(
    ("form", "coloured"),
    [
        ("curl", "\x1b[32m'{"),
        ("python", "\x1b[35mimport\x1b[0m"),
        ("request", "\x1b[36mHost\x1b[0m"),
        ("report", ""),
    ],
)
def test_copy_is_coloured_only_on_a_terminal(used: Used, form: str, coloured: str) -> None:
    shown = used.shell.run("copy", used.id, "--as", form, terminal=True).text
    assert coloured in shown
    assert ("\x1b" in shown) is bool(coloured)
    plain, _ = used.copy(form)
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown).rstrip("\n") == plain.rstrip("\n")


@pytest.mark.parametrize("body", [b'{"jsonrpc": "2.0", "result": "\xff\x1b[2J', b'{"result":1.10 }\n\n'])
def test_response_is_exact_bytes_unless_on_terminal(shell: Shell, body: bytes) -> None:
    with RawServer(http_reply(body)) as server:
        shell.run("call", "ping", "--url", server.origin)
    assert shell.run("copy", "--as", "response").out == body
    shown = shell.run("copy", "--as", "response", terminal=True).text
    assert printable(shown, lines=True) == shown
    file = shell.folder / "reply.bin"
    assert shell.run("copy", "--as", "response", "--output", str(file)).out == b""
    assert file.read_bytes() == body
    assert file.stat().st_mode & 0o777 == 0o600


def test_only_a_report_accepts_two_calls(shell: Shell) -> None:
    with RawServer(answer) as server:
        shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\n{AUTH}\n')
        ids = [json.loads(shell.run("call", "user.get", f'{{"n": {n}}}', "--response").out)["id"] for n in (1, 2)]
    ran = shell.run("copy", *ids, "--as", "report", "-o", "both.md")
    assert (ran.code, ran.out, ran.err) == (0, b"", "rpcexplorer: 1 secret replaced\n")
    text = (shell.folder / "both.md").read_text()
    assert '-   "n": 1\n+   "n": 2\n' in text
    assert PASSWORD not in text
    shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\n{AUTH}\nmethod."user.get".ignore = ["/n"]\n')
    left_out = shell.run("copy", *ids, "--as", "report").text
    assert ("- Compared: `the same" in left_out, '-   "n": 1' in left_out) == (True, False)
    for wrong in ([*ids], [*ids, ids[0], "--as", "report"]):
        ran = shell.run("copy", *wrong)
        assert (ran.code, "two calls with --as report" in ran.err) == (2, True)


@pytest.mark.parametrize("form", ["report", "request", "command", "python"])
def test_copy_has_the_values_that_were_sent(shell: Shell, form: str) -> None:
    with RawServer(answer) as server:
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\n[variables]\nwho = "ada"\n')
        shell.run("call", "user.get", '["{{who}}", "{{{{who}}", "{{nobody}}"]')
        (received,) = server.requests
        assert received.json["params"] == ["ada", "{{who}}", "{{nobody}}"]
        shell.sessions(f'[profile.shop]\nurl = "{server.origin}"\n[variables]\nwho = "bob"\nnobody = "x"\n')
        text = shell.run("copy", "--as", form).text
        assert "bob" not in text
        assert "ada" in text
        if form == "command":
            assert shell.run(*shlex.split(text)[1:]).code == 0
            assert server.requests[1].body.partition(b'"method"')[2] == received.body.partition(b'"method"')[2]
        else:
            assert "{{who}}" in text
            assert "{{nobody}}" in text


def test_report_has_call_that_profile_would_refuse(used: Used) -> None:
    used.profile(name="shop")
    used.shell.run("call", "user.get", "[42]")
    used.profile(AUTH)
    for form in ("report", "request"):
        ran = used.shell.run("copy", "--as", form)
        assert (ran.code, "42" in ran.text) == (0, True)
        assert "cannot send this call now" in ran.err


def test_curl_of_newest_call_is_the_default(used: Used) -> None:
    assert used.shell.run("copy").text == used.copy("curl")[0]
    assert used.shell.run("copy", used.id[-6:]).text == used.copy("curl")[0]


def test_copy_goes_to_the_recorded_url(used: Used) -> None:
    used.profile(AUTH, 'path = "/v3/"')
    text, err = used.copy("curl")
    assert f"curl {used.origin}/api/v2/" in text
    assert "RPCEXPLORER_URL_PASSWORD" in text
    assert "RPCEXPLORER_SHOP" not in text  # A record can name any URL, so it gets no secret of a profile.
    assert f"Profile shop now points to {used.origin}/v3/." in err
    assert used.copy("command")[0].endswith(f" --url {used.origin}/api/v2/ --auth inline\n")


def test_copy_of_url_call_warns_of_unknown_auth(shell: Shell) -> None:
    with RawServer(answer) as server:
        shell.run("call", "ping", "--url", server.origin)
    ran = shell.run("copy", "--as", "command")
    assert ran.text == f"rpcexplorer call ping --url {server.origin}/api/v2/\n"
    assert "The call was made with --url" in ran.err


def test_copy_of_url_call_has_its_usual_content_type(shell: Shell) -> None:
    for path, usual in (("", "application/json-rpc"), ("/rpc", "application/json")):
        with RawServer(answer) as server:
            shell.run("call", "ping", "--url", server.origin + path)
        assert f"-H 'Content-Type: {usual}'" in shell.run("copy").text


def test_batch_and_notification_are_copied_as_such(used: Used) -> None:
    with RawServer(answer) as server:
        url = server.origin
        used.shell.run("notify", "log", "--url", url)
        noted = used.shell.run("copy", "--as", "command").text
    assert noted == f"rpcexplorer notify log --url {url}/api/v2/\n"
    used.shell.run("batch", "--url", url, stdin=b'[{"method": "a"}]')  # The server is closed by now.
    batch = used.shell.run("copy", "--as", "command").text
    assert batch == f"""printf %s '[{{"method":"a"}}]' | rpcexplorer batch - --url {url}/api/v2/\n"""


@pytest.mark.parametrize(("id", "message"), [("missing", "No call has the id missing"), (None, "The history is empty")])
def test_unknown_id_is_reported(shell: Shell, id: str | None, message: str) -> None:
    ran = shell.run("copy", *([id] if id else []))
    assert (ran.code, ran.out) == (2, b"")
    assert message in ran.err


def test_changed_profile_is_named_as_the_reason(used: Used) -> None:
    used.profile(name="shop")
    used.shell.run("call", "user.get", "[42]")
    used.profile(AUTH)
    ran = used.shell.run("copy")
    assert (ran.code, ran.out) == (2, b"")
    assert "so they cannot be an array" in ran.err


KINDS = {
    "inline": 'auth = { kind = "inline" }',
    "basic": 'auth = { kind = "basic" }',
    "digest": 'auth = { kind = "digest" }',
    "cookie": 'auth = { kind = "cookie" }',
    "bearer": 'auth = { kind = "bearer" }',
    "query": 'auth = { kind = "query" }',
    "member": 'auth = { kind = "member" }\nlogin = { method = "login", session = "/0" }',
    "path": 'path = "/x/{token}"\nauth = { kind = "none" }',
    "certificate": 'cert_file = "person.pem"\nheaders = { X-Tenant = "acme" }',
}
THEIRS = {"the name of ours": "shop", "a name of theirs": "prod", "the name of --url": "url"}


def by_someone_else(shell: Shell, tmp_path: Path, url: str, name: str, source: str) -> str:
    """Record a call of someone else in the user's history; return its id."""
    other, shared = Shell(tmp_path / "other"), tmp_path / "shared"
    shared.mkdir()
    for user in (other, shell):
        (user.home / "config").mkdir(parents=True)
    settings = f'[history]\nfolder = "{shared}"\n'
    (other.home / "config" / "settings.toml").write_text(settings)
    params = '{"a": ["«shop.password»", "«url.password»", "«shop.token»"]}'
    other.sessions(f'[profile.prod]\nurl = "{url}"\n')
    assert other.run("call", "get", params.replace("«", "<"), "--response").code in {0, 1}
    (file,) = shared.glob("*.toml")
    text = file.read_text().replace("<", "\\u00ab").replace('profile = "prod"', f'profile = "{name}"')
    file.unlink()
    blocks = [resealed(block) for block in re.split(r"(?=^\[\[call\]\])", text, flags=re.MULTILINE)]
    if source == "a case":
        (tmp_path / "case.toml").write_text("case = 1\n\n" + "".join(blocks[1:]))
        assert shell.run("history", "import", str(tmp_path / "case.toml")).code == 0
    else:
        (shell.home / "config" / "settings.toml").write_text(settings)
        (shared / ("eve@host.toml" if source == "a colleague's file" else file.name)).write_text("".join(blocks))
    listed = json.loads(shell.run("history", "list", "--json").text.splitlines()[0])
    assert listed["profile"] == name
    return str(listed["id"])


def resealed(block: str) -> str:
    """Return a changed block of a history with a valid checksum."""
    head, end, _ = block.partition('end = "')
    return f'{head}{end}{zlib.crc32(head.encode()):08x}"\n\n' if end else block


@pytest.mark.parametrize("name", THEIRS.values(), ids=THEIRS)
@pytest.mark.parametrize("source", ["a colleague's file", "a file named like ours", "a case"])
def test_copied_call_of_someone_else_names_no_credential(shell: Shell, tmp_path: Path, source: str, name: str) -> None:
    with RawServer(answer) as server:
        theirs = server.origin
        id = by_someone_else(shell, tmp_path, theirs, name, source)
    shell.environment |= {
        f"RPCEXPLORER_{name}_{field}": PASSWORD
        for name in ("SHOP", "URL")
        for field in ("USERNAME", "PASSWORD", "TOKEN", "SESSION")
    }
    for kind, lines in KINDS.items():
        shell.sessions(f'[profile.shop]\nurl = "http://127.0.0.1:9"\n{lines}\n')
        for form in SNIPPETS:
            ran = shell.run("copy", id, "--as", form)
            assert ran.code == 0, ran.err
            sent, context = ran.text.partition("### Response")[0], f"{kind} as {form}: {ran.text}"
            assert theirs.partition("//")[2] in sent, context
            for credential in ("RPCEXPLORER_", "--auth", "-p ", "«url.", "person.pem", "acme"):
                assert credential not in sent, context
            assert "«" not in sent or not FORMS[form].runs, context
            assert "Someone else recorded this call" in ran.err


def asks_for_login(request: Received) -> bytes:
    """Answer like the service without a session, and accept any password."""
    cookie = {"Set-Cookie": "sessionid=x"}
    if request.json["method"] == "auth":
        return request.reply(cookie, result=True)
    return request.reply(cookie, error={"code": -32001, "message": "please log in"})


def test_pasted_command_of_someone_else_sends_no_credential(shell: Shell, tmp_path: Path) -> None:
    with RawServer(asks_for_login) as server:
        id = by_someone_else(shell, tmp_path, server.origin, "prod", "a colleague's file")
        server.requests.clear()
        shell.environment |= {"RPCEXPLORER_URL_USERNAME": "ada", "RPCEXPLORER_URL_PASSWORD": PASSWORD}
        command = shell.run("copy", id, "--as", "command").text.replace("«", "<")
        assert shell.run(*shlex.split(command)[1:]).code == 1
    assert server.methods == ["get"]


@pytest.mark.parametrize("form", SNIPPETS)
def test_copied_call_names_no_variable_bound_elsewhere(shell: Shell, tmp_path: Path, form: str) -> None:
    shell.environment["RPCEXPLORER_SHOP_PASSWORD"] = PASSWORD
    with RawServer(answer) as ours, RawServer(answer) as theirs:
        id = by_someone_else(shell, tmp_path, theirs.origin, "shop", "a colleague's file")
        shell.sessions(f'[profile.shop]\nurl = "{ours.origin}"\n{AUTH}\n')
        assert shell.run("call", "ping").code == 0
    shell.sessions(f'[profile.shop]\nurl = "{theirs.origin}"\n{AUTH}\n')
    ran = shell.run("copy", id, "--as", form)
    if FORMS[form].runs:
        assert (ran.code, ran.out) == (3, b"")
        assert "rpcexplorer profiles allow shop" in ran.err
        assert shell.run("profiles", "allow", "shop", "--yes").code == 0
        assert "RPCEXPLORER_SHOP_PASSWORD" in shell.run("copy", id, "--as", form).text
    else:
        assert ran.code == 0
        assert "RPCEXPLORER_" not in ran.text


def pasted(script: str, folder: Path, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script in bash, with one line of input."""
    stand_in = folder / "curl"
    stand_in.write_text(f'#!/bin/sh\nexec {sys.executable} {fakes.__path__[0]}/curl.py "$@"\n')
    stand_in.chmod(0o755)
    bare = {"PATH": f"{os.environ['PATH']}:{folder}", "NO_PROXY": "*", "HOME": str(folder)}
    command = ["bash", "-u", "-c", script]
    return subprocess.run(command, input=typed, capture_output=True, text=True, check=False, env=bare | environment)


@pytest.fixture
def cookie(shell: Shell, url: str) -> Shell:
    """A shell that has logged in to the demo service and called ping."""
    shell.sessions(f'[profile.shop]\nurl = "{url}"\nauth = {{ kind = "cookie", username = "{USERNAME}" }}\n')
    assert shell.run("call", "ping", RPCEXPLORER_SHOP_PASSWORD=DEMO_PASSWORD).code == 0
    return shell


@pytest.mark.parametrize(
    ("typed", "message"), [("", "RPCEXPLORER_SHOP_PASSWORD"), ("wrong\n", "the login returned no session")]
)
def test_copied_command_without_password_does_not_call(cookie: Shell, tmp_path: Path, typed: str, message: str) -> None:
    ran = pasted(cookie.run("copy", "--as", "curl").text, tmp_path, typed)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert message in ran.stderr


def test_entered_password_does_not_stay_in_the_shell(cookie: Shell, tmp_path: Path) -> None:
    script = cookie.run("copy", "--as", "curl").text
    ran = pasted(f"{script}\nset", tmp_path, f"{DEMO_PASSWORD}\n")
    assert '"pong"' in ran.stdout
    assert DEMO_PASSWORD not in ran.stdout
    assert not re.search("^RPCEXPLORER_SHOP", ran.stdout, re.MULTILINE)


def recording(folder: Path, name: str, then: str) -> Path:
    """Create a program that writes down its arguments."""
    programs, log = folder / "bin", folder / "arguments"
    programs.mkdir()
    (programs / name).write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" >> {log}\n{then}\n")
    (programs / name).chmod(0o755)
    return log


def test_curl_gets_no_secret_as_argument(cookie: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = recording(tmp_path, "curl", f'exec {sys.executable} {fakes.__path__[0]}/curl.py "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    ran = pasted(cookie.run("copy", "--as", "curl").text, tmp_path, f"{DEMO_PASSWORD}\n")
    assert json.loads(ran.stdout)["result"] == "pong"
    assert "password of shop: " in ran.stderr
    arguments = log.read_text()
    assert arguments.count("/api/v2/") == 2
    assert DEMO_PASSWORD not in arguments
    assert "sessionid=" not in arguments


def test_httpie_gets_no_secret_as_argument(cookie: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    then = (
        "case $1 in --print=h) cat >&2; printf 'Set-Cookie: sessionid=s3ss10n; Path=/\\n';;"
        ' *) for word in "$@"; do case $word in Cookie:@*) cat "${word#Cookie:@}";; esac; done;; esac'
    )
    log = recording(tmp_path, "http", then)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    ran = pasted(cookie.run("copy", "--as", "httpie").text, tmp_path, f"{DEMO_PASSWORD}\n")
    assert f'"password":"{DEMO_PASSWORD}"' in ran.stderr
    assert ran.stdout == "sessionid=s3ss10n"
    assert DEMO_PASSWORD not in log.read_text()
    assert "s3ss10n" not in log.read_text()


@pytest.mark.thorough
def test_copied_python_script_logs_in(cookie: Shell) -> None:
    script = cookie.run("copy", "--as", "python").text
    for password, result in ((DEMO_PASSWORD, "pong"), ("wrong", "")):
        environment = {**os.environ, "NO_PROXY": "*", "RPCEXPLORER_SHOP_PASSWORD": password}
        command = [sys.executable, "-c", script]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if result:
            assert json.loads(ran.stdout.removeprefix("200\n"))["result"] == result
        else:
            assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", "the login returned no session\n")


def test_copied_login_has_no_login_before_it(cookie: Shell) -> None:
    cookie.run("call", "auth", json.dumps({"username": USERNAME, "password": "«shop.password»"}))
    assert cookie.run("copy", "--as", "curl").text.count("curl ") == 1


def test_call_over_a_socket_has_no_httpie_form(shell: Shell) -> None:
    path = str(shell.folder / "x.sock")
    with RawServer(answer, socket_path=path):
        assert shell.run("call", "ping", "--url", f"http+unix://{path}:/rpc").code == 0
    assert f"--unix-socket {path}" in shell.run("copy").text
    assert f"http+unix://{path}:/rpc" in shell.run("copy", "--as", "report").text
    ran = shell.run("copy", "--as", "httpie")
    assert (ran.code, ran.out) == (2, b"")
    assert "HTTPie cannot connect to a Unix socket" in ran.err
