"""What a schema has against params, or against a result. It is a remark: servers lie about their schemas."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from rpcexplorer.jsontext.places import ValuePlace
from rpcexplorer.jsontext.typed.params import Fix

MOST_TOLD: Final = 50
"""Problems of one text."""


class SchemaProblem(Struct, frozen=True):
    """One place that the schema does not allow, in the words of whoever typed it."""

    pointer: tuple[str | int, ...]
    """Names and numbers that lead to it."""
    keyword: str
    """What of the schema it is about: ``type``, ``required``, ``enum`` …"""
    sentence: str
    """What is wrong and what is allowed."""
    offset: int = 0
    """Where it begins in the text, and ends."""
    end: int = 0
    line: int = 1
    column: int = 1
    fix: Fix | None = None
    """The whole text with this mended, where there is one obvious way."""


class Checked(Struct, frozen=True):
    """What came of a check."""

    problems: tuple[SchemaProblem, ...] = ()
    """In the order of the text."""
    why_not: str = ""
    """Why it was not checked, where it was not: no schema, too slow, a schema that is none."""
    in_part: bool = False
    """Only a part of it was not."""

    @property
    def is_right(self) -> bool:
        return not self.problems and not self.why_not


class Violation(Struct, frozen=True):
    """One thing that a schema has against a text, as the process that checks tells it."""

    path: tuple[str | int, ...]
    """Names and numbers that lead to the value."""
    rule: tuple[str | int, ...]
    """Keywords and names that lead to the keyword in the schema, through references."""
    place: ValuePlace | None = None
    name: str = ""
    """What is missing."""
    unexpected: tuple[tuple[str, ValuePlace | None], ...] = ()
    """What may not be there."""
    size: int = 0
    """Elements of an array that has too few of them, or too many."""
    surplus: ValuePlace | None = None
    """Where the first one stands that is too many."""
    alternatives: tuple[tuple[Violation, ...], ...] = ()
    """What each alternative has against it."""
