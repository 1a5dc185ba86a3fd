"""The place of the cursor in JSON text: its path and its token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from rpcexplorer.jsontext.scan import decoded
from rpcexplorer.patterns import regex

LONGEST: Final = 80_000
"""Characters before the cursor; in a longer text there is no place."""
FURTHER: Final = 20_000
"""Characters after the cursor that are searched for the rest."""
DEEPEST: Final = 100
_STRING: Final = r'"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"'
_WORD: Final = r"[^\s\[\]{},:\"]+"
_TO_BRACKET: Final = regex(rf'(?:[^\[\]{{}}"]++|{_STRING})*+')
"""Everything before a bracket, or before a string that is not closed."""
_MEMBER: Final = regex(rf"({_STRING})\s*:\s*({_STRING}|{_WORD})?")
_LAST_NAME: Final = regex(rf"({_STRING})\s*:\s*\Z")
_WHOLE_STRING: Final = regex(_STRING)
_AFTER_STRING: Final = regex(r"\s*+(?:[,:\]}]|\Z)")
_BREAK: Final = regex(r"[\s\[\]{},:\"]")
_BEHIND: Final = regex(r"[^\s\[\]{},:\"]*")
_NAME_FOLLOWS: Final = regex(rf"\s*{_STRING}\s*:")


class Level(NamedTuple):
    """A container that is open at the cursor."""

    is_object: bool
    members: Mapping[str, str] = {}
    """The members of an object as text; empty if not a scalar, or not written."""


class TypedPlace(NamedTuple):
    """The place of the cursor in a text."""

    path: tuple[str | int, ...]
    """Path of the value at the cursor; for a name, path of its object."""
    levels: tuple[Level, ...]
    """The outermost first."""
    due: Literal["name", "value", "next"]
    """``next``: a member is complete; a comma and a name follow."""
    start: int
    """Start and end of the token that is being typed, with its quotes."""
    end: int
    typed: str
    """The token before the cursor, without its quote."""
    quoted: bool
    colon: bool
    """A colon follows, so the name already has a value."""
    comma: bool
    """A comma is needed before the text that follows."""


class _Around(NamedTuple):
    bracket: str
    at: int
    own: list[tuple[int, int]]
    """Its own parts of the text, without those of inner containers."""


def place_at(text: str, offset: int) -> TypedPlace | None:
    """Return the place at an offset, or None if nothing can be typed there."""
    if offset > LONGEST:
        return None
    found, string = _opened(text, offset)
    if not found:
        return None
    start, end, quoted = _token(text, offset, string)
    found[-1].own.append((found[-1].own.pop()[0], start))
    due = _due(text, found[-1], start)
    if not due or (due == "next" and (quoted or start < end)):
        return None
    colon = _sign(text, end) == ":"
    comma = _needs_comma(text, end, is_object=found[-1].bracket == "{", due=due)
    path = _path(text, found if due == "value" else found[:-1])
    if comma is None or path is None:
        return None
    behind = _behind(text, end, len(found))
    levels = tuple(_level(text, around, more) for around, more in zip(found, behind, strict=True))
    typed = decoded(f'{text[start:offset]}"') if quoted else text[start:offset]
    if due == "next":
        start = len(text[:start].rstrip(" \t\r\n"))
    return TypedPlace(tuple(path), levels, due, start, end, typed, quoted, colon, comma)


def _opened(text: str, offset: int) -> tuple[list[_Around], int | None]:
    """Return the open containers, and the start of an open string."""
    found: list[_Around] = []
    at = 0
    while True:
        stop = _next_bracket(text, at, offset)
        if found:
            found[-1].own.append((at, stop))
        if stop == offset:
            return found, None
        if text[stop] == '"':
            line = text.find("\n", stop, offset)
            if line < 0:
                return found, stop
            at = line  # An unclosed string ends at the end of its line.
            continue
        if text[stop] in "[{":
            found.append(_Around(text[stop], stop, []))
            if len(found) > DEEPEST:
                return [], None
        elif found:
            found.pop()
        at = stop + 1


def _next_bracket(text: str, at: int, end: int) -> int:
    """Return the start of the next bracket or unclosed string, or the end of the span."""
    stretch = _TO_BRACKET.match(text, at, end)
    return stretch.end() if stretch else at


def _behind(text: str, at: int, level: int) -> list[list[tuple[int, int]]]:
    """Return the spans after the cursor by open container, outermost first."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(level)]
    limit, inside = at + FURTHER, 0
    while level:
        stop = _next_bracket(text, at, limit)
        if not inside:
            found[level - 1].append((at, stop))
        if stop in (limit, len(text)) or text[stop] == '"':
            break
        if text[stop] in "[{":
            inside += 1
        elif inside:
            inside -= 1
        else:
            level -= 1
        at = stop + 1
    return found


def _token(text: str, offset: int, string: int | None) -> tuple[int, int, bool]:
    """Return start and end of the token at an offset; and if it is quoted."""
    if string is None:
        start = offset
        while start and not _BREAK.match(text, start - 1):
            start -= 1
        return start, _end_of_word(text, offset), False
    whole = _WHOLE_STRING.match(text, string)
    if whole and _AFTER_STRING.match(text, whole.end()):
        return string, whole.end(), True
    end = _end_of_word(text, offset)
    return string, end + text.startswith('"', end), True


def _end_of_word(text: str, offset: int) -> int:
    behind = _BEHIND.match(text, offset)
    return behind.end() if behind else offset


def _due(text: str, container: _Around, start: int) -> Literal["", "name", "value", "next"]:
    """Return what can be at the start of a token."""
    before = start - 1
    while before > container.at and text[before] in " \t\r\n":
        before -= 1
    is_object = container.bracket == "{"
    if before == container.at or text[before] == ",":
        return "name" if is_object else "value"
    if not is_object:
        return ""
    if text[before] == ":":
        return "value"
    if text[before] in "}]":
        return "next"
    last = None
    for last in _MEMBER.finditer(text, *container.own[-1]):  # noqa: B007 - the last one counts
        pass
    if last is None or not last[2] or last.end() != before + 1:
        return ""
    return "next"


def _sign(text: str, at: int) -> str:
    """Return the next character that is not whitespace; empty at the end."""
    return text[at : at + FURTHER].lstrip()[:1]


def _needs_comma(text: str, end: int, *, is_object: bool, due: str) -> bool | None:
    """Return whether an insertion needs a comma after it; None if impossible."""
    sign = _sign(text, end)
    if not sign or sign in ",]}" or (sign == ":" and due == "name"):
        return False
    if not is_object:
        return None if sign == ":" else True
    if sign != '"' or (due == "value" and not _NAME_FOLLOWS.match(text, end)):
        return None
    return True


def _level(text: str, container: _Around, more: list[tuple[int, int]]) -> Level:
    if container.bracket == "[":
        return Level(is_object=False)
    members: dict[str, str] = {}
    for start, end in (*container.own, *more):
        for found in _MEMBER.finditer(text, start, end):
            members[decoded(found[1])] = found[2] or ""
    return Level(True, members)


def _path(text: str, containers: list[_Around]) -> list[str | int] | None:
    """Return the path into containers; None if a name is missing."""
    path: list[str | int] = []
    for container in containers:
        if container.bracket == "[":
            own = [_WHOLE_STRING.sub("", text[start:end]) for start, end in container.own]
            path.append(sum(stretch.count(",") for stretch in own))
        elif name := _LAST_NAME.search(text, *container.own[-1]):
            path.append(decoded(name[1]))
        else:
            return None
    return path
