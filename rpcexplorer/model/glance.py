"""A first look: whether a secret could stand in some bytes at all, in a fraction of the time of a real search.

Whatever else is done to a value on its way, its letters and digits stay as they are, unless they are spelled as an
escape, which nobody does who does not want to hide them. So a run of them is looked for, and any such escape. A
"no" is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from rpcexplorer.model.spellings import base64_cores

SHORTEST: Final = 3
"""Letters and digits; a shorter run stands everywhere."""

SLICE: Final = 512 * 1024
"""Bytes that are looked at in one go: a millisecond."""

_RUN = re.compile("[A-Za-z0-9]+")
_ALNUM = rb"(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])"
_ESCAPED = ((b"\\", re.compile(rb"\\u00" + _ALNUM)), (b"%", re.compile(rb"%(?:25)*" + _ALNUM)))
"""A letter or a digit that is spelled as an escape of JSON or of a URL, and the sign each begins with."""
_LEAST_OVERLAP = 16  # bytes of what was looked at before: no shorter than an escape that is quoted a few times


class Glance:
    """Knows what to look for; made once for many texts."""

    def __init__(self, values: Iterable[str], names: Iterable[str] = ()) -> None:
        """``values`` in any spelling; ``names`` in small letters or large."""
        self._always = False
        self._exact: set[bytes] = set()
        self._small: set[bytes] = set()
        for value in values:
            self._exact.update(self._fit(value, *base64_cores(value.encode("utf-8", "surrogatepass"))))
            self._small.add(value.encode("utf-8", "surrogatepass").hex().encode())
        self._small.update(self._fit(*(name.lower() for name in names)))
        self._overlap = max(map(len, (*self._exact, *self._small)), default=0) + _LEAST_OVERLAP

    def sees(self, content: bytes) -> bool:
        """Whether a real search is worth its time."""
        return any(self.looks(content))

    def looks(self, content: bytes) -> Iterator[bool]:
        """The same in steps: what is seen in one slice after the other."""
        if self._always or not (self._exact or self._small):
            yield self._always
            return
        for start in range(0, max(len(content), 1), SLICE):
            yield self._sees(content[max(start - self._overlap, 0) : start + SLICE])

    def _sees(self, content: bytes) -> bool:
        if not content[: self._overlap].strip(b"%25"):  # a percent sign quoted so often that its start is out of sight
            return bool(content)
        if any(run in content for run in self._exact):
            return True
        if any(sign in content and escape.search(content) for sign, escape in _ESCAPED):
            return True
        small = content.lower()
        return any(run in small for run in self._small)

    def _fit(self, *texts: str) -> Iterator[bytes]:
        """The longest run of each text; one that is too short is taken to stand everywhere."""
        for text in texts:
            run = max(_RUN.findall(text), key=len, default="")
            self._always = self._always or len(run) < SHORTEST
            yield run.encode()
