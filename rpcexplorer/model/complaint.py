"""A complaint about a file: where, which key, what is wrong, what to do. Reading goes on without the damaged part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing wrong in a file that a person wrote."""

    file: str
    sentence: str
    """What is wrong and what to do, without file and line."""
    line: int | None = None
    key: str = ""
    """The dotted key, such as ``profile.staging.timout``."""
    profile: str | None = None
    """The profile that cannot be used because of it; None where it is about the whole file."""

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.key}: {self.sentence}" if self.key else f"{where}: {self.sentence}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like ``word``, if any is like it at all."""
    import difflib  # only where something is wrong: it costs a fifth of the start

    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None
