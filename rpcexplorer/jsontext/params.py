"""Typed params: text that can be sent, or its first problem."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import Struct

from rpcexplorer.jsontext.layout import compact
from rpcexplorer.jsontext.scan import elements, error_at, is_value, members

MAX_FIXED: Final = 64_000
"""Characters of a text whose typos are searched, at 1 to 5 µs each."""


class Params(Struct, frozen=True):
    text: str
    """The text without whitespace between tokens, duplicates included."""
    kind: Literal["array", "object"]
    size: int
    """Number of elements or members, duplicates counted."""

    @property
    def remark(self) -> str:
        if not self.size:
            return f"empty {self.kind}"
        unit = "element" if self.kind == "array" else "member"
        if self.size > 1:
            unit += "s"
        return f"{self.kind} with {self.size:,} {unit}"


class Fix(Struct, frozen=True):
    """A fix for a problem, applied with one key."""

    label: str
    """An imperative such as "remove the comments"."""
    text: str
    """The whole text after the fix."""


class Typo(Struct, frozen=True):
    """The first problem of a text as params."""

    line: int
    """From 1."""
    column: int
    """In characters, from 1."""
    offset: int
    """From 0; the length of the text if something is missing at its end."""
    end: int
    """End of the part to mark."""
    what: str
    """The problem, as a clause."""
    instead: str
    """The text to write instead."""
    fix: Fix | None
    """Fixes all typos of this kind; None if the meaning is not clear."""

    def __str__(self) -> str:
        instead = self.instead[:1].upper() + self.instead[1:]
        return f"line {self.line}, column {self.column}: {self.what}. {instead}"


_NO_VALUE = Typo(1, 1, 0, 0, "this is not JSON", "write one value", None)


def parse(text: str) -> Params | Typo:
    """Parse a text as params; empty text means the empty array.

    Applying one fix after another always ends: each one leaves fewer typos.
    """
    body = text.removeprefix("\ufeff")  # A byte order mark is invisible, and some files begin with it.
    if not body.strip(" \t\r\n"):
        return Params("[]", "array", 0)
    return _params(body) or _problem(text)


def value_problem(text: str) -> Typo:
    """Return the first problem of a text that is not one JSON value.

    A value that is not an array or an object is checked as the only element of an array.
    """
    if not text.strip(" \t\r\n"):
        return Typo(1, 1, 0, len(text), "a value is missing", "write one, or null", None)
    if text[0] in "[{" and not text.startswith("{{"):
        found = parse(text)
        return found if isinstance(found, Typo) else _NO_VALUE
    has_comment = "//" in text or "#" in text
    around = f"[{text}\n]" if has_comment else f"[{text}]"
    found = parse(around)
    if isinstance(found, Params):
        spans = elements(around) or ()
        if len(spans) < 2:
            return _NO_VALUE
        start, end = (at - 1 for at in spans[1])
        whole = Fix("put it in square brackets", f"[{text.strip()}]")
        return Typo(*_place(text, start), start, end, "there is more than one value", "put them in [ ]", whole)
    start, end = (min(max(at - 1, 0), len(text)) for at in (found.offset, found.end))
    if start == end == len(text) and found.offset < len(around):  # A bracket too many has met the one that was added.
        start -= 1
    fix = None
    if found.fix:
        fixed = found.fix.text.strip()
        if fixed.startswith("[") and fixed.endswith("]"):
            fixed = fixed[1:-1].strip()
        if fixed:
            fix = Fix(found.fix.label, fixed)
    return Typo(*_place(text, start), start, end, found.what, found.instead, fix)


def _params(body: str) -> Params | None:
    """Return the params if the text can be sent."""
    sent = compact(body)
    if sent[0] not in "[{":
        return None
    try:
        msgspec.json.decode(sent, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):  # msgspec also refuses some standard JSON.
        if not is_value(sent, strict=True):
            return None
    if sent[0] == "[":
        return Params(sent, "array", len(elements(sent) or ()))
    return Params(sent, "object", len(members(sent) or ()))


def _problem(text: str) -> Typo:
    """Return the first problem with its fix."""
    if len(text) > MAX_FIXED:
        return _first_error(text)
    # Imported here, so that valid params do not wait for its patterns to be compiled.
    from rpcexplorer.jsontext.fixes import LABELS, REST, RawTypo, applied, find_typos

    typos = find_typos(text)
    first = typos.first or RawTypo("", 0, len(text), "this is not JSON", "write an array or an object")
    fix = None
    if edits := typos.edits.get(first.kind):
        if first.kind != REST:
            edits = [*edits, *typos.edits.get(REST, ())]
        fixed = applied(text, edits)
        if find_typos(fixed).count < typos.count:
            fix = Fix(LABELS[first.kind], fixed)
    line, column = _place(text, first.start)
    return Typo(line, column, first.start, first.end, first.what, first.instead, fix)


def _first_error(text: str) -> Typo:
    """Return where a long text stops being JSON, without a fix."""
    readable = text
    if text.startswith("\ufeff"):  # A byte order mark at the start is not an error.
        readable = text.replace("\ufeff", " ", 1)
    at = error_at(readable)
    what = "this is not JSON"
    instead = f"correct it here. rpcexplorer suggests no fix for more than {MAX_FIXED:,} characters"
    if at is None:
        at, what, instead = 0, "params must be an array or an object", "put this in square brackets"
    line, column = _place(text, at)
    return Typo(line, column, at, min(at + 1, len(text)), what, instead, None)


def _place(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both from 1."""
    lines = text[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return len(lines), len(lines[-1]) + 1
