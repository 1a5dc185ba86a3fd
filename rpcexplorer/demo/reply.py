"""What the service answers with, from a method's outcome to a whole HTTP reply. Values only: nothing is sent here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

RPC_TYPE = "application/json-rpc"
Header = tuple[str, str]
Piece = bytes | float
"""Bytes to send, or seconds to keep silent in the middle of a body."""


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes that may be made only while they are sent; how many is known before."""

    length: int
    pieces: Iterable[Piece]
    """May be a generator: to be walked through once."""


def body(content: bytes) -> Body:
    return Body(len(content), (content,))


def joined(bodies: list[Body], separator: bytes = b"") -> Body:
    """One body of many, still made piece by piece."""
    between = body(separator)
    parts = [part for each in bodies for part in (between, each)][1:]
    return Body(sum(part.length for part in parts), chain.from_iterable(part.pieces for part in parts))


def written(value: Any) -> bytes:
    """A value as JSON text, readable where UTF-8 allows; a lone surrogate becomes its JSON escape."""
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")


@dataclass(frozen=True, slots=True)
class Success:
    """A method that did what it was asked to."""

    result: Body
    """The result as JSON text."""
    cookie: str = ""
    """A Set-Cookie header, if one is due."""
    delay: float = 0.0
    """Seconds before the reply begins."""
    chunked: bool = False
    """Whether to keep the length of the reply to ourselves."""


def success(value: Any, cookie: str = "") -> Success:
    """The plain case: a value that is written as JSON."""
    return Success(body(written(value)), cookie)


@dataclass(frozen=True, slots=True)
class Fault:
    """A method that answers with an error."""

    error: Any
    """The error member as a value: an object, as a rule."""


def fault(code: int, message: str, data: Any = None) -> Fault:
    """An error object; ``data`` only where there is some."""
    error: dict[str, Any] = {"code": code, "message": message}
    return Fault(error if data is None else {**error, "data": data})


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole HTTP reply, but for what the connection adds."""

    status: int
    body: Body
    headers: tuple[Header, ...] = ()
    delay: float = 0.0
    """Seconds before the reply begins."""
    chunked: bool = False
    """Sent in chunks, without a length."""
    missing: int = 0
    """Bytes that are promised and never sent: the connection closes instead."""


Outcome = Success | Fault | Reply
"""What a method returns. A Reply is one that bypasses JSON-RPC, as a proxy's error page does."""
NOTHING = Body(0, ())


def page(status: int, text: str, *headers: Header, media: str = "text/plain; charset=utf-8") -> Reply:
    """A reply that is not JSON-RPC: a sentence, or somebody's HTML."""
    return Reply(status, body(text.encode()), (("Content-Type", media), *headers))
