"""Edit typed JSON text: set, add, remove or move a value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from rpcexplorer.jsontext.layout import compact, indented
from rpcexplorer.jsontext.scan import STRING, Span, elements, is_value, members
from rpcexplorer.patterns import regex

Path: TypeAlias = tuple[str | int, ...]
"""Names and indexes of a value; of duplicate names the last one counts."""
MARK: Final = "\ufeff"
STEP: Final = "  "
"""Indentation, if the text has none of its own."""
_JOINS = regex(rf"({STRING})|([,:])\s*|\s+")
_LINES = regex(r"\n(?=[^\r\n])")
_BLANK = regex(r"[ \t\r\n]*")


class _Item(NamedTuple):
    """The place of a member or an element."""

    name: str | None
    start: int
    """Start of the key, if it has one."""
    value: Span


def is_json(text: str) -> bool:
    """Return whether a text is one JSON value."""
    return is_value(text, strict=True)


def whole(text: str) -> Span:
    """Return the span of a text without the whitespace around it."""
    start = len(text) - len(text.removeprefix(MARK).lstrip(" \t\r\n"))
    return start, max(start, len(text.rstrip(" \t\r\n")))


def span_of(text: str, path: Path) -> Span | None:
    """Return the span of the value at a path, or None."""
    span: Span | None = whole(text)
    for step in path:
        found = _item(_items(text, span), step) if span else None
        span = found.value if found else None
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
    items = _items(text, span)
    spelled = None if name is None else key or string(name)
    if items:
        return _appended(text, items, value, spelled)
    lead, tail = _around_the_first(text, path)
    level = lead.rpartition("\n")[2] if "\n" in lead else None
    put = f"{_key(spelled, ' ')}{_laid_out(value, level)}"
    opener, closer = ("[", "]") if name is None else ("{", "}")
    return f"{text[: span[0]]}{opener}{lead}{put}{tail}{closer}{text[span[1] :]}"


def removed(text: str, path: Path) -> str:
    """Return the text without the value at a path."""
    outer = span_of(text, path[:-1])
    items = _items(text, outer) if outer else []
    item = _item(items, path[-1])
    assert item is not None, f"{path} is not there"
    assert outer is not None
    at = items.index(item)
    if len(items) == 1:
        start, end = outer[0] + 1, outer[1] - 1
    elif at == 0:
        start, end = item.start, items[1].start
    else:
        start, end = items[at - 1].value[1], item.value[1]
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
    return _JOINS.sub(lambda found: found[1] or (f"{found[2]} " if found[2] else ""), text)


def _items(text: str, span: Span | None) -> list[_Item]:
    """Return the items of an object or array; of other values none."""
    if span is None or text[span[0] : span[0] + 1] not in ("{", "["):
        return []
    at, inside = span[0], text[slice(*span)]
    if inside[0] == "[":
        return [_Item(None, at + start, (at + start, at + end)) for start, end in elements(inside) or ()]
    found = members(inside) or ()
    return [_Item(member.name, at + member.key[0], (at + member.value[0], at + member.value[1])) for member in found]


def _item(items: Sequence[_Item], step: str | int) -> _Item | None:
    if isinstance(step, str):
        return next((item for item in reversed(items) if item.name == step), None)
    return items[step] if 0 <= step < len(items) and items[step].name is None else None


def _appended(text: str, items: Sequence[_Item], value: str, key: str | None) -> str:
    """Return the text with an item after the last one, in the same layout."""
    last = items[-1]
    opener = max(text.rfind("{", 0, last.start), text.rfind("[", 0, last.start)) if len(items) == 1 else 0
    between = text[items[-2].value[1] : last.start] if len(items) > 1 else f",{text[opener + 1 : last.start]}"
    colon = text[last.start : last.value[0]].rpartition(":")[2] if key is not None else ""
    if len(items) == 1 and between == "," and (key is None or colon):
        between = ", "
    level = between.rpartition("\n")[2].replace(",", "") if "\n" in between else None
    is_compact = level is None and between == "," and not colon
    laid_out = compact(value) if is_compact else _laid_out(value, level)
    end = last.value[1]
    return f"{text[:end]}{between}{_key(key, colon)}{laid_out}{text[end:]}"


def _around_the_first(text: str, path: Path) -> tuple[str, str]:
    """Return the text before and after the only item of a container.

    It has a line of its own if the items of the container around it have.
    """
    outer = span_of(text, path[:-1]) if path else None
    items = _items(text, outer)
    if outer is None or not items:
        return "", ""
    before = text[outer[0] + 1 : items[0].start]
    if "\n" not in before:
        return "", ""
    own = before.rpartition("\n")[2]
    around = indent_of_line(text, outer[0])
    step = own.removeprefix(around) if own.startswith(around) else ""
    return f"\n{own}{step or STEP}", f"\n{own}"


def indent_of_line(text: str, at: int) -> str:
    """Return the whitespace at the start of a line."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    found = _BLANK.match(line)
    return found[0] if found else ""


def _key(spelled: str | None, colon: str) -> str:
    return "" if spelled is None else f"{spelled}:{colon}"


def string(text: str) -> str:
    """Return a text as a JSON string with few escapes.

    A lone surrogate stays an escape.
    """
    spelled = json.dumps(text, ensure_ascii=False)
    return json.dumps(text) if any("\ud800" <= char <= "\udfff" for char in spelled) else spelled


def _laid_out(value: str, level: str | None) -> str:
    """Return a value on one line, or on several if its neighbours are."""
    if level is None:
        return one_line(value)
    first, *rest = indented(value).split("\n")
    return "\n".join([first, *(f"{level}{line}" for line in rest)])
