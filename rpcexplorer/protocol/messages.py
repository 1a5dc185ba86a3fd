"""The messages of JSON-RPC: what is sent, and the three forms in which an answer can be read.

Text and bytes are kept as they were written; nothing here is decoded before somebody asks.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from rpcexplorer.jsontext.slices import Text

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
    """The name to call, whatever characters it holds."""
    params: str = "[]"
    """JSON text of an array or object, spelled as it was typed."""
    id: str | None = None
    """None makes it a notification: the server is not to answer."""
    members: tuple[tuple[str, str], ...] = ()
    """What stands beside ``method``: names, and their JSON text."""


class Result(Struct, frozen=True):
    """The server did what it was asked."""

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
    """Empty where the server sent none."""
    data: bytes | None
    """The JSON text of ``error.data``, as the server wrote it."""
    value: bytes
    """The JSON text of the whole ``error`` member (of a batch: the whole reply), as the server wrote it."""
    remarks: tuple[str, ...] = ()
    """Where the reply deviates from the specification, in words."""
    habits: tuple[str, ...] = ()
    """How all replies of such a server deviate, though their meaning is plain: worth saying once."""

    def decoded(self) -> Any:
        """Parse ``error`` into Python objects."""
        return decoded(self.value)


class Malformed(Struct, frozen=True):
    """Bytes came, but they cannot be read as a reply."""

    reason: str
    """One sentence that says why not."""
    remarks: tuple[str, ...] = ()
    """What else was seen on the way."""


Reply = Result | ErrorObject | Malformed
"""What the bytes of an answer mean. The decoder always yields one of these."""


def spelled(text: str) -> str:
    """Spell a string as JSON. A lone surrogate, which no UTF-8 can carry, is written as its escape."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return msgspec.json.encode(text).decode()
    import json  # only it spells lone surrogates

    return json.dumps(text)


def decoded(text: bytes) -> Any:
    """Parse JSON text into Python objects, also what only Python's own parser takes (NaN, lone surrogates)."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        import json  # the slower and more lenient one; worth its import only here

        return json.loads(text)
