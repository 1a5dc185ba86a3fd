"""Send one request from a plain test, and return its outcome."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import asdict

from rpcexplorer.transport.http import HttpTransport
from rpcexplorer.transport.port import Phases, Request, Response, Unreachable, Watch
from rpcexplorer.transport.tls import Trust

if TYPE_CHECKING:
    from pathlib import Path

BODY = b'{"jsonrpc": "2.0", "id": "1", "method": "ping", "params": []}'
MIB = 1024 * 1024


def send(
    target: str | Request,
    *,
    deadline: float = 5,
    cap: int = 256 * MIB,
    ca_file: Path | None = None,
    trust: Trust | None = None,
    watch: Watch | None = None,
) -> Response:
    request = target if isinstance(target, Request) else Request(target, BODY)

    async def exchange() -> Response:
        async with HttpTransport(trust=trust or Trust(ca_file), cap=cap) as transport:
            return await transport.send(request, deadline=deadline, watch=watch)

    return asyncio.run(exchange())


def failure_of(
    target: str | Request,
    *,
    deadline: float = 5,
    cap: int = 256 * MIB,
    ca_file: Path | None = None,
    trust: Trust | None = None,
    watch: Watch | None = None,
) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        send(target, deadline=deadline, cap=cap, ca_file=ca_file, trust=trust, watch=watch)
    problem = caught.value
    # This is true of every failure.
    assert str(problem) == problem.sentence
    assert problem.sentence.endswith(".")
    assert "\n" not in problem.sentence
    assert problem.__cause__ is None
    assert problem.__context__ is None
    return problem


def partial_body(problem: Unreachable) -> bytes:
    assert problem.response.status is not None
    return problem.response.body


def spent(phases: Phases) -> float:
    return sum(filter(None, asdict(phases).values()), 0.0)
