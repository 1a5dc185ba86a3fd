"""A call to a server that hands something over first, as a command and a script: what is pasted runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.shell import Shell
from tests.fakes.wire import Parts, RawServer, Received, http_reply

CURL = Path(__file__).parents[2] / "fakes" / "curl.py"
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
    body = json.loads(request.body)
    answer = {"key": "s3ss10n"} if body["method"] == "auth" else {"came": body["arguments"]}
    return http_reply(json.dumps({"result": "success", "arguments": answer, "tag": body.get("tag")}).encode())


def mcp(request: Received) -> Parts:
    body = json.loads(request.body)
    if body["method"] == "initialize":
        said = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
        reply = {"jsonrpc": "2.0", "id": body["id"], "result": said}
        return http_reply(json.dumps(reply).encode(), headers={"Mcp-Session-Id": HANDED})
    if request.header("Mcp-Session-Id") != HANDED or request.header("MCP-Protocol-Version") != "2025-06-18":
        return http_reply(b"no session", 400, reason="Bad Request")
    if "id" not in body:
        return http_reply(b"", 202, reason="Accepted")
    return http_reply(json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": {"came": body["params"]}}).encode())


def last(requests: list[Received]) -> tuple[object, ...]:
    names = ("X-Transmission-Session-Id", "Mcp-Session-Id", "MCP-Protocol-Version", "Authorization", "Content-Type")
    return requests[-1].line, requests[-1].body, *(requests[-1].header(name) for name in names)


@pytest.mark.everyday(1)
@pytest.mark.parametrize("form", ["curl", "python"])
@pytest.mark.parametrize("kind", PROFILES)
def test_what_is_handed_over_is_asked_for_and_sent_back(tmp_path: Path, kind: str, form: str) -> None:
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


@pytest.mark.thorough
def test_where_nothing_is_handed_over_nothing_is_sent_back(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    with RawServer(http_reply(b'{"jsonrpc": "2.0", "id": "1", "result": "pong"}')) as server:
        shell.sessions(f'version = 1\n[profile.shop]\nurl = "{server.origin}"\nhandshake = {{ header = "X-Own" }}\n')
        shell.run("call", "ping")
        copied = shell.run("copy", "--as", "python").text
        done = subprocess.run([sys.executable, "-c", copied], capture_output=True, check=False)
        assert b'"pong"' in done.stdout, done.stderr
    assert [request.header("X-Own") for request in server.requests] == [None, None, None]
    assert [bool(request.body) for request in server.requests] == [True, False, True]
