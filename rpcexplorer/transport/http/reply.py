"""A reply while it comes: one value that grows, from which the response, whole or not, and progress are made.

It holds what has come and when; it opens nothing and raises nothing of its own.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from rpcexplorer.transport.http.decoding import ReplyBody
from rpcexplorer.transport.port import NOTHING_CAME, Headers, Phases, Progress, Response, Stage, Watch

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterator

Phase = Literal["start", "name", "connect", "proxy", "tls", "send", "wait", "body"]
"""The steps of a request that take time; each but the first is also a step at which it can fail."""

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
EARLY = "The reply began before the whole request was sent, and the rest of it was not taken."

SURPLUS = "Bytes came after the end of the reply: they were left out, and the connection closed."
STRAY = "A connection that was kept had bytes on it that nobody had asked for: it was closed, and a new one made."

_PACKED = 1024  # bytes that are unpacked at a time: at most a megabyte comes of them, in a few milliseconds
_PAUSE = 0.05  # seconds between two reports of the same step: finer than the eye, cheap for a fast download


class Incoming:
    """What came of one request so far. From its making on time counts."""

    def __init__(
        self, offered: str = "", proxy: str | None = None, watch: Watch | None = None, cap: int = 256 * 1024 * 1024
    ) -> None:
        """`offered`: the encodings asked for, as the request's header says it; `cap`: bytes of body that are kept."""
        self.phase: Phase = "start"
        """What the request is busy with, or was when it ended."""
        self.sent_whole = False
        """Whether the request's last byte went out."""
        self.kept = False
        """Whether it goes over a connection that was open."""
        self.remarks: list[str] = []
        """About the connection."""
        self._offered, self._proxy, self._watch, self._cap = offered, proxy, watch, cap
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
        """The reply's head, if it has come: no status is there if not."""
        return self._head

    @property
    def received(self) -> int:
        """Bytes of body so far, as counted on the wire."""
        return self._body.wire_size if self._body else 0

    @property
    def announced(self) -> int | None:
        """Bytes of body that the server promised, if it did."""
        return self._total

    def enter(self, phase: Phase) -> None:
        """Go on to the next step; a step may be entered more than once, its times add up."""
        now = time.perf_counter()
        self._spent[self.phase], self._entered = self._spent_by(now), now
        news = _STAGES[phase] != _STAGES[self.phase]
        self.phase = phase
        if news:
            self._report()

    def begin(self, status: int, reason: bytes, version: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        """Take the head of the reply; the body follows."""
        received = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
        self._head = Response(status, reason.decode("latin-1"), version.decode("latin-1"), received, proxy=self._proxy)
        self._body = ReplyBody(values_of(received, "content-encoding"), offered=self._offered, cap=self._cap)
        lengths = values_of(received, "content-length")
        if len(lengths) == 1 and lengths[0].isdecimal() and not values_of(received, "transfer-encoding"):
            self._total = int(lengths[0])

    def portions(self, chunk: bytes) -> Iterator[bytes]:
        """A piece of the body as it can be taken at a time: of what is packed, little swells to a thousandfold."""
        assert self._body is not None
        step = _PACKED if self._body.packed else len(chunk)
        return (chunk[start : start + step] for start in range(0, len(chunk), step or 1))

    def take(self, chunk: bytes) -> None:
        """Take a piece of the body off the wire."""
        assert self._body is not None
        self._body.feed(chunk)
        pause = self._reported + _PAUSE - time.perf_counter()
        if pause <= 0:
            self._report()
        elif self._due is None and self._watch is not None:
            # What came last is told too if nothing follows it, as when the server stalls.
            from asyncio import get_running_loop  # here, so that importing this file stays cheap

            self._due = get_running_loop().call_later(pause, self._report)

    def finish(self, *, surplus: bool = False) -> None:
        """Take note that the body is whole; ``surplus``: more came, which belongs to no reply."""
        assert self._body is not None
        if surplus:
            self.remarks.append(SURPLUS)
        self._body.finish()
        self._report()

    def stop(self) -> None:
        """End, well or not: time counts no further."""
        self._forget_due()
        self._ended = time.perf_counter()

    def response(self) -> Response:
        """What came, whole or not; of a reply whose head is not there, only how long it was waited for."""
        if self._body is None:
            return Response(phases=self._phases())
        body = self._body.so_far()
        remarks = (*self.remarks, *self._body.remarks, *([] if self.sent_whole else [EARLY]))
        return replace(self._head, body=body, size=len(body), remarks=remarks, phases=self._phases())

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

    def _forget_due(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None


def values_of(headers: Headers, name: str) -> list[str]:
    return [value for key, value in headers if key.lower() == name]
