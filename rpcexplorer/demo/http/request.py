"""Reading one HTTP/1.1 request from a stream, strictly. What the service makes of it is decided elsewhere.

Not by h11, which httpx brings along: a server to try a client on has to say what is wrong with a request, and h11
takes lines that end in LF alone, folded headers, control characters in them, a Content-Length said twice or beside a
Transfer-Encoding, chunks in HTTP/1.0, any version, and a head of any length that comes in one piece; an empty line
before a request, which some clients send, it refuses.
"""

from __future__ import annotations

import re
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader
from dataclasses import dataclass

from rpcexplorer.demo.reply import Reply, page

HEAD_LIMIT = 32 * 1024
BODY_LIMIT = 8 * 1024 * 1024
_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/([0-9])\.([0-9])")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_LENGTH = re.compile(r"[0-9]{1,15}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,12})[ \t]*(;[^\r\n]*)?\r\n")


class RequestError(Exception):
    """A request that cannot be read to its end; the connection is over after the reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


@dataclass(frozen=True, slots=True)
class Head:
    method: str
    target: str
    minor: int
    """Of the version: 1 for HTTP/1.1, 0 for HTTP/1.0."""
    fields: tuple[tuple[str, str], ...]
    """Names in lower case."""

    def all(self, name: str) -> list[str]:
        return [value for field, value in self.fields if field == name]

    def words(self, name: str) -> list[str]:
        """The members of a header that is a list, in lower case."""
        return [word.strip().lower() for value in self.all(name) for word in value.split(",") if word.strip()]

    @property
    def keeps(self) -> bool:
        """Whether the client wants to use the connection again."""
        return self.minor == 1 and "close" not in self.words("connection")

    @property
    def waits(self) -> bool:
        """Whether the client holds the body back until it is told to continue."""
        return self.minor == 1 and "100-continue" in self.words("expect")

    @property
    def media(self) -> str:
        """The media type of the body, without parameters."""
        return "".join(self.all("content-type")[:1]).partition(";")[0].strip().lower()

    def cookie(self, name: str) -> str | None:
        for pair in ";".join(self.all("cookie")).split(";"):
            key, _, value = pair.partition("=")
            if key.strip() == name:
                return value.strip()
        return None


async def read_head(reader: StreamReader) -> Head | None:
    """The next request's head, or None if the client has closed the connection instead."""
    first = await reader.read(1)
    if not first:
        return None
    try:
        return await _read_head(reader, first + await reader.readuntil(b"\n"))
    except IncompleteReadError:
        raise RequestError(page(400, "The request ends in the middle of its head.\n")) from None
    except LimitOverrunError:
        raise _too_long() from None


async def read_body(reader: StreamReader, head: Head) -> bytes:
    try:
        if "chunked" in head.words("transfer-encoding"):
            return await _read_chunks(reader)
        return await reader.readexactly(_length(head))
    except IncompleteReadError:
        raise RequestError(page(400, "The request ends in the middle of its body.\n")) from None
    except LimitOverrunError:
        raise _bad("a chunk's size is not a line of its own") from None


def check_framing(head: Head) -> None:
    """Refuse a body that could be read in two ways, cannot be read, or is too big, before any of it is read."""
    codings = head.words("transfer-encoding")
    lengths = head.all("content-length")
    if codings and (lengths or head.minor == 0):
        raise _bad("Transfer-Encoding cannot stand beside Content-Length or in HTTP/1.0")
    if codings and codings != ["chunked"]:
        raise RequestError(page(501, "Of the transfer codings this service knows chunked only.\n"))
    if len(lengths) > 1 or not all(_LENGTH.fullmatch(length) for length in lengths):
        raise _bad("Content-Length is not one number")
    if _length(head) > BODY_LIMIT:
        raise _too_big()


async def _read_head(reader: StreamReader, line: bytes) -> Head:
    if line == b"\r\n":  # some clients send an empty line too many after a body
        line = await reader.readuntil(b"\n")
    start = _REQUEST_LINE.fullmatch(_text(line))
    if start is None:
        raise _bad("the first line is not a request line")
    if start[3] != "1":
        raise RequestError(page(505, "This service speaks HTTP/1.1.\n"))
    fields: list[tuple[str, str]] = []
    size = len(line)
    while (line := await reader.readuntil(b"\n")) != b"\r\n":
        size += len(line)
        if size > HEAD_LIMIT:
            raise _too_long()
        field = _FIELD.fullmatch(_text(line))
        if field is None:
            raise _bad(f"line {len(fields) + 2} is not a header")
        fields.append((field[1].lower(), field[2].rstrip(" \t")))
    head = Head(start[1], start[2], min(int(start[4]), 1), tuple(fields))
    if len(head.all("host")) != 1 and head.minor == 1:
        raise _bad("there must be one Host header")
    return head


async def _read_chunks(reader: StreamReader) -> bytes:
    content = bytearray()
    while True:
        line = _CHUNK_SIZE.fullmatch(await reader.readuntil(b"\n"))
        if line is None:
            raise _bad("a chunk does not begin with its size")
        size = int(line[1], 16)
        if size == 0:
            break
        if len(content) + size > BODY_LIMIT:
            raise _too_big()
        content += await reader.readexactly(size)
        if await reader.readexactly(2) != b"\r\n":
            raise _bad("a chunk is longer than it says")
    trailers = 0
    while (trailer := await reader.readuntil(b"\n")) != b"\r\n":
        trailers += len(trailer)
        if trailers > HEAD_LIMIT:
            raise _too_long()
    return bytes(content)


def _text(line: bytes) -> str:
    """A line of a head; headers are bytes, and latin-1 keeps each."""
    if not line.endswith(b"\r\n"):
        raise _bad("its lines must end in CR LF")
    return line[:-2].decode("latin-1")


def _length(head: Head) -> int:
    return int("".join(head.all("content-length")) or 0)


def _bad(why: str) -> RequestError:
    return RequestError(page(400, f"This is not an HTTP request: {why}.\n"))


def _too_long() -> RequestError:
    return RequestError(page(431, f"The head of the request is longer than {HEAD_LIMIT} bytes.\n"))


def _too_big() -> RequestError:
    return RequestError(page(413, f"The body is longer than {BODY_LIMIT} bytes.\n"))
