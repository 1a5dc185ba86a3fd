"""What a schema has against params, or against a result. It is a remark: servers lie about their schemas."""

from __future__ import annotations

from msgspec import Struct

from rpcexplorer.jsontext.typed.params import Fix


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

    @property
    def is_right(self) -> bool:
        return not self.problems and not self.why_not
