"""Tests of handshakes before the first call, such as MCP's initialize."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from rpcexplorer.auth.basic import NoAuth
from rpcexplorer.auth.credentials import AuthRequest, AuthResponse
from rpcexplorer.auth.token import BearerAuth
from rpcexplorer.client.client import Client
from rpcexplorer.client.mcp import McpOverHttp, McpServer
from rpcexplorer.client.preview import preview
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Preview, Sent, Stop, Unreached
from rpcexplorer.model.profile import HeaderHandshake, Login, Profile
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Response
from tests.auth.driving import message, received
from tests.client.test_client import answering
from tests.fakes.wire import HOLD, Parts, RawServer, Received, Script, http_reply

HEADER = HeaderHandshake("X-Transmission-Session-Id")


def calls(script: Script, *drafts: Draft | Batch, **settings: Any) -> tuple[list[Exchange], RawServer]:
    """Send drafts one after the other with one client."""
    with RawServer(script) as server:

        async def send() -> list[Exchange]:
            async with Client(server.origin, auth=settings.pop("auth", NoAuth()), **settings) as client:
                return [await client.send(draft) for draft in drafts]

        return asyncio.run(send()), server


def keeper(wanted: Callable[[], str]) -> Callable[[Received], bytes]:
    def answer(request: Received) -> bytes:
        if request.header(HEADER.header) != wanted():
            return http_reply(b"<h1>409</h1>", 409, {HEADER.header.lower(): wanted()}, reason="Conflict")
        return request.reply(result="done")

    return answer


def test_handshake_header_is_reused_for_later_calls() -> None:
    (one, two), server = calls(keeper(lambda: "abc"), Draft("torrent-get"), Draft("ping"), handshake=HEADER)
    assert isinstance(one.outcome, Result)
    assert isinstance(two.outcome, Result)
    assert [request.header(HEADER.header) for request in server.requests] == [None, "abc", "abc"]
    assert server.methods == ["torrent-get", "torrent-get", "ping"]


def test_result_with_409_is_the_result() -> None:
    def answer(request: Received) -> bytes:
        return request.reply({HEADER.header: "abc"}, 409, result=1)

    (one,), server = calls(answer, Draft("ping"), handshake=HEADER)
    assert (type(one.outcome), len(server.requests)) == (Result, 1)


def test_header_is_sent_once_and_only_if_received() -> None:
    count = iter(range(100))
    (one,), server = calls(keeper(lambda: f"v{next(count)}"), Draft("ping"), handshake=HEADER)
    assert (type(one.outcome), len(server.requests)) == (Malformed, 2)
    (one,), server = calls(http_reply(b"no", 409, reason="Conflict"), Draft("ping"), handshake=HEADER)
    assert (type(one.outcome), len(server.requests)) == (Malformed, 1)


@pytest.mark.parametrize("value", ["a b", "x" * 5000, "\xabp.password\xbb"])
def test_invalid_header_value_is_not_sent(value: str) -> None:
    reply = b"HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n" + f"{HEADER.header}: {value}\r\n\r\n".encode("latin-1")
    _, server = calls(reply, Draft("ping"), handshake=HEADER)
    assert len(server.requests) == 1


def test_handshake_header_is_redacted_in_all_responses() -> None:
    count = iter(range(100))

    def refusing(request: Received) -> bytes:
        value = f"h4nded-{next(count)}"
        page = f"<code>{HEADER.header}: {value}</code> not {request.header(HEADER.header)}".encode()
        return http_reply(page, 409, {HEADER.header: value}, reason="Conflict")

    def respond(request: Received) -> bytes:
        return request.reply(result=f"in {request.header(HEADER.header)}")

    (one,), _ = calls(refusing, Draft("ping"), handshake=HEADER)
    assert "h4nded" not in f"{one.response.body!r} {one.response.headers}"
    with RawServer(keeper(lambda: "h4nded-0"), respond) as server:

        async def twice() -> list[Exchange]:
            async with Client(server.origin, handshake=HEADER) as client:
                return [await client.call("ping"), await client.call("ping")]

        exchanges = asyncio.run(twice())
    assert [exchange.response.body.count("«not recorded»".encode()) for exchange in exchanges] == [1, 1]
    assert b"h4nded" not in b"".join(exchange.response.body for exchange in exchanges)


class Mcp:
    """A server that checks the order of messages in the protocol."""

    def __init__(self, *, token: str = "", forgotten: int = 404) -> None:
        self.token, self.forgotten = token, forgotten
        self.sessions = 0
        self.over = False

    def __call__(self, request: Received) -> bytes:
        body = request.json
        session = f"s{self.sessions}"
        if self.token and request.header("Authorization") != f"Bearer {self.token}":
            return http_reply(b"", 401, {"WWW-Authenticate": "Bearer"}, reason="Unauthorized")
        if body["method"] == "initialize":
            self.sessions, self.over = self.sessions + 1, False
            result = {
                "protocolVersion": "2025-03-26",
                "capabilities": {},
                "serverInfo": {"name": "demo \x1b[31m", "version": "3"},
            }
            return request.reply({"Mcp-Session-Id": f"s{self.sessions}"}, result=result)
        if self.over or request.header("Mcp-Session-Id") != session:
            error = {"code": -32000, "message": "Bad Request: No valid session ID provided"}
            return request.reply(status=self.forgotten, error=error)
        assert request.header("MCP-Protocol-Version") == "2025-03-26"
        if "id" not in body:
            return http_reply(b"", 202, reason="Accepted")
        result = {"content": [], "isError": body["params"].get("name") == "bad"}
        reply = json.dumps({"jsonrpc": "2.0", "id": body["id"], "result": result}).encode()
        lines = b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n'
        lines += b"event: message\ndata: " + reply + b"\n\n"
        return http_reply(lines, headers={"Content-Type": "text/event-stream"})


MCP: dict[str, Any] = {"handshake": "mcp", "mcp": "2025-11-25", "empty_params": "{}"}


def test_mcp_session_begins_before_the_first_call() -> None:
    (one, two), server = calls(Mcp(), Draft("tools/list"), Draft("add", '{"a": 1.10}'), **MCP)
    assert isinstance(one.outcome, Result), one
    assert isinstance(two.outcome, Result), two
    bodies = [request.json for request in server.requests]
    assert [body["method"] for body in bodies] == [
        "initialize",
        "notifications/initialized",
        "tools/list",
        "tools/call",
    ]
    assert "id" not in bodies[1]
    assert [request.header("Mcp-Session-Id") for request in server.requests] == [None, "s1", "s1", "s1"]
    assert b'"params":{"name":"add","arguments":{"a":1.10}}' in server.requests[3].body
    assert (two.method, two.params) == ("add", '{"a": 1.10}')
    assert [note for note in one.notes if "initialized: demo" in note and "2025-03-26" in note]
    assert not two.notes


def test_failed_tool_exits_1_and_stays_a_result() -> None:
    (good, bad), _ = calls(Mcp(), Draft("add"), Draft("bad"), **MCP)
    assert isinstance(bad.outcome, Result)
    assert (bad.exit_code, bad.outcome_name, bad.counts_as) == (1, "result", "error")
    assert b"isError" in bad.outcome.value
    assert (good.exit_code, good.counts_as) == (0, "result")


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ('{"content": [{"type": "text", "text": "no such tool: x"}], "isError": true}', "no such tool: x"),
        ('{"isError": true, "content": [{"text": "a"}, {"type": "image"}, 1, {"text": "b\\n"}]}', "a\nb"),
        ('{"isError": true, "content": [{"text": "\\ud800"}], "n": NaN}', "\ud800"),
        ('{"isError": true, "content": ' + "[" * 5_000 + "]" * 5_000 + "}", "isError is true"),
        ('{"isError": true, "content": [{"text": "' + "x" * 5_000 + '"}]}', "isError is true"),
        ('{"isError": true, "content": "no"}', "isError is true"),
        ('{"isError": true}', "isError is true"),
        ('{"isError": false, "content": [{"text": "a"}]}', ""),
        ('{"isError": "true", "content": [{"text": "a"}]}', ""),
        ('["isError"]', ""),
        ("null", ""),
    ],
)
def test_failed_tool_shows_its_own_text(result: str, message: str) -> None:
    def answer(request: Received) -> bytes:
        return request.reply_with(f'"result": {result}')

    (one, other), _ = calls(answer, Draft("tools/call", '{"name": "x"}'), Draft("user.get"))
    assert isinstance(one.outcome, Result)
    assert (one.outcome.message, one.exit_code) == (message, int(bool(message)))
    assert other.exit_code == 0


@pytest.mark.parametrize("status", [404, 400])
def test_ended_mcp_session_begins_again_once(status: int) -> None:
    mcp = Mcp(forgotten=status)

    def answer(request: Received) -> bytes:
        reply = mcp(request)
        mcp.over = mcp.over or (request.json.get("id") is not None and mcp.sessions == 1 and b"isError" in reply)
        return reply

    (_, two), server = calls(answer, Draft("add"), Draft("add"), **MCP)
    assert isinstance(two.outcome, Result)
    assert any("sent initialize again" in note for note in two.notes)
    assert server.methods.count("initialize") == 2


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (404, {"result": "done"}),
        (400, {"error": {"code": -1, "message": "Booked seat 7, but session_name is too long"}}),
    ],
)
def test_answered_call_is_not_sent_again(status: int, reply: dict[str, Any]) -> None:
    mcp = Mcp()

    def answer(request: Received) -> bytes:
        is_call = request.json["method"] == "tools/call"
        return request.reply(status=status, **reply) if is_call else mcp(request)

    _, server = calls(answer, Draft("add"), Draft("add"), **MCP)
    assert server.methods.count("tools/call") == 2


def test_login_is_not_a_tool() -> None:
    mcp = Mcp()

    def answer(request: Received) -> bytes:
        is_login = request.json["method"] == "sign.in"
        return request.reply(result="s3ss10n") if is_login else mcp(request)

    login = Login("sign.in", {"password": "{password}"}, session="")
    _, server = calls(answer, Draft("add"), auth=BearerAuth(), login=login, password="pw-pw-pw", **MCP)
    assert server.methods[:3] == [
        "initialize",
        "notifications/initialized",
        "sign.in",
    ]


def test_too_long_server_name_is_not_shown() -> None:
    def answer(request: Received) -> bytes:
        return request.reply(result={"serverInfo": {"name": "t0ken" * 40}})

    (one,), _ = calls(answer, Draft("ping"), **MCP)
    assert any("initialized: a server" in note for note in one.notes)
    assert not any("t0ken" in note for note in one.notes)


def test_credentials_are_sent_with_the_whole_handshake() -> None:
    (one,), server = calls(Mcp(token="t0ken-t0ken"), Draft("add"), auth=BearerAuth(), token="t0ken-t0ken", **MCP)
    assert isinstance(one.outcome, Result)
    assert {request.header("Authorization") for request in server.requests} == {"Bearer t0ken-t0ken"}
    (one,), server = calls(Mcp(token="t0ken-t0ken"), Draft("add"), **MCP)
    assert (one.exit_code, len(server.requests)) == (3, 1)


@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        (
            answering(error={"code": -32601, "message": "no"}),
            ErrorObject,
            "the call was not sent rpcexplorer uses MCP 2026-07-28, 2025-11-25, 2025-06-18",
        ),
        (http_reply(b"<h1>no</h1>", 404), Malformed, "The call was not sent, because initialize failed"),
        (b"", Unreached, "The call was not sent, because initialize failed"),
    ],
)
def test_failed_initialize_is_named_and_call_not_sent(script: Script, kind: type, words: str) -> None:
    (one,), server = calls(script, Draft("add"), **MCP)
    assert isinstance(one.outcome, kind)
    assert words in " ".join([str(one.outcome), *one.remarks])
    assert "may have run" not in str(one.outcome)
    assert len(server.requests) == 1


@pytest.mark.parametrize("result", ["1", '"x"', "[]", '{"protocolVersion": 1}', '{"serverInfo": []}', "{}"])
def test_any_result_of_initialize_sends_the_call(result: str) -> None:
    (one,), server = calls(answering(result=json.loads(result)), Draft("ping"), **MCP)
    assert isinstance(one.outcome, Result)
    assert len(server.requests) == 3


def test_initialize_by_hand_keeps_its_session() -> None:
    (one, two), server = calls(Mcp(), Draft("initialize", "{}"), Draft("tools/list"), **MCP)
    assert isinstance(one.outcome, Result)
    assert isinstance(two.outcome, Result)
    assert server.methods == ["initialize", "tools/list"]


def test_mcp_session_id_is_redacted_in_responses() -> None:
    session = "5e551on-of-mcp"

    def respond(request: Received) -> bytes:
        if request.json["method"] == "initialize":
            result = {"protocolVersion": "2025-03-26", "serverInfo": {"name": session}}
            return request.reply({"Mcp-Session-Id": session}, result=result)
        if "id" not in request.json:
            return http_reply(b"", 202, reason="Accepted")
        return request.reply(result=f"in {request.header('Mcp-Session-Id')}")

    for first in (Draft("initialize", "{}"), Draft("tell", "{}")):
        exchanges, server = calls(respond, first, Draft("tell", "{}"), **MCP)
        assert server.requests[-1].header("Mcp-Session-Id") == session
        assert session not in repr([(exchange.notes, exchange.response, exchange.outcome) for exchange in exchanges])
        assert all("«not recorded»".encode() in exchange.response.body for exchange in exchanges)


def test_parallel_calls_keep_their_own_session() -> None:
    server = McpServer(Profile("p", "http://h", handshake="mcp", mcp="2025-11-25"))
    mcp, request = McpOverHttp(server), AuthRequest(message(method="add"))
    flows = [mcp.send(request, []) for _ in range(2)]

    def session_of(sent: AuthRequest) -> str:
        return next((header.text for header in sent.headers if header.name == "Mcp-Session-Id"), "")

    def answer(number: int) -> AuthResponse:
        return AuthResponse(Result(b"{}"), Response(200, headers=(("Mcp-Session-Id", f"s{number}"),)))

    assert [session_of(next(flow)) for flow in flows] == ["", ""]
    assert [session_of(flow.send(answer(number))) for number, flow in enumerate(flows)] == ["s0", "s1"]
    # A server refuses calls in a session until the client says that it is ready.
    assert [session_of(flow.send(received(Sent()))) for flow in flows] == ["s0", "s1"]


def test_notification_is_sent_after_the_handshake() -> None:
    (one,), server = calls(Mcp(), Draft("notifications/cancelled", "{}", notification=True), **MCP)
    assert (one.outcome_name, len(server.requests)) == ("sent", 3)


@pytest.mark.parametrize("ends", ["timeout", "stop"])
def test_call_without_response_is_cancelled(ends: str) -> None:
    mcp, stop = Mcp(), Stop()
    loops: list[asyncio.AbstractEventLoop] = []

    def script(request: Received) -> Parts:
        if b"slow" not in request.body:
            if b"cancelled" in request.body:
                server.release()
            return mcp(request)
        if ends == "stop":
            loops[0].call_soon_threadsafe(stop.press)
        return [HOLD]

    async def call() -> Exchange:
        loops.append(asyncio.get_running_loop())
        async with Client(server.origin, auth=BearerAuth(), token="t0ken-of-ada", **MCP) as client:
            return await client.send(Draft("slow"), stop=stop, timeout=0.5 if ends == "timeout" else None)

    with RawServer(script) as server:
        exchange = asyncio.run(call())
    slow, cancelled = server.requests[-2:]
    assert isinstance(exchange.outcome, Cancelled if ends == "stop" else Unreached)
    assert exchange.outcome.maybe_ran
    if isinstance(exchange.outcome, Unreached):
        assert re.search(r"within 0\.\d\d? s\.", exchange.outcome.sentence), exchange.outcome.sentence
    assert cancelled.json == {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": slow.json["id"]},
    }
    for header in ("Mcp-Session-Id", "MCP-Protocol-Version", "Authorization"):
        assert cancelled.header(header) == slow.header(header) is not None


def test_preview_shows_request_with_handshake() -> None:
    profile = Profile("p", "http://h", handshake="mcp", mcp="2025-11-25", empty_params="{}")
    shown = preview(profile, Draft("add", '{"a":1}'), "7", has_session=False)
    assert isinstance(shown, Preview)
    assert b'"method":"tools/call","params":{"name":"add","arguments":{"a":1}}' in shown.body
    assert dict(shown.headers)["Mcp-Session-Id"] == "«not recorded»"
