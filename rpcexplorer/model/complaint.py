"""What is wrong with a file: a complaint where reading goes on without the damaged part, a trouble where it cannot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from msgspec import Struct

LONGEST = 200
"""Characters of a key, or of another word that stands in a file, that are told of it."""
MOST = 500
"""Words among which the nearest is looked for."""


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
    many: int = 1
    """So many things are meant, where they are only counted."""

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {cut(self.key)}: {self.sentence}" if self.key else f"{where}: {self.sentence}"


class Trouble(Exception):  # noqa: N818 - it reads as what it is where it is raised
    """Something that a person asked for could not be done. ``sentence`` says what, why, and what to do next."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like ``word``, if any is like it at all."""
    return next(iter(nearest_few(word, known, 1)), None)


def nearest_few(word: str, known: Iterable[str], count: int) -> list[str]:
    """The known words most like ``word``, the most alike first."""
    import difflib  # only where something is wrong: it costs a fifth of the start

    if len(word) > LONGEST:
        return []
    return difflib.get_close_matches(word, list(islice(known, MOST)), n=count, cutoff=0.6)


def cut(word: str, longest: int = LONGEST) -> str:
    """A word of somebody else, short enough to be told."""
    return word if len(word) <= longest else f"{word[: longest - 1]}…"


CHECK = ": `rpcexplorer profiles check` says which"


def told(complaints: Sequence[Complaint], most: int, where: str = CHECK) -> list[str]:
    """Complaints as they are told: the first few, and how many more there are; ``where`` more is said of them."""
    sentences = [str(complaint) for complaint in complaints[:most]]
    more = sum(complaint.many for complaint in complaints[most:])
    return [*sentences, f"and {more:,} more{where}"] if more > 0 else sentences


def listed(words: Iterable[str], most: int = 20) -> str:
    """Words in a row: the first few, and how many more there are."""
    every = list(words)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
