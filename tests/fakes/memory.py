"""A transport without a network: what answers stands in the test, and nothing needs a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rpcexplorer.transport.port import Partial, Progress, Request, Response, Unreachable, Watch

Answer = Callable[[Request], bytes | Response | Unreachable]
"""What answers a request: a body, a whole response, or why none came."""


class MemoryTransport:
    """Hands each request to a function of the test, and back what that says."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.requests: list[Request] = []
        """What was sent."""
        self.closed = False

    async def open(self) -> None:
        """There is nothing to make ready."""

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        """Arrive at once. What comes back is partial until everybody else had a turn: there it can be cancelled."""
        assert deadline > 0
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, Unreachable):
            raise answer
        response = answer if isinstance(answer, Response) else Response(body=answer, size=len(answer))
        if partial is not None:
            partial.response, partial.sent_whole = response, True
        if watch is not None:
            watch(Progress("receiving", response.size, response.size, 0.0))
        await asyncio.sleep(0)
        return response

    async def close(self) -> None:
        """Take note of it."""
        self.closed = True
