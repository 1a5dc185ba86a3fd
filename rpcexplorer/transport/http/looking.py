"""Looking at the certificate that a server shows, without sending it anything."""

from __future__ import annotations

from rpcexplorer.transport.http.client import HttpTransport
from rpcexplorer.transport.http.request import address_of
from rpcexplorer.transport.port import Request, ShownCertificate, Unreachable
from rpcexplorer.transport.tls.facts import certificate_from
from rpcexplorer.transport.tls.trust import USUAL, CertificateSeen, Looking, Trust


async def certificate_of(url: str, trust: Trust = USUAL, *, deadline: float) -> ShownCertificate:
    """The certificate of a server, and what the authorities of ``trust`` have against it; raises `Unreachable`.

    Each connection ends with its handshake. Ours is not shown: a server that wants to see one first may show none.
    """
    if address_of(url).scheme != "https":
        raise Unreachable("url", "Only a server with https:// shows a certificate.")
    problem = ""
    try:
        der = await _seen(url, Looking(trust.ca_file), deadline)
    except Unreachable as refused:
        if not refused.untrusted:
            raise
        problem = refused.sentence
    if problem:
        der = await _seen(url, Looking(checked=False), deadline)
    return ShownCertificate(certificate_from(der), problem)


async def _seen(url: str, looking: Looking, deadline: float) -> bytes:
    async with HttpTransport(trust=looking) as transport:
        try:
            await transport.send(Request(url, b""), deadline=deadline)
        except CertificateSeen as seen:
            return seen.der
    raise AssertionError("a handshake that always ends has gone on")
