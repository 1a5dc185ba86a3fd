"""An open connection in the moments when it opens, closes or fails."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest

from rpcexplorer.client.open_connection import OpenConnection, Opening
from rpcexplorer.client.server_messages import MAX_ARRAY, MAX_AT_ONCE, MAX_EVENTS
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.transport.port import Partial, Request, Response, Unreachable
from tests.client.test_open_connection import GONE, HANDSHAKE, MemoryWire, Peer, result, using

NULL_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "x"}}


async def failure_of(task: asyncio.Task[Response]) -> Unreachable:
    with pytest.raises(Unreachable) as failed:
        await task
    return failed.value


def accept_nothing(wire: MemoryWire) -> None:
    wire.accepts.clear()


def with_token(peer: Peer, id: str, token: str) -> asyncio.Task[Response]:
    body = json.dumps({"jsonrpc": "2.0", "id": id, "method": "m"}).encode()
    request = Request("ws://x", body, headers=(("Authorization", token),))
    return asyncio.ensure_future(peer.connection.send(request, deadline=60))


def test_close_while_it_opens_ends_all_calls() -> None:
    async def use(peer: Peer) -> tuple[list[Unreachable], int, bool]:
        tasks = [peer.call("a"), peer.call("b")]
        await peer.wire()
        await peer.connection.close()
        problems = [await failure_of(task) for task in tasks]
        return problems, len(peer.wires), peer.connection.is_open

    problems, wires, is_open = using(use, prepare=accept_nothing)
    assert [(one.step, one.maybe_ran) for one in problems] == [("closed", False)] * 2
    assert (wires, is_open) == (1, False)


def test_close_ends_call_that_waits_for_others() -> None:
    async def use(peer: Peer) -> list[str]:
        tasks = [with_token(peer, "a", "one")]
        await peer.wire()
        tasks.append(with_token(peer, "b", "two"))
        await peer.settle()
        async with asyncio.timeout(5):
            await peer.connection.close()
        return [(await failure_of(task)).step for task in tasks]

    assert using(use) == ["closed", "closed"]


def test_close_during_initialize_ends_the_call() -> None:
    async def use(peer: Peer) -> tuple[Unreachable, bool]:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        await peer.connection.close()
        return await failure_of(task), wire.is_open

    problem, is_open = using(use, opening=HANDSHAKE)
    assert (problem.step, problem.maybe_ran, is_open) == ("closed", False, False)


def test_call_after_close_opens_the_connection_again() -> None:
    async def use(peer: Peer) -> bool:
        task = peer.call("a")
        await peer.wire()
        closing = asyncio.ensure_future(peer.connection.close())
        await asyncio.sleep(0)
        again = peer.call("b")
        await closing
        await failure_of(task)
        wire = await peer.wire(1)
        wire.accepts.set()
        wire.say(result("b"))
        return (await again).phases.kept

    assert not using(use, prepare=accept_nothing)


def test_cancelled_opening_lets_the_next_call_open() -> None:
    async def use(peer: Peer) -> Response:
        first, second = peer.call("a"), peer.call("b")
        await peer.wire()
        first.cancel()
        wire = await peer.wire(1)
        wire.accepts.set()
        wire.say(result("b"))
        return await second

    assert json.loads(using(use, prepare=accept_nothing).body) == result("b")


def test_call_directly_after_the_end_is_answered() -> None:
    async def use(peer: Peer) -> Response:
        async def call_again() -> Response:
            await failure_of(peer.call("a"))
            return await peer.call("b")

        task = asyncio.ensure_future(call_again())
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.end()
        (await peer.wire(1)).say(result("b"))
        await peer.settle()
        assert task.done(), "the end of the first connection has ended the second"
        return await task

    assert json.loads(using(use).body) == result("b")


def test_call_on_an_ended_connection_opens_it_again() -> None:
    async def use(peer: Peer) -> list[bool]:
        task = peer.call("a")
        wire = await peer.wire()
        wire.say(result("a"))
        await task
        wire.ended = GONE
        again = peer.call("b")
        (await peer.wire(1)).say(result("b"))
        return [(await again).phases.kept, wire.is_open]

    assert using(use) == [False, False]


def test_changed_headers_open_it_again_after_the_calls() -> None:
    async def use(peer: Peer) -> list[list[Any]]:
        first, second = with_token(peer, "a", "one"), with_token(peer, "b", "one")
        third = with_token(peer, "c", "two")
        wire = await peer.wire()
        await wire.wait_for(2)
        first.cancel()
        assert len(peer.wires) == 1
        wire.say(result("b"))
        await second
        (await peer.wire(1)).say(result("c"))
        await third
        return [await wire.wait_for(1) for wire in peer.wires]

    assert [[call["id"] for call in calls] for calls in using(use)] == [["a", "b"], ["c"]]


def test_unexpected_error_ends_calls_with_a_sentence() -> None:
    def fail(event: object) -> None:
        raise ZeroDivisionError

    async def use(peer: Peer) -> tuple[Unreachable, Response]:
        peer.connection.requests._around = Surroundings(on_event=fail)
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.say({"jsonrpc": "2.0", "method": "tick"})
        problem = await failure_of(task)
        again = peer.call("b")
        (await peer.wire(1)).say(result("b"))
        return problem, await again

    problem, response = using(use)
    assert "internal error at test_open_connection_ends.py" in problem.sentence
    assert json.loads(response.body) == result("b")


def test_end_during_initialize_sends_no_call() -> None:
    async def use(peer: Peer) -> Unreachable:
        task = peer.call("a")
        wire = await peer.wire()
        await wire.wait_for(1)
        wire.end()
        return await failure_of(task)

    problem = using(use, opening=HANDSHAKE)
    assert (problem.sentence, problem.in_handshake) == ("initialize failed: The server has gone.", True)
    assert not problem.maybe_ran


@pytest.mark.parametrize(
    ("words", "stuck"),
    [
        ("No connection within", "the one before"),
        ("did not respond to initialize within", "initialize"),
        ("The request was not sent within", "opening a file"),
        ("The server did not respond within", "sending"),
    ],
)
@pytest.mark.everyday(3)
def test_timeout_says_what_took_too_long(words: str, stuck: str) -> None:
    async def use(peer: Peer) -> Unreachable:
        first = peer.call("z") if stuck == "the one before" else None
        await peer.settle()
        task = peer.call("a", deadline=30)
        await peer.let_time_pass(30)
        problem = await failure_of(task)
        if first is not None:
            first.cancel()
        return problem

    def prepare(wire: MemoryWire) -> None:
        if stuck == "sending":
            wire.reads.clear()
        if stuck == "the one before":
            wire.accepts.clear()

    class Files:
        async def prepare(self, *_: object) -> None:
            await asyncio.Event().wait()

    options: dict[str, Any] = {"opening": HANDSHAKE} if stuck == "initialize" else {}
    options |= {"files_for": Files} if stuck == "opening a file" else {}
    problem = using(use, prepare=prepare, **options)
    assert (problem.step, words in problem.sentence) == ("timeout", True), problem.sentence
    assert problem.maybe_ran == (stuck == "sending")
    assert problem.reason == ("silent" if stuck in {"initialize", "sending"} else "")
    assert problem.in_handshake == (stuck == "initialize")


@pytest.mark.parametrize(
    ("unread", "words", "reason"),
    [
        (b"[1]\x1b\n", r"It sent data that is not a message: [1]\x1b. Check the framing.", "no end"),
        (b"x" * 301, "It sent data that is not a message. Check the framing.", "unreadable"),
        (None, "Raise the timeout if the call needs more time.", "silent"),
    ],
    ids=range(3),
)
@pytest.mark.parametrize("opening", [None, HANDSHAKE])
def test_timeout_quotes_what_is_not_a_message(
    unread: bytes | None, words: str, reason: str, opening: Opening | None
) -> None:
    async def use(peer: Peer) -> Unreachable:
        task = peer.call("a", deadline=60)
        await peer.let_time_pass(60)
        return await failure_of(task)

    problem = using(use, prepare=lambda wire: setattr(wire, "unread", unread), opening=opening)
    assert problem.sentence.endswith(f" within 60 s. {words}")
    assert problem.reason == reason


@pytest.mark.parametrize(
    ("message", "words"), [(b"Content-Length: 2", "did not respond"), (b'{"method":"tick"}', "sent other messages")]
)
def test_timeout_says_whether_messages_came(message: bytes, words: str) -> None:
    async def use(peer: Peer) -> Unreachable:
        task = peer.call("a", deadline=60)
        (await peer.wire()).say(message)
        await peer.let_time_pass(60)
        return await failure_of(task)

    assert using(use).sentence.startswith(f"The server {words}")


def test_timeout_after_a_response_does_not_blame_framing() -> None:
    async def use(peer: Peer) -> list[str]:
        first = peer.call("a")
        wire = await peer.wire()
        wire.say(result("a"))
        await first
        wire.unread = b"a late line"
        again = await failure_of(peer.call("b", deadline=0.01))
        await peer.connection.close()
        return [again.sentence, (await failure_of(peer.call("c", deadline=0.01))).sentence]

    advice = "Raise the timeout if the call needs more time."
    others = "The server sent other messages, but no response"
    assert using(use) == [f"{others} within 0.01 s. {advice}", f"No response within 0.01 s. {advice}"]


def test_deadline_of_opening_is_the_time_left() -> None:
    deadlines = list[float]()

    async def note(deadline: float, left: float) -> None:
        deadlines.extend([deadline, left])

    async def use(peer: Peer) -> None:
        task = peer.call("a", deadline=5)
        (await peer.wire()).say(result("a"))
        await task

    using(use, prepare=lambda wire: setattr(wire, "open", note))
    assert deadlines[0] == 5  # Sentences name it.
    assert 0 < deadlines[1] <= 5


def test_response_before_the_end_of_its_request_counts() -> None:
    async def use(peer: Peer) -> Response:
        task = peer.call("a")
        wire = await peer.wire()
        wire.say(result("a"))
        await peer.settle()
        wire.end()
        wire.reads.set()
        return await task

    assert json.loads(using(use, prepare=lambda wire: wire.reads.clear()).body) == result("a")


def test_second_call_with_the_same_id_is_refused() -> None:
    async def use(peer: Peer) -> tuple[Unreachable, Response]:
        first = peer.call("a")
        wire = await peer.wire()
        problem = await failure_of(peer.call("a", "b"))
        wire.say(result("a"))
        return problem, await first

    problem, response = using(use)
    assert (problem.step, problem.maybe_ran) == ("request", False)
    assert json.loads(response.body) == result("a")


def test_second_response_is_an_event() -> None:
    async def use(peer: Peer) -> tuple[bytes, list[str]]:
        task = peer.call("a")
        (await peer.wire()).say(result("a", 1), result("a", 2))
        return (await task).body, [event.remark for event in peer.events]

    body, remarks = using(use)
    assert (json.loads(body), remarks) == (result("a", 1), ["no call waits for this response"])


def test_batch_waits_for_each_id_once() -> None:
    async def use(peer: Peer) -> tuple[Any, list[str]]:
        task = peer.call("a", "b")
        wire = await peer.wire()
        wire.say(result("a", 1), result("z"), result("a", 2), [result("b", 3)])
        return json.loads((await task).body), [event.remark for event in peer.events]

    body, remarks = using(use)
    assert body == [result("a", 1), result("b", 3)]
    assert remarks == ["no call waits for this response"] * 2


def test_array_for_several_calls_is_taken_apart() -> None:
    async def use(peer: Peer) -> list[Any]:
        tasks = [peer.call("a", "b"), peer.call("c")]
        (await peer.wire()).say([result("c"), result("a"), result("b")])
        return [json.loads((await task).body) for task in tasks]

    assert using(use) == [[result("a"), result("b")], result("c")]


def test_error_without_id_answers_the_whole_batch() -> None:
    async def use(peer: Peer) -> bytes:
        task = peer.call("a", "b")
        (await peer.wire()).say(NULL_ERROR)
        return (await task).body

    assert json.loads(using(use)) == [NULL_ERROR]


@pytest.mark.parametrize("is_cancelled", [True, False])
def test_responses_before_the_end_are_kept(is_cancelled: bool) -> None:
    async def use(peer: Peer) -> bytes:
        partial = Partial()
        task = peer.call("a", "b", partial=partial)
        wire = await peer.wire()
        wire.say(result("a"))
        await peer.settle()
        if not is_cancelled:
            wire.end()
            return (await failure_of(task)).response.body
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return partial.response.body

    assert json.loads(using(use)) == [result("a")]


def test_long_array_without_a_call_is_one_event() -> None:
    async def use(peer: Peer) -> list[tuple[str, int]]:
        task = peer.call("a")
        wire = await peer.wire()
        wire.say(result("a"))
        await task
        wire.say(b"[" + b" " * MAX_ARRAY + b"{}]")
        async with asyncio.timeout(10):
            while not peer.events:  # noqa: ASYNC110 - a thread reads it
                await asyncio.sleep(0)
        return [(event.kind, len(event.text) > MAX_ARRAY) for event in peer.events]

    assert using(use) == [("unreadable", True)]


def test_large_message_is_read_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def record(text: bytes) -> None:
        threads.append(threading.current_thread())

    async def use(peer: Peer) -> None:
        task = peer.call("a")
        wire = await peer.wire()
        wire.say(result("a"))
        await task
        monkeypatch.setattr("rpcexplorer.client.open_connection.open_object", record)
        for size in (1, MAX_AT_ONCE + 1):
            wire.say(b"{" * size)
        async with asyncio.timeout(10):
            while len(threads) < 2:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0)

    using(use)
    assert [thread is threading.main_thread() for thread in threads] == [True, False]


def test_array_of_too_many_messages_is_one_event() -> None:
    async def use(peer: Peer) -> list[int]:
        task = peer.call("a")
        wire = await peer.wire()
        for extra in (1, 2):  # One of them could be the response.
            wire.say([{}] * (MAX_EVENTS + extra))
        wire.say(result("a"))
        await task
        return [len(event.text) for event in peer.events]

    assert using(use) == [2] * (MAX_EVENTS + 1) + [4 * (MAX_EVENTS + 2)]


def test_connection_opens_again_in_the_next_event_loop() -> None:
    wires = list[MemoryWire]()

    def wire_for(_: Request) -> MemoryWire:
        wires.append(MemoryWire())
        wires[-1].say(result("a"))
        return wires[-1]

    async def call() -> bool:
        body = b'{"jsonrpc":"2.0","id":"a","method":"m"}'
        return (await connection.send(Request("tcp://x:1", body), deadline=60)).phases.kept

    connection = OpenConnection(wire_for)
    assert [asyncio.run(call()), asyncio.run(call())] == [False, False]
    assert [wire.is_open for wire in wires] == [False, False]
