"""The demo service on stdin and stdout, with methods that send events.

Each line is a JSON-RPC message. Several calls run at a time, and responses come in any order.

- **Sessions.** There are no cookies: ``auth`` opens the session of the connection, and later calls use it.
- **Responses that are not JSON-RPC**, such as ``demo.fail`` with kind ``html``, are lines that are not messages. The
  call gets no response.
- **The end of stdin** ends the service. Calls under way are answered at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from rpcexplorer.demo.declaration import LIFETIME, Call, Method, Param, number, text
from rpcexplorer.demo.message import NOTHING, Piece, Response, Success, blocks, body, encode, fault, success
from rpcexplorer.demo.methods import TABLE
from rpcexplorer.demo.service import DemoService, Entry, response_of
from rpcexplorer.rpc.codec import open_object

MAX_SUBSCRIPTIONS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking(Response):
    """A response that comes after the client has answered."""

    id: str | None
    method: str
    timeout: float


class StdioDemo:
    """The service of one connection."""

    def __init__(self, write: Callable[[bytes], object], report: Callable[[str], None]) -> None:
        """Prepare the service; ``report`` gets sentences about the client."""
        self._write, self._report = write, report
        self._service = DemoService(methods=self._methods())
        self._token = ""
        self._sending = asyncio.Lock()
        """Held while one message is written."""
        self._end = asyncio.get_running_loop().create_future()
        self._clocks = set[asyncio.Task[None]]()
        self._subscribed = 0
        """Subscriptions since the start, for the next id."""
        self._questions: dict[bytes, asyncio.Future[bytes]] = {}
        """Our requests without an answer so far, by their ids as JSON text."""
        self._asked = 0

    async def serve(self, receive: Callable[[], Awaitable[bytes]]) -> None:
        """Answer the messages of ``receive``, which returns b"" at the end."""
        async with asyncio.TaskGroup() as self._tasks:
            while line := await receive():
                if line.strip() and not self._take_answer(line):
                    self._tasks.create_task(self._respond(self._response_to(line)))
            self._end.set_result(None)

    def _response_to(self, line: bytes) -> Response:
        response = self._service.answer(line, self._token)
        for name, value in response.headers:
            if name == "Set-Cookie":
                self._token = value.partition(";")[0].partition("=")[2]
        return response

    async def _respond(self, response: Response) -> None:
        if isinstance(response, _Asking):
            response = await self._ask(response)
        if response.delay:
            await self._pause(response.delay)
        if response.body.length:
            await self._send(response.body.pieces)

    async def _send(self, pieces: Iterable[Piece]) -> None:
        async with self._sending:
            for block in blocks(pieces):
                if isinstance(block, float):
                    await self._pause(block)
                else:
                    self._write(block.replace(b"\n", b" "))  # white space between the tokens of JSON
            self._write(b"\n")

    async def _pause(self, seconds: float) -> None:
        """Wait, but not longer than to the end of the connection."""
        await asyncio.wait([self._end], timeout=seconds)

    def _methods(self) -> Iterator[Method]:
        yield replace(
            TABLE["auth"],
            description=f"The connection keeps the session, which ends {LIFETIME // 60} minutes after its last use.",
        )
        yield Method(
            name="clock.subscribe",
            summary="Subscribes to the time",
            description="Returns the id of the subscription, then sends a notification `clock.tick` after each "
            "interval. Its `params.subscription` is the id.",
            run=self._subscribe,
            params=[
                Param("interval", "Seconds between two ticks", number(0.01, 3600, default=1)),
                Param(
                    "count",
                    "Ticks to the end of the subscription; null for no end",
                    {"type": ["integer", "null"], "minimum": 1, "maximum": 2**53, "default": None},
                ),
            ],
            result={"type": "string", "examples": ["clock-1"]},
            errors=[(4009, "too many subscriptions")],
        )
        yield Method(
            name="ask.me",
            summary="Sends a request to you and returns your answer",
            description="Returns an object whose only member is your `result` or your `error`. "
            "It cannot be part of a batch.",
            run=lambda call, method, timeout: _Asking(
                status=204, body=NOTHING, id=call.request.id, method=method, timeout=timeout
            ),
            params=[
                Param("method", "Method of the request", text(200, default="ask.name")),
                Param("timeout", "Seconds to wait for your answer", number(0.01, 600, default=20)),
            ],
            result={"type": "object"},
            errors=[(4080, "no answer")],
        )

    def _subscribe(self, _: Call, interval: float, count: int | None) -> Success:
        if len(self._clocks) >= MAX_SUBSCRIPTIONS:
            raise fault(4009, f"There are already {MAX_SUBSCRIPTIONS} subscriptions. Wait until one ends.")
        self._subscribed += 1
        id = f"clock-{self._subscribed}"
        clock = self._tasks.create_task(self._tick(id, interval, count))
        self._clocks.add(clock)
        clock.add_done_callback(self._clocks.discard)
        return success(id)

    async def _tick(self, id: str, interval: float, count: int | None) -> None:
        number = 0
        while number != count:
            await self._pause(interval)
            if self._end.done():
                return
            number += 1
            params = {"subscription": id, "tick": number, "time": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"}
            await self._send([encode({"jsonrpc": "2.0", "method": "clock.tick", "params": params})])

    async def _ask(self, asking: _Asking) -> Response:
        """Send a request to the client; return the response to the call after the answer."""
        self._asked += 1
        id = f"ask-{self._asked}"
        self._questions[encode(id)] = answer = asyncio.get_running_loop().create_future()
        params = {"question": "What is your name?"}
        await self._send([encode({"jsonrpc": "2.0", "id": id, "method": asking.method, "params": params})])
        await asyncio.wait([answer, self._end], timeout=asking.timeout, return_when=asyncio.FIRST_COMPLETED)
        del self._questions[encode(id)]
        if answer.done():
            return response_of([Entry(asking.id, Success(body(answer.result())))])
        return response_of([Entry(asking.id, fault(4080, f"{id} was not answered."))])

    def _take_answer(self, line: bytes) -> bool:
        """Return whether a line is a response to one of our requests, or to none."""
        try:
            message = open_object(line)
        except (UnicodeDecodeError, RecursionError):
            return False
        if message is None or message.method is not None:
            return False
        if message.error not in {None, b"null"}:
            answer = b'{"error": %b}' % message.error
        elif message.result is not None:
            answer = b'{"result": %b}' % bytes(message.result)
        else:
            return False
        question = self._questions.get(message.id or b"")
        if question is None or question.done():
            self._report("A response was ignored, because no request waits for it.")
        else:
            question.set_result(answer)
        return True
