"""The body of a reply, kept as it comes: gzip and deflate undone piece by piece, never beyond a cap.

Memory follows what is kept, not what a few hostile bytes would swell to. Character sets and JSON are not
known here.
"""

from __future__ import annotations

import io
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PIECE = 64 * 1024
_GZIP_MAGIC = b"\x1f\x8b"
_CODINGS = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate"}


class Oversize(Exception):  # noqa: N818 - says what the body is
    """More body than the cap lets in."""


class Undecodable(Exception):  # noqa: N818 - says what the body is
    """The body is not, or not to its end, what its Content-Encoding says. `str()` goes on after "the body"."""


class ReplyBody:
    """What has come of a body. Feed it, finish it, and read it at any time in between."""

    def __init__(self, encodings: Sequence[str], *, offered: str, cap: int) -> None:
        self.wire_size = 0
        self.remarks: list[str] = []
        self._cap = cap
        self._kept = io.BytesIO()
        self._head = b""
        self._unpacking: _Unpacking | None = None
        self._coding = self._choose(encodings, offered)

    @property
    def packed(self) -> bool:
        """Whether more comes of it than goes in."""
        return self._coding is not None

    def feed(self, chunk: bytes) -> None:
        """Take bytes off the wire; raises `Oversize` or `Undecodable`, keeping what came before."""
        self.wire_size += len(chunk)
        if self._coding is not None and self._unpacking is None:
            # Two bytes tell gzip from what only claims to be, and the two things called deflate from each other.
            self._head += chunk
            if len(self._head) < 2:
                return
            chunk, self._head = self._head, b""
            self._begin(chunk[:2])
        if self._unpacking is None:
            self._keep(chunk)
            return
        try:
            for piece in self._unpacking.pieces(chunk):
                self._keep(piece)
        except zlib.error:
            raise Undecodable(f"is damaged: its {self._coding} cannot be undone beyond this point") from None

    def finish(self) -> None:
        """Say that the wire has no more; raises `Undecodable` if the compressed stream had not come to its end."""
        if self._head or (self._unpacking is not None and not self._unpacking.complete):
            raise Undecodable(f"is cut short: the end mark of its {self._coding} is missing")
        if self._unpacking is not None and self._unpacking.surplus:
            self.remarks.append(f"Bytes after the end of the {self._coding} body were left out.")

    def so_far(self) -> bytes:
        """Return all that was kept."""
        return self._kept.getvalue()

    def _choose(self, encodings: Sequence[str], offered: str) -> str | None:
        named = [part.strip().lower() for value in encodings for part in value.split(",")]
        named = [name for name in named if name not in {"", "identity"}]
        if not named:
            return None
        coding = _CODINGS.get(named[0]) if len(named) == 1 else None
        if coding is None:
            way = ascii(", ".join(named))[:80]
            self.remarks.append(f"The body is encoded as {way}, which is not undone here: it is kept as it came.")
        elif coding not in offered.lower():
            self.remarks.append(f"The body came as {coding}, which was not asked for; it was decompressed.")
        return coding

    def _begin(self, first: bytes) -> None:
        if self._coding == "gzip" and first != _GZIP_MAGIC:
            self._coding = None
            self.remarks[:] = ["The body is announced as gzip and is not: it is kept as it came."]
            return
        self._unpacking = _Unpacking(_window(self._coding, first))

    def _keep(self, piece: bytes) -> None:
        room = self._cap - self._kept.tell()
        self._kept.write(piece[:room])
        if len(piece) > room:
            raise Oversize


class _Unpacking:
    """One compressed stream, or several gzip members in a row, undone in pieces of bounded size."""

    def __init__(self, window: int) -> None:
        self.surplus = False
        self._window = window
        self._stream = zlib.decompressobj(window)

    @property
    def complete(self) -> bool:
        return self._stream.eof

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        full = False
        while chunk or full:
            if self._stream.eof:
                if self._window != _GZIP_WINDOW or chunk[:1] != _GZIP_MAGIC[:1]:
                    self.surplus = True
                    return
                self._stream = zlib.decompressobj(self._window)
            piece = self._stream.decompress(chunk, _PIECE)
            yield piece
            # A full piece may leave output behind inside zlib even when every byte of input is used up.
            full = len(piece) == _PIECE and not self._stream.eof
            chunk = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail


_GZIP_WINDOW = 16 + zlib.MAX_WBITS


def _window(coding: str | None, first: bytes) -> int:
    if coding == "gzip":
        return _GZIP_WINDOW
    # RFC 9110 calls a zlib stream deflate; several servers send the bare stream within it.
    is_zlib = first[0] & 0x0F == 8 and int.from_bytes(first, "big") % 31 == 0
    return zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS
