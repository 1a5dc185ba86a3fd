"""A response while it arrives: limits, decompression, lost ends."""

from __future__ import annotations

import io
import time
import zlib
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from rpcexplorer.transport.port import NOTHING_CAME, BodyReader, Headers, Phases, Progress, Response, Stage, Watch

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator, Sequence

_PIECE = 64 * 1024
_GZIP_MAGIC = b"\x1f\x8b"
_CODINGS = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}


class Oversize(Exception):  # noqa: N818 - says what the body is
    """The body is larger than the limit."""


class Undecodable(Exception):  # noqa: N818 - says what the body is
    """The body does not match its encoding. `str()` is the reason."""


class ReplyBody:
    """A body while it arrives. It can be read at any time."""

    def __init__(self, encodings: Sequence[str], *, offered: str, cap: int, reader: BodyReader | None = None) -> None:
        self.wire_size = 0
        self.remarks: list[str] = []
        self._cap = cap
        self._reader = reader
        self._kept = io.BytesIO()
        self._head = b""
        self._stream: Any = None  # The class of zlib's streams has no public name.
        self._has_surplus = False
        self._coding = self._choose(encodings, offered)

    @property
    def packed(self) -> bool:
        return self._coding is not None

    def feed(self, chunk: bytes) -> None:
        """Add bytes; `Oversize` and `Undecodable` keep the earlier ones."""
        self.wire_size += len(chunk)
        if self._coding is not None and self._stream is None:
            # Two bytes show whether data is gzip, and which of the two formats called deflate it has.
            self._head += chunk
            if len(self._head) < 2:
                return
            chunk, self._head = self._head, b""
            self._begin(chunk[:2])
        if self._stream is None:
            self._keep(chunk)
            return
        try:
            self._unpack(chunk)
        except zlib.error:
            raise Undecodable(
                f"The response body is damaged: its {self._coding} data cannot be decompressed any further"
            ) from None

    def finish(self) -> None:
        """End the body; raise `Undecodable` if it was cut short."""
        if self._head or (self._stream is not None and not self._stream.eof):
            raise Undecodable(f"The response body is incomplete: the end of its {self._coding} data is missing")
        if self._has_surplus:
            self.remarks.append(f"Bytes after the end of the {self._coding} body were ignored.")

    def so_far(self) -> bytes:
        return self._kept.getvalue()

    def _choose(self, encodings: Sequence[str], offered: str) -> str | None:
        named = [part.strip().lower() for part in ",".join(encodings).split(",")]
        named = [name for name in named if name not in {"", "identity"}]
        if not named:
            return None
        coding = _CODINGS.get(named[0]) if len(named) == 1 else None
        if coding is None:
            way = ascii(", ".join(named))[:80]
            self.remarks.append(f"The body has the unknown encoding {way}. It was not decoded.")
        elif coding not in offered.lower():
            self.remarks.append(f"The body has the encoding {coding}, which was not requested. It was decompressed.")
        return coding

    def _begin(self, first: bytes) -> None:
        if self._coding == "gzip" and first != _GZIP_MAGIC:
            self._coding = None
            self.remarks[:] = ["The body is not gzip, although its header says so. It was not decoded."]
            return
        self._stream = zlib.decompressobj(_window(self._coding, first))

    def _unpack(self, chunk: bytes) -> None:
        """Decompress in small steps, so that a bomb ends at the limit."""
        stream = self._stream
        self._has_surplus = self._has_surplus or stream.eof
        is_full = False
        while (chunk or is_full) and not stream.eof:
            piece = stream.decompress(chunk, _PIECE)
            self._keep(piece)
            # zlib may hold back output after a full step, even if all input is used.
            is_full = len(piece) == _PIECE
            chunk = stream.unconsumed_tail
        self._has_surplus = self._has_surplus or bool(stream.unused_data)

    def _keep(self, piece: bytes) -> None:
        if self._reader is not None:
            self._reader.feed(piece)
            if self._reader.listens:
                return
        room = self._cap - self._kept.tell()
        self._kept.write(piece[:room])
        if len(piece) > room:
            raise Oversize


def _window(coding: str | None, first: bytes) -> int:
    if coding == "gzip":
        return 16 + zlib.MAX_WBITS
    # RFC 9110 calls a zlib stream deflate, but several servers send the bare stream inside it.
    is_zlib = first[0] & 0x0F == 8 and int.from_bytes(first, "big") % 31 == 0
    return zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS


Phase = Literal["start", "name", "connect", "proxy", "tls", "send", "wait", "body"]
"""The phases of a request. It can fail in each but the first."""
_STAGES: dict[Phase, Stage] = {
    "start": "connecting",
    "name": "connecting",
    "connect": "connecting",
    "proxy": "connecting",
    "tls": "tls",
    "send": "sending",
    "wait": "waiting",
    "body": "receiving",
}
EARLY = "The response began before the whole request was sent: the server did not read the rest."
OPEN = "The server left the event stream open. If more of the result follows, set parts = true for this method."
_PACKED = 1024  # Bytes to decompress at a time: at most 1 MB of output, and a few ms.
_READ = 16 * 1024  # Bytes of events at a time, for a few ms.
_LAST_SECONDS = 0.25  # From the response in an event stream to the end of the stream.
_PAUSE = 0.05  # Seconds between two reports of a phase, so that downloads stay fast.


class Incoming:
    """The response to one request so far. Its clock starts when it is created."""

    def __init__(
        self,
        offered: str = "",
        proxy: str | None = None,
        watch: Watch | None = None,
        cap: int = 256 * 1024 * 1024,
        read: Callable[[Response], BodyReader | None] | None = None,
    ) -> None:
        """`offered`: the value of Accept-Encoding; `cap`: bytes of body to keep; `read`: see `Partial`."""
        self.phase: Phase = "start"
        """The current phase, or the last one."""
        self.sent_whole = False
        self.kept = False
        """The connection was open before."""
        self.is_cut = False
        """The server closed the connection before the end of the response."""
        self.was_open = False
        """The event stream went on after the response of the call."""
        self._offered, self._proxy, self._watch, self._cap = offered, proxy, watch, cap
        self.limit: asyncio.Timeout | None = None
        """The deadline of the whole response."""
        self._read = read
        self._reader: BodyReader | None = None
        self._head = NOTHING_CAME
        self._body: ReplyBody | None = None
        self._total: int | None = None
        self._spent: dict[Phase, float] = {}
        self._started = self._entered = self._reported = time.perf_counter()
        self._ended: float | None = None
        self._due: asyncio.TimerHandle | None = None
        self._report()

    @property
    def head(self) -> Response:
        return self._head

    @property
    def is_answered(self) -> bool:
        return self._reader is not None and self._reader.is_answered

    @property
    def received(self) -> int:
        return self._body.wire_size if self._body else 0

    @property
    def announced(self) -> int | None:
        return self._total

    def enter(self, phase: Phase) -> None:
        """Begin a phase; times of a phase that begins again add up."""
        now = time.perf_counter()
        self._spent[self.phase], self._entered = self._spent_by(now), now
        news = _STAGES[phase] != _STAGES[self.phase]
        self.phase = phase
        if news:
            self._report()

    def begin(self, status: int, reason: bytes, version: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        received = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
        self._head = Response(status, reason.decode("latin-1"), version.decode("latin-1"), received, proxy=self._proxy)
        self._reader = self._read(self._head) if self._read else None
        if self._reader is not None and self._reader.listens:
            self._end_in(None)
        encodings = values_of(received, "content-encoding")
        self._body = ReplyBody(encodings, offered=self._offered, cap=self._cap, reader=self._reader)
        lengths = values_of(received, "content-length")
        if len(lengths) == 1 and lengths[0].isdecimal() and not values_of(received, "transfer-encoding"):
            self._total = int(lengths[0])

    def portions(self, chunk: bytes) -> Iterator[bytes]:
        """Split a piece of the body: compressed data may grow a thousandfold, and events take time."""
        assert self._body is not None
        step = len(chunk)
        if self._body.packed:
            step = _PACKED
        elif self._reader is not None:
            step = _READ
        return (chunk[start : start + step] for start in range(0, len(chunk), step or 1))

    def take(self, chunk: bytes) -> None:
        assert self._body is not None
        was_answered = self.is_answered
        self._body.feed(chunk)
        if self._reader is not None and self.is_answered and not (was_answered or self._reader.listens):
            self._end_in(_LAST_SECONDS)
        pause = self._reported + _PAUSE - time.perf_counter()
        if pause <= 0:
            self._report()
        elif self._due is None and self._watch is not None:
            # Report the last progress even if nothing follows, as when the server stalls.
            from asyncio import get_running_loop  # Imported here, so that importing this file stays cheap.

            self._due = get_running_loop().call_later(pause, self._report)

    def finish(self) -> None:
        assert self._body is not None
        self._body.finish()
        self._report()

    def stop(self) -> None:
        self._forget_due()
        self._ended = time.perf_counter()

    def response(self) -> Response:
        """Return the response so far; without a head only its times."""
        if self._body is None:
            return Response(phases=self._phases())
        body = self._body.so_far()
        remarks = [*self._body.remarks]
        if not self.sent_whole:
            remarks.append(EARLY)
        if self.was_open:
            remarks.append(OPEN)
        return replace(self._head, body=body, size=len(body), remarks=tuple(remarks), phases=self._phases())

    def _phases(self) -> Phases:
        spent = (self._spent | {self.phase: self._spent_by(self._ended or time.perf_counter())}).get
        reaching = [seconds for seconds in (spent("connect"), spent("proxy")) if seconds is not None]
        return Phases(
            name=spent("name"),
            connect=sum(reaching) if reaching else None,
            tls=spent("tls"),
            send=spent("send"),
            wait=spent("wait"),
            transfer=spent("body"),
            kept=self.kept,
        )

    def _spent_by(self, now: float) -> float:
        return self._spent.get(self.phase, 0.0) + now - self._entered

    def _report(self) -> None:
        self._reported = time.perf_counter()
        self._forget_due()
        if self._watch is not None:
            elapsed = self._reported - self._started
            self._watch(Progress(_STAGES[self.phase], self.received, self._total, elapsed))

    def _end_in(self, seconds: float | None) -> None:
        """Change the deadline."""
        if self.limit is not None and not self.limit.expired():
            from asyncio import get_running_loop

            self.limit.reschedule(None if seconds is None else get_running_loop().time() + seconds)

    def _forget_due(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def values_of(headers: Headers, name: str) -> list[str]:
    return [value for key, value in headers if key.lower() == name]
