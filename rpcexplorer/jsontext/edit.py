"""Changes to typed JSON text: a value set, added, removed or moved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from rpcexplorer.jsontext.layout import compact, indented
from rpcexplorer.jsontext.scan import STRING, Span, elements, is_value, members
from rpcexplorer.patterns import regex

Path: TypeAlias = tuple[str | int, ...]
"""Names and places that lead to a value. Of a name that stands twice in one object the last one is meant."""
MARK: Final = "\ufeff"
STEP: Final = "  "
"""What a line is moved in by, where nothing says by what."""
_JOINS = regex(rf"({STRING})|([,:])\s*|\s+")
_LINES = regex(r"\n(?=[^\r\n])")
_BLANK = regex(r"[ \t\r\n]*")


class _Item(NamedTuple):
    """A member or an element, by the places where it stands."""

    name: str | None
    start: int
    """Of the key, where it has one."""
    value: Span


def is_json(text: str) -> bool:
    """Whether a text can stand where a value stands."""
    return is_value(text, strict=True)


def whole(text: str) -> Span:
    """Where the value of a text stands."""
    start = len(text) - len(text.removeprefix(MARK).lstrip(" \t\r\n"))
    return start, max(start, len(text.rstrip(" \t\r\n")))


def span_of(text: str, path: Path) -> Span | None:
    """Where the value stands that a path leads to; None where there is none."""
    span: Span | None = whole(text)
    for step in path:
        found = _item(_items(text, span), step) if span else None
        span = found.value if found else None
    return span


def changed(text: str, path: Path, value: str) -> str:
    """The text with another value where a path leads to."""
    span = span_of(text, path)
    assert span is not None, f"{path} is not there"
    return f"{text[: span[0]]}{value}{text[span[1] :]}"


def added(text: str, path: Path, value: str, name: str | None = None, *, key: str = "") -> str:
    """The text with one more member or element at the end of the object or array that a path leads to.

    With a ``name`` it is a member; ``key`` is the name as it is to be spelled. The value is laid out anew: nobody
    has typed it.
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
    """The text without what a path leads to; what comes behind an element moves up."""
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
    """A value as it stands by itself; as it is where a line of it stands further to the left than its neighbours."""
    first, *rest = text.split("\n")
    if not all(line.startswith(indent) or not line.strip() for line in rest):
        return text
    return "\n".join([first, *(line.removeprefix(indent) for line in rest)])


def with_indent(text: str, indent: str) -> str:
    """A value of several lines as it stands among others."""
    return _LINES.sub(f"\n{indent}", text)


def one_line(text: str) -> str:
    """Valid JSON on one line: a blank behind each comma and colon, none elsewhere; each token as it is."""
    return _JOINS.sub(lambda found: found[1] or (f"{found[2]} " if found[2] else ""), text)


def _items(text: str, span: Span | None) -> list[_Item]:
    """What stands in an object or array; nothing in anything else."""
    if span is None or text[span[0] : span[0] + 1] not in ("{", "["):
        return []
    at, inside = span[0], text[slice(*span)]
    if inside[0] == "[":
        return [_Item(None, at + start, (at + start, at + end)) for start, end in elements(inside) or ()]
    found = members(inside) or ()
    return [_Item(each.name, at + each.key[0], (at + each.value[0], at + each.value[1])) for each in found]


def _item(items: Sequence[_Item], step: str | int) -> _Item | None:
    if isinstance(step, str):
        return next((each for each in reversed(items) if each.name == step), None)
    return items[step] if 0 <= step < len(items) and items[step].name is None else None


def _appended(text: str, items: Sequence[_Item], value: str, key: str | None) -> str:
    """One more behind the last, with what stands between the others, or before the only one."""
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
    """What stands before and behind the only item of a container: as in the one around it.

    Where that has an item a line, so has this.
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
    """The blanks that the line begins with in which a place stands."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    found = _BLANK.match(line)
    return found[0] if found else ""


def _key(spelled: str | None, colon: str) -> str:
    return "" if spelled is None else f"{spelled}:{colon}"


def string(text: str) -> str:
    """A text as JSON spells it, with no more escapes than it needs; half a character stays an escape."""
    spelled = json.dumps(text, ensure_ascii=False)
    return json.dumps(text) if any("\ud800" <= char <= "\udfff" for char in spelled) else spelled


def _laid_out(value: str, level: str | None) -> str:
    """On one line, or with an item a line where those beside it stand on lines of their own."""
    if level is None:
        return one_line(value)
    first, *rest = indented(value).split("\n")
    return "\n".join([first, *(f"{level}{each}" for each in rest)])
