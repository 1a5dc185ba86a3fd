"""Told beforehand: which secrets could stand in some bytes at all, in a fraction of the time of a real search.

Whatever else is done to a value on its way, its letters and digits stay as they are, unless they are spelled as an
escape, which nobody does who does not want to hide them. So a run of them is looked for, and any such escape. A
"no" is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from rpcexplorer.redaction.matching.escapes import has_escapes
from rpcexplorer.redaction.matching.spellings import base64_cores

SHORTEST: Final = 3
"""Letters and digits; a shorter run stands everywhere."""
SLICE: Final = 512 * 1024
"""Bytes that are looked at in one go: a millisecond."""
MANY: Final = 400
"""So many runs are looked for one by one, and more than that in ..."""
FEW: Final = 32 * 1024
"""... the first bytes that are looked at; for more, one pattern is made, which takes a while, and finds any number."""
FIRST: Final = 4
"""Letters and digits of each run that stand in that pattern."""
_RUN = re.compile("[A-Za-z0-9]+")
_LEAST_OVERLAP = 24  # bytes of what was looked at before: no shorter than an escape that is quoted a few times


class Runs:
    """What is looked for, and the values that it may be of."""

    def __init__(self) -> None:
        self._values: dict[bytes, set[str]] = {}
        self._looked_at = 0

    def add(self, run: bytes, value: str) -> None:
        self._values.setdefault(run, set()).add(value)

    def __len__(self) -> int:
        return len(self._values)

    def longest(self) -> int:
        return max(map(len, self._values), default=0)

    def values_in(self, content: bytes) -> Iterator[set[str]]:
        """Those of each run that stands in it."""
        self._looked_at += len(content)
        if len(self) <= MANY or self._looked_at <= FEW:
            yield from (values for run, values in self._values.items() if run in content)
            return
        at, seen = 0, set[bytes]()
        while found := self._beginning.search(content, at):
            at = found.start() + 1
            if found[0] not in seen:
                seen.add(found[0])
                yield from (self._values[run] for run in self._begin_with[found[0]] if run in content)

    @cached_property
    def _begin_with(self) -> dict[bytes, list[bytes]]:
        """The runs by how they begin; no beginning begins like another."""
        beginnings: dict[bytes, list[bytes]] = {}
        for run in sorted(self._values, key=len):
            first = next((run[:size] for size in range(1, FIRST) if run[:size] in beginnings), run[:FIRST])
            beginnings.setdefault(first, []).append(run)
        return beginnings

    @cached_property
    def _beginning(self) -> re.Pattern[bytes]:
        return re.compile(_tree(self._begin_with))


class Prefilter:
    """Knows what to look for; made once for many texts."""

    def __init__(self, values: Iterable[str], names: Iterable[str] = ()) -> None:
        """``values`` in any spelling; ``names`` in small letters or large."""
        self._values = tuple(values)
        self._always: set[str] = set()
        """Values of which a run is too short to be looked for."""
        self._exact, self._small = Runs(), Runs()
        for value in self._values:
            self._take(self._exact, value, value, *base64_cores(value))
            self._small.add(value.encode("utf-8", "surrogatepass").hex().encode(), value)
        for name in names:
            self._take(self._small, "", name.lower())
        self._overlap = max(self._exact.longest(), self._small.longest()) + _LEAST_OVERLAP

    def matches(self, content: bytes) -> bool:
        """Whether a real search is worth its time."""
        return any(self.matches_in_steps(content))

    def matches_in_steps(self, content: bytes) -> Iterator[bool]:
        """Like ``matches``, for one slice after the other."""
        if self._always or not (self._exact or self._small):
            yield bool(self._always)
            return
        for start in range(0, max(len(content), 1), SLICE):
            yield self._matches(content[max(start - self._overlap, 0) : start + SLICE])

    def among(self, content: bytes) -> tuple[str, ...]:
        """The values that could be in it, its letters and digits as they are."""
        found = set(self._always)
        found.update(*self._exact.values_in(content), *self._small.values_in(content.lower()))
        return tuple(value for value in self._values if value in found)

    def _matches(self, content: bytes) -> bool:
        if not content[: self._overlap].strip(b"%25"):  # a percent sign quoted so often that its start is out of sight
            return bool(content)
        return (
            has_escapes(content) or any(self._exact.values_in(content)) or any(self._small.values_in(content.lower()))
        )

    def _take(self, runs: Runs, value: str, *texts: str) -> None:
        """The longest run of each text; one that is too short is taken to stand everywhere."""
        for text in texts:
            run = max(_RUN.findall(text), key=len, default="")
            if len(run) < SHORTEST:
                self._always.add(value)
            else:
                runs.add(run.encode(), value)


def _tree(runs: Iterable[bytes]) -> bytes:
    """A pattern for any of the runs; what they begin with in common stands in it once."""
    branches: dict[bytes, list[bytes]] = {}
    for run in runs:
        if not run:
            return b""  # this one is complete, so nothing has to follow
        branches.setdefault(run[:1], []).append(run[1:])
    return b"(?:" + b"|".join(first + _tree(rests) for first, rests in branches.items()) + b")" if branches else b"(?!)"
