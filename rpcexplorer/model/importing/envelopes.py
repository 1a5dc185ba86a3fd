"""A body of JSON-RPC taken apart: one envelope, or a batch of them. Params keep the spelling that they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from rpcexplorer.jsontext.params import Problem, parse
from rpcexplorer.jsontext.scan import decoded as text_of
from rpcexplorer.jsontext.scan import elements, members, repeated_name
from rpcexplorer.model.method import SIGN

OWN: Final = frozenset({"jsonrpc", "version", "id", "method", "params"})
"""The members of a request, in the versions there are."""
MOST: Final = 1_000
"""Calls of one body."""
LONGEST_METHOD: Final = 500


class WrittenCall(Struct, frozen=True):
    method: str
    params: str
    """Empty where there are none."""
    notification: bool
    others: tuple[tuple[str, str], ...] = ()
    """Members that stand beside them, each with its JSON text."""


def envelopes(body: str) -> tuple[list[WrittenCall], str]:
    """The calls of a body; else none, and why it is no JSON-RPC, as a clause."""
    start = int(body.startswith("\ufeff"))
    spans = elements(body, start)
    if spans is None:
        found = envelope(body)
        return ([found], "") if isinstance(found, WrittenCall) else ([], found)
    if not spans:
        return [], "its batch is empty"
    if len(spans) > MOST:
        return [], f"its batch has more than {MOST:,} calls"
    calls = []
    for number, span in enumerate(spans, 1):
        found = envelope(body[slice(*span)])
        if not isinstance(found, WrittenCall):
            return [], f"call {number} of its batch: {found}"
        calls.append(found)
    return calls, ""


def envelope(text: str) -> WrittenCall | str:
    """The call that an object of JSON is; else why it is none, as a clause."""
    found = members(text.removeprefix("\ufeff"))
    if found is None:
        return "its body is no JSON object"
    text = text.removeprefix("\ufeff")
    parts = {each.name: text[slice(*each.value)] for each in found}
    if len(parts) < len(found) and (name := repeated_name(text)) in parts:
        return f"it has the member {name} twice"
    if "method" not in parts:
        return "it is a reply" if {"result", "error"} & parts.keys() else "its body names no method"
    method = text_of(parts["method"]) if parts["method"].startswith('"') else ""
    if not method.strip() or len(method) > LONGEST_METHOD:
        return "its method is no name"
    if method.startswith(SIGN):
        return f"its method begins with {SIGN}, as the saved calls of this program do"
    params = parts.get("params", "")
    if params and isinstance(read := parse(params), Problem):
        return "its params are neither an array nor an object" if params[0] not in "[{" else f"its params: {read.what}"
    others = tuple((name, value) for name, value in parts.items() if name not in OWN)
    return WrittenCall(method, params, parts.get("id", "null") == "null", others)


def whole(text: str) -> list[WrittenCall]:
    """The calls of a text that can only be requests, and not the params of something that has a ``method`` in them."""
    text = text.removeprefix("\ufeff")
    spans = elements(text)
    parts = [text[slice(*span)] for span in spans] if spans else [text]
    if spans is None and members(text) is None:
        parts = [line for _, line in lines_of(text)]
    calls = []
    for part in parts:
        names = {each.name for each in members(part) or ()}
        call = envelope(part) if {"jsonrpc", "method"} <= names <= OWN else ""
        if not isinstance(call, WrittenCall):
            return []
        calls.append(call)
    return calls


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, each with its number."""
    return ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())
