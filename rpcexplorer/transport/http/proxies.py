"""Which proxy an address is reached through, as the environment says, and the agreement with it.

HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY are obeyed, in either case, and on macOS and Windows the
system's settings. A loopback address goes through a proxy only if a variable says so, never by a system setting.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

import h11
from msgspec import Struct

if TYPE_CHECKING:
    from rpcexplorer.transport.http.request import Address
    from rpcexplorer.transport.http.streams import ByteStream

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
"""Of the kinds of proxies that are known here."""


class ProxyRefused(Exception):  # noqa: N818 - says what the proxy did
    """A proxy does not lead on; its status, where it gave one."""

    def __init__(self, status: int | None = None) -> None:
        super().__init__(status)
        self.status = status


class Proxy(Struct, frozen=True):
    """A proxy's URL, whole for the connection and safe to show."""

    url: str
    """As the environment has it, perhaps with user name and password."""

    def __repr__(self) -> str:
        """Without user name and password."""
        return f"Proxy({self.shown})"

    @property
    def shown(self) -> str:
        """Scheme, host and port only, in printable ASCII. A password may hold a ``/`` that should have been quoted."""
        scheme, _, rest = self.url.partition("://")
        shown = f"{scheme}://{re.split('[/?#]', rest.rpartition('@')[2])[0]}"
        return ascii(shown)[1:-1]

    @property
    def scheme(self) -> str:
        return self.url.partition("://")[0].lower()

    @property
    def place(self) -> tuple[str, int]:
        """Host and port; ValueError where the URL is no proxy's."""
        parts = urlsplit(self.url)
        port = parts.port or _PORTS.get(self.scheme)
        if not parts.hostname or port is None or self.scheme not in _PORTS or not parts.hostname.isprintable():
            raise ValueError
        return parts.hostname, port

    @property
    def credentials(self) -> tuple[bytes, bytes] | None:
        """User name and password."""
        parts = urlsplit(self.url)
        if not parts.username and not parts.password:
            return None
        return unquote(parts.username or "").encode(), unquote(parts.password or "").encode()

    def forwards(self, address: Address) -> bool:
        """Whether it is handed the request itself, and reads it: so does a proxy of HTTP where nothing is encrypted."""
        return address.scheme == "http" and not self.scheme.startswith("socks5")

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """What a proxy that speaks HTTP is told."""
        if self.credentials is None:
            return ()
        return (("Proxy-Authorization", f"Basic {base64.b64encode(b':'.join(self.credentials)).decode()}"),)


def proxy_for(address: Address) -> Proxy | None:
    """Return the proxy that stands between us and the address, if any."""
    proxies = getproxies_environment() if _is_loopback(address.host) else getproxies()
    url = proxies.get(address.scheme) or proxies.get("all")
    if not url or proxy_bypass(address.place) or proxy_bypass(address.host):
        return None
    return Proxy(url if "://" in url else f"http://{url}")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# --- the agreement ------------------------------------------------------------------------------------------------


async def lead_on(stream: ByteStream, proxy: Proxy, address: Address) -> None:
    """Have a proxy lead on to the address, so that what is written next is read there; raises `ProxyRefused`."""
    if proxy.scheme.startswith("socks5"):
        await _by_socks(_Exactly(stream), proxy, address)
    elif not proxy.forwards(address):
        await _by_tunnel(stream, proxy, address)


async def _by_tunnel(stream: ByteStream, proxy: Proxy, address: Address) -> None:
    http = h11.Connection(h11.CLIENT)
    headers = [("Host", address.place), ("Accept", "*/*"), *proxy.headers]
    stream.write(
        (http.send(h11.Request(method="CONNECT", target=address.place, headers=headers)) or b"")
        + (http.send(h11.EndOfMessage()) or b"")
    )
    await stream.drain()
    while not isinstance(event := http.next_event(), h11.Response):
        came = await stream.receive() if event is h11.NEED_DATA else b""
        if not came and not isinstance(event, h11.InformationalResponse):
            raise ProxyRefused
        if came:
            http.receive_data(came)
    if not 200 <= event.status_code < 300:
        raise ProxyRefused(event.status_code)
    if http.trailing_data[0]:  # from nobody: a server that speaks TLS does not speak first
        raise ProxyRefused


async def _by_socks(stream: _Exactly, proxy: Proxy, address: Address) -> None:
    """SOCKS 5 (RFC 1928, 1929). The proxy looks the name up."""
    login = 2 if proxy.credentials else 0
    if (await stream.asked(bytes([5, 1, login]), 2)) != bytes([5, login]):
        raise ProxyRefused
    if proxy.credentials:
        user, password = proxy.credentials
        if (await stream.asked(b"\1" + _short(user) + _short(password), 2))[1]:
            raise ProxyRefused(407)
    try:
        ip = ipaddress.ip_address(address.host)
    except ValueError:
        where = b"\3" + _short(address.host.encode())
    else:
        where = (b"\4" if ip.version == 6 else b"\1") + ip.packed
    version, failed, _, kind = await stream.asked(b"\5\1\0" + where + address.port.to_bytes(2, "big"), 4)
    if version != 5 or failed:
        raise ProxyRefused
    length = {1: 4, 4: 16}.get(kind) or (await stream.asked(b"", 1))[0]
    await stream.asked(b"", length + 2)  # where it connects from, which is nobody's business
    if stream.came:
        raise ProxyRefused


def _short(text: bytes) -> bytes:
    """A text of at most 255 bytes, after its length."""
    if len(text) > 255:
        raise ProxyRefused
    return bytes([len(text)]) + text


class _Exactly:
    """Reads so many bytes and no more."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.came = b""

    async def asked(self, question: bytes, count: int) -> bytes:
        """Write something, and return the next bytes that come."""
        if question:
            self._stream.write(question)
            await self._stream.drain()
        while len(self.came) < count:
            if not (chunk := await self._stream.receive()):
                raise ProxyRefused
            self.came += chunk
        answer, self.came = self.came[:count], self.came[count:]
        return answer
