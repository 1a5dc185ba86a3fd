"""The connection test of connections that stay open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.client import connection_test
from rpcexplorer.client.report import Report
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.profile import ad_hoc
from tests.fakes.explorer import open_explorer
from tests.fakes.peers import Peer, framed, peer, upgraded

HELLO = b'{"jsonrpc":"2.0","method":"hello"}'


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no messages after the response."""
    monkeypatch.setattr(connection_test, "LISTEN_SECONDS", 0.0)


def opened(folder: Path, profile: str) -> Explorer:
    return open_explorer(folder, "", f"[profile.x]\n{profile}\n", PATH="/bin:/usr/bin")


def report_of(explorer: Explorer) -> Report:
    async def run() -> Report:
        async with explorer:
            return await explorer.test(explorer.profiles.profiles["x"])

    return asyncio.run(run())


def tried(tmp_path: Path, script: Callable[[Peer], Awaitable[None]], settings: str = "") -> Report:
    async def run() -> Report:
        async with peer(framed(script, "lines")) as port:
            explorer = opened(tmp_path, f'url = "tcp://127.0.0.1:{port}"\n{settings}')
            async with explorer:
                return await explorer.test(explorer.profiles.profiles["x"])

    return asyncio.run(run())


def rows(report: Report) -> list[tuple[str, str]]:
    return [(check.label, check.state) for check in report.checks]


async def answer(peer: Peer) -> None:
    """Greet, and answer each request with an error."""
    await peer.send(peer.frame(HELLO) * 2)
    while message := await peer.receive():
        call = json.loads(message)
        error = {"code": -32601, "message": "no such method"}
        await peer.send(peer.frame(json.dumps({"jsonrpc": "2.0", "id": call["id"], "error": error}).encode()))


def test_steps_call_and_messages_are_reported(tmp_path: Path) -> None:
    report = tried(tmp_path, answer)
    states = [("Connection", "well"), ("JSON-RPC", "well"), ("Login", "skipped"), ("Messages", "well")]
    assert rows(report) == states
    assert report.checks[1].words == "rpc.discover returned an error object (-32601 no such method)."
    assert report.checks[3].words == "The server sent 2 other messages: hello."
    assert (report.proposal, report.exit_code) == (None, 0)


def test_handshake_that_fails_is_its_own_row(tmp_path: Path) -> None:
    report = tried(tmp_path, answer, 'handshake = "lsp"')
    assert rows(report) == [
        ("Connection", "well"), ("Handshake", "failed"), ("JSON-RPC", "unknown"), ("Login", "unknown"),
    ]  # fmt: skip
    assert report.checks[1].words == "initialize failed: error -32601 no such method"
    assert report.exit_code == 4


async def greet_only(peer: Peer) -> None:
    """Answer the first call alone."""
    call = json.loads(await peer.receive())
    await peer.send(peer.frame(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": {}}).encode()))
    await peer.read_to_end()


def test_handshake_that_succeeds_needs_no_call(tmp_path: Path) -> None:
    report = tried(tmp_path, greet_only, 'handshake = "lsp"')
    states = [("Connection", "well"), ("Handshake", "well"), ("JSON-RPC", "well"), ("Login", "skipped")]
    assert (rows(report)[:4], report.exit_code) == (states, 0)
    assert [call.method for call in report.calls] == ["initialize"]


def test_error_without_jsonrpc_leaves_the_version_unknown(tmp_path: Path) -> None:
    async def answer_as_node(peer: Peer) -> None:
        id = json.loads(await peer.receive())["id"]
        reply = {"id": id, "error": {"code": -32601, "message": "'rpc.discover' wasn't found"}}
        await peer.send(peer.frame(json.dumps(reply).encode()))
        await peer.read_to_end()

    check = tried(tmp_path, answer_as_node).checks[1]
    assert (check.label, check.state) == ("JSON-RPC", "unknown")
    assert check.words.endswith("If calls fail, set envelope to 1.0.")


@pytest.mark.parametrize(
    ("reply", "code", "words"),
    [
        ({"request_id": 0, "error": "invalid parameter"}, 5, "it is not JSON-RPC (invalid parameter)."),
        ({"error": {"code": -32600, "message": "Must have integer 'id'"}}, 1, "The server needs ids as numbers."),
        ({"jsonrpc": "2.0", "error": {"code": -32600, "message": "Not initialized"}, "id": ...}, 1, "refused the"),
    ],
)
def test_response_that_refuses_the_request_fails(tmp_path: Path, reply: dict[str, Any], code: int, words: str) -> None:
    async def refuse(peer: Peer) -> None:
        id = json.loads(await peer.receive())["id"]
        filled = {name: id if value is ... else value for name, value in reply.items()}
        await peer.send(peer.frame(json.dumps(filled).encode()))
        await peer.read_to_end()

    report = tried(tmp_path, refuse)
    check = report.checks[1]
    assert (check.label, check.state, report.exit_code) == ("JSON-RPC", "failed", code)
    assert words in check.words


def test_login_without_a_session_is_not_accepted(tmp_path: Path) -> None:
    async def run() -> Report:
        explorer = opened(tmp_path, 'url = "tcp://127.0.0.1:1"')
        async with peer(upgraded(greet_only)) as port, explorer:
            return await explorer.test(ad_hoc(f"ws://127.0.0.1:{port}/api/v2/"))

    assert rows(asyncio.run(run()))[2:4] == [("JSON-RPC", "well"), ("Login", "skipped")]


def test_connection_that_ends_fails_the_call(tmp_path: Path) -> None:
    async def hang_up(peer: Peer) -> None:
        await peer.receive()

    report = tried(tmp_path, hang_up)
    assert rows(report)[:2] == [("Connection", "well"), ("JSON-RPC", "failed")]
    assert report.checks[1].words.startswith("rpc.discover: ")


def test_server_that_is_down_fails_the_first_row(tmp_path: Path) -> None:
    report = report_of(opened(tmp_path, f'url = "unix://{tmp_path}/none.sock"'))
    assert rows(report) == [("Connection", "failed"), ("JSON-RPC", "unknown"), ("Login", "unknown")]


def test_silent_process_is_told_the_usual_presets(tmp_path: Path) -> None:
    report = report_of(opened(tmp_path, 'url = "stdio:"\ncommand = ["sleep", "60"]\ntimeout = 0.2'))
    assert (report.checks[1].label, report.checks[1].state) == ("JSON-RPC", "failed")
    assert report.checks[1].words.endswith("A language server needs the preset lsp, an MCP server the preset mcp.")


def test_program_that_is_missing_fails_the_start(tmp_path: Path) -> None:
    report = report_of(opened(tmp_path, 'url = "stdio:"\ncommand = ["rpcexplorer-none"]'))
    assert rows(report)[0] == ("Start", "failed")
    assert "was not found in PATH" in report.checks[0].words


def test_command_of_others_does_not_run(tmp_path: Path) -> None:
    started = tmp_path / "started"
    text = f'[profile.x]\nurl = "stdio:"\ncommand = ["touch", "{started}"]\n'
    explorer = open_explorer(tmp_path, text, PATH="/bin:/usr/bin")
    report = report_of(explorer)
    assert rows(report)[0] == ("Start", "failed")
    assert "profiles allow x" in report.checks[0].words
    assert (report.exit_code, started.exists()) == (2, False)
