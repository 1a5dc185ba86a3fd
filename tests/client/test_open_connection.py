"""An open connection over a wire in memory: who gets which message."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from rpcexplorer.client import server_messages
from rpcexplorer.client.open_connection import CancelForm, OpenConnection, Opening, opening_of
from rpcexplorer.client.server_messages import answers_of
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.model.event import Event
from rpcexplorer.model.mcp import MCP_SPOKEN
from rpcexplorer.model.profile import Answer, Profile, ask_nobody
from rpcexplorer.rpc.messages import Call
from rpcexplorer.transport.port import Partial, Request, Response, Unreachable

T = TypeVar("T")
GONE = Unreachable("closed", "The server has gone.")


class MemoryWire:
    """Both ends of a wire in one process."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.arrived = asyncio.Condition()
        self._incoming: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.ended: Unreachable | None = None
        self.unread: bytes | None = None
        self.is_open = False
        self.reads = asyncio.Event()
        """Set while the server takes what is sent to it."""
        self.reads.set()
        self.accepts = asyncio.Event()
        """Set while the server accepts connections."""
        self.accepts.set()

    async def open(self, deadline: float, left: float | None = None) -> None:
        await self.accepts.wait()
        self.is_open = True

    async def send(self, message: bytes) -> None:
        await asyncio.shield(self._deliver(message))

    async def _deliver(self, message: bytes) -> None:
        await self.reads.wait()
        if self.ended:
            raise self.ended
        async with self.arrived:
            self.sent.append(message)
            self.arrived.notify_all()

    async def messages(self) -> AsyncIterator[bytes]:
        while (message := await self._incoming.get()) is not None:
            yield message

    async def close(self) -> None:
        await asyncio.sleep(0)
        self.is_open = False

    def say(self, *messages: object) -> None:
        for message in messages:
            self._incoming.put_nowait(message if isinstance(message, bytes) else json.dumps(message).encode())

    def end(self, why: Unreachable = GONE) -> None:
        self.ended = why
        self._incoming.put_nowait(None)

    async def wait_for(self, count: int) -> list[Any]:
        """Wait for this many messages of the client; return them decoded."""
        async with self.arrived:
            await self.arrived.wait_for(lambda: len(self.sent) >= count)
        return [json.loads(message) for message in self.sent]


class Peer:
    """An open connection, its wires and its events."""

    def __init__(
        self,
        prepare: Callable[[MemoryWire], None] = lambda _: None,
        on_settled: Callable[[Event], None] = lambda _: None,
        **options: Any,
    ) -> None:
        self._prepare = prepare
        self.wires: list[MemoryWire] = []
        self.events: list[Event] = []
        self.requests: list[Request] = []
        around = Surroundings(on_event=self.events.append, on_settled=on_settled)
        self.connection = OpenConnection(self._wire_for, around, **options)

    def _wire_for(self, request: Request) -> MemoryWire:
        self.requests.append(request)
        self.wires.append(MemoryWire())
        self._prepare(self.wires[-1])
        return self.wires[-1]

    async def wire(self, number: int = 0) -> MemoryWire:
        await self.settle()
        return self.wires[number]

    def call(
        self, *ids: object, partial: Partial | None = None, deadline: float = 60, **more: Any
    ) -> asyncio.Task[Response]:
        """Send a call with this id, or a batch of several."""
        calls = [{"jsonrpc": "2.0", "id": id, "method": "m"} | more for id in ids]
        body = json.dumps(calls if len(ids) > 1 else calls[0]).encode()
        return asyncio.ensure_future(
            self.connection.send(Request("tcp://x:1", body), deadline=deadline, partial=partial)
        )

    async def settle(self) -> None:
        """Let all tasks go on until they wait."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def let_time_pass(self, seconds: float) -> None:
        """Move the clock of the event loop forward, instead of waiting."""
        await self.settle()
        loop = asyncio.get_running_loop()
        now = loop.time
        loop.time = lambda: now() + seconds  # type: ignore[method-assign]


def using(use: Callable[[Peer], Awaitable[T]], **options: Any) -> T:
    async def run() -> T:
        peer = Peer(**options)
        try:
            return await use(peer)
        finally:
            await peer.connection.close()

    return asyncio.run(run())


def result(id: object, value: object = 1) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "result": value}


def test_responses_are_matched_in_any_order() -> None:
    async def use(peer: Peer) -> list[Any]:
        first, second = peer.call("a"), peer.call("b")
        wire = await peer.wire()
        await wire.wait_for(2)
        wire.say(result("b", 2), {"jsonrpc": "2.0", "method": "tick"}, result("a", 1))
        return [json.loads((await task).body)["result"] for task in (first, second)] + [len(peer.wires), peer.events]

    one, two, wires, events = using(use)
    assert (one, two, wires, [event.method for event in events]) == (1, 2, 1, ["tick"])


@pytest.mark.parametrize(("sent", "received"), [("7", 7), (7, "7"), ("é", "é")])
def test_id_may_change_between_text_and_number(sent: object, received: object) -> None:
    async def use(peer: Peer) -> bytes:
        task = peer.call(sent)
        (await peer.wire()).say(result(received))
        return (await task).body

    assert json.loads(using(use)) == result(received)


def test_error_without_id_answers_the_only_call() -> None:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "x"}}

    async def use(peer: Peer) -> tuple[bytes, int]:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say(error)
        body = (await task).body
        two = [peer.call("b"), peer.call("c")]
        await wire.wait_for(3)
        wire.say(error)
        await peer.settle()
        for task in two:
            task.cancel()
        return body, len(peer.events)

    body, events = using(use)
    assert (json.loads(body), events) == (error, 1)


@pytest.mark.parametrize("as_array", [True, False])
def test_responses_of_a_batch_come_together_or_alone(as_array: bool) -> None:
    responses = [result("b"), result("a")]

    async def use(peer: Peer) -> bytes:
        task = peer.call("a", "b")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say(*([responses] if as_array else responses))
        return (await task).body

    assert json.loads(using(use)) == responses


def test_notification_waits_for_no_response() -> None:
    async def use(peer: Peer) -> Response:
        body = b'{"jsonrpc":"2.0","method":"m"}'
        return await peer.connection.send(Request("tcp://x:1", body), deadline=60)

    response = using(use)
    assert (response.body, response.status) == (b"", None)


def test_other_data_becomes_events() -> None:
    async def use(peer: Peer) -> list[tuple[str, str]]:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say(result("z"), b"hello", b"[1]", b"\xff", b'{"method":"\xff"}', b'{"method":"x","params":["\xff"]}')
        wire.say({"event": "x"}, b'{"id":"a","method":"ask"}', b'{"id":null,"method":"tell"}', result("a"))
        await task
        return [(event.kind, event.remark) for event in peer.events]

    assert using(use) == [
        ("response", "no call waits for this response"),
        ("unreadable", "this is not a JSON object"),
        ("unreadable", "this is not a JSON object"),
        *[("unreadable", "this is not UTF-8, or too deep")] * 3,
        ("unreadable", "this is not a JSON-RPC message"),
        ("request", ""),
        ("notification", ""),
    ]


@pytest.mark.parametrize(
    ("cancel", "message"),
    [
        (None, None),
        ("lsp", {"method": "$/cancelRequest", "params": {"id": "a"}}),
        ("mcp", {"method": "notifications/cancelled", "params": {"requestId": "a"}}),
    ],
)
def test_timeout_cancels_call_and_names_late_response(cancel: str | None, message: object) -> None:
    async def use(peer: Peer) -> tuple[Unreachable, list[Any], str]:
        partial = Partial()
        task = peer.call("a", deadline=60, partial=partial)
        await peer.let_time_pass(60)
        with pytest.raises(Unreachable) as timeout:
            await task
        assert partial.sent_whole
        wire = await peer.wire()
        wire.say(result("a"))
        await peer.settle()
        return timeout.value, [json.loads(sent) for sent in wire.sent[1:]], peer.events[0].remark

    error, sent, remark = using(use, cancel=cancel)
    assert (error.step, error.maybe_ran, remark) == ("timeout", True, "the call has already ended")
    assert sent == ([] if message is None else [{"jsonrpc": "2.0"} | message])  # type: ignore[operator]


@pytest.mark.parametrize("taken", [0, 1])
def test_cancelled_call_may_have_run_and_is_cancelled(taken: int) -> None:
    async def use(peer: Peer) -> tuple[list[str], bool]:
        partial = Partial()
        task = peer.call("a", partial=partial)
        wire = await peer.wire()
        await wire.wait_for(taken)
        wire.reads.clear()
        task.cancel()
        closing = asyncio.ensure_future(peer.connection.close())
        await peer.settle()
        wire.reads.set()
        await closing
        return await methods(wire, 1), partial.sent_whole

    begin = (lambda _: None) if taken else (lambda wire: wire.reads.clear())
    assert using(use, prepare=begin, cancel="mcp") == (["m", "notifications/cancelled"], True)


def test_end_of_connection_ends_calls_and_next_opens_anew() -> None:
    async def use(peer: Peer) -> tuple[Unreachable, bool, Response]:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.end()
        with pytest.raises(Unreachable) as gone:
            await task
        closed = peer.connection.is_open
        again = peer.call("b")
        (await peer.wire(1)).say(result("b"))
        return gone.value, closed, await again

    gone, is_open, response = using(use)
    assert (gone.sentence, gone.maybe_ran, is_open) == ("The server has gone.", True, False)
    assert not response.phases.kept


def test_message_goes_out_only_once() -> None:
    async def use(peer: Peer) -> list[int]:
        await asyncio.gather(*[_answered(peer, number) for number in range(3)])
        (await peer.wire()).end()
        await peer.settle()
        await _answered(peer, 3)
        return [len(wire.sent) for wire in peer.wires]

    async def _answered(peer: Peer, number: int) -> None:
        task = peer.call(number)
        wire = await peer.wire(number // 3)
        await wire.wait_for(1)
        wire.say(result(number))
        await task

    assert using(use) == [3, 1]


def test_requests_of_the_server_are_answered_by_rule() -> None:
    rules = {"roots/list": b'"result":[]', "ask.me": None}

    async def use(peer: Peer) -> list[Any]:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say(
            *({"jsonrpc": "2.0", "id": id, "method": name} for id, name in enumerate(["roots/list", "ask.me", "x"]))
        )
        await wire.wait_for(3)
        assert not peer.connection.requests.reply(peer.events[1], b'"result":5')
        wire.say(result("a"))
        await task
        await wire.wait_for(4)
        assert peer.connection.requests.reply(peer.events[1], b'"result":6') == "The request was already answered."
        return [json.loads(sent) for sent in wire.sent[1:]]

    error = {"code": -32601, "message": "Method not found"}
    sent = using(use, answer=lambda name: rules.get(name, b'"error":{"code":-32601,"message":"Method not found"}'))
    assert [message.get("result", message.get("error")) for message in sent] == [[], error, 5]
    assert [message["id"] for message in sent] == [0, 2, 1]


@pytest.mark.parametrize(
    ("params", "count"), [({"items": [{"section": "a"}] * 4}, 4), ({"items": []}, 0), ({"items": 1}, 1), (None, 1)]
)
def test_language_server_gets_a_null_per_setting(params: object, count: int) -> None:
    async def use(peer: Peer) -> Any:
        task = peer.call("a")
        wire = await peer.wire()
        wire.say({"id": 1, "method": "workspace/configuration", "params": params}, result("a"))
        await task
        return (await wire.wait_for(2))[1]["result"]

    profile = Profile("x", "stdio:", handshake="lsp")
    assert using(use, answer=answers_of(profile, ask_nobody)) == [None] * count


def test_server_that_reads_nothing_gets_limited_answers() -> None:
    async def use(peer: Peer) -> tuple[int, int]:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.reads.clear()
        wire.say(*({"jsonrpc": "2.0", "id": id, "method": "x"} for id in range(2_000)), result("a"))
        await task
        return len(peer.events), sum(bool(event.remark) for event in peer.events)

    events, unanswered = using(use)
    assert (events, unanswered) == (2_000, 1_000)


@pytest.mark.parametrize(("limit", "value"), [("MAX_ASKED", 2), ("MAX_ASKED_BYTES", 50)])
def test_requests_that_wait_are_limited(limit: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_messages, limit, value)

    async def use(peer: Peer) -> list[str]:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say(*({"jsonrpc": "2.0", "id": id, "method": "ask"} for id in range(3)), result("a"))
        await task
        return [event.remark for event in peer.events]

    assert using(use, answer=lambda _: None) == ["", "", "not answered: 2 requests wait already"]


HANDSHAKE = Opening(Call("initialize", "{}", "i"), Call("initialized", "{}"), (Call("shutdown", id="s"), Call("exit")))


async def methods(wire: MemoryWire, count: int) -> list[str]:
    return [message["method"] for message in await wire.wait_for(count)]


def test_handshake_is_sent_once_for_all_calls() -> None:
    async def use(peer: Peer) -> MemoryWire:
        tasks = [peer.call(number) for number in range(3)]
        wire = await peer.wire()
        assert await methods(wire, 1) == ["initialize"]
        wire.say(result("i", {}))
        assert await methods(wire, 5) == ["initialize", "initialized", "m", "m", "m"]
        wire.say(*map(result, range(3)))
        await asyncio.gather(*tasks)
        closing = asyncio.ensure_future(peer.connection.close())
        await methods(wire, 6)
        wire.say(result("s"))
        await closing
        return wire

    wire = using(use, opening=HANDSHAKE)
    assert wire.sent[5:] == [b'{"jsonrpc":"2.0","id":"s","method":"shutdown"}', b'{"jsonrpc":"2.0","method":"exit"}']
    assert not wire.is_open


def test_unanswered_shutdown_is_not_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.client.open_connection.FAREWELL_SECONDS", 0.01)

    async def use(peer: Peer) -> list[str]:
        task = peer.call("a")
        wire = await peer.wire()
        wire.say(result("i", {}))
        await wire.wait_for(3)
        wire.say(result("a"))
        await task
        await peer.connection.close()
        return await methods(wire, 5)

    assert using(use, opening=HANDSHAKE, cancel="lsp")[3:] == ["shutdown", "exit"]


def test_form_of_profile_reaches_all_own_messages() -> None:
    profile = Profile("x", "tcp://x:1", "", envelope="1.0", id="number", handshake="lsp")

    async def use(peer: Peer) -> list[bytes]:
        task = peer.call(7)
        wire = await peer.wire()
        wire.say({"id": 1, "result": {}, "error": None})
        await wire.wait_for(3)
        wire.say({"id": "echo", "method": "echo"}, {"id": 2, "method": "fails"})
        await wire.wait_for(5)
        task.cancel()
        closing = asyncio.ensure_future(peer.connection.close())
        await wire.wait_for(7)
        wire.say({"id": 0, "result": None, "error": None})
        await closing
        return wire.sent

    rules = {"echo": b'"result":[]', "fails": b'"error":{"code":5}'}
    sent = using(use, form=profile.form, opening=opening_of(profile), cancel="lsp", answer=rules.__getitem__)
    assert b'"jsonrpc":"2.0"' not in b"".join(sent)
    assert sent[3:5] == [b'{"id":"echo","result":[],"error":null}', b'{"id":2,"error":{"code":5},"result":null}']
    messages = [json.loads(message) for message in sent]
    assert [message["id"] for message in messages if "method" in message] == [1, None, 7, None, 0, None]
    assert messages[5]["params"] == {"id": 7}


@pytest.mark.parametrize(("cancel", "advice"), [(None, ""), ("lsp", ""), ("mcp", f". {MCP_SPOKEN}.")])
def test_failed_handshake_sends_no_call(cancel: CancelForm | None, advice: str) -> None:
    async def use(peer: Peer) -> tuple[Unreachable, bool]:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say({"jsonrpc": "2.0", "id": "i", "error": {"code": 5, "message": "no"}})
        with pytest.raises(Unreachable) as failed:
            await task
        await peer.settle()
        return failed.value, wire.is_open or len(wire.sent) > 1

    error, went_on = using(use, opening=HANDSHAKE, cancel=cancel)
    assert (error.sentence, error.in_handshake) == (f"initialize failed: error 5 no{advice}", True)
    assert (error.maybe_ran, went_on) == (False, False)


def test_initialize_by_hand_replaces_the_handshake() -> None:
    async def use(peer: Peer) -> list[str]:
        task = peer.call("a", method="initialize")
        wire = await peer.wire()
        wire.say(result("a"))
        await task
        return await methods(wire, 1)

    assert using(use, opening=replace(HANDSHAKE, farewell=())) == ["initialize"]


def test_request_that_waits_settles_with_its_connection() -> None:
    settled: list[Event] = []

    async def use(peer: Peer) -> str:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say({"jsonrpc": "2.0", "id": 7, "method": "ask.me"}, result("a"))
        await task
        assert peer.events[0].waits
        await peer.connection.close()
        assert peer.events[0].remark == "not answered: the connection has ended"
        return peer.connection.requests.note

    note = "1 request of the server got no answer: the connection has ended"
    assert using(use, answer=lambda _: None, on_settled=settled.append) == note
    assert [event.method for event in settled] == ["ask.me"]


def test_event_of_subscription_names_its_call() -> None:
    async def use(peer: Peer) -> list[str]:
        request = Request("tcp://x", b'{"jsonrpc":"2.0","id":"a","method":"eth_subscribe"}', call="the call")
        task = asyncio.create_task(peer.connection.send(request, deadline=5))
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say({"jsonrpc": "2.0", "id": "a", "result": "0x1"})
        await task
        pushes = [{"subscription": "0x1", "result": 1}, {"subscription": "0x2"}, {"subscription": ["0x1"]}, ["0x1"]]
        wire.say(*({"jsonrpc": "2.0", "method": "push", "params": params} for params in pushes), result("b"))
        while len(peer.events) < 5:  # noqa: ASYNC110 - events come one after the other
            await asyncio.sleep(0)
        return [event.of for event in peer.events]

    assert using(use) == ["the call", "", "", "", ""]


def test_connection_opens_without_a_message() -> None:
    async def use(peer: Peer) -> tuple[bool, bool, list[bytes]]:
        before = peer.connection.is_open
        await peer.connection.send(Request("tcp://x", b""), deadline=5)
        return before, peer.connection.is_open, peer.wires[0].sent

    assert using(use) == (False, True, [])


def test_deadline_stands_still_while_the_user_is_asked() -> None:
    async def use(peer: Peer) -> tuple[bytes, str]:
        partial = Partial()
        first, other = peer.call("a", partial=partial), peer.call("b", deadline=6_000)
        wire = await peer.wire()
        wire.say({"id": 1, "method": "ask"})
        await peer.let_time_pass(1_000)
        await peer.settle()
        assert peer.connection.requests.reply(peer.events[0], b'"result":1') == ""
        await peer.let_time_pass(50)
        wire.say(result("a"))
        body = (await first).body
        await peer.let_time_pass(6_000)
        with pytest.raises(Unreachable) as timeout:
            await other
        assert 1_000 < partial.paused_seconds < 1_010
        return body, timeout.value.step

    body, step = using(use, answer=lambda _: None)
    assert (json.loads(body), step) == (result("a"), "timeout")


def test_call_sent_while_a_request_waits_has_its_deadline() -> None:
    async def use(peer: Peer) -> str:
        first = peer.call("a")
        (await peer.wire()).say({"id": 1, "method": "ask"}, result("a"))
        await first
        second = peer.call("b")
        await peer.let_time_pass(61)
        with pytest.raises(Unreachable) as timeout:
            await second
        return timeout.value.step

    assert using(use, answer=lambda _: None) == "timeout"


@pytest.mark.parametrize(("cancel", "remark"), [("mcp", "not answered: the call has ended"), ("lsp", ""), (None, "")])
def test_request_of_mcp_ends_with_its_call(cancel: CancelForm | None, remark: str) -> None:
    async def use(peer: Peer) -> tuple[str, bool]:
        body = b'{"jsonrpc": "2.0", "id": "a", "method": "m"}'
        task = asyncio.ensure_future(peer.connection.send(Request("tcp://x:1", body, call="a"), deadline=60))
        (await peer.wire()).say({"id": 1, "method": "ask"}, result("a"))
        await task
        return peer.events[0].remark, peer.events[0].waits

    assert using(use, answer=lambda _: None, cancel=cancel) == (remark, not remark)


def test_request_during_several_calls_waits_on() -> None:
    async def use(peer: Peer) -> bool:
        calls = []
        for id in ("a", "b"):
            body = json.dumps({"jsonrpc": "2.0", "id": id, "method": "m"}).encode()
            calls.append(asyncio.ensure_future(peer.connection.send(Request("x", body, call=id), deadline=60)))
        (await peer.wire()).say({"id": 1, "method": "ask"}, result("a"), result("b"))
        await asyncio.gather(*calls)
        return peer.events[0].waits

    assert using(use, answer=lambda _: None, cancel="mcp")


@pytest.mark.parametrize(
    ("method", "answers", "member"),
    [
        ("ask", {}, None),
        ("ask", {"*": Answer(code=-1, message="no")}, b'"error":{"code":-1,"message":"no"}'),
        ("ask", {"ask": Answer(ask=True), "*": Answer(result_json="1")}, None),
        ("roots/list", {"roots/list": Answer(ask=True)}, server_messages.NOT_OFFERED),
        ("ping", {}, b'"result":{}'),
    ],
)
def test_request_without_a_rule_is_asked_about(method: str, answers: dict[str, Answer], member: bytes | None) -> None:
    profile = Profile("x", "stdio:", handshake="mcp", answers=answers)
    assert answers_of(profile, "ask".__eq__)(method) == member
