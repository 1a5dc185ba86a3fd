"""Calls, ids and error codes as values."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from rpcexplorer.jsontext.slices import Text
from rpcexplorer.patterns import regex

EmptyParams = Literal["[]", "{}", "omit"]
"""How a call without params is written; servers differ, so it is a setting of the profile."""
EnvelopeForm = Literal["2.0", "1.1", "1.0", "transmission"]
"""How request and reply are laid out: a version of JSON-RPC, or the one that Transmission had of its own."""
IdForm = Literal["string", "number"]
"""How an id is written; some servers give back only the one, or only the other."""


class MessageForm(Struct, frozen=True):
    """How a server wants its requests written, and so how its replies are to be read."""

    envelope: EnvelopeForm = "2.0"
    id: IdForm = "string"
    empty_params: EmptyParams = "[]"


USUAL_FORM = MessageForm()


class Call(Struct, frozen=True):
    """One request: a method, its params as JSON text, and an id to know the reply by."""

    method: str
    params: str = "[]"
    """JSON text of an array or object, spelled as it was typed."""
    id: str | None = None
    """None makes it a notification: the server is not to answer."""
    members: tuple[tuple[str, str], ...] = ()


class Result(Struct, frozen=True):
    text: Text
    """The JSON text of the result, exactly as the server wrote it; of a large reply a part of that, without a copy."""
    remarks: tuple[str, ...] = ()
    """Where the reply deviates from the specification, in words."""
    habits: tuple[str, ...] = ()
    """How all replies of such a server deviate, though their meaning is plain: worth saying once."""
    message: str = ""
    """Why a tool of MCP failed, in its own words; empty for every other result."""

    @property
    def value(self) -> bytes:
        """``text`` as bytes; of a large reply, a copy."""
        return bytes(self.text)

    def decoded(self) -> Any:
        """Parse the value into Python objects; numbers become int and float as Python sees them."""
        return decoded(self.value)


class ErrorObject(Struct, frozen=True):
    """The server answered that the call failed."""

    code: int | None
    """None where the server sent no integer."""
    message: str
    data: bytes | None
    value: bytes
    """The JSON text of the whole ``error`` member (of a batch: the whole reply), as the server wrote it."""
    remarks: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()

    def decoded(self) -> Any:
        return decoded(self.value)


class Malformed(Struct, frozen=True):
    """Bytes came, but they cannot be read as a reply."""

    reason: str
    remarks: tuple[str, ...] = ()


Reply = Result | ErrorObject | Malformed
"""What the bytes of an answer mean. The decoder always yields one of these."""


def spelled(text: str) -> str:
    """Spell a string as JSON; a lone surrogate is written as its escape."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return msgspec.json.encode(text).decode()
    import json  # only it spells lone surrogates

    return json.dumps(text)


def decoded(text: bytes) -> Any:
    """Parse JSON, also what only Python takes (NaN, lone surrogates)."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        import json  # the slower and more lenient one; worth its import only here

        return json.loads(text)


METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
RESERVED = {
    -32700: ("Parse error", "the server could not read the request as JSON"),
    -32600: ("Invalid request", "the JSON was not a request this server accepts"),
    METHOD_NOT_FOUND: ("Method not found", "the server has no method of this name, or not for this caller"),
    INVALID_PARAMS: ("Invalid params", "the method exists, but not with these params"),
    -32603: ("Internal error", "the server failed while it worked on the call"),
}


def explain(code: int | None) -> str:
    """Return what a code means; empty if the application defines it."""
    if code is None:
        return "the error carries no integer code"
    if code in RESERVED:
        name, meaning = RESERVED[code]
        return f"{name}: {meaning}"
    if -32099 <= code <= -32000:
        return "Server error: a code the server defines itself"
    if -32768 <= code <= -32100:
        return "Reserved: a code the specification keeps for later"
    return ""


ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letter looks like a digit, and the order of the text is the order of the numbers."""
TIME_DIGITS = 9
CHANCE_DIGITS = 6
CHANCE_LIMIT = 32**CHANCE_DIGITS
"""The caller's dice roll from 0 up to here: two calls of one millisecond meet once in a billion."""
AHEAD = {"login": 1, "initialize": 2}
"""What goes ahead of a call has the call's id with one of these behind it, and a number so much smaller."""
_MADE = regex(f"[{ALPHABET}]{{{TIME_DIGITS + CHANCE_DIGITS}}}")
_WHOLE = regex(r"0|-?[1-9][0-9]{0,17}")
_LEAST = 1 + max(AHEAD.values())
_PLACE = regex(r"[1-9][0-9]{0,8}")


def make_id(milliseconds: int, chance: int) -> str:
    """Spell a moment and a random number as fifteen characters."""
    return _digits(milliseconds, TIME_DIGITS) + _digits(chance, CHANCE_DIGITS)


def is_made(id: str) -> bool:
    """Return whether an id has the form of ``make_id``: such ids sort by their time."""
    return _MADE.fullmatch(id) is not None


def _digits(number: int, width: int) -> str:
    if not 0 <= number < 32**width:
        raise ValueError(f"{number} does not fit into {width} digits of base 32")
    spelled = ""
    for _ in range(width):
        number, digit = divmod(number, 32)
        spelled = ALPHABET[digit] + spelled
    return spelled


def wire_id(id: str, form: MessageForm) -> str:
    number = number_of(id) if form.id == "number" or form.envelope == "transmission" else None
    return spelled(id) if number is None else str(number)


def spellings(id: str) -> set[bytes]:
    """Return every way in which a server may give back an id."""
    number = number_of(id)
    texts = [id] if number is None else [id, str(number)]
    return {spelled(text).encode() for text in texts} | ({str(number).encode()} if number is not None else set())


def number_of(id: str) -> int | None:
    """Return the number for an id, of 32 bits, as some servers cut it.

    A whole number that somebody typed is that number. Other typed ids have none.
    """
    base, _, part = id.partition(".")
    if _WHOLE.fullmatch(base):
        first = int(base)
    elif _MADE.fullmatch(base):
        first = _number(base[TIME_DIGITS:]) + _LEAST
    elif part in AHEAD:
        first = _LEAST
    else:
        return None
    if part in AHEAD:
        return first - AHEAD[part]
    if _PLACE.fullmatch(part):  # a call of a batch
        return first + int(part) - 1
    return None if part else first


def _number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * 32 + ALPHABET.index(digit)
    return number
