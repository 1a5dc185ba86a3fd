"""Commands and scripts that send the same request, for each auth type."""

from __future__ import annotations

import os
import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.auth.test_digest import parts_of
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, Received, http_reply

CURL = Path(__file__).parents[1] / "fakes" / "curl.py"
TOKEN = "t0k\"en'/%$x\\&`id`"
PASSWORD = 'pa"ss\\w $x`id`'
KINDS = {
    "basic": 'auth = { kind = "basic", username = "ada" }',
    "bearer": 'auth = { kind = "bearer" }',
    "header": 'auth = { kind = "header", value = "Token {token}" }',
    "query": 'auth = { kind = "query" }',
    "first": 'auth = { kind = "first", value = "token:{token}" }',
    "member": 'auth = { kind = "member" }',
    "path": 'path = "/v3/{token}"',
    "digest": 'auth = { kind = "digest", username = "ada" }',
    "member with a login": 'auth = { kind = "member", username = "ada" }\nlogin = { method = "open", session = "" }',
    "first with a login": (
        'auth = { kind = "first", username = "ada" }\n'
        'login = { method = "ping", params = ["0", { password = "{password}" }], session = "/1/id" }'
    ),
    "bearer with a login": 'auth = { kind = "bearer", username = "ada" }\nlogin = { method = "open", session = "/id" }',
}


def of_session(kind: str) -> object:
    return {"bearer with a login": {"id": "s3ss10n"}, "first with a login": [0, {"id": "s3ss10n"}]}.get(kind, "s3ss10n")


def seen(request: Received) -> tuple[object, ...]:
    """Return the parts that must be the same in any spelling."""
    header = request.header("Authorization") or ""
    proof = parts_of(header) if header.startswith("Digest") else {}
    stable = {name: proof[name] for name in ("username", "realm", "uri", "nonce") if name in proof} or header
    body = request.json
    body["id"] = body["id"].removesuffix(".login")
    return unquote(request.line), stable, request.header("X-Api-Key"), body


BY_COMMANDS = {
    "bearer": 'auth = { kind = "bearer", token_command = ["print it", "a\'b"] }',
    "basic": 'auth = { kind = "basic", username = "ada", password_command = ["print it", "a\'b"] }',
    "digest": 'auth = { kind = "digest", username = "ada", password_command = ["print it", "a\'b"] }',
    "login": 'auth = { kind = "cookie", username = "ada", password_command = ["print it", "a\'b"] }',
}


@pytest.mark.parametrize("form", ["curl", "python"])
@pytest.mark.parametrize("kind", BY_COMMANDS)
@pytest.mark.everyday(2)
def test_copied_snippet_runs_the_command_of_a_secret(tmp_path: Path, kind: str, form: str) -> None:
    def script(request: Received) -> bytes:
        if kind == "digest" and request.header("Authorization") is None:
            asks = {"WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"'}
            return http_reply(b"no", 401, asks, reason="Unauthorized")
        if request.json["method"] == "auth":
            assert "s3cr3t-of-a'b" in request.body.decode()
            return http_reply(request.reply(result=1).partition(b"\r\n\r\n")[2], headers={"Set-Cookie": "sessionid=s"})
        return request.reply(result="pong")

    shell = Shell(tmp_path)
    for name, text in (("print it", 'echo "s3cr3t-of-$1"'), ("curl", f'exec {sys.executable} {CURL} "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    shell.environment["PATH"] = f"{tmp_path}:{os.environ['PATH']}"
    with RawServer(script) as server:
        shell.own(f'version = 1\n[profile.shop]\nurl = "{server.origin}"\n{BY_COMMANDS[kind]}\n')
        ran = shell.run("call", "ping", "-p", "shop")
        assert ran.code == 0, ran.err
        sent = [seen(request) for request in server.requests]
        copied = shell.run("copy", "--as", form, "-p", "shop").text
        command = [sys.executable, "-c", copied] if form == "python" else ["bash", "-c", copied]
        environment = {**os.environ, "PATH": shell.environment["PATH"]}
        done = subprocess.run(command, capture_output=True, check=False, env=environment, stdin=subprocess.DEVNULL)
    assert "s3cr3t-of" not in copied
    assert done.returncode == 0, done.stderr
    assert b"pong" in done.stdout
    assert [seen(request) for request in server.requests[len(sent) :]] == sent


@pytest.mark.parametrize("form", ["curl", "python", "httpie"])
def test_copied_snippet_never_sends_the_key_of_a_jwt(tmp_path: Path, form: str) -> None:
    """Its value in place of the token would show the key to the server."""
    shell = Shell(tmp_path)
    shell.sessions('[profile.shop]\nurl = "http://127.0.0.1:9/rpc"\nauth = { kind = "jwt" }\n')
    shell.environment["RPCEXPLORER_SHOP_KEY"] = "9f86d081884c7d65"
    shell.run("call", "ping")
    copied = shell.run("copy", "--as", form)
    assert "RPCEXPLORER_SHOP_KEY" not in copied.text
    assert "9f86d081884c7d65" not in copied.text
    assert "NOT_RECORDED" in copied.text


@pytest.mark.thorough
@pytest.mark.parametrize("form", ["curl", "python"])
@pytest.mark.parametrize("kind", KINDS)
def test_copied_snippet_sends_the_same_request(tmp_path: Path, kind: str, form: str) -> None:
    def script(request: Received) -> bytes:
        body = request.json
        if kind == "digest" and request.header("Authorization") is None:
            asks = {"WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"'}
            return http_reply(b"no", 401, asks, reason="Unauthorized")
        result = of_session(kind) if body["id"].endswith(".login") else "pong"
        return request.reply(result=result)

    shell = Shell(tmp_path)
    held = {"RPCEXPLORER_SHOP_TOKEN": TOKEN, "RPCEXPLORER_SHOP_PASSWORD": PASSWORD}
    if kind.startswith(("bearer", "header")):
        held["RPCEXPLORER_SHOP_TOKEN"] = TOKEN.replace(" ", "")
    shell.environment |= held
    with RawServer(script) as server:
        shell.sessions(f'version = 1\n[profile.shop]\nurl = "{server.origin}"\n{KINDS[kind]}\n')
        ran = shell.run("call", "ping", '["a\'b"]')
        assert ran.code == 0, ran.err
        sent = [seen(request) for request in server.requests]
        copied = shell.run("copy", "--as", form).text
        assert not any(value in copied for value in (*held.values(), "s3ss10n"))
        command = [sys.executable, "-c", copied] if form == "python" else ["bash", "-c", copied]
        fake = tmp_path / "curl"
        fake.write_text(f'#!/bin/sh\nfor word in "$@"; do echo "$word" >> {tmp_path}/words; done\n'
                        f'exec {sys.executable} {CURL} "$@"\n')  # fmt: skip
        fake.chmod(0o755)
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", **held}
        done = subprocess.run(command, capture_output=True, check=False, env=environment, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
        assert b"pong" in done.stdout
    assert [seen(request) for request in server.requests[len(sent) :]] == sent
    if form == "curl":  # arguments, which every user can list
        words = (tmp_path / "words").read_text()
        coded = b64encode(f"ada:{PASSWORD}".encode()).decode()
        assert not any(value in words for value in (*held.values(), "s3ss10n", coded))
