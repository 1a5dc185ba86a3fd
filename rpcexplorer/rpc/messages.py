"""Calls, ids and error codes as values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec import Struct

from rpcexplorer.jsontext.slices import Text
from rpcexplorer.patterns import regex

EmptyParams = Literal["[]", "{}", "omit"]
"""How a call without params is sent, a setting of the profile."""
EnvelopeForm = Literal["2.0", "1.1", "1.0", "transmission"]
"""The JSON-RPC version, or the format that only Transmission uses."""
MalformedKind = Literal[
    "",
    "status",  # The HTTP status says more than the body.
    "bare result",  # It has a result, but no other member of JSON-RPC.
    "handshake",  # It is the response to a handshake: the call was not sent.
]
IdForm = Literal["string", "number"]
"""How an id is sent. Some servers return only one of the two unchanged."""


class MessageForm(Struct, frozen=True):
    """How a server needs its requests, and how its responses are read."""

    envelope: EnvelopeForm = "2.0"
    id: IdForm = "string"
    empty_params: EmptyParams = "[]"


USUAL_FORM = MessageForm()


class Call(Struct, frozen=True):
    """A method, its params as JSON text, and the id of its response."""

    method: str
    params: str = "[]"
    """An array or object as JSON text, in the user's spelling."""
    id: str | None = None
    """None for a notification, which has no response."""
    members: tuple[tuple[str, str], ...] = ()
    has_number: bool = False
    """The id was typed as a number, and goes out as one."""

    def id_text(self, form: MessageForm) -> str:
        """Return the id as JSON text."""
        assert self.id is not None
        return self.id if self.has_number else wire_id(self.id, form)


class Result(Struct, frozen=True):
    """The server's answer that the call succeeded; ``decoded()`` is its value."""

    text: Text
    """The result as JSON text, exactly as the server wrote it.

    A view of a large response, not a copy.
    """
    remarks: tuple[str, ...] = ()
    """Warnings: how the response deviates from the specification."""
    habits: tuple[str, ...] = ()
    """Quirks: harmless deviations of all the server's responses, shown once."""
    message: str = ""
    """The error message of an MCP tool that failed, else empty."""
    parts: tuple[Text, ...] = ()
    """If the server sent several responses to the call: the results in order. The last one is ``text``."""

    @property
    def value(self) -> bytes:
        """Return the text as bytes; this copies a large result."""
        return bytes(self.text)

    def decoded(self) -> Any:
        """Return the result as Python values, numbers as int or float."""
        return decoded(self.value)


class ErrorObject(Struct, frozen=True):
    """The server's answer that the call failed."""

    code: int | None
    """None if the server sent no integer."""
    message: str
    data: bytes | None
    value: bytes
    """The ``error`` member as the server wrote it; for a batch, the response."""
    remarks: tuple[str, ...] = ()
    habits: tuple[str, ...] = ()
    parts: tuple[Text, ...] = ()
    """If the server sent several responses to the call: the results in order, and this error."""

    def decoded(self) -> Any:
        """Return the error object with Python's values."""
        return decoded(self.value)


class Malformed(Struct, frozen=True):
    """A response that is not JSON-RPC."""

    reason: str
    """Why, as a sentence for people."""
    remarks: tuple[str, ...] = ()
    kind: MalformedKind = ""
    """Why, as far as a rule asks; it is not recorded."""


def lacks_method(outcome: object) -> bool:
    """Return whether an error says that the server has no such method."""
    if not isinstance(outcome, ErrorObject):
        return False
    return outcome.code == METHOD_NOT_FOUND or "no such method" in outcome.message.casefold()  # aria2 has one code


Reply = Result | ErrorObject | Malformed
"""The outcome of a response. The decoder always returns one of these."""


def spelled(text: str) -> str:
    """Return a text as a JSON string, with lone surrogates escaped."""
    try:
        return msgspec.json.encode(text).decode()
    except UnicodeEncodeError:  # msgspec refuses lone surrogates.
        import json

        return json.dumps(text)


def array_of(parts: Iterable[Text]) -> bytes:
    """Return JSON texts as one array."""
    return b"[" + b",".join(parts) + b"]"


def decoded(text: bytes) -> Any:
    """Parse JSON, including what only Python accepts (NaN, lone surrogates)."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        import json  # Slower and more lenient than msgspec, and rarely needed.

        return json.loads(text)


METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
RESERVED = {
    -32700: ("Parse error", "the server could not read the request as JSON"),
    -32600: ("Invalid request", "the JSON was not a request that this server accepts"),
    METHOD_NOT_FOUND: ("Method not found", "the server has no such method, or you may not call it"),
    INVALID_PARAMS: ("Invalid params", "the method does not accept these params"),
    -32603: ("Internal error", "the server failed while it ran the call"),
}


def explain(code: int | None) -> str:
    """Return the meaning of a code; empty if the application defines it."""
    if code is None:
        return "the error has no integer code"
    if code in RESERVED:
        name, meaning = RESERVED[code]
        return f"{name}: {meaning}"
    if -32099 <= code <= -32000:
        return "Server error: a code that the server defines itself"
    if -32768 <= code <= -32100:
        return "Reserved: a code that the specification reserves for later"
    return ""


ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, without letters that look like digits.

Texts sort like their numbers.
"""
TIME_DIGITS = 9
"""Digits of the milliseconds since 1970, enough until the year 3084."""
CHANCE_DIGITS = 6
CHANCE_LIMIT = 32**CHANCE_DIGITS
"""Limit of random numbers: in one millisecond, two collide once in 10^9."""
AHEAD = {"login": 1, "initialize": 2}
"""Suffix of calls sent before a call, whose number is smaller by this."""
_MADE = regex(f"[{ALPHABET}]{{{TIME_DIGITS + CHANCE_DIGITS}}}")
_WHOLE = regex(r"0|-?[1-9][0-9]{0,17}")
_LEAST = 1 + max(AHEAD.values())
_PLACE = regex(r"[1-9][0-9]{0,8}")
"""The number of a call in a batch, from 1."""


def make_id(milliseconds: int, chance: int) -> str:
    """Return fifteen characters for a time and a random number."""
    return _digits(milliseconds, TIME_DIGITS) + _digits(chance, CHANCE_DIGITS)


def is_made(id: str) -> bool:
    """Return whether ``make_id`` made an id: such ids sort by their time."""
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
    if form.id == "number" or form.envelope == "transmission":
        number = number_of(id)
        if number is not None:
            return str(number)
    return spelled(id)


def spellings(id: str) -> set[bytes]:
    """Return every spelling of an id that a server may send back."""
    number = number_of(id)
    if number is None:
        return {spelled(id).encode()}
    return {spelled(id).encode(), f'"{number}"'.encode(), str(number).encode()}


def number_of(id: str) -> int | None:
    """Return an id as a 32-bit number, because some servers keep no more bits.

    A whole number that the user typed stays that number. Return None for other typed ids.
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
    if _PLACE.fullmatch(part):  # The call is part of a batch.
        return first + int(part) - 1
    return None if part else first


def _number(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number * 32 + ALPHABET.index(digit)
    return number
