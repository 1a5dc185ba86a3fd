"""Many spellings found in one text at once.

One small pattern finds where any of them may begin. The whole pattern of a spelling is compiled when its beginning
has turned up, which is rare; most texts hold none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from rpcexplorer.redaction.matching.spellings import Spelling

HEAD: Final = 4
"""Pieces, after the first character, that are looked for in the first place, ..."""
ENOUGH: Final = 48
"""... but no more than have so many characters: they tell enough, and a long pattern takes long to make."""
PatternKind = Literal["secret", "key", "whole", "text", "address", "placeholder"]
"""``whole`` and ``text`` are keys that are named like a secret; of the latter, numbers and tables are none."""


class Occurrence(NamedTuple):
    """A pattern where it stands in a text."""

    start: int
    end: int
    kind: PatternKind
    placeholder: str


class Pattern:
    """One spelling of a secret, of a member's key, or of a placeholder."""

    def __init__(self, kind: PatternKind, placeholder: str, spelling: Spelling) -> None:
        self.kind: PatternKind = kind
        self.placeholder = placeholder
        self.first = spelling.first
        self._pieces = (re.escape(spelling.first), *spelling.pieces)
        sizes = accumulate(map(len, self._pieces))
        self._head = next((number for number, size in enumerate(sizes, 1) if size > ENOUGH), HEAD + 1)

    @property
    def beginning(self) -> Sequence[str]:
        """The pieces of its pattern to look for in the first place."""
        return self._pieces[: min(self._head, HEAD + 1)]

    @cached_property
    def _begins(self) -> re.Pattern[str]:
        return re.compile("".join(self.beginning))

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile("".join(self._pieces))

    def at(self, text: str, start: int) -> Occurrence | None:
        if self._begins.match(text, start) and (found := self._whole.match(text, start)):
            return Occurrence(start, found.end(), self.kind, self.placeholder)
        return None


class Matcher:
    """Finds any of many patterns."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns: dict[str, list[Pattern]] = {}
        for each in patterns:
            self._patterns.setdefault(each.first, []).append(each)
        beginnings = [each.beginning for same_first in self._patterns.values() for each in same_first]
        self._beginning = re.compile(_any_of(beginnings) if beginnings else "(?!)")

    def occurrences(self, text: str) -> Iterator[Occurrence]:
        """Whatever is found, in order, overlapping or not; of those that begin in one place, the longest."""
        at = 0
        while beginning := self._beginning.search(text, at):
            start = beginning.start()
            at = start + 1
            seen = [found for each in self._patterns[text[start]] if (found := each.at(text, start))]
            if seen:
                yield max(seen, key=lambda occurrence: occurrence.end)


def _any_of(sequences: Iterable[Sequence[str]]) -> str:
    """One pattern for any of the sequences of patterns; what they begin with in common stands in it once."""
    branches: dict[str, list[Sequence[str]]] = {}
    for sequence in sequences:
        if not sequence:
            return ""  # this one is complete, so nothing has to follow
        branches.setdefault(sequence[0], []).append(sequence[1:])
    return f"(?:{'|'.join(first + _any_of(rests) for first, rests in branches.items())})"
