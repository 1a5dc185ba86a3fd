"""From a profile to its transport: the one place that chooses one, and that names what is behind the port."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rpcexplorer.transport.http.request import address_of, request_headers
from rpcexplorer.transport.port import Unreachable

if TYPE_CHECKING:
    from rpcexplorer.model.profile import Profile
    from rpcexplorer.transport.http.client import HttpTransport
    from rpcexplorer.transport.port import Headers, Request, Transport


async def connect(profile: Profile, reply_limit: int) -> Transport:
    """The transport that the profile's address asks for. It is loaded in another thread: who types goes on."""
    made = await asyncio.to_thread(_http)  # ws:// and pipes would be told apart here
    transport = made(ca_file=None if profile.ca_file is None else Path(profile.ca_file), cap=reply_limit)
    await transport.open()
    return transport


async def load() -> None:
    """Load what a first request takes: a tenth of a second of imports."""
    await (await asyncio.to_thread(_http))().open()


def target_of(request: Request) -> str:
    """Path and query as the request line has them; nothing of an address that cannot be used, which is told later."""
    try:
        return address_of(request.url).target
    except Unreachable:
        return ""


def head_of(request: Request) -> tuple[str, Headers]:
    """The request line and the exact headers as they would go out; raises `Unreachable` for what cannot be sent."""
    return f"POST {address_of(request.url).target} HTTP/1.1", request_headers(request)


@cache
def _http() -> type[HttpTransport]:
    from rpcexplorer.transport.http.client import HttpTransport

    return HttpTransport
