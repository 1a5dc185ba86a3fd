"""One table: calls over every kind of connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from rpcexplorer.client.client import Client
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled, Exchange, Sent, Stop, Unreached
from rpcexplorer.model.profile import Answer
from rpcexplorer.rpc.messages import ErrorObject, Result
from tests.fakes.servers import KINDS, OPEN, Kind, Script, Server, serving

T = TypeVar("T")
EVERY = pytest.mark.parametrize("kind", KINDS)
EVERY_OPEN = pytest.mark.parametrize("kind", OPEN)


def using(kind: Kind, script: Script, use: Callable[[Client], Awaitable[T]], folder: Path, **settings: Any) -> T:
    """Use a client of this script, and return what ``use`` does."""

    async def run() -> T:
        async with asyncio.timeout(20), serving(kind, script, folder, **settings) as client:
            return await use(client)

    return asyncio.run(run())


def result(call: Any, value: object = None) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": call["id"], "result": call["method"] if value is None else value}


def value_of(exchange: Exchange) -> bytes:
    assert isinstance(exchange.outcome, Result), exchange.outcome
    return exchange.outcome.value


async def echo(server: Server) -> None:
    while call := await server.receive():
        await server.say(result(call))


@EVERY
@pytest.mark.everyday(7)
def test_calls_get_their_results(kind: Kind, tmp_path: Path) -> None:
    async def use(client: Client) -> list[Exchange]:
        return [await client.call("one"), await client.call("two", [1])]

    first, second = using(kind, echo, use, tmp_path)
    assert (value_of(first), value_of(second)) == (b'"one"', b'"two"')
    assert second.response.phases.kept == (kind != "http")


@pytest.mark.parametrize(
    ("code", "answers", "is_noted"), [(-32601, {}, True), (7, {}, False), (-32601, {"ask": Answer("1")}, False)]
)
def test_failure_after_our_refusal_names_it(
    code: int, answers: dict[str, Answer], is_noted: bool, tmp_path: Path
) -> None:
    async def ask(server: Server) -> None:
        call = await server.receive()
        await server.say({"id": 7, "method": "ask"})
        await server.receive()
        await server.say({"id": call["id"], "error": {"code": code, "message": "no"}})

    exchange = using("tcp", ask, lambda client: client.call("m"), tmp_path, answers=answers)
    note = "the server sent the request ask during the call and got an error from rpcexplorer, which may be the cause."
    assert [found.partition(" To answer it")[0] for found in exchange.notes] == [note] * is_noted


def test_end_after_our_refusal_names_it(tmp_path: Path) -> None:
    async def ask(server: Server) -> None:
        await server.receive()
        await server.say({"id": 7, "method": "echo"})
        await server.receive()

    (note,) = using("tcp", ask, lambda client: client.call("m"), tmp_path).notes
    assert 'set answer."echo" in the profile' in note


def test_tool_of_mcp_is_called_as_a_method(tmp_path: Path) -> None:
    async def answer(server: Server) -> None:
        await server.say(result(await server.receive(), {"protocolVersion": "2025-06-18"}))
        await server.receive()  # notifications/initialized
        call = await server.receive()
        await server.say(result(call, [call["method"], call["params"]]))

    exchange = using(
        "tcp", answer, lambda client: client.call("add", {"a": 1}), tmp_path, handshake="mcp", mcp="2025-06-18"
    )
    assert value_of(exchange) == b'["tools/call", {"name": "add", "arguments": {"a": 1}}]'


@EVERY
def test_error_object_is_an_error(kind: Kind, tmp_path: Path) -> None:
    async def refuse(server: Server) -> None:
        while call := await server.receive():
            await server.say({"jsonrpc": "2.0", "id": call["id"], "error": {"code": 7, "message": "no", "data": [1]}})

    outcome = using(kind, refuse, lambda client: client.call("m"), tmp_path).outcome
    assert isinstance(outcome, ErrorObject)
    assert (outcome.code, outcome.message, outcome.data) == (7, "no", b"[1]")


@EVERY
def test_batch_gets_an_array(kind: Kind, tmp_path: Path) -> None:
    async def answer(server: Server) -> None:
        while calls := await server.receive():
            await server.say([result(call) for call in reversed(calls) if "id" in call])

    exchange = using(kind, answer, lambda client: client.batch([("one", None), ("two", None)]), tmp_path)
    assert value_of(exchange).count(b'"result"') == 2
    assert exchange.exit_code == 0


@EVERY_OPEN
def test_batch_gets_single_responses(kind: Kind, tmp_path: Path) -> None:
    async def answer(server: Server) -> None:
        while calls := await server.receive():
            await server.say(*map(result, reversed(calls)))

    exchange = using(kind, answer, lambda client: client.batch([("one", None), ("two", None)]), tmp_path)
    assert value_of(exchange).count(b'"result"') == 2


@EVERY
def test_notification_has_no_response(kind: Kind, tmp_path: Path) -> None:
    received = asyncio.Queue[Any]()

    async def listen(server: Server) -> None:
        received.put_nowait(await server.receive())
        if kind == "http":
            await server.say(b"")
        await server.read_to_end()

    async def use(client: Client) -> tuple[Exchange, Any]:
        return await client.notify("tick"), await received.get()

    exchange, message = using(kind, listen, use, tmp_path)
    assert exchange.outcome == Sent()
    assert (message["method"], "id" in message) == ("tick", False)


@EVERY
def test_call_without_response_times_out(kind: Kind, tmp_path: Path) -> None:
    async def answer_one(server: Server) -> None:
        while (call := await server.receive()) and call["method"] == "one":
            await server.say(result(call))
        await server.read_to_end()

    async def use(client: Client) -> Exchange:
        await client.call("one")
        return await client.send(Draft("two"), timeout=0.1)

    outcome = using(kind, answer_one, use, tmp_path).outcome
    assert isinstance(outcome, Unreached)
    assert (outcome.step, outcome.maybe_ran, "within 0.1 s" in outcome.sentence) == ("timeout", True, True)


@EVERY
def test_cancelled_call_may_have_run(kind: Kind, tmp_path: Path) -> None:
    stop = Stop()

    async def press(server: Server) -> None:
        await server.receive()
        stop.press()
        await server.read_to_end()

    assert using(kind, press, lambda client: client.send(Draft("m"), stop=stop), tmp_path).outcome == Cancelled(True)


@EVERY
def test_connection_that_closes_during_a_call_opens_again(kind: Kind, tmp_path: Path) -> None:
    received = list[str]()

    async def leave(server: Server) -> None:
        call = await server.receive()
        received.append(call["method"])
        if call["method"] != "one":
            await server.say(result(call))
            await server.read_to_end()

    async def use(client: Client) -> list[Exchange]:
        return [await client.call("one"), await client.call("two")]

    first, second = using(kind, leave, use, tmp_path)
    assert isinstance(first.outcome, Unreached)
    assert (first.outcome.step, first.outcome.maybe_ran) == ("wait" if kind == "http" else "closed", True)
    assert "closed the connection" in first.outcome.sentence or kind == "stdio"
    assert (value_of(second), second.response.phases.kept) == (b'"two"', False)
    assert received == ["one", "two"]


@EVERY_OPEN
def test_two_calls_are_answered_in_reverse_order(kind: Kind, tmp_path: Path) -> None:
    async def reverse(server: Server) -> None:
        calls = [await server.receive(), await server.receive()]
        await server.say(*map(result, reversed(calls)))
        await server.read_to_end()

    async def use(client: Client) -> list[Exchange]:
        return [*await asyncio.gather(client.call("one"), client.call("two"))]

    assert list(map(value_of, using(kind, reverse, use, tmp_path))) == [b'"one"', b'"two"']


@EVERY
def test_event_between_is_passed_on(kind: Kind, tmp_path: Path) -> None:
    events = list[Event]()

    async def tick(server: Server) -> None:
        await server.say({"jsonrpc": "2.0", "method": "tick", "params": [1.10]}, result(await server.receive()))
        await server.read_to_end()

    exchange = using(kind, tick, lambda client: client.call("m"), tmp_path, on_event=events.append)
    assert value_of(exchange) == b'"m"'
    assert [(event.kind, event.method) for event in events] == [("notification", "tick")]
