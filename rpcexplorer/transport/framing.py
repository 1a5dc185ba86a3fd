"""Where a message begins and ends in a stream of bytes.

A framing reads each byte once, however the network cuts the stream. It keeps at most one unfinished message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, Protocol

from rpcexplorer.patterns import regex
from rpcexplorer.transport.port import Framing, Unreachable

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_HEADERS: Final = 8 * 1024
"""Bytes of the headers before a message."""
MAX_QUOTED: Final = 100
"""Characters of the peer's words to quote."""
MAX_WITHOUT_END: Final = 64 * 1024
"""Bytes of a first line that are read as documents before its end arrives."""
_HEADERS_END: Final = b"\r\n\r\n"
_LENGTH: Final = regex(rb"[0-9]{1,18}")
"""Digits only: ``int`` would also accept a sign, blanks and underscores."""
_OPENERS: Final = b'[{"'
_QUOTE: Final = ord('"')
_NOT_BLANK: Final = regex(rb"[^ \t\r\n]")
# Possessive, so that the rest of an unfinished string is read only twice.
_IN_STRING: Final = rb'[^"\\]*+(?s:\\.[^"\\]*+)*+'
_TO_QUOTE: Final = regex(_IN_STRING)
_TO_BRACKET: Final = regex(rb'[^"\[\]{}]*+(?:"' + _IN_STRING + rb'"[^"\[\]{}]*+)*+')
_LEVELS: Final = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}
_WORD_END: Final = regex(rb'[ \t\r\n\[{"]')


class Framer(Protocol):
    """Turns messages into a stream, and a stream into messages."""

    def frame(self, message: bytes) -> bytes:
        """Return the bytes to send for a message."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the messages that end in these bytes.

        Take all of them before the next call. `Unreachable` ends the connection.
        """

    def finish(self) -> Iterator[bytes]:
        """Yield the message that the end of the stream ends."""

    @property
    def unfinished(self) -> int:
        """Return the bytes of the message that has not ended."""


class Lines:
    """One message in each line; blank lines are skipped.

    If the first message is complete without a line end, the others are read as documents, too: no line end may come.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._begun = bytearray()
        self._has_line_ends = False
        self._documents: Documents | None = None

    @property
    def unfinished(self) -> int:
        return self._documents.unfinished if self._documents else len(self._begun)

    def frame(self, message: bytes) -> bytes:
        # Line breaks between the tokens of JSON mean nothing, and strings contain none.
        return b" ".join(message.splitlines()) + b"\n"

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._documents is not None:
            yield from self._documents.feed(data)
            return
        *lines, rest = data.split(b"\n")
        if lines and self._begun:
            self._begun += lines[0]
            lines[0], self._begun = bytes(self._begun), bytearray()
        cap = self._cap
        for line in lines:
            message = line[:-1] if line[-1:] == b"\r" else line
            if len(message) > cap:
                raise oversize(cap)
            if message and not message.isspace():
                self._has_line_ends = True
                _refuse_other_protocol(message, "lines")
                yield message
        self._begun += rest
        # The last byte may be half of the line's end.
        if len(self._begun) > cap + 1:
            raise oversize(cap)
        if not self._has_line_ends:
            yield from self._complete_documents()

    def _complete_documents(self) -> list[bytes]:
        """Return the messages without a line end, if all that came are objects and arrays."""
        if not self._begun.endswith((b"}", b"]")) or len(self._begun) > MAX_WITHOUT_END:
            return []
        documents = Documents(self._cap)
        messages = list(documents.feed(bytes(self._begun)))
        if documents.unfinished or not all(message.startswith((b"{", b"[")) for message in messages):
            return []
        self._begun, self._documents = bytearray(), documents
        return messages

    def finish(self) -> Iterator[bytes]:
        if self._documents is not None:
            return self._documents.finish()
        rest, self._begun = bytes(self._begun), bytearray()
        return self.feed(rest + b"\n")


class Lengths:
    """Headers before each message; `Content-Length` is its size in bytes."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._begun = bytearray()
        self._searched = 0
        """Bytes without the end of the headers."""
        self._length: int | None = None
        """The size of the message, once its headers are read."""

    @property
    def unfinished(self) -> int:
        return len(self._begun)

    def frame(self, message: bytes) -> bytes:
        return b"Content-Length: %d\r\n\r\n" % len(message) + message

    def feed(self, data: bytes) -> Iterator[bytes]:
        begun, start = self._begun, 0
        begun += data
        while True:
            if self._length is None:
                if begun.startswith((b"{", b"["), start):
                    sentence = "The server sends JSON without Content-Length headers, but the framing is length."
                    raise Unreachable("framing", sentence, reason="no lengths")
                end = begun.find(_HEADERS_END, max(start, self._searched - len(_HEADERS_END) + 1))
                if (len(begun) if end < 0 else end) - start > MAX_HEADERS:
                    raise _unreadable(f"more than {MAX_HEADERS // 1024} kB of headers before a message")
                if end < 0:
                    break
                self._length = _length_in(bytes(begun[start:end]), self._cap)
                start = self._searched = end + len(_HEADERS_END)
            if len(begun) - start < self._length:
                break
            message = bytes(memoryview(begun)[start : start + self._length])
            start = self._searched = start + self._length
            self._length = None
            yield message
        del begun[:start]
        self._searched = len(begun)

    def finish(self) -> Iterator[bytes]:
        return iter(())


class Documents:
    """JSON documents one after the other, with or without blanks between.

    Only brackets and strings are looked at. Other data between documents is passed on, word by word.
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._begun = bytearray()
        self._within: Literal["", "json", "word"] = ""
        """What has begun; words are not JSON."""
        self._depth = 0
        self._is_string = self._is_escaped = False

    @property
    def unfinished(self) -> int:
        return len(self._begun)

    def frame(self, message: bytes) -> bytes:
        return message

    def feed(self, data: bytes) -> Iterator[bytes]:
        start = position = 0
        while position < len(data):
            if not self._within:
                found = _NOT_BLANK.search(data, position)
                if found is None:
                    return
                start = position = found.start()
                self._within = "json" if data[position] in _OPENERS else "word"
                self._is_string = data[position] == _QUOTE
                position += self._is_string
            position, is_end = self._step(data, position)
            if len(self._begun) + position - start > self._cap:
                raise oversize(self._cap)
            if is_end:
                self._begun += data[start:position]
                message, self._begun, self._within = bytes(self._begun), bytearray(), ""
                start = position
                _refuse_other_protocol(message, "none")
                yield message
        self._begun += data[start:]

    def finish(self) -> Iterator[bytes]:
        if self._within == "word":
            yield bytes(self._begun)
            self._begun = bytearray()

    def _step(self, data: bytes, position: int) -> tuple[int, bool]:
        """Go behind the next byte that matters; return whether the document ends there."""
        if self._is_escaped:
            self._is_escaped = False
            return position + 1, False
        if self._within == "word":
            found = _WORD_END.search(data, position)
            return (len(data), False) if found is None else (found.start(), True)
        found = (_TO_QUOTE if self._is_string else _TO_BRACKET).match(data, position)
        assert found is not None
        end = found.end()
        char = data[end : end + 1]
        if not char:
            return end, False
        self._is_escaped = char == b"\\"
        if char == b'"':
            self._is_string = not self._is_string
        self._depth += _LEVELS.get(char, 0)
        return end + 1, not self._depth and not self._is_string


def framer_of(framing: Framing, cap: int) -> Framer:
    """Return a new framer for messages of at most ``cap`` bytes."""
    match framing:
        case "lines":
            return Lines(cap)
        case "length":
            return Lengths(cap)
        case "none":
            return Documents(cap)


_UNSUPPORTED: Final = (
    (regex(rb"[0-9]{1,9}:[\[{]"), "netstrings"),
    (regex(rb"\x00[\x00-\xff]{3}[\[{]"), "a length of 4 bytes before each message"),
    (regex(rb"\x1e"), "JSON text sequences (RFC 7464)"),
    (regex(rb"[\[{][^\x03]*\x03"), "messages that end with ETX"),
)
"""Forms of messages by how their first one begins."""


def refuse_unsupported(data: bytes, peer: str) -> None:
    """End a connection whose first bytes show a form that we do not read."""
    for pattern, words in _UNSUPPORTED:
        if pattern.match(data):
            sentence = f"{peer} sends {words}. rpcexplorer reads lines, Content-Length headers, or plain JSON."
            raise Unreachable("framing", sentence, reason="unsupported")


def oversize(cap: int) -> Unreachable:
    advice = "Request less data, or raise reply.limit in settings.toml"
    return Unreachable("size", f"The server sent a message larger than the limit of {cap:,} bytes. {advice}.")


def printable_if_short(words: bytes | str, limit: int = MAX_QUOTED) -> str:
    """Return the peer's words printable, or nothing if they are too long.

    They are whole or omitted: secrets are found only in complete texts.
    """
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    if len(text) > limit:
        return ""
    for char in text:
        if not char.isprintable():
            text = text.replace(char, ascii(char)[1:-1])
    return text


def _refuse_other_protocol(message: bytes, framing: Framing) -> None:
    """End a connection whose first lines are those of another protocol: its server would wait, or end it."""
    if message[:15].lower() == b"content-length:":
        sentence = f"The server sends Content-Length headers, but the framing is {framing}."
        raise Unreachable("framing", sentence, reason="lengths")
    if message.startswith(b"HTTP/1."):
        raise Unreachable("framing", "The server answers with HTTP.", reason="http")


def _length_in(headers: bytes, cap: int) -> int:
    lengths = []
    for line in headers.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if not colon:
            raise _unreadable(f"{_shown(line)} instead of a header such as Content-Length: 2")
        if name.lower() == b"content-length":
            lengths.append(value.strip(b" \t"))
    if len(lengths) != 1:
        raise _unreadable(f"{'two headers' if lengths else 'headers without'} Content-Length: {_shown(headers)}")
    if not _LENGTH.fullmatch(lengths[0]):
        raise _unreadable(f"the Content-Length {_shown(lengths[0])}, which is not a number")
    if (length := int(lengths[0])) > cap:
        raise oversize(cap)
    return length


def _unreadable(words: str) -> Unreachable:
    return Unreachable("framing", f"The server sent {words}. Check the framing in the profile.")


def _shown(data: bytes) -> str:
    return f"'{printable_if_short(data)}'" if len(data) <= MAX_QUOTED else f"text of {len(data):,} bytes"
