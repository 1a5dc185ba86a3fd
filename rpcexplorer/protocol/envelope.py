"""The members of a reply and the elements of a batch as the raw bytes they are, at native speed where that parser can.

What it refuses but servers send (NaN, lone surrogates, endless nesting) goes through the lenient scanner instead,
with a remark for each such oddity.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from rpcexplorer.jsontext.oddities import long_number, oddities
from rpcexplorer.jsontext.scan import elements, members
from rpcexplorer.jsontext.slices import Text

LARGE = 1024 * 1024
"""Bytes of a reply from which on its result is not copied."""

DUPLICATES_LIMIT = 1024 * 1024
"""Bytes of a reply up to which its envelope is searched for duplicate members, which only the slow scanner sees."""


class _Native(msgspec.Struct):
    """The members of a reply, or of its error, that mean something; others are passed over unread."""

    jsonrpc: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    version: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tag: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    method: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    arguments: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    code: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    message: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    data: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


FIELDS = _Native.__struct_fields__
ERROR_FIELDS = {"code", "message", "data"}
REPLY_FIELDS = {*FIELDS} - ERROR_FIELDS
LONG_FIELDS = {"result", "arguments"}
"""What of a large reply is not copied."""


class Envelope(Struct, frozen=True):
    """The parts of a reply or of an error object, as the server wrote them; None where a part is missing."""

    jsonrpc: bytes | None = None
    version: bytes | None = None
    """What stands there in place of ``jsonrpc`` in JSON-RPC 1.1."""
    id: bytes | None = None
    tag: bytes | None = None
    """What Transmission's own dialect calls the id."""
    method: bytes | None = None
    result: Text | None = None
    """Of a large reply it is a part of the text, which is not copied."""
    arguments: Text | None = None
    """What Transmission's own dialect calls the result; the result of that is a word."""
    error: bytes | None = None
    code: bytes | None = None
    message: bytes | None = None
    data: bytes | None = None
    remarks: tuple[str, ...] = ()


def open_object(text: bytes, *, error: bool = False) -> Envelope | None:
    """Take an object apart; None where ``text`` is none, even leniently read."""
    found = native_parts(text)
    if found is None:
        return _leniently(text)
    parts: dict[str, Any] = {
        name: memoryview(raw) if name in LONG_FIELDS and len(text) > LARGE else bytes(raw)
        for name, raw in found.items()
    }
    twice = _duplicates(text, parts, ERROR_FIELDS if error else REPLY_FIELDS)
    return Envelope(**parts, remarks=(*filter(None, [long_number(text)]), *twice))


def native_parts(text: bytes) -> dict[str, msgspec.Raw] | None:
    """The parts of an object that is JSON to the letter, as they lie in the text; None where it is not."""
    try:
        native = msgspec.json.decode(text, type=_Native)
    except (msgspec.DecodeError, RecursionError):
        return None
    return {name: raw for name in FIELDS if isinstance(raw := getattr(native, name), msgspec.Raw)}


def is_native(text: bytes) -> bool:
    """Whether it is one value that is JSON to the letter."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def open_array(text: bytes) -> list[bytes] | None:
    """Take an array apart; None where ``text`` is none, even leniently read."""
    try:
        return [bytes(raw) for raw in msgspec.json.decode(text, type=list[msgspec.Raw])]
    except (msgspec.DecodeError, RecursionError):
        whole = text.decode()
        spans = elements(whole)
        return None if spans is None else [whole[start:end].encode() for start, end in spans]


def _leniently(text: bytes) -> Envelope | None:
    whole = text.decode()
    found = members(whole)
    if found is None:
        return None
    parts = {m.name: whole[slice(*m.value)].encode() for m in found if m.name in FIELDS}
    names = [member.name for member in found]
    return Envelope(**parts, remarks=(*oddities(whole), *_named_twice(names, REPLY_FIELDS | ERROR_FIELDS)))


def _duplicates(text: bytes, parts: dict[str, Any], fields: set[str]) -> tuple[str, ...]:
    """Say which members are there twice. A compact object of known members shows by its length that none is."""
    compact = 1 + sum(len(name) + 4 + len(value) for name, value in parts.items())
    if len(text) == compact or len(text) > DUPLICATES_LIMIT:
        return ()
    return _named_twice([member.name for member in members(text.decode()) or ()], fields)


def _named_twice(names: list[str], fields: set[str]) -> tuple[str, ...]:
    twice = sorted({name for name in names if name in fields and names.count(name) > 1})
    return tuple(f"the member {name} is there twice; the last one counts" for name in twice)


def broken_json(text: bytes) -> str:
    """What is wrong with a text that begins like JSON."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return (
                "The reply starts like JSON and ends in the middle of it: the server, or what is between, cut it off."
            )
        detail = str(error).removeprefix("JSON is malformed: ")
        return f"The reply starts like JSON but is not: {detail}."
    except RecursionError:
        return "The reply starts like JSON but its brackets, which nest very deep, do not match."
    return "The reply starts like JSON but its brackets do not match."


def is_cut(text: bytes) -> bool:
    """Whether a text ends in the middle of its JSON."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return "truncated" in str(error)
    except RecursionError:
        return False
    return False
