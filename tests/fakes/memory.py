"""A transport without a network: a function of the test answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rpcexplorer.transport.port import Partial, Progress, Request, Response, Unreachable, Watch

Answer = Callable[[Request], bytes | Response | Unreachable]
"""Answers a request with a body, a whole response, or an error."""


class MemoryTransport:
    """A transport that hands each request to a function of the test."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.requests: list[Request] = []
        self.closed = False

    async def open(self) -> None:
        """Do nothing."""

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        """Answer at once, after one turn of the loop: there it can be cancelled."""
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
        self.closed = True
