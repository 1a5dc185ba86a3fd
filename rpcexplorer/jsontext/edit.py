"""Edit typed JSON text: set, add, remove or move a value."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from rpcexplorer.jsontext.layout import compact, indented
from rpcexplorer.jsontext.pointers import ValuePlace, places_in
from rpcexplorer.jsontext.scan import STRING, Span, is_value
from rpcexplorer.patterns import regex

Path: TypeAlias = tuple[str | int, ...]
"""Names and indexes of a value; of duplicate names the last one counts."""
MARK: Final = "\ufeff"
STEP: Final = "  "
"""Indentation, if the text has none of its own."""
_JOINS = regex(rf"({STRING})|([,:])\s*|\s+")
_LINES = regex(r"\n(?=[^\r\n])")


def is_json(text: str) -> bool:
    """Return whether a text is one JSON value."""
    return is_value(text, strict=True)


def whole(text: str) -> Span:
    """Return the span of a text without the whitespace around it."""
    start = len(text) - len(text.removeprefix(MARK).lstrip(" \t\r\n"))
    return start, max(start, len(text.rstrip(" \t\r\n")))


def span_of(text: str, path: Path) -> Span | None:
    """Return the span of the value at a path, or None."""
    span = whole(text)
    for step in path:
        places = [place for key, place in places_in(text, span) if key == step]
        if not places:
            return None
        span = places[-1].start, places[-1].end
    return span


def changed(text: str, path: Path, value: str) -> str:
    """Return the text with another value at a path."""
    span = span_of(text, path)
    assert span is not None, f"{path} is not there"
    return f"{text[: span[0]]}{value}{text[span[1] :]}"


def added(text: str, path: Path, value: str, name: str | None = None, *, key: str = "") -> str:
    """Return the text with one more item at the end of a container.

    With a ``name`` the item is a member; ``key`` is the spelling of its name. The value gets a new layout.
    """
    span = span_of(text, path)
    assert span is not None, f"{path} is not there"
    items = [place for _, place in places_in(text, span)]
    spelled = None if name is None else key or string(name)
    if items:
        return _appended(text, items, value, spelled)
    lead, tail = _around_the_first(text, path)
    laid_out = _laid_out(value, lead.removeprefix("\n")) if lead else one_line(value)
    container = f"[{lead}{laid_out}{tail}]"
    if spelled is not None:
        container = f"{{{lead}{spelled}: {laid_out}{tail}}}"
    return f"{text[: span[0]]}{container}{text[span[1] :]}"


def removed(text: str, path: Path) -> str:
    """Return the text without the value at a path."""
    outer = span_of(text, path[:-1])
    assert outer is not None, f"{path} is not there"
    items = places_in(text, outer)
    at = max(index for index, (key, _) in enumerate(items) if key == path[-1])
    if len(items) == 1:
        start, end = outer[0] + 1, outer[1] - 1
    elif at == 0:
        start, end = items[0][1].name_start, items[1][1].name_start
    else:
        start, end = items[at - 1][1].end, items[at][1].end
    return text[:start] + text[end:]


def without_indent(text: str, indent: str) -> str:
    """Remove an indentation; unchanged if a line has less than that."""
    first, *rest = text.split("\n")
    if not all(line.startswith(indent) or not line.strip() for line in rest):
        return text
    return "\n".join([first, *(line.removeprefix(indent) for line in rest)])


def with_indent(text: str, indent: str) -> str:
    """Indent all lines but the first."""
    return _LINES.sub(f"\n{indent}", text)


def one_line(text: str) -> str:
    """Return valid JSON on one line, with a space after comma and colon."""
    return _JOINS.sub(_joined, text)


def _joined(found: re.Match[str]) -> str:
    if found[2]:
        return f"{found[2]} "
    return found[1] or ""


def _appended(text: str, items: Sequence[ValuePlace], value: str, key: str | None) -> str:
    """Return the text with an item after the last one, in the same layout."""
    last = items[-1]
    colon = text[last.name_start : last.start].rpartition(":")[2] if key is not None else ""
    if len(items) > 1:
        between = text[items[-2].end : last.name_start]
    else:
        opener = max(text.rfind("{", 0, last.name_start), text.rfind("[", 0, last.name_start))
        between = f",{text[opener + 1 : last.name_start]}"
        if between == "," and (key is None or colon):
            between = ", "
    if "\n" in between:
        laid_out = _laid_out(value, between.rpartition("\n")[2].replace(",", ""))
    elif between == "," and not colon:
        laid_out = compact(value)
    else:
        laid_out = one_line(value)
    before = text[: last.end] + between
    if key is not None:
        before += f"{key}:{colon}"
    return before + laid_out + text[last.end :]


def _around_the_first(text: str, path: Path) -> tuple[str, str]:
    """Return the text before and after the only item of a container.

    It has a line of its own if the items of the container around it have.
    """
    outer = span_of(text, path[:-1]) if path else None
    items = places_in(text, outer) if outer else []
    if not outer or not items:
        return "", ""
    before = text[outer[0] + 1 : items[0][1].name_start]
    if "\n" not in before:
        return "", ""
    own = before.rpartition("\n")[2]
    around = indent_of_line(text, outer[0])
    step = STEP
    if own.startswith(around) and own != around:
        step = own.removeprefix(around)
    return f"\n{own}{step}", f"\n{own}"


def indent_of_line(text: str, at: int) -> str:
    """Return the whitespace at the start of a line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t\r"))]


def string(text: str) -> str:
    """Return a text as a JSON string with few escapes.

    A lone surrogate stays an escape.
    """
    spelled = json.dumps(text, ensure_ascii=False)
    if any("\ud800" <= char <= "\udfff" for char in spelled):
        return json.dumps(text)
    return spelled


def _laid_out(value: str, level: str) -> str:
    """Return a value on several lines at an indentation."""
    first, *rest = indented(value).split("\n")
    return "\n".join([first, *(f"{level}{line}" for line in rest)])
