"""Fuzzy matching for pickers.

Not Textual's: among 10,000 names that takes 40 to 200 ms a key, this 3 to 10, and it wants the words in their order.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, overload

from msgspec import Struct

from rpcexplorer.patterns import regex

EQUAL: Final = 6.0
"""The score of a name that is the query, letter for letter."""
EXACT, PREFIX, WORD, WORDS, INSIDE = 5.0, 4.0, 3.0, 2.0, 1.0
"""Scores of a match: whole name, its start, a word, several words, inside.

Scattered letters score below 1, and more if they are closer together.
"""
MARK: Final = "\x1f"
"""Inserted before each word of a name. Queries cannot contain it."""
_HEAD = regex(
    r"(?<![^\s._/:-])[^\s._/:-]"  # at the beginning, or after a separator
    r"|(?<=[^\W_A-Z])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])"  # a hump: userGet, HTTPServer
)


class Match(Struct, frozen=True):
    index: int
    name: str
    score: float
    positions: tuple[int, ...]
    """The position in the name of each letter of the query."""


class Ranking(Sequence[Match]):
    """Matches, best first, created on access to save time."""

    def __init__(
        self, words: Sequence[str], names: Sequence[str], indexes: Sequence[int], scores: Mapping[int, float]
    ) -> None:
        self._words = words
        self._names = names
        self.indexes = indexes
        self._scores = scores

    def __len__(self) -> int:
        return len(self.indexes)

    @overload
    def __getitem__(self, at: int) -> Match: ...
    @overload
    def __getitem__(self, at: slice) -> Ranking: ...
    def __getitem__(self, at: int | slice) -> Match | Ranking:
        if isinstance(at, slice):
            return Ranking(self._words, self._names, self.indexes[at], self._scores)
        index = self.indexes[at]
        name = self._names[index]
        return Match(index, name, self._scores.get(index, 0.0), _positions(self._words, name))


class Names:
    def __init__(self, names: Sequence[str]) -> None:
        self._given = tuple(names)
        self._order = sorted(range(len(names)), key=lambda index: len(names[index]))
        """Shorter names first, as they win among equal scores."""
        self._longest = len(names[self._order[-1]]) if names else 0
        self._last: tuple[str, Iterable[int]] = ("", self._order)
        """The last query and its matches. A longer query matches some of these."""

    def ranked(self, query: str, *, weights: Mapping[str, float] | None = None) -> Ranking:
        """Return the names that match a query, best first.

        Without a query, the names keep their order. A name must contain every word of the query, in any order. A query
        with upper-case letters is case-sensitive. ``weights`` add to the scores: 1 lifts a name by one rank.
        """
        words = list(dict.fromkeys(query.split()))
        if not words:
            return Ranking((), self._given, range(len(self._given)), {})
        scores = self._scores(query, words)
        for index in self._called(query, scores):
            scores[index] = EQUAL
        for name, weight in (weights or {}).items():
            for index in self._called(name, scores):
                scores[index] += weight
        best = sorted(scores, key=scores.__getitem__, reverse=True)  # stable: the shorter stay first among equals
        return Ranking(words, self._given, best, scores)

    def _scores(self, query: str, words: Sequence[str]) -> dict[int, float]:
        """The score of each name that the query means, shorter ones first."""
        before, indexes = self._last
        if max(map(len, words)) > self._longest:
            return {}
        if _means_case(words):
            forms = self._exact
        else:
            forms, words = self._folded, [_fold(word) for word in words]
        if not query.startswith(before):
            indexes = self._order
        first, *others = words
        scores = _ranks(first, forms, indexes)
        for word in others:
            scores = {index: scores[index] + rank for index, rank in _ranks(word, forms, scores).items()}
        self._last = (query, list(scores))
        return {index: score / len(words) for index, score in scores.items()}

    def _called(self, name: str, among: Mapping[int, float]) -> Iterator[int]:
        return (index for index in self._by_name.get(name, ()) if index in among)

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        indexes: dict[str, list[int]] = {}
        for index, name in enumerate(self._given):
            indexes.setdefault(name, []).append(index)
        return indexes

    @cached_property
    def _exact(self) -> _Forms:
        return _Forms(self._given, tuple(_HEAD.sub(rf"{MARK}\g<0>", name) for name in self._given))

    @cached_property
    def _folded(self) -> _Forms:
        return _Forms(tuple(map(_fold, self._given)), tuple(map(_fold, self._exact.marked)))


class _Forms(NamedTuple):
    plain: Sequence[str]
    marked: Sequence[str]
    """With ``MARK`` before each word."""


def ranked(query: str, names: Sequence[str], *, weights: Mapping[str, float] | None = None) -> Ranking:
    """Return matching names, best first. For repeated queries use ``Names``."""
    return Names(names).ranked(query, weights=weights)


def matched_letters(query: str, name: str) -> tuple[int, ...]:
    """Return which characters of a name that matches are the query's letters."""
    return _positions(query.split(), name)


def _means_case(words: Iterable[str]) -> bool:
    return any(map(str.isupper, "".join(words)))


def _fold(text: str) -> str:
    """Return the text in lower case, with the same number of characters."""
    if text.isascii():
        return text.lower()
    lower = [letter.lower() for letter in text]
    return "".join(low if len(low) == 1 else letter for letter, low in zip(text, lower, strict=True))


def _ranks(word: str, forms: _Forms, indexes: Iterable[int]) -> dict[int, float]:
    """Return the rank of each name that contains the word."""
    plain, marked = forms
    head, heads, scattered = MARK + word, _heads(word).match, _scattered(word).match
    several = len(word) > 1  # one letter begins a word or is inside; most names have it, so nothing else is tried
    ranks: dict[int, float] = {}
    for index in indexes:
        name = plain[index]
        if word in name:
            if name.startswith(word):
                ranks[index] = EXACT if len(name) == len(word) else PREFIX
            elif head in marked[index]:
                ranks[index] = WORD
            elif several and heads(marked[index]):
                ranks[index] = WORDS
            else:
                ranks[index] = INSIDE
        elif several:
            found = scattered(name)
            if found and heads(marked[index]):
                ranks[index] = WORDS
            elif found:
                ranks[index] = len(word) / (found.end() - found.start(1))
    return ranks


def _heads(word: str, behind: str = "") -> re.Pattern[str]:
    """Match letters that follow each other or begin words.

    ``behind`` follows each of them. The groups are atomic, so that no name can make the search slow.
    """
    first, *others = map(re.escape, word)
    rest = (f"(?>{MARK}?{letter}|.*?{MARK}{letter}){behind}" for letter in others)
    return re.compile(f"(?>.*?{MARK}{first}){behind}{''.join(rest)}", re.DOTALL)


def _scattered(word: str) -> re.Pattern[str]:
    first, *others = map(re.escape, word)
    rest = (f"[^{letter}]*+{letter}" for letter in others)
    return re.compile(f"[^{first}]*+({first}){''.join(rest)}", re.DOTALL)


def _positions(words: Sequence[str], name: str) -> tuple[int, ...]:
    starts = [head.start() for head in _HEAD.finditer(name)]
    marked = _HEAD.sub(rf"{MARK}\g<0>", name)
    if not _means_case(words):
        words, name, marked = [_fold(word) for word in words], _fold(name), _fold(marked)
    places = [_letters(word, name, marked, starts) for word in words]
    return tuple(sorted(set().union(*places)))


def _letters(word: str, name: str, marked: str, starts: Sequence[int]) -> Sequence[int]:
    for start in (0, *starts):
        if name.startswith(word, start):
            return range(start, start + len(word))
    found = _heads(word, "()").match(marked)
    if found:
        shifted = [start + nth for nth, start in enumerate(starts, 1)]  # where each word begins behind its mark
        places = [found.start(nth) - 1 for nth in range(1, len(word) + 1)]
        return [place - bisect_right(shifted, place) for place in places]
    start = name.find(word)
    if start >= 0:
        return range(start, start + len(word))
    return _close(word, name)


def _close(word: str, name: str) -> list[int]:
    """Return the places of scattered letters that are close together.

    The search goes backwards from the earliest place of the last letter.
    """
    found = _scattered(word).match(name)
    assert found is not None
    letters, end = list[int](), found.end()
    for letter in reversed(word):
        end = name.rindex(letter, 0, end)
        letters.append(end)
    return letters[::-1]
