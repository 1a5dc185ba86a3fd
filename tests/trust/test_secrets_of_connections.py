"""Secrets that the peer of an open connection repeats."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from hashlib import sha1

import pytest
from websockets.frames import Frame, Opcode

from rpcexplorer.redaction.spellings import SHORTEST
from tests.fakes.shell import Shell
from tests.fakes.wire import Parts, RawServer, Received, Script, http_reply
from tests.trust.planted import AWKWARD, leaks
from tests.trust.test_secrets_everywhere import files, printed

PROCESS = """
import json, os, sys
def read():
    line = sys.stdin.buffer.readline()
    if line.startswith(b"Content-Length"):
        sys.stdin.buffer.readline()
        line = sys.stdin.buffer.read(int(line.split()[1]))
    return json.loads(line)
call = read()
password = call["params"]["password"]
def say(**members):
    os.write(1, json.dumps({"jsonrpc": "2.0"} | members).encode() + b"\\n")
match call["method"]:
    case "stderr":
        os.write(2, f"The password is {password}, as JSON {json.dumps(password)}.\\n".encode())
        say(id=call["id"], result=1)
    case "event":
        say(method=f"tick {password}", params=[password])
        say(id=99, method="ask", params=[password])
        say(id=password, result=1)
        os.write(1, password.encode() + b"\\n")
        os.write(1, json.dumps({password: [{password: 1}]}).encode() + b"\\n")
        say(id=call["id"], result=1)
        sys.stdin.read()
    case "exit":
        sys.exit(f"wrong: {password}")
    case "unread":
        say(method=f"tick {password}", params=[password])
        os.write(1, password.encode())
        sys.stdin.read()
    case "header":
        os.write(1, f"password: {password}\\r\\nother: 1\\r\\n\\r\\n".encode())
        os.write(1, f"no header {password}\\r\\n\\r\\n".encode())
        sys.stdin.read()
"""
PROFILES = """\
[profile.lines]
url = "stdio:"
command = {words}
auth = {{ kind = "inline", username = "ada" }}

[profile.length]
url = "stdio:"
command = {words}
framing = "length"
auth = {{ kind = "inline", username = "ada" }}
"""
CALLS = (
    ("lines", "stderr", 0),
    ("lines", "event", 0),
    ("lines", "exit", 4),
    ("length", "header", 4),
    ("length", "unread", 4),
)
SENDABLE = ("six characters", "quotes and backslashes", "spaces and signs")
"""Secrets that a header and a close frame can contain."""
CUT = "blanks and full stops at the ends"
SECRETS = AWKWARD | {CUT: " \tword-4711.. "}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS.keys())
@pytest.mark.everyday(1)
def test_process_that_repeats_a_password_shows_none(secret: str, shell: Shell) -> None:
    server = shell.folder / "server.py"
    server.write_text(PROCESS)
    own = shell.explorer().paths.user_sessions
    own.parent.mkdir(parents=True)
    own.write_text(PROFILES.format(words=json.dumps([sys.executable, "-IS", str(server)])))
    shell.environment |= {f"RPCEXPLORER_{name}_PASSWORD": secret for name in ("LINES", "LENGTH")}
    runs = []
    for profile, method, code in CALLS:
        timeout = ["--timeout", "0.3" if method == "unread" else "30"]
        ran = shell.run("call", method, "{}", "-p", profile, *timeout)
        assert ran.code == code, ran.err
        runs += [(method, ran), (method, shell.run("call", method, "{}", "-p", profile, *timeout, terminal=True))]
    runs += [("list", shell.run("history", "list", "--json"))]
    runs += [("events", shell.run("history", "list", "--outcome", "event", "--json"))]
    assert "lines.password»" in runs[0][1].err
    lines = [line for line in secret.splitlines() if len(line) >= SHORTEST]
    assert leaks(printed(runs) | files(shell.home), [secret, *lines, secret.strip(" \t.")]) == []


def accepted(frame: bytes) -> Script:
    """Return a script that accepts WebSocket, sends a frame and closes."""

    def accept(request: Received) -> Parts:
        key = (request.header("Sec-WebSocket-Key") or "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        headers = {
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Accept": b64encode(sha1(key.encode(), usedforsecurity=False).digest()).decode(),
        }
        return http_reply(b"", 101, {**headers, "Content-Length": "0"}) + frame

    return accept


@pytest.mark.parametrize("secret", [*(AWKWARD[name] for name in SENDABLE), SECRETS[CUT].strip()], ids=[*SENDABLE, CUT])
def test_server_that_repeats_a_token_shows_none(secret: str, shell: Shell) -> None:
    failed = {"jsonrpc": "2.0", "id": "rpcexplorer.initialize", "error": {"code": 1, "message": f"no: {secret}"}}
    scripts: tuple[Script, ...] = (
        http_reply(f"no: {secret}".encode(), 403, reason=f"Not {secret}"),
        http_reply(b"", 302, {"Location": f"ws://elsewhere.example/{secret}"}),
        accepted(Frame(Opcode.CLOSE, b"\x03\xf0" + f"no: {secret}".encode()).serialize(mask=False)),
        accepted(Frame(Opcode.TEXT, json.dumps(failed).encode()).serialize(mask=False)),
    )
    runs = []
    with RawServer(*scripts) as server:
        url = server.origin.replace("http:", "ws:")
        shell.sessions(f'[profile.here]\nurl = "{url}"\nhandshake = "mcp"\nauth = {{ kind = "bearer" }}\n')
        for number in range(len(scripts)):
            ran = shell.run("call", "ping", "-p", "here", "--include", RPCEXPLORER_HERE_TOKEN=secret)
            assert (ran.code, "«here.token»" in ran.err) == (4 if number else 3, True), ran.err
            runs.append((str(number), ran))
    runs += [("list", shell.run("history", "list", "--json", RPCEXPLORER_HERE_TOKEN=secret))]
    assert leaks(printed(runs) | files(shell.home), [secret, secret.strip(".")]) == []
