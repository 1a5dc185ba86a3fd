"""The connection test of connections that stay open."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from rpcexplorer.client import connection_test
from rpcexplorer.client.probe import MOST, Proposal
from rpcexplorer.client.report import MALFORMED, Check, Report
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.profile import ad_hoc, ad_hoc_process
from tests.fakes.explorer import open_explorer
from tests.fakes.mcp import stdio_script
from tests.fakes.peers import Accept, Peer, framed, peer, upgraded
from tests.fakes.wire import RawServer, Received, http_reply

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
    assert (report.proposal, report.exit_code) == (Proposal(()), 0)


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
        await peer.reader.read(9)

    report = tried(tmp_path, hang_up)
    assert rows(report)[:2] == [("Connection", "well"), ("JSON-RPC", "failed")]
    assert report.checks[1].words.startswith("rpc.discover: ")


def test_server_that_is_down_fails_the_first_row(tmp_path: Path) -> None:
    report = report_of(opened(tmp_path, f'url = "unix://{tmp_path}/none.sock"'))
    assert rows(report) == [("Connection", "failed"), ("JSON-RPC", "unknown"), ("Login", "unknown")]


def test_server_that_wants_its_greeting_first_is_electrum(tmp_path: Path) -> None:
    async def serve(peer: Peer) -> None:
        is_greeted = False
        while message := await peer.receive():
            is_greeted = is_greeted or b'"server.version"' in message
            if not is_greeted:
                return
            reply = {"jsonrpc": "2.0", "id": json.loads(message)["id"], "result": []}
            await peer.send(peer.frame(json.dumps(reply).encode()))

    report = tried(tmp_path, serve)
    assert form_of(report) == {"preset": "electrum"}
    assert report.proposal is not None
    assert report.proposal.secrets == ()


def test_server_that_ends_connections_of_other_versions_is_ovsdb(tmp_path: Path) -> None:
    async def serve(peer: Peer) -> None:
        message = (await peer.reader.read(65536)).decode("latin-1")
        if '"list_dbs"' in message and "jsonrpc" not in message:
            await peer.send(json.dumps({"id": json.loads(message)["id"], "result": ["x"], "error": None}).encode())
            await peer.read_to_end()

    assert form_of(tried(tmp_path, serve)) == {"preset": "ovsdb"}


@pytest.mark.parametrize("scheme", ["unix", "ws+unix"])
def test_web_server_on_a_unix_socket_is_found(tmp_path: Path, scheme: str) -> None:
    def answer(request: Received) -> bytes:
        return request.reply(result=[]) if request.body else http_reply(b"Not Found", 404)

    path = str(tmp_path / "x.sock")
    with RawServer(answer, socket_path=path):
        report = report_of(opened(tmp_path, f'url = "{scheme}://{path}"'))
    assert form_of(report)["url"] == f"http+unix://{path}"


def form_of(report: Report) -> dict[str, Any]:
    """Return the keys that the test proposes."""
    assert report.proposal is not None, report.checks
    return dict(report.proposal.changes)


def process(tmp_path: Path, script: str, settings: str = "") -> Report:
    program = tmp_path / "server.py"
    program.write_text(script)
    words = json.dumps([sys.executable, str(program)])
    return report_of(opened(tmp_path, f'url = "stdio:"\ncommand = {words}\n{settings}'))


LANGUAGE_SERVER = """\
import json, sys
header = sys.stdin.buffer.readline()
{first}
while header.startswith(b"Content-Length:"):
    sys.stdin.buffer.readline()
    call = json.loads(sys.stdin.buffer.read(int(header.split(b":")[1])))
    if "id" in call:
        reply = json.dumps({{"jsonrpc": "2.0", "id": call["id"], "result": {{}}}}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(reply) + reply)
        sys.stdout.buffer.flush()
    header = sys.stdin.buffer.readline()
"""


@pytest.mark.parametrize(
    "first",
    [
        "",
        'sys.stdout.write("Content-Length: 2\\r\\n\\r\\n{}"); sys.stdout.flush()',
        "sys.exit('disconnected') if header[:1] == b'{' else None",
    ],
    ids=["says nothing", "sends headers", "ends"],
)
def test_language_server_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str) -> None:
    monkeypatch.setattr(connection_test, "SILENT_SECONDS", 0.5)
    report = process(tmp_path, LANGUAGE_SERVER.format(first=first))
    assert form_of(report) == {"preset": "lsp"}
    assert ("Preset", "failed") in rows(report)
    assert report.checks[-1].label == "Messages", "nothing was tried in vain"


def test_language_server_that_refuses_to_begin_is_still_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_test, "SILENT_SECONDS", 0.5)
    error = '"error": {"code": -32603, "message": "no compiler here"}'
    report = process(tmp_path, LANGUAGE_SERVER.format(first="").replace('"result": {}', error))
    assert form_of(report) == {"preset": "lsp"}
    assert ("Handshake", "failed") in rows(report)
    assert report.exit_code != 0


def test_mcp_server_is_found_out(tmp_path: Path) -> None:
    script = """\
import json, sys
for line in sys.stdin:
    call = json.loads(line)
    if call["method"] == "initialize":
        print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": {}}), flush=True)
    elif "id" in call:
        error = {"code": -32600, "message": "Server not initialized"}
        answer = {"result": {"tools": []}} if call["method"] == "tools/list" else {"error": error}
        print(json.dumps({"jsonrpc": "2.0", "id": call["id"], **answer}), flush=True)
"""
    report = process(tmp_path, script)
    assert form_of(report) == {"preset": "mcp"}
    others = process(tmp_path, script.replace("tools/list", "things/list"))
    assert (others.proposal, rows(others)[1]) == (None, ("JSON-RPC", "failed")), "it only begins as MCP does"


def test_app_server_of_codex_is_found_out(tmp_path: Path) -> None:
    script = """\
import json, sys
begun = []
for line in sys.stdin:
    call = json.loads(line)
    begun.append(call["method"])
    answer = {"result": {"data": []}}
    if begun[0] != "initialize" or begun[1:2] not in ([], ["initialized"]):
        answer = {"error": {"code": -32600, "message": "Not initialized"}}
    if "id" in call:
        print(json.dumps({"id": call["id"], **answer}), flush=True)
"""
    report = process(tmp_path, script)
    assert form_of(report) == {"preset": "codex"}
    handshake = next(check for check in report.checks if check.label == "Handshake")
    assert (handshake.state, handshake.words) == ("well", "The server answered initialize.")


ACP = """\
import json, sys
for line in sys.stdin:
    call = json.loads(line)
    answer = {"error": {"code": -32601, "message": "Method not found"}}
    if call["method"] == "initialize":
        answer = {"result": {"protocolVersion": 1}}
    if "id" in call:
        print(json.dumps({"jsonrpc": "2.0", "id": call["id"], **answer}), flush=True)
"""


def typed_process(tmp_path: Path, script: str) -> Report:
    async def run() -> Report:
        async with opened(tmp_path, 'url = "tcp://127.0.0.1:1"') as explorer:
            return await explorer.test(ad_hoc_process([sys.executable, "-c", f"exec({script!r})"]))

    return asyncio.run(run())


def test_agent_of_acp_is_known_by_its_greeting(tmp_path: Path) -> None:
    report = typed_process(tmp_path, ACP)
    assert (form_of(report), report.exit_code) == ({"preset": "acp"}, 0)
    assert [check.words for check in report.checks[1:3]] == [
        "The server answered initialize as ACP does, which needs preset acp.", "The server answered initialize."
    ]  # fmt: skip


@pytest.mark.parametrize(("version", "form"), [('"2025-06-18"', {"preset": "mcp"}), ("None", {})])
def test_program_with_another_greeting_is_no_agent(tmp_path: Path, version: str, form: dict[str, str]) -> None:
    report = typed_process(tmp_path, ACP.replace("1}", f"{version}}}"))
    assert (form_of(report), report.exit_code) == (form, 0)


def test_opening_call_that_fails_is_its_own_row(tmp_path: Path) -> None:
    report = tried(tmp_path, answer, '[[profile.x.open]]\nmethod = "hello"\n')
    assert rows(report)[:3] == [("Connection", "well"), ("Handshake", "failed"), ("JSON-RPC", "unknown")]
    assert "hello returned the error -32601 no such method." in report.checks[1].words


LACKS_META = """
known = server.answer
refusal = {"error": {"code": -32602, "message": "Missing _meta field io.modelcontextprotocol/protocolVersion"}}
server.answer = lambda message: known(message) if "_meta" in str(message) else refusal
"""


@pytest.mark.parametrize("answer", ["", LACKS_META], ids=["names its versions", "names the field"])
def test_mcp_server_without_handshake_is_found_out(tmp_path: Path, answer: str) -> None:
    report = process(tmp_path, stdio_script(answer))
    assert form_of(report) == {"preset": "mcp"}
    assert [check.words for check in report.checks if check.label == "JSON-RPC"] == [
        "server/discover returned a result."
    ]


def test_program_that_is_no_server_is_told_what_was_tried(tmp_path: Path) -> None:
    report = process(tmp_path, "print('usage: tool FILE')")
    assert rows(report)[1] == ("JSON-RPC", "failed")
    assert report.checks[-1].words == "Without success: preset lsp, preset mcp, framing length."
    assert (report.proposal, report.exit_code) == (None, 4)


def test_program_that_repeats_its_input_is_no_server(tmp_path: Path) -> None:
    report = report_of(opened(tmp_path, 'url = "stdio:"\ncommand = ["cat"]'))
    assert rows(report)[1] == ("JSON-RPC", "failed")
    assert "It sends rpc.discover back" in report.checks[1].words
    assert (report.proposal, report.exit_code) == (None, MALFORMED)


def test_chosen_framing_is_not_guessed_over(tmp_path: Path) -> None:
    report = process(tmp_path, "print('usage: tool FILE')", 'framing = "lines"')
    assert [call.method for call in report.calls] == ["rpc.discover"]


async def numbers_alone(peer: Peer) -> None:
    """Answer calls whose id is a number, as Node's inspector does."""
    while message := await peer.receive():
        call = json.loads(message)
        reply: dict[str, Any] = {"id": call["id"], "error": {"code": -32601, "message": "not found"}}
        if isinstance(call["id"], str):
            reply = {"error": {"code": -32600, "message": "Message must have integer 'id' property"}}
        await peer.send(peer.frame(json.dumps(reply).encode()))


def test_ids_are_changed_to_numbers(tmp_path: Path) -> None:
    report = tried(tmp_path, numbers_alone)
    assert form_of(report) == {"id": "number"}
    assert report.checks[1] == Check(
        "Ids",
        "failed",
        "Calls need id number. Without it: error -32600 Message must have integer 'id' property.",
        code=MALFORMED,
    )


def of_address(tmp_path: Path, address: str, script: Accept) -> Report:
    """Test the bare address of a peer."""

    async def run() -> Report:
        explorer = opened(tmp_path, 'url = "tcp://127.0.0.1:1"')
        async with peer(script) as port, explorer:
            return await explorer.test(ad_hoc(address.format(port)))

    return asyncio.run(run())


def web_server(status: bytes, headers: bytes = b"") -> Accept:
    """Answer POST at / with a result, an upgrade with a status, and what is not HTTP with 400."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, body, said = await reader.readline(), b"", b"400 Bad Request"
        if first.startswith((b"GET", b"POST")):
            await reader.readuntil(b"\r\n\r\n")
            said = status
        if first.startswith(b"POST / ") and not headers:
            said, body = b"200 OK", b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}'
        length = b"Content-Length: %d\r\nConnection: close\r\n" % len(body)
        writer.write(b"HTTP/1.1 %s\r\n%s%s\r\n%s" % (said, length, headers, body))

    return answer


@pytest.mark.parametrize("scheme", ["tcp", "ws"])
def test_web_server_is_tested_over_http(tmp_path: Path, scheme: str) -> None:
    report = of_address(tmp_path, scheme + "://127.0.0.1:{}", web_server(b"404 Not Found"))
    assert form_of(report)["url"].startswith("http://127.0.0.1:")
    assert report.checks[0].words.endswith(f"The test goes on at {form_of(report)['url']}.")
    assert len(report.calls) <= MOST


def at_path(tmp_path: Path, scheme: str, path: str) -> Report:
    """Test the address of a WebSocket server that has this path alone."""

    async def answer(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(json.dumps({"jsonrpc": "2.0", "id": json.loads(message)["id"], "result": []}))

    def refuse(connection: ServerConnection, request: Request) -> Response | None:
        return None if request.path == path else connection.respond(404, "nothing here")

    async def run() -> Report:
        explorer = opened(tmp_path, 'url = "tcp://127.0.0.1:1"')
        async with serve(answer, "127.0.0.1", 0, process_request=refuse) as server, explorer:
            port = next(iter(server.sockets)).getsockname()[1]
            return await explorer.test(ad_hoc(f"{scheme}://127.0.0.1:{port}"))

    return asyncio.run(run())


@pytest.mark.parametrize("scheme", ["ws", "http"])
def test_web_socket_is_found_at_its_path(tmp_path: Path, scheme: str) -> None:
    report = at_path(tmp_path, scheme, "/rpc")
    assert form_of(report)["path"] == "/rpc"
    assert (scheme == "ws") == ("url" not in form_of(report))


def test_web_socket_with_a_path_of_its_own_is_known(tmp_path: Path) -> None:
    report = at_path(tmp_path, "ws", "/api/current")
    assert form_of(report) == {"preset": "truenas"}
    assert report.proposal is not None
    assert (report.proposal.secrets, report.exit_code) == (("token",), 0)


def test_no_credentials_go_to_a_path_that_was_not_chosen(tmp_path: Path) -> None:
    heads = list[bytes]()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    async def run() -> Report:
        async with peer(refuse) as port:
            explorer = opened(tmp_path, f'url = "ws://127.0.0.1:{port}"\nauth = {{ kind = "bearer" }}')
            profile = explorer.profiles.profiles["x"]
            explorer.secrets.save(profile, "token", "tokentokentoken")
            async with explorer:
                return await explorer.test(profile)

    report = asyncio.run(run())
    assert report.proposal is None
    assert [b"tokentokentoken" in head for head in heads] == [True, *[False] * (len(heads) - 1)]
    assert len(heads) > 5


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


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (b"2:{},", "netstrings"),
        (b"\x00\x00\x00\x02{}", "a length of 4 bytes before each message"),
        (b"\x1e{}\n", "JSON text sequences (RFC 7464)"),
        (b"{}\x03", "messages that end with ETX"),
    ],
)
def test_form_that_is_not_supported_is_named(tmp_path: Path, first: bytes, words: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(first)
        await reader.read()

    report = of_address(tmp_path, "tcp://127.0.0.1:{}", answer)
    assert f"sends {words}. rpcexplorer reads lines, Content-Length headers, or plain JSON." in report.checks[1].words
    assert len(report.calls) == 1
