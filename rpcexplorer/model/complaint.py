"""What is wrong with a file: a complaint where reading goes on without the damaged part, a trouble where it cannot."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct


class Complaint(Struct, frozen=True):
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


class Trouble(Exception):  # noqa: N818 - it reads as what it is where it is raised
    """Something that a person asked for could not be done. ``sentence`` says what, why, and what to do next."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like ``word``, if any is like it at all."""
    import difflib  # only where something is wrong: it costs a fifth of the start

    matches = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None
