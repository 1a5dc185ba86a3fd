"""Messages over WebSocket: one text frame for each; binary frames are read alike.

The protocol is that of `websockets`, over our own stream. No extension is offered, and no redirect is followed.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace
from websockets.client import ClientProtocol
from websockets.datastructures import Headers as UpgradeHeaders
from websockets.exceptions import NegotiationError, PayloadTooBig
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request as Upgrade
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import WebSocketURI

from rpcexplorer.patterns import regex
from rpcexplorer.transport.connection import PIECE
from rpcexplorer.transport.framing import oversize, printable_if_short
from rpcexplorer.transport.port import Request, Response, Unreachable, closed_here
from rpcexplorer.transport.request import WEBSOCKET, address_of, upgrade_headers
from rpcexplorer.transport.response import values_of
from rpcexplorer.transport.stream import GOODBYE_SECONDS, TLS_ALERT, SocketWire
from rpcexplorer.transport.tls import USUAL, Trust

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcexplorer.transport.port import Headers, Reason

MAX_FRAGMENTS: Final = 10_000
"""Frames of one message."""
MAX_PINGS: Final = 1_000
PING_SECONDS: Final = 10.0
"""More pings within this time are hostile."""
MAX_HEAD: Final = 16 * 1024
"""Bytes of the response to the upgrade, without its body."""
MAX_BODY: Final = 4 * 1024
"""Bytes of its body to keep."""
SWITCHING: Final = 101
_STATUS_LINE: Final = regex(r"(HTTP/1\.[01]) ([0-9]{3})(?: (.*))?")


class Frames:
    """The framing of WebSocket, after the upgrade."""

    def __init__(self, protocol: ClientProtocol, peer: str, cap: int, reply: Callable[[bytes], bool]) -> None:
        """``reply`` sends bytes later, and returns whether any wait to be sent."""
        self._protocol, self._peer, self._cap, self._reply = protocol, peer, cap, reply
        self._begun = bytearray()
        self._fragments = 0
        self._is_text = False
        self._pings, self._pings_since = 0, 0.0

    @property
    def unfinished(self) -> int:
        return len(self._begun)

    def frame(self, message: bytes) -> bytes:
        if self._protocol.state is not State.OPEN:
            raise closed_here()
        self._protocol.send_text(message)
        return b"".join(self._protocol.data_to_send())

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._protocol.receive_data(data)
        frames = [event for event in self._protocol.events_received() if isinstance(event, Frame)]
        problem = self._problem() or self._flood(frames)
        for frame in frames:
            if frame.opcode >= Opcode.CLOSE:
                continue
            if frame.opcode:  # The others continue a message.
                self._is_text = frame.opcode is Opcode.TEXT
            self._begun += frame.data
            self._fragments += 1
            if self._fragments > MAX_FRAGMENTS:
                raise self._failed(CloseCode.POLICY_VIOLATION, f"a message in more than {MAX_FRAGMENTS:,} fragments")
            if frame.fin:
                message, self._begun, self._fragments = bytes(self._begun), bytearray(), 0
                if self._is_text and not _is_utf8(message):
                    raise self._failed(CloseCode.INVALID_DATA, "text that is not UTF-8")
                yield message
        if problem is not None:
            raise problem

    def finish(self) -> Iterator[bytes]:
        return iter(())

    def _flood(self, frames: list[Frame]) -> Unreachable | None:
        """Send the answers to pings; return a problem if there are too many."""
        is_behind, now = self._reply(b"".join(self._protocol.data_to_send())), time.monotonic()
        if now - self._pings_since > PING_SECONDS and not is_behind:
            self._pings, self._pings_since = 0, now
        self._pings += sum(frame.opcode is Opcode.PING for frame in frames)
        if self._pings <= MAX_PINGS:
            return None
        return self._failed(CloseCode.POLICY_VIOLATION, f"more than {MAX_PINGS:,} pings within {PING_SECONDS:.0f} s")

    def _failed(self, code: CloseCode, words: str) -> Unreachable:
        """End the connection, and tell the server why."""
        self._protocol.fail(code, words)
        self._reply(b"".join(self._protocol.data_to_send()))
        return Unreachable("framing", f"{self._peer} sent {words}, so the connection was closed.")

    def _problem(self) -> Unreachable | None:
        """Return why the protocol ended."""
        failure, closing = self._protocol.parser_exc, self._protocol.close_rcvd
        if isinstance(failure, PayloadTooBig):
            return oversize(self._cap)
        if failure is not None:
            return Unreachable("framing", f"{self._peer} sent data that is not valid WebSocket: {failure}.")
        if closing is None:
            return None
        code = "" if closing.code == CloseCode.NO_STATUS_RCVD else f" with {closing.code}"
        words = f"{self._peer} closed the connection{code}"
        reason = printable_if_short(closing.reason.strip()).rstrip(".")
        return Unreachable("closed", f"{words}: {reason}." if reason else f"{words}.")


class WebSocketWire(SocketWire):
    """Messages over WebSocket, with and without TLS."""

    slice_size = 8 * 1024
    """Frames are read one by one in Python."""

    def __init__(
        self,
        url: str,
        socket: str = "",
        *,
        headers: Headers = (),
        cookie: str | None = None,
        trust: Trust = USUAL,
        cap: int,
    ) -> None:
        """Prepare a connection; raise `Unreachable` for an unusable URL, path of a Unix socket or header."""
        address = address_of(url, socket, schemes=WEBSOCKET)
        uri = WebSocketURI(address.scheme == "wss", address.host, address.port, address.target, "")
        words = ",".join(values_of(headers, "sec-websocket-protocol"))
        offered = [Subprotocol(word.strip()) for word in words.split(",")] if words else None
        protocol = self._protocol = ClientProtocol(uri, subprotocols=offered, max_size=cap)
        self._upgrade = upgrade_headers(Request(url, b"", headers=headers, cookie=cookie), address, protocol.key)
        self._prepare(address, Frames(protocol, address.place, cap, self._reply), trust, cap)
        self.unread = None  # Frames have a form that cannot be mistaken.
        self._ahead = b""
        """Bytes that came with the response to the upgrade."""
        self._is_idle = asyncio.Event()
        """Nobody waits for bytes."""
        self._is_idle.set()
        self._refusal: Unreachable | None = None

    async def _begin(self) -> None:
        """Ask for the upgrade; raise `Unreachable` with the response if it is refused."""
        assert self._stream is not None
        reader, writer = self._stream
        self._protocol.send_request(Upgrade(self._address.target, UpgradeHeaders(self._upgrade)))
        writer.write(b"".join(self._protocol.data_to_send()))
        received = b""
        while (end := received.find(b"\r\n\r\n") + 4) < 4:
            data = await reader.read(PIECE) if len(received) <= MAX_HEAD else b""
            received += data
            if not data or not received.startswith(b"HTTP/"[: len(received)]):
                raise self._not_http(received)
        response = _response_of(received[:end])
        if response is None:
            raise self._not_http(received)
        if response.status != SWITCHING:
            raise await self._refused(response, received[end:])
        self._protocol.receive_data(received[:end])
        if self._protocol.handshake_exc is not None:
            raise self._not_upgraded(response, self._protocol.handshake_exc)
        self._protocol.events_received()  # This is the response.
        self._ahead = received[end:]

    async def _refused(self, response: Response, body: bytes) -> Unreachable:
        """Return the refusal with the beginning of its body, which may come later."""
        assert self._stream is not None
        reason = printable_if_short(response.reason)
        words = f"{self._peer} refused WebSocket with status {response.status} {reason}".rstrip()
        location = response.header("Location")
        if location is not None:
            advice = f"It redirects to {printable_if_short(location) or 'another URL'}, which is not followed"
        else:
            advice = "Check the credentials" if response.status in {401, 403} else "Check the path"
        self._refusal = Unreachable("upgrade", f"{words}. {advice}.", response=response)
        length = response.header("Content-Length")
        expected = MAX_BODY
        if length is not None and length.isdecimal():
            expected = min(int(length), MAX_BODY)
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                while len(body) < expected and (data := await self._stream[0].read(PIECE)):
                    body += data
        body = body[:expected]
        if text := printable_if_short(body.strip()):
            words = f"{words}: {text.rstrip('.')}"
        return Unreachable("upgrade", f"{words}. {advice}.", response=replace(response, body=body, size=len(body)))

    def _not_http(self, received: bytes) -> Unreachable:
        reason: Reason = ""
        if not received:
            reason = "unexplained"
        elif received.startswith(TLS_ALERT):
            reason = "tls"
        elif received.lstrip().startswith((b"{", b"[")):
            reason = "no http"
        words = "did not respond with HTTP" if received else "closed the connection without a response"
        other = "ws" if self._address.scheme == "wss" else "wss"
        advice = f"Check the port and the path, and whether the URL needs {other}://"
        if self._address.socket:
            advice = "Check the path of the socket, and whether the URL needs unix:// instead of ws+unix://"
        return Unreachable("upgrade", f"{self._peer} {words}. {advice}.", reason=reason)

    def _not_upgraded(self, response: Response, failure: Exception) -> Unreachable:
        words = "its response is not that of a WebSocket server"
        if isinstance(failure, NegotiationError):
            words = "it uses an extension or a subprotocol that was not offered"
        advice = "Check the path"
        return Unreachable("upgrade", f"{self._peer} cannot be used: {words}. {advice}.", response=response)

    def _explain(self, failure: Exception, deadline: float = 0, *, expired: bool = False) -> Unreachable:
        return self._refusal or super()._explain(failure, deadline, expired=expired)

    async def _receive(self) -> bytes:
        data, self._ahead = self._ahead, b""
        if data:
            return data
        self._is_idle.clear()
        try:
            return await super()._receive()
        finally:
            self._is_idle.set()

    def _reply(self, data: bytes) -> bool:
        """Send bytes without waiting for the server to read; return whether it is behind."""
        assert self._stream is not None
        _, writer = self._stream
        writer.write(data)
        return writer.transport.get_write_buffer_size() > 0

    async def _say_goodbye(self) -> None:
        """Close with code 1000, and wait for the server's answer for a second."""
        assert self._stream is not None
        if self._protocol.state is not State.OPEN:
            return
        self._protocol.send_close(CloseCode.NORMAL_CLOSURE)
        if self._reply(b"".join(self._protocol.data_to_send())):
            return  # The server does not read.
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(GOODBYE_SECONDS):
                if self._is_idle.is_set():
                    await self._stream[0].read(PIECE)
                else:
                    await self._is_idle.wait()


def _is_utf8(message: bytes) -> bool:
    try:
        return message.isascii() or bool(message.decode())
    except UnicodeDecodeError:
        return False


def _response_of(head: bytes) -> Response | None:
    """Return status, reason and headers; None if this is not HTTP."""
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    status = _STATUS_LINE.fullmatch(first)
    if status is None:
        return None
    headers: list[tuple[str, str]] = []
    for line in lines:
        name, _, value = line.partition(":")
        headers.append((name, value.strip()))
    return Response(int(status[2]), status[3] or "", status[1], tuple(headers))
