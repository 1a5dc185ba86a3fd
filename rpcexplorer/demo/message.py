"""Requests and responses of the demo service as values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from rpcexplorer.jsontext import scan

RPC_TYPE = "application/json-rpc"
Header = tuple[str, str]
Piece = bytes | float
"""Bytes to send, or seconds to pause in the middle of a body."""


@dataclass(frozen=True, slots=True)
class Body:
    """A body of known length whose bytes may be made while they are sent."""

    length: int
    pieces: Iterable[Piece]
    """May be a generator that can be read only once."""


def body(content: bytes) -> Body:
    return Body(len(content), (content,))


def join(bodies: list[Body], separator: bytes = b"") -> Body:
    """Join bodies into one without making their bytes yet."""
    between = body(separator)
    parts = [part for content in bodies for part in (between, content)][1:]
    return Body(sum(part.length for part in parts), chain.from_iterable(part.pieces for part in parts))


BLOCK = 64 * 1024
"""Bytes to send at a time; small pieces are joined to share a packet."""


def blocks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join small pieces into blocks; yield pauses as they are."""
    held = bytearray()
    for piece in pieces:
        if isinstance(piece, bytes):
            held += piece
        if held and (isinstance(piece, float) or len(held) >= BLOCK):
            yield bytes(held)
            held.clear()
        if isinstance(piece, float):
            yield piece
    if held:
        yield bytes(held)


def encode(value: Any) -> bytes:
    """Return a value as JSON text in UTF-8, with lone surrogates escaped."""
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")


@dataclass(frozen=True, slots=True)
class Success:
    result: Body
    cookie: str = ""
    delay: float = 0.0
    """Seconds before the response begins."""
    chunked: bool = False
    """Send the response without its length."""


def success(value: Any, cookie: str = "") -> Success:
    return Success(body(encode(value)), cookie)


@dataclass(frozen=True, slots=True)
class Fault:
    error: Any
    """The error member: an object, except in `demo.fail` with kind string."""


def fault(code: int, message: str, data: Any = None) -> Fault:
    error: dict[str, Any] = {"code": code, "message": message}
    return Fault(error if data is None else {**error, "data": data})


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: Body
    headers: tuple[Header, ...] = ()
    delay: float = 0.0
    """Seconds before the response begins."""
    chunked: bool = False
    """The response is sent in chunks, without its length."""
    missing: int = 0
    """Bytes that are promised but not sent: the connection closes instead."""


Outcome = Success | Fault | Response
"""The result of a method.

A `Response` bypasses JSON-RPC, as a proxy's error page does.
"""
NOTHING = Body(0, ())


def page(status: int, text: str, *headers: Header, media: str = "text/plain; charset=utf-8") -> Response:
    """Return a response that is not JSON-RPC, such as a proxy's page."""
    return Response(status, body(text.encode()), (("Content-Type", media), *headers))


BATCH_LIMIT = 1_000
NO_ID = "null"


class Member(NamedTuple):
    name: str
    text: str
    """Name, colon and value, as they were spelled."""


@dataclass(frozen=True, slots=True)
class Request:
    id: str | None
    """The id as it was spelled; None for a notification."""
    method: str
    params: dict[str, Any] | list[Any]
    params_text: str
    """The params exactly as they were sent."""
    members: tuple[Member, ...]
    """The members of params, repeated names included; empty for an array."""


@dataclass(frozen=True, slots=True)
class Invalid:
    id: str
    fault: Fault


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of at least one entry."""

    entries: tuple[Request | Invalid, ...]


def read(content: bytes) -> Request | Invalid | Batch:
    """Parse a body; any problem is returned as a value."""
    # `json` reports problems only by raising. Nothing but parsing happens inside.
    try:
        text = content.decode()
        return _read(text, _DECODER.decode(text))
    except RecursionError:
        return Invalid(NO_ID, fault(-32700, "Parse error: the JSON is nested too deeply for this service."))
    except ValueError as problem:
        return Invalid(NO_ID, fault(-32700, f"Parse error: {problem}"))


def _read(text: str, value: Any) -> Request | Invalid | Batch:
    if not isinstance(value, list):
        return _request(text, value)
    if not value:
        return _invalid(NO_ID, "the batch is empty. Add at least one request.")
    if len(value) > BATCH_LIMIT:
        return _invalid(NO_ID, f"the batch has {len(value)} requests. Send at most {BATCH_LIMIT}.")
    spans = scan.elements(text) or ()
    return Batch(tuple(_request(text[slice(*span)], entry) for span, entry in zip(spans, value, strict=True)))


def _request(text: str, value: Any) -> Request | Invalid:
    if not isinstance(value, dict):
        return _invalid(NO_ID, "a request must be an object with jsonrpc, id, method and params.")
    texts = {member.name: text[slice(*member.value)] for member in scan.members(text) or ()}
    id = value.get("id", "")
    if isinstance(id, bool) or not isinstance(id, str | int | float):
        return _invalid(NO_ID, "id must be a string. Omit it to send a notification.")
    problem = _problem(value)
    if problem:
        return _invalid(texts.get("id", NO_ID), problem)
    params, typed = value["params"], texts["params"]
    members = [
        Member(member.name, typed[member.key[0] : member.value[1]])
        for member in (scan.members(typed) if isinstance(params, dict) else None) or ()
    ]
    return Request(texts.get("id"), value["method"], params, typed, tuple(members))


def _problem(request: dict[str, Any]) -> str:
    if request.get("jsonrpc") != "2.0":
        return 'jsonrpc must be the string "2.0".'
    if not isinstance(request.get("method"), str):
        return "method must be a string, the name of the operation to call."
    if "params" not in request:
        return 'params is missing. Send "params": [] if the method takes none.'
    if not isinstance(request["params"], list | dict):
        return "params must be an array or an object."
    return ""


def _invalid(id: str, why: str) -> Invalid:
    return Invalid(id, fault(-32600, f"Invalid request: {why}"))


def _whole_number(digits: str) -> int | float:
    """Return the number, as a float if Python refuses so many digits."""
    return int(digits) if len(digits) < 1_000 else float(digits)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_int=_whole_number, parse_constant=_refuse)
