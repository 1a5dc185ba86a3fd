"""Requests and responses of the demo service as values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

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


def join(*bodies: Body) -> Body:
    """Join bodies into one without making their bytes yet."""
    return Body(sum(body.length for body in bodies), chain.from_iterable(body.pieces for body in bodies))


BLOCK = 64 * 1024
"""Bytes to send at a time; small pieces are joined to share a packet."""


def blocks(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join small pieces into blocks; yield pauses as they are."""
    held = b""
    for piece in pieces:
        if isinstance(piece, bytes):
            held += piece
            if len(held) < BLOCK:
                continue
        if held:
            yield held
            held = b""
        if isinstance(piece, float):
            yield piece
    if held:
        yield held


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


class FaultError(Exception):
    """The error that answers a call."""

    def __init__(self, error: Any) -> None:
        self.error = error
        """An object, except in `demo.fail` with kind string."""


def fault(code: int, message: str, data: Any = None) -> FaultError:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return FaultError(error)


@dataclass(frozen=True, slots=True)
class Response:
    """A whole HTTP response.

    A method that returns one bypasses JSON-RPC, as a proxy's error page does.
    """

    status: int
    body: Body
    headers: tuple[Header, ...] = ()
    delay: float = 0.0
    """Seconds before the response begins."""
    chunked: bool = False
    """The response is sent in chunks, without its length."""
    missing: int = 0
    """Bytes that are promised but not sent: the connection closes instead."""


NOTHING = Body(0, ())


def page(status: int, text: str, *headers: Header, media: str = "text/plain; charset=utf-8") -> Response:
    """Return a response that is not JSON-RPC, such as a proxy's page."""
    return Response(status, body(text.encode()), (("Content-Type", media), *headers))


BATCH_LIMIT = 1_000
NO_ID = "null"


@dataclass(frozen=True, slots=True)
class Request:
    id: str | None
    """The id as it was spelled; None for a notification."""
    method: str
    params: dict[str, Any] | list[Any]
    params_text: str
    """The params exactly as they were sent."""


@dataclass(frozen=True, slots=True)
class Invalid:
    """An entry that is not a request."""

    id: str
    fault: FaultError


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of at least one entry."""

    entries: tuple[Request | Invalid, ...]


def read(content: bytes) -> Request | Invalid | Batch:
    """Parse a body; any problem is returned as a value."""
    try:
        text = content.decode()
        value = _DECODER.decode(text)
    except RecursionError:
        return Invalid(NO_ID, fault(-32700, "Parse error: the JSON is nested too deeply for this service."))
    except ValueError as problem:
        return Invalid(NO_ID, fault(-32700, f"Parse error: {problem}"))
    if not isinstance(value, list):
        return _request(text, value)
    if not value:
        return _invalid(NO_ID, "the batch is empty. Add at least one request.")
    if len(value) > BATCH_LIMIT:
        return _invalid(NO_ID, f"the batch has {len(value)} requests. Send at most {BATCH_LIMIT}.")
    spans = scan.elements(text) or ()
    return Batch(tuple(_request(text[start:end], entry) for (start, end), entry in zip(spans, value, strict=True)))


def _request(text: str, value: Any) -> Request | Invalid:
    if not isinstance(value, dict):
        return _invalid(NO_ID, "a request must be an object with jsonrpc, id, method and params.")
    id = value.get("id", "")
    if isinstance(id, bool) or not isinstance(id, str | int | float):
        return _invalid(NO_ID, "id must be a string. Omit it to send a notification.")
    spelled = {member.name: text[slice(*member.value)] for member in scan.members(text) or ()}
    problem = _problem(value)
    if problem:
        return _invalid(spelled.get("id", NO_ID), problem)
    return Request(spelled.get("id"), value["method"], value["params"], spelled["params"])


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
