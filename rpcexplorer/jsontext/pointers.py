"""JSON pointers, plain ones and such in which ``*`` stands for any member or element: what they point at in a text.

The text is read as servers write it; of a name that stands twice in one object each is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rpcexplorer.jsontext.scan import Span, elements, members

POINTER: Final = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
ANY: Final = "*"
DIGITS: Final = 9
"""More have no element of any array."""


def parts_of(pointer: str) -> tuple[str, ...] | None:
    """The names that a pointer goes by; None where it is none."""
    if not POINTER.fullmatch(pointer):
        return None
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def spans_at(text: str, parts: Sequence[str]) -> Iterator[Span]:
    """Where each value stands that such parts lead to, in order."""
    start = len(text) - len(text.lstrip())
    spans = [(start, start + len(text.strip()))]
    for part in parts:
        spans = [inside for span in spans for inside in _inside(text[slice(*span)], span[0], part)]
    yield from spans


def at_pointer(text: str, pointer: str) -> str | None:
    """The one part that a plain pointer names, as it is spelled; None where there is none.

    Of a name that stands twice in one object the last one counts, as it does for whoever reads the text.
    """
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        values = [member.value for member in members(text) or () if member.name == name]
        if name.isdecimal():
            values += (elements(text) or [])[int(name[:DIGITS]) :][:1]
        if not values:
            return None
        text = text[slice(*values[-1])]
    return text.strip()


def _inside(text: str, at: int, part: str) -> Iterator[Span]:
    if text[:1] == "{":
        found = [each.value for each in members(text) or () if part in {ANY, each.name}]
    elif text[:1] == "[" and (part == ANY or (part.isdecimal() and len(part) <= DIGITS)):
        every = elements(text) or []
        found = every if part == ANY else every[int(part) :][:1]
    else:
        found = []
    yield from ((at + start, at + end) for start, end in found)
