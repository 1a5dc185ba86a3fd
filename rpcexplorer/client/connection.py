"""From a profile to its transport: the one place that chooses one, and that names what is behind the port."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rpcexplorer.transport.port import Unreachable
from rpcexplorer.transport.request import address_of, request_headers

if TYPE_CHECKING:
    from rpcexplorer.model.profile import Profile
    from rpcexplorer.transport.http import HttpTransport
    from rpcexplorer.transport.port import Headers, Request, ShownCertificate, Transport
    from rpcexplorer.transport.tls import Trust


async def connect(profile: Profile, reply_limit: int) -> Transport:
    """The transport that the profile's address asks for. It is loaded in another thread: who types goes on."""
    made = await asyncio.to_thread(_http)  # ws:// and pipes would be told apart here
    transport = made(trust=_trust(profile), cap=reply_limit)
    await transport.open()
    return transport


async def certificate_of(profile: Profile) -> ShownCertificate:
    """The certificate that the profile's server shows; raises `Unreachable`. Nothing is sent to it."""
    await asyncio.to_thread(_http)
    from rpcexplorer.transport.http import certificate_of

    return await certificate_of(profile.endpoint, _trust(profile), deadline=profile.timeout)


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


def _trust(profile: Profile) -> Trust:
    """Only where HTTP is loaded."""
    from rpcexplorer.transport.tls import Trust

    files = (None if file is None else Path(file) for file in (profile.ca_file, profile.cert_file, profile.key_file))
    ca_file, cert_file, key_file = files
    return Trust(ca_file, profile.certificate, cert_file, key_file)


@cache
def _http() -> type[HttpTransport]:
    from rpcexplorer.transport.http import HttpTransport

    return HttpTransport
