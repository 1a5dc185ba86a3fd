"""A first look: which secrets could stand in some bytes at all, in a fraction of the time of a real search.

Whatever else is done to a value on its way, its letters and digits stay as they are, unless they are spelled as an
escape, which nobody does who does not want to hide them. So a run of them is looked for, and any such escape. A
"no" is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from rpcexplorer.model.letters import has_letters
from rpcexplorer.model.spellings import base64_cores

SHORTEST: Final = 3
"""Letters and digits; a shorter run stands everywhere."""

SLICE: Final = 512 * 1024
"""Bytes that are looked at in one go: a millisecond."""

MANY: Final = 400
"""So many runs are looked for one by one; of more, one pattern is made for long texts, whatever their number."""
LONG: Final = 64 * 1024
"""Bytes that are worth it."""
FIRST: Final = 6
"""Letters and digits of each run that stand in that pattern."""

_RUN = re.compile("[A-Za-z0-9]+")
_LEAST_OVERLAP = 24  # bytes of what was looked at before: no shorter than an escape that is quoted a few times


class Glance:
    """Knows what to look for; made once for many texts."""

    def __init__(self, values: Iterable[str], names: Iterable[str] = ()) -> None:
        """``values`` in any spelling; ``names`` in small letters or large."""
        self._values = tuple(values)
        self._always: set[str] = set()
        """Values of which a run is too short to be looked for."""
        self._exact: dict[bytes, set[str]] = {}
        self._small: dict[bytes, set[str]] = {}
        for value in self._values:
            self._take(self._exact, value, value, *base64_cores(value))
            self._small.setdefault(value.encode("utf-8", "surrogatepass").hex().encode(), set()).add(value)
        for name in names:
            self._take(self._small, "", name.lower())
        self._overlap = max(map(len, (*self._exact, *self._small)), default=0) + _LEAST_OVERLAP

    def sees(self, content: bytes) -> bool:
        """Whether a real search is worth its time."""
        return any(self.looks(content))

    def looks(self, content: bytes) -> Iterator[bool]:
        """The same in steps: what is seen in one slice after the other."""
        if self._always or not (self._exact or self._small):
            yield bool(self._always)
            return
        for start in range(0, max(len(content), 1), SLICE):
            yield self._sees(content[max(start - self._overlap, 0) : start + SLICE])

    def among(self, content: bytes) -> tuple[str, ...]:
        """The values that could be in it, its letters and digits as they are."""
        small = content.lower()
        found = set(self._always)
        found.update(*(values for run, values in self._exact.items() if run in content))
        found.update(*(values for run, values in self._small.items() if run in small))
        return tuple(value for value in self._values if value in found)

    def _sees(self, content: bytes) -> bool:
        if self._is_escaped(content):
            return True
        if len(self._exact) + len(self._small) > MANY and len(content) > LONG:
            exact, small = self._of_many
            return bool(exact.search(content) or small.search(content.lower()))
        lower = content.lower()
        return any(run in content for run in self._exact) or any(run in lower for run in self._small)

    def _is_escaped(self, content: bytes) -> bool:
        """Whether a letter or a digit is spelled as an escape, or could be."""
        if not content[: self._overlap].strip(b"%25"):  # a percent sign quoted so often that its start is out of sight
            return bool(content)
        return has_letters(content)

    @cached_property
    def _of_many(self) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
        """All runs by how they begin: as they are, and in small letters."""
        exact, small = (re.compile(_tree({run[:FIRST] for run in runs})) for runs in (self._exact, self._small))
        return exact, small

    def _take(self, runs: dict[bytes, set[str]], value: str, *texts: str) -> None:
        """The longest run of each text; one that is too short is taken to stand everywhere."""
        for text in texts:
            run = max(_RUN.findall(text), key=len, default="")
            if len(run) < SHORTEST:
                self._always.add(value)
            else:
                runs.setdefault(run.encode(), set()).add(value)


def _tree(runs: Iterable[bytes]) -> bytes:
    """A pattern for any of the runs; what they begin with in common stands in it once."""
    branches: dict[bytes, list[bytes]] = {}
    for run in runs:
        if not run:
            return b""  # this one is complete, so nothing has to follow
        branches.setdefault(run[:1], []).append(run[1:])
    return b"(?:" + b"|".join(first + _tree(rests) for first, rests in branches.items()) + b")" if branches else b"(?!)"
