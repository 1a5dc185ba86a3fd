"""Params as a person types them: text that can be sent, or the first problem."""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec import Struct

from rpcexplorer.jsontext.layout import compact
from rpcexplorer.jsontext.scan import elements, error_at, is_value, members
from rpcexplorer.patterns import regex

MAX_FIXED: Final = 64_000
"""Characters. TrialResult typos takes 1 to 5 µs for each, and nobody types more by hand."""
_BREAK = regex(r"\r\n|\r|\n")


class Params(Struct, frozen=True):
    text: str
    """The JSON text without whitespace between its tokens; each token, and each duplicate, as typed."""
    kind: Literal["array", "object"]
    """Which of the two containers it is."""
    size: int
    """How many elements or members it has, duplicates counted."""

    @property
    def remark(self) -> str:
        if not self.size:
            return f"empty {self.kind}"
        unit = "element" if self.kind == "array" else "member"
        return f"{self.kind} with {self.size:,} {unit}{'s' * (self.size > 1)}"


class Fix(Struct, frozen=True):
    """A way out of a problem, to be taken with one key."""

    label: str
    """What the fix does, as an order: "remove the comments"."""
    text: str
    """The whole text after it."""


class Typo(Struct, frozen=True):
    """The first thing, in reading order, that keeps a text from being params."""

    line: int
    """Its line, from 1."""
    column: int
    """Its column in characters, from 1."""
    offset: int
    """Where it starts in the text, from 0; the length of the text if something is missing at its end."""
    end: int
    """Where it ends, for marking it."""
    what: str
    """What is wrong."""
    instead: str
    """What to write instead."""
    fix: Fix | None
    """What mends it and every other slip of its kind; None where only a person can know what was meant."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.what}; {self.instead}"


_NO_VALUE = Typo(1, 1, 0, 0, "this is not JSON", "write one value", None)


def parse(text: str) -> Params | Typo:
    """Judge a text as params; empty text means the empty array.

    Applying the fix of each problem, one after the other, always comes to an end: a fix is offered only if it
    leaves fewer slips than there were.
    """
    body = text.removeprefix("\ufeff")  # a byte order mark is invisible, and files from elsewhere have it
    if not body.strip(" \t\r\n"):
        return Params("[]", "array", 0)
    return _params(body) or _problem(text)


def value_problem(text: str) -> Typo:
    """Return the first problem of a text that is not one JSON value.

    Params are an array or an object: any other value is judged as the only element of an array.
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
        return Typo(*_place(text, start), start, end, "one value goes here", "put them in [ ]", whole)
    start, end = (min(max(at - 1, 0), len(text)) for at in (found.offset, found.end))
    if start == end == len(text) and found.offset < len(around):  # one that is too many has met our own
        start -= 1
    fixed = found.fix.text.strip() if found.fix else ""
    inside = fixed[1:-1].strip() if fixed[:1] == "[" and fixed[-1:] == "]" else fixed
    fix = Fix(found.fix.label, inside) if found.fix and inside else None
    return Typo(*_place(text, start), start, end, found.what, found.instead, fix)


def _params(body: str) -> Params | None:
    """The params, if the text can be sent as it is."""
    sent = compact(body)
    if sent[0] not in "[{":
        return None
    try:
        msgspec.json.decode(sent, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):  # it refuses a few that are standard, too
        if not is_value(sent, strict=True):
            return None
    if sent[0] == "[":
        return Params(sent, "array", len(elements(sent) or ()))
    return Params(sent, "object", len(members(sent) or ()))


def _problem(text: str) -> Typo:
    """What is wrong first, with its fix."""
    if len(text) > MAX_FIXED:
        return _first_error(text)
    # Imported here because valid params, the usual case, should not wait until the patterns are compiled.
    from rpcexplorer.jsontext.fixes import LABELS, Slip, applied, slips_of

    slips = slips_of(text)
    first = slips.first or Slip("", 0, len(text), "this is not JSON", "write an array or an object")
    fix = None
    if edits := slips.edits.get(first.kind):
        mended = applied(text, edits)
        if slips_of(mended).count < slips.count:
            fix = Fix(LABELS[first.kind], mended)
    line, column = _place(text, first.start)
    return Typo(line, column, first.start, first.end, first.what, first.instead, fix)


def _first_error(text: str) -> Typo:
    """Return the place where a long text stops being JSON, without a fix."""
    # A leading byte order mark is no error.
    at = error_at(text.replace("\ufeff", " ", 1) if text.startswith("\ufeff") else text)
    what, instead = "this is not JSON", f"correct it here. More than {MAX_FIXED:,} characters get no fix"
    if at is None:
        at, what, instead = 0, "params are an array or an object", "put this in square brackets"
    line, column = _place(text, at)
    return Typo(line, column, at, min(at + 1, len(text)), what, instead, None)


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    line, start = 1, 0
    for found in _BREAK.finditer(text, 0, offset):
        line, start = line + 1, found.end()
    return line, offset - start + 1
