"""Streams of TCP, TLS and Unix sockets for httpx, and connections that are kept open."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
import ssl
import threading
from collections import deque
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import httpx

from rpcexplorer.transport.port import LOOPBACK_ADDRESSES, LOOPBACK_NAME
from rpcexplorer.transport.request import Address

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from rpcexplorer.transport.port import Headers, Request
    from rpcexplorer.transport.response import Incoming

PIECE = 256 * 1024
"""Bytes to read, encrypt and write at a time, to keep the loop free."""
_STEPS = 8
"""TLS records without data in a row; more are hostile."""


class Duplex(Protocol):
    """A stream of bytes in both directions, which end independently."""

    @property
    def behind(self) -> bool:
        """Return whether written bytes wait to be sent."""

    def write(self, data: bytes) -> None:
        """Send as much as the network takes now; `drain` sends the rest.

        OSError means that nothing was sent.
        """

    async def drain(self) -> None:
        """Wait until everything written is sent."""

    async def receive(self) -> bytes:
        """Wait for the next bytes; return b"" at the end."""

    def shut(self) -> None:
        """End both directions: a task in `receive` reads the end."""

    def close(self) -> None:
        pass


class ByteStream(Duplex, Protocol):
    """A stream of a socket."""

    def arrived(self) -> bytes | None:
        """Return the bytes that are here, None if there are none yet.

        At the end, and after a failure, return b"".
        """


class Plain:
    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._out: deque[bytes] = deque()
        self._turn = asyncio.Lock()

    @property
    def behind(self) -> bool:
        return bool(self._out)

    def write(self, data: bytes) -> None:
        taken = 0
        if not self._out:
            with contextlib.suppress(BlockingIOError, InterruptedError):
                taken = self._socket.send(data)
        if taken < len(data):
            self._out.append(data[taken:])

    async def drain(self) -> None:
        async with self._turn:
            while self._out:
                await asyncio.get_running_loop().sock_sendall(self._socket, self._out[0])
                self._out.popleft()
                await asyncio.sleep(0)  # A network that takes everything must not block the event loop.

    async def receive(self) -> bytes:
        try:
            received = self._socket.recv(PIECE)
        except (BlockingIOError, InterruptedError):
            return await asyncio.get_running_loop().sock_recv(self._socket, PIECE)
        await asyncio.sleep(0)  # Nor must one that has everything ready.
        return received

    def arrived(self) -> bytes | None:
        try:
            return self._socket.recv(PIECE)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""

    def shut(self) -> None:
        with contextlib.suppress(OSError):  # The peer may have closed it.
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()


class Encrypted:
    def __init__(self, stream: ByteStream, trust: ssl.SSLContext, host: str) -> None:
        self._stream = stream
        self._coming, self._going = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = trust.wrap_bio(self._coming, self._going, server_hostname=host)

    async def shake_hands(self) -> None:
        while True:
            try:
                self.tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._answer()
                self._take(await self._stream.receive())
            else:
                await self._answer()
                return

    @property
    def behind(self) -> bool:
        return self._stream.behind

    def write(self, data: bytes) -> None:
        self.tls.write(data)
        self._pass_on()

    async def drain(self) -> None:
        await self._stream.drain()

    async def receive(self) -> bytes:
        """Wait for the next bytes; return b"" at the end, announced or not."""
        while True:
            try:
                return self.tls.read(PIECE)
            except ssl.SSLWantReadError:
                with contextlib.suppress(OSError):  # A server that reads no more may have sent a response before.
                    await self._answer()
                self._take(await self._stream.receive())
            except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
                return b""

    def arrived(self) -> bytes | None:
        """Return the bytes that are here; session tickets of TLS do not count."""
        for _ in range(_STEPS):
            try:
                return self.tls.read(PIECE)
            except ssl.SSLWantReadError:
                received = self._stream.arrived()
            except ssl.SSLError:
                return b""
            if received is None:
                return None
            self._take(received)
        return b""

    def shut(self) -> None:
        with contextlib.suppress(OSError):
            self.tls.unwrap()  # It writes the end, and would wait for the peer's.
        with contextlib.suppress(OSError):
            self._pass_on()
        self._stream.shut()

    def close(self) -> None:
        self._stream.close()

    def _take(self, received: bytes) -> None:
        if received:
            self._coming.write(received)
        else:
            self._coming.write_eof()

    async def _answer(self) -> None:
        """Write what TLS answers; a writer with data before it sends it, too."""
        has_writer = self.behind
        self._pass_on()
        if self.behind and not has_writer:
            await self.drain()

    def _pass_on(self) -> None:
        if self._going.pending:
            self._stream.write(self._going.read())


_HEAD_START = 0.25
"""Seconds before the next address is tried as well (RFC 8305)."""
SocketAddress: TypeAlias = tuple[socket.AddressFamily, Any]


def known_addresses(host: str, port: int) -> list[SocketAddress]:
    """Return the addresses of an IP or `localhost`; none for other names."""
    try:
        found = [ipaddress.ip_address(ip) for ip in (LOOPBACK_ADDRESSES if host == LOOPBACK_NAME else [host])]
    except ValueError:
        return []
    return [
        (socket.AF_INET6, (str(ip), port, 0, 0)) if ip.version == 6 else (socket.AF_INET, (str(ip), port))
        for ip in found
    ]


async def look_up(host: str, port: int) -> list[SocketAddress]:
    """Resolve a name; IPv6 and IPv4 addresses alternate."""
    loop = asyncio.get_running_loop()
    known: asyncio.Future[list[SocketAddress]] = loop.create_future()

    def settle(found: list[SocketAddress], failure: Exception | None) -> None:
        if known.done():
            return
        if failure is None:
            known.set_result(found)
        else:
            known.set_exception(failure)

    def ask() -> None:
        found, failure = list[SocketAddress](), None
        try:
            found = [(info[0], info[4]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
        except (OSError, UnicodeError) as problem:
            failure = problem
        # If the loop is closed by now, no task waits for the outcome.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, found, failure)

    threading.Thread(target=ask, name=f"lookup of {host}", daemon=True).start()
    return _alternate_families(await known)


async def dial(address: Address, incoming: Incoming) -> Plain:
    """Connect to a host and port, or to a Unix socket."""
    if address.socket:
        incoming.enter("connect")
        return Plain(connect_to_socket(address.socket))
    if not (addresses := known_addresses(address.host, address.port)):
        incoming.enter("name")
        addresses = await look_up(address.host, address.port)
    incoming.enter("connect")
    return Plain(await connect(addresses))


async def connect(addresses: list[SocketAddress]) -> socket.socket:
    """Connect to the first address that answers, or raise all failures."""
    if len(addresses) == 1:
        return await _connected(addresses[0])
    left, running, failures = deque(addresses), set[asyncio.Task[socket.socket]](), list[Exception]()
    try:
        while left or running:
            if left:
                running.add(asyncio.create_task(_connected(left.popleft())))
            wait_for = _HEAD_START if left else None
            ended, running = await asyncio.wait(running, timeout=wait_for, return_when=asyncio.FIRST_COMPLETED)
            well = [task for task in ended if task.exception() is None]
            failures += [failure for task in ended if isinstance(failure := task.exception(), Exception)]
            running |= set(well[1:])  # Two connected at once: one is enough.
            if well:
                return well[0].result()
    finally:
        for task in running:
            task.cancel()
        for late in await asyncio.gather(*running, return_exceptions=True):
            if isinstance(late, socket.socket):
                late.close()
    raise ExceptionGroup("no address answered", failures or [OSError("there is none")])


async def _connected(address: SocketAddress) -> socket.socket:
    family, where = address
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.get_running_loop().sock_connect(opened, where)
    except BaseException:
        opened.close()
        raise
    return opened


def connect_to_socket(path: str) -> socket.socket:
    """Connect to a Unix socket, which needs no waiting; OSError if it fails, also if its queue is full."""
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        opened.setblocking(False)
        opened.connect(path)
    except BaseException:
        opened.close()
        raise
    return opened


def _alternate_families(addresses: list[SocketAddress]) -> list[SocketAddress]:
    """Alternate IPv6 and IPv4, because one of them may not work."""
    families: dict[socket.AddressFamily, list[SocketAddress]] = {}
    for address in addresses:
        families.setdefault(address[0], []).append(address)
    return [address for turn in zip_longest(*families.values()) for address in turn if address is not None]


class NothingWritten(Exception):  # noqa: N818 - says what became of the request
    """A kept connection took no byte of the request."""


class Connection:
    """A connection of httpx, opened by its first request.

    It has at most one stream, and is used by one exchange at a time.
    """

    def __init__(self, trust: ssl.SSLContext, proxy: httpx.Proxy | None, socket_path: str = "") -> None:
        limits = httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=None)
        self._httpx = httpx.AsyncHTTPTransport(verify=trust, proxy=proxy, limits=limits, uds=socket_path or None)
        self._backend = Backend()
        pool_of(self._httpx)._network_backend = self._backend  # noqa: SLF001 - httpx offers no other way

    @property
    def stream(self) -> ByteStream:
        assert self._backend.opened
        return self._backend.opened[-1].bytes

    async def exchange(self, sent: Request, headers: Headers, address: Address, incoming: Incoming) -> bool:
        """Send a request and read the response.

        Return whether the connection can be kept. A failure to write is not raised: the response may say the reason.
        """
        self._backend.begin(incoming)
        request = httpx.Request(
            sent.verb,
            address.url,
            headers=[(name.encode("ascii"), value.encode("ascii")) for name, value in headers],
            stream=RequestBody(sent.body),
            extensions={"trace": _follow(incoming)},
        )
        clean = False
        try:
            response = await self._httpx.handle_async_request(request)
            http = _http_of(self._httpx)
            extensions = response.extensions
            incoming.begin(
                response.status_code, extensions["reason_phrase"], extensions["http_version"], response.headers.raw
            )
            ending = False
            async for chunk in response.aiter_raw():
                for portion in incoming.portions(chunk):
                    incoming.take(portion)
                    ending = ending or await _give_turn()
            surplus, ended = http.trailing_data
            incoming.finish(surplus=bool(surplus))
            clean = incoming.sent_whole and not self._backend.behind and not surplus and not ended
        finally:
            incoming.sent_whole &= not self._backend.behind
            await self._backend.settle()
            if not clean:
                await self._httpx.aclose()  # This ends everything that is in progress.
        return clean

    def close(self) -> None:
        self._backend.close()


class Backend:
    """Opens our streams instead of those of httpx."""

    def __init__(self) -> None:
        self.opened: list[HttpxStream] = []
        self._incoming: Incoming | None = None

    def begin(self, incoming: Incoming) -> None:
        self._incoming = incoming
        for stream in self.opened:
            stream.begin()

    @property
    def behind(self) -> bool:
        return any(stream.behind for stream in self.opened)

    @property
    def is_kept(self) -> bool:
        return self._incoming is not None and self._incoming.kept

    @property
    def has_reply(self) -> bool:
        return self._incoming is not None and self._incoming.phase == "body"

    async def connect_tcp(self, host: str, port: int, *_: object, **__: object) -> HttpxStream:
        assert self._incoming is not None
        self._incoming.kept = False
        return self.take(await dial(Address("http", host, port), self._incoming))

    async def connect_unix_socket(self, path: str, *_: object, **__: object) -> HttpxStream:
        assert self._incoming is not None
        self._incoming.kept = False
        return self.take(await dial(Address("http", socket=path), self._incoming))

    def take(self, opened: ByteStream) -> HttpxStream:
        self.opened.append(HttpxStream(opened, self))
        return self.opened[-1]

    async def settle(self) -> None:
        for stream in self.opened:
            await stream.settle()

    def close(self) -> None:
        for stream in self.opened:
            stream.bytes.close()


class HttpxStream:
    def __init__(self, opened: ByteStream, backend: Backend) -> None:
        self.bytes = opened
        self._backend = backend
        self._ahead: asyncio.Future[bytes] | None = None
        """A read that is in progress while data is written."""
        self._writer: asyncio.Future[None] | None = None
        self.begin()

    def begin(self) -> None:
        self._head = b""  # The head is sent with the body, so that a small request is one packet.
        self._at_beginning = True
        self._refused = False

    @property
    def behind(self) -> bool:
        return bool(self._head) or self._refused or self.bytes.behind

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002, ASYNC109 - httpx's shape
        """Write until everything is sent or a response arrives."""
        if self._at_beginning and buffer:
            self._head, self._at_beginning = buffer, False
            return
        if not (data := self._head + buffer):
            return
        begins, self._head = bool(self._head), b""
        try:
            self.bytes.write(data)
        except OSError:  # This includes ssl.SSLError.
            self._refused = True
            if begins and self._backend.is_kept:
                raise NothingWritten from None
            return
        if len(data) >= PIECE:
            await asyncio.sleep(0)  # A network that takes everything must not block the event loop.
        if not self.bytes.behind:
            return
        if self._writer is None or self._writer.done():
            self._writer = asyncio.ensure_future(self._drain())
        if self._ahead is None:
            self._ahead = asyncio.ensure_future(self.bytes.receive())
        at_work: set[asyncio.Future[Any]] = {self._writer, self._ahead}
        await asyncio.wait(at_work, return_when=asyncio.FIRST_COMPLETED)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002, ASYNC109 - httpx's shape
        if self._head:
            await self.write(b"")
        self._at_beginning = True
        ahead, self._ahead = self._ahead, None
        try:
            return await (ahead or self.bytes.receive())
        except ConnectionError:
            # A server that closes with unread data causes a reset. The response may still be whole.
            if self.behind and self._backend.has_reply:
                return b""
            raise

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002, ASYNC109 - httpx's shape
    ) -> HttpxStream:
        """Add TLS to the stream, even inside TLS."""
        encrypted = Encrypted(self.bytes, ssl_context, server_hostname or "")
        await encrypted.shake_hands()
        return self._backend.take(encrypted)

    def get_extra_info(self, info: str) -> Any:
        return self.bytes.tls if info == "ssl_object" and isinstance(self.bytes, Encrypted) else None

    async def aclose(self) -> None:
        await self.settle()
        self.bytes.close()

    async def settle(self) -> None:
        at_work = [task for task in (self._writer, self._ahead) if task is not None]
        self._writer = self._ahead = None
        for task in at_work:
            task.cancel()
        await asyncio.gather(*at_work, return_exceptions=True)

    async def _drain(self) -> None:
        with contextlib.suppress(OSError):
            await self.bytes.drain()


def pool_of(transport: httpx.AsyncHTTPTransport) -> Any:
    return transport._pool  # noqa: SLF001 - it says neither who opens connections nor what is left on one


def _http_of(transport: httpx.AsyncHTTPTransport) -> Any:
    (connection,) = pool_of(transport).connections
    # Layers for a tunnel and for the choice of the HTTP version are around it.
    while not hasattr(connection, "_h11_state"):
        connection = connection._connection  # noqa: SLF001
    return connection._h11_state  # noqa: SLF001


def _follow(incoming: Incoming) -> Callable[[str, Mapping[str, Any]], Awaitable[None]]:

    async def follow(event: str, details: Mapping[str, Any]) -> None:
        match event.partition(".")[2]:
            case "start_tls.started":
                incoming.enter("tls")
            case "send_request_headers.started":
                # CONNECT is the handshake with a proxy. The request follows it.
                incoming.enter("proxy" if details["request"].method == b"CONNECT" else "send")
            case "send_request_body.complete" if incoming.phase == "send":
                incoming.sent_whole = True
            case "receive_response_headers.started" if incoming.phase == "send":
                incoming.enter("wait")
            case "receive_response_headers.complete" if incoming.phase == "wait":
                incoming.enter("body")

    return follow


async def _give_turn() -> bool:
    """Let other tasks run; return whether this one was cancelled meanwhile.

    The cancellation is raised at the next read instead: only there does httpx close all of its generators.
    """
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        assert task is not None
        task.uncancel()
        task.cancel()
        return True
    return False


class RequestBody(httpx.AsyncByteStream):
    """A body in pieces, so that encrypting it does not block the loop.

    It is not a generator, which would need to be closed if the request is cancelled.
    """

    def __init__(self, body: bytes) -> None:
        self._pieces = (body[start : start + PIECE] for start in range(0, len(body), PIECE))

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        for piece in self._pieces:
            return piece
        raise StopAsyncIteration
