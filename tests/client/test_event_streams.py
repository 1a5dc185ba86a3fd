"""Event streams over HTTP: which messages are events, and who answers requests."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from rpcexplorer.auth.credentials import GivenCredentials
from rpcexplorer.auth.token import BearerAuth
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Cancelled, Exchange, Stop, Unreached
from rpcexplorer.model.profile import Answer, MethodNote, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from tests.fakes.wire import HOLD, NEXT, RESET, Act, Part, Parts, RawServer, Received, http_reply

STREAM = http_reply(headers={"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
"""The head of an event stream, which ends with ``END``."""
END = b"0\r\n\r\n"
LIMIT = 1024 * 1024
TICK = {"jsonrpc": "2.0", "method": "tick"}
ASK = {"jsonrpc": "2.0", "id": 7, "method": "ask.me"}


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def event(message: object) -> bytes:
    data = message if isinstance(message, bytes) else json.dumps(message).encode()
    return chunk(b"event: message\ndata: " + data + b"\n\n")


def response_to(request: Received, value: object = 1) -> bytes:
    return event({"jsonrpc": "2.0", "id": request.json["id"], "result": value})


class User:
    """A client whose events are kept, and answered with ``answer`` if they wait."""

    def __init__(self, server: RawServer, *, answer: bytes = b"", **settings: Any) -> None:
        self.events: list[Event] = []
        self.settled: list[Event] = []
        self.responses: list[Exchange] = []
        self.problems: list[str] = []
        self.on_event: Callable[[Event], None] = lambda _: None
        self.stop = Stop()
        self._answer = answer
        around = Surroundings(on_event=self._take, on_settled=self.settled.append, can_ask=lambda _: bool(answer))
        profile = Profile(name="x", url=server.url, ad_hoc=True, **settings)
        credentials = GivenCredentials(token="token")
        self.client = ProfileClient(profile, credentials, reply_limit=LIMIT, around=around)

    def _take(self, event: Event) -> None:
        self.events.append(event)
        self.on_event(event)
        if event.waits and self._answer:
            self.problems.append(self.client.answer(event, self._answer))

    async def call(self, draft: Draft | Batch | None = None) -> Exchange:
        async with self.client:
            return await self.client.send(draft or Draft("m"), stop=self.stop)

    async def listen(self, draft: Draft | None = None) -> Exchange:
        async with self.client:
            return await self.client.listen(draft, on_response=self.responses.append, stop=self.stop)


def called(server: RawServer, **options: Any) -> tuple[User, Exchange]:
    """Call once, in a stream that the server ends."""
    user = User(server, **options)
    return user, asyncio.run(user.call())


def is_answer(request: Received) -> bool:
    return b'"method"' not in request.body


def asking(*messages: object, accepted: bytes = http_reply(status=202)) -> Callable[[Received], Parts]:
    """Send messages, and the response when an answer has come."""
    server: list[RawServer] = []

    def script(request: Received) -> Iterator[Part]:
        if is_answer(request):
            yield accepted
            server[0].release()
            yield NEXT
        else:
            yield STREAM
            yield from map(event, messages)
            yield HOLD
            yield response_to(request) + END
            yield NEXT

    script.server = server  # type: ignore[attr-defined]
    return script


def serve(script: Any) -> RawServer:
    server = RawServer(script)
    if hasattr(script, "server"):
        script.server.append(server)
    return server


def test_other_messages_of_a_stream_are_events() -> None:
    messages = [TICK, b"hello", b"\xff", {"id": "z", "result": 1}, [TICK, 5]]

    def script(request: Received) -> Parts:
        return STREAM + b"".join(map(event, messages)) + response_to(request) + event(TICK) + END

    with RawServer(script) as server:
        user, exchange = called(server)
    assert isinstance(exchange.outcome, Malformed), "the body is not UTF-8, as without events"
    assert [(event.kind, event.remark) for event in user.events] == [
        ("notification", ""),
        ("unreadable", "this is not a JSON object"),
        ("unreadable", "this is not UTF-8, or too deep"),
        ("response", "no call waits for this response"),
        ("notification", ""),
        ("unreadable", "this is not a JSON object"),
        ("notification", ""),
    ]
    assert {event.of for event in user.events} == {exchange.id}


def test_event_comes_while_the_call_runs() -> None:
    def script(request: Received) -> Parts:
        return [STREAM, event(TICK), HOLD, response_to(request), END]

    with RawServer(script) as server:
        user = User(server)
        user.on_event = lambda _: server.release()
        exchange = asyncio.run(user.call())
    assert (exchange.outcome.__class__, len(user.events)) == (Result, 1)
    assert not user.client._streams, "it has ended"


@pytest.mark.parametrize(
    ("rule", "answer", "member"),
    [
        (None, b"", '"error":{"code":-32601,"message":"Method not found"}'),
        (Answer(result_json="[1]"), b"", '"result":[1]'),
        (Answer(ask=True), b'"result":5', '"result":5'),
    ],
)
def test_request_is_answered_as_the_call_was_sent(rule: Answer | None, answer: bytes, member: str) -> None:
    with serve(asking(ASK)) as server:
        answers = {"ask.me": rule} if rule else {}
        user, exchange = called(server, answer=answer, answers=answers, auth=BearerAuth(), accept="a/b")
    assert isinstance(exchange.outcome, Result)
    call, reply = server.requests
    assert reply.body.decode() == f'{{"jsonrpc":"2.0","id":7,{member}}}'
    assert (reply.line, reply.header("authorization"), reply.header("accept")) == (
        call.line,
        "Bearer token",
        "a/b",
    )
    assert [(event.answer, event.is_settled) for event in user.settled] == [(member.encode(), True)]
    assert user.problems == [""] * bool(answer)


def test_deadline_stands_still_while_the_user_is_asked() -> None:
    with serve(asking(ASK)) as server:
        user = User(server, answer=b'"result":5')

        def answer_late(event: Event) -> None:
            """Let more time pass than the call may take."""
            if event.waits:
                loop = asyncio.get_running_loop()
                now = loop.time
                loop.time = lambda: now() + 1_000  # type: ignore[method-assign]

        user.on_event = answer_late
        exchange = asyncio.run(user.call())
    assert isinstance(exchange.outcome, Result)
    assert exchange.seconds < 0


def test_refused_answer_is_counted_and_noted() -> None:
    with serve(asking(ASK, accepted=http_reply(status=400))) as server:
        user, exchange = called(server)
    problem = "the server did not accept the answer (HTTP 400)"
    assert [(event.answer, event.remark) for event in user.settled] == [(None, f"not answered: {problem}")]
    assert exchange.notes == (f"1 request of the server got no answer: {problem}",)


def test_request_that_waits_settles_with_its_stream() -> None:
    def script(request: Received) -> Parts:
        return STREAM + event(ASK) + response_to(request) + END

    with RawServer(script) as server:
        user = User(server, answer=b"x", answers={"ask.me": Answer(ask=True)})
        user._answer = b""
        exchange = asyncio.run(user.call())
        assert exchange.notes == ("1 request of the server got no answer: the event stream has ended",)
        remark = "not answered: the event stream has ended"
        assert [event.remark for event in user.settled] == [remark]
        assert user.client.answer(user.settled[0], b'"result":1') == remark
    assert len(server.requests) == 1


def test_server_that_takes_nothing_gets_limited_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.client.event_stream.ANSWER_SECONDS", 0.01)

    def script(request: Received) -> Parts:
        if is_answer(request):
            return [HOLD]
        return STREAM + b"".join(event(ASK) for _ in range(1_500)) + response_to(request) + END

    with RawServer(script) as server:
        user, exchange = called(server)
        assert len(server.requests) <= 2
    assert isinstance(exchange.outcome, Result)
    assert [event.is_settled and event.answer is None for event in user.events] == [True] * 1_500
    assert exchange.notes == ("1,500 requests of the server got no answer: the event stream has ended",)


def test_mcp_session_is_hidden_before_the_first_event(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden: list[str] = []
    known: list[list[str]] = []

    def script(request: Received) -> Parts:
        if "id" not in request.json:
            return http_reply(status=202)
        head = STREAM.replace(b"Transfer-Encoding", b"Mcp-Session-Id: s3ss10n-of-ada\r\nTransfer-Encoding")
        return head + event(TICK) + response_to(request, {}) + END

    def hide(_: GivenCredentials, values: Iterable[Secret]) -> None:
        hidden.extend(value.reveal() for value in values)

    async def call(server: RawServer) -> None:
        user = User(server, handshake="mcp", mcp="2025-06-18")
        user.on_event = lambda _: known.append([*hidden])
        await user.call()

    monkeypatch.setattr(GivenCredentials, "hide", hide)
    with RawServer(script) as server:
        asyncio.run(call(server))
    assert [set(before) for before in known] == [{"s3ss10n-of-ada"}] * 2


def test_stream_may_come_compressed_and_byte_by_byte() -> None:
    def script(request: Received) -> Parts:
        message = {"jsonrpc": "2.0", "id": request.json["id"], "result": "\u00e9"}
        text = f"\ufeff: ping\r\n\r\ndata: {json.dumps(TICK)}\r\rdata: {json.dumps(message)}\n\n"
        headers = {"Content-Type": "Text/Event-Stream; charset=utf-8", "Content-Encoding": "gzip"}
        head = http_reply(headers=headers | {"Transfer-Encoding": "chunked"})
        return head + b"".join(chunk(bytes([byte])) for byte in gzip.compress(text.encode())) + END

    with RawServer(script) as server:
        user, exchange = called(server)
    assert isinstance(exchange.outcome, Result)
    assert [event.method for event in user.events] == ["tick"]


def test_error_of_a_program_is_named() -> None:
    def fail(_: Event) -> None:
        raise ZeroDivisionError

    with RawServer([STREAM, event(TICK), HOLD]) as server:
        user = User(server)
        user.on_event = fail
        exchange = asyncio.run(user.call())
    assert isinstance(exchange.outcome, Unreached)
    assert "internal error at test_event_streams.py" in exchange.outcome.sentence


def test_stream_without_end_does_not_delay_the_response() -> None:
    def script(request: Received) -> Parts:
        return [STREAM, response_to(request), HOLD]

    with RawServer(script) as server:
        _, exchange = called(server, timeout=60.0)
    assert isinstance(exchange.outcome, Result)
    assert exchange.remarks == (
        "The server left the event stream open. If more of the result follows, set parts = true for this method.",
    )


def test_failure_after_the_response_keeps_the_result() -> None:
    with RawServer(lambda request: [STREAM, response_to(request), RESET]) as server:
        _, exchange = called(server)
    assert isinstance(exchange.outcome, Result)


STREAMED = {"m": MethodNote(parts=True)}
"""The method whose result comes in parts."""


def test_result_in_parts_ends_with_its_stream() -> None:
    def script(request: Received) -> Parts:
        return [STREAM, response_to(request), HOLD, event(TICK) + response_to(request, 2), END]

    with RawServer(script) as server:
        user = User(server, methods=STREAMED)
        user.on_event = lambda event: server.release() if event.kind == "part" else None
        exchange = asyncio.run(user.call())
    assert isinstance(exchange.outcome, Result)
    assert (exchange.outcome.value, exchange.parts) == (b"2", (b"1", b"2"))
    assert [event.kind for event in user.events] == ["part", "notification", "part"]
    assert {event.of for event in user.events} == {exchange.id}
    assert user.settled == [], "parts are recorded with the call"


def test_several_responses_are_parts_without_a_setting() -> None:
    def script(request: Received) -> Parts:
        return STREAM + response_to(request) + response_to(request, 2) + END

    with RawServer(script) as server:
        user, exchange = called(server)
    assert (exchange.parts, [event.kind for event in user.events]) == ((b"1", b"2"), ["part", "part"])


@pytest.mark.parametrize(("act", "step"), [(HOLD, "timeout"), (RESET, "body")])
def test_result_without_its_last_part_is_no_response(act: Act, step: str) -> None:
    def script(request: Received) -> Parts:
        return [STREAM, response_to(request), response_to(request, 2), act]

    with RawServer(script) as server:
        _, exchange = called(server, methods=STREAMED, timeout=0.5)
    assert isinstance(exchange.outcome, Unreached)
    assert exchange.outcome.step == step
    assert exchange.outcome.sentence.endswith("2 parts of the result came before that.")
    assert exchange.parts == (b"1", b"2")


def test_parts_without_end_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.client.event_stream.MAX_PARTS", 3)

    def script(request: Received) -> Iterator[Part]:
        yield STREAM
        while True:
            yield response_to(request)

    with RawServer(script) as server:
        _, exchange = called(server, methods=STREAMED)
    assert isinstance(exchange.outcome, Unreached)
    assert exchange.outcome.step == "size"
    assert exchange.outcome.sentence.startswith("The server sent more than 3 parts of one result. ")


def test_call_with_parts_can_be_cancelled() -> None:
    with RawServer(lambda request: [STREAM, response_to(request), HOLD]) as server:
        user = User(server, methods=STREAMED)
        user.on_event = lambda _: user.stop.press()
        exchange = asyncio.run(user.call())
    assert isinstance(exchange.outcome, Cancelled)
    assert exchange.parts == (b"1",)


def test_error_ends_a_result_in_parts() -> None:
    def script(request: Received) -> Parts:
        error = {"jsonrpc": "2.0", "id": request.json["id"], "error": {"code": 1, "message": "no"}}
        return [STREAM, event(error), HOLD]

    with RawServer(script) as server:
        user, exchange = called(server, methods=STREAMED, timeout=60.0)
    assert isinstance(exchange.outcome, ErrorObject)
    assert user.events == []


def test_each_response_of_a_batch_is_waited_for() -> None:
    def script(request: Received) -> Parts:
        one, two = (call["id"] for call in request.json)
        return [STREAM, event({"id": two, "result": 2}), event(TICK), event({"id": one, "result": 1}), HOLD]

    with RawServer(script) as server:
        user = User(server)
        exchange = asyncio.run(user.call(Batch('[{"method":"a"},{"method":"b"}]')))
    assert (exchange.outcome.__class__, len(user.events)) == (Result, 1)


def listened(
    script: Any, draft: Draft | None = None, on_response: Callable[[RawServer], None] = lambda _: None, **settings: Any
) -> tuple[User, Exchange, list[Received]]:
    """Listen until the end; return the requests, too."""
    with serve(script) as server:
        user = User(server, **settings)

        def take(exchange: Exchange) -> None:
            user.responses.append(exchange)
            on_response(server)

        async def listen() -> Exchange:
            async with user.client:
                return await user.client.listen(draft, on_response=take, stop=user.stop)

        return user, asyncio.run(listen()), server.requests


def test_listening_goes_on_after_the_response() -> None:
    def script(request: Received) -> Parts:
        return [STREAM, event(TICK), response_to(request), HOLD, event(TICK), END]

    user, end, _ = listened(script, Draft("m"), lambda server: server.release())
    assert [response.outcome for response in user.responses] == [Result(b"1")]
    assert (end.outcome, len(user.events)) == (Unreached("closed", "The server ended the event stream."), 2)


@pytest.mark.parametrize("methods", [STREAMED, {}])
def test_listening_gets_each_part(methods: dict[str, MethodNote]) -> None:
    def script(request: Received) -> Parts:
        return [STREAM, response_to(request), HOLD, response_to(request, 2), END]

    user, end, _ = listened(script, Draft("m"), lambda server: server.release(), methods=methods)
    assert [json.loads(event.text)["result"] for event in user.events] == [1, 2]
    assert user.settled == user.events, "only the first one is recorded with the call"
    assert end.outcome == (Result(b"2") if methods else Unreached("closed", "The server ended the event stream."))


def test_listening_without_a_call_gets_a_stream() -> None:
    def script(request: Received) -> Parts:
        if request.line.startswith("GET"):
            return STREAM + event(ASK) + END
        if b'"id"' not in request.body:
            return [http_reply(status=202), NEXT]
        session = {"Mcp-Session-Id": "s1"}
        return [request.reply(result={"protocolVersion": "2025-06-18"}, headers=session), NEXT]

    answers = {"roots/list": Answer(ask=True)}
    user, end, requests = listened(
        script, handshake="mcp", mcp="2025-06-18", answers=answers, auth=BearerAuth(), accept="a/b"
    )
    initialize, initialized, get, reply = requests
    assert initialize.json["params"]["capabilities"] == {}, "nobody can answer"
    assert b"notifications/initialized" in initialized.body
    assert (get.header("accept"), reply.header("accept"), get.body) == ("text/event-stream", "a/b", b"")
    for request in (get, reply):
        assert (request.header("mcp-session-id"), request.header("authorization")) == ("s1", "Bearer token")
    assert isinstance(end.outcome, Unreached)
    assert (end.exit_code, [event.method for event in user.events]) == (4, ["ask.me"])


@pytest.mark.parametrize(
    ("reply", "code", "words"),
    [
        (http_reply(status=405), 5, "The server has no event stream here: it answered a GET request with HTTP 405."),
        (http_reply(b"{}", headers={"Content-Type": "text/plain"}), 5, "a GET request with text/plain."),
        (http_reply(status=401), 3, "HTTP 401 Unauthorized"),
    ],
)
def test_listening_needs_an_event_stream(reply: bytes, code: int, words: str) -> None:
    _, end, _ = listened(reply)
    assert isinstance(end.outcome, Malformed)
    assert words in end.outcome.reason
    assert end.exit_code == code


@pytest.mark.parametrize(
    ("script", "kind", "code", "responses"),
    [
        (lambda request: STREAM + event(TICK) + END, Unreached, 4, 0),
        (lambda request: STREAM + event(TICK), Unreached, 4, 0),
        (lambda request: http_reply(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}'), ErrorObject, 1, 0),
        (lambda request: [STREAM, event({"id": None, "error": {"code": 1, "message": ""}}), HOLD], ErrorObject, 1, 0),
        (lambda request: http_reply(b'{"jsonrpc":"2.0","id":%b,"result":1}' % id_of(request)), Malformed, 5, 1),
        (lambda request: [STREAM, response_to(request), chunk(b"data: " + b"x" * LIMIT), HOLD], Unreached, 4, 1),
    ],
    ids=["no response", "cut off", "error", "error in a stream", "no stream", "too large"],
)
def test_listening_ends_with_its_call(script: Any, kind: type, code: int, responses: int) -> None:
    user, end, _ = listened(script, Draft("m"))
    assert isinstance(end.outcome, kind)
    assert (end.exit_code, len(user.responses)) == (code, responses)


def id_of(request: Received) -> bytes:
    return json.dumps(request.json["id"]).encode()


@pytest.mark.parametrize("draft", [None, Draft("m")])
def test_listening_to_a_stream_stops_on_request(draft: Draft | None) -> None:
    with RawServer([STREAM, event(TICK), HOLD]) as server:
        user = User(server)
        user.on_event = lambda _: user.stop.press()
        assert asyncio.run(user.listen(draft)).exit_code == 130
        assert server.wait_for_hangup()
