"""How the bytes of a line are shown, and a very long line shown in parts: the first screenful costs one of them.

What lives here knows one line at a time; where lines begin and end is known elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from itertools import pairwise
from typing import Final

from rpcexplorer.views.printable import printable

PART: Final = 16_384
"""Bytes that are decoded at a time."""
TAB: Final = "    "
"""What is shown for a tab, wherever it stands, so that columns can be counted."""
_WIDE: Final = (  # all that takes two columns, and some that do not: a search is quicker than a count
    "[\u1100-\u115f\u231a-\u23ff\u25fd-\u27bf\u2b00-\u2bff\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3"
    "\uf900-\ufaff\ufe10-\ufe6f\uff01-\uff60\uffe0-\uffe6\U00016fe0-\U0010ffff]"
)


def shown(content: bytes) -> str:
    r"""The printable text of a part of a line; bytes that are not UTF-8 read ``\xff``."""
    return printable(content.decode("utf-8", "backslashreplace").replace("\t", TAB))


class LongLine:
    """One line, by offsets into a text, taken apart no further than somebody has looked."""

    def __init__(self, text: bytes, begin: int, end: int) -> None:
        self._text = text
        self._end = end
        self._cuts = [begin]
        self._before = [0]  # characters before each cut
        self._widest = 1

    def text(self, start: int = 0, limit: int | None = None) -> str:
        while self._known < self._end and (limit is None or self._before[-1] < start + limit):
            self._grow()
        first = bisect_right(self._before, start) - 1
        last = len(self._cuts) if limit is None else bisect_right(self._before, start + limit)
        cuts = self._cuts[first : last + 1]
        text = "".join(shown(self._text[cut:stop]) for cut, stop in pairwise(cuts))
        start -= self._before[first]
        return text[start : None if limit is None else start + limit]

    def characters_before(self, offset: int) -> int:
        """How many characters are shown for the bytes before an offset into the text."""
        while self._known < min(offset, self._end):
            self._grow()
        part = bisect_right(self._cuts, offset) - 1
        return self._before[part] + len(shown(self._text[self._cuts[part] : min(offset, self._end)]))

    def size(self) -> tuple[int, int]:
        """How many characters it has, and how many columns one of them takes at most: 1 or 2."""
        while self._known < self._end:
            self._grow()
        return self._before[-1], self._widest

    @property
    def _known(self) -> int:
        return self._cuts[-1]

    def _grow(self) -> None:
        """Count the characters of one part more, which ends where a character does."""
        cut = min(self._known + PART, self._end)
        least = cut - 3
        while least < cut < self._end and self._text[cut] & 0xC0 == 0x80:
            cut -= 1
        part = self._text[self._known : cut]
        characters = len(part)
        if not part.isascii() or b"\t" in part:
            text = shown(part)
            characters = len(text)
            if self._widest == 1 and _wide().search(text):
                self._widest = 2
        self._cuts.append(cut)
        self._before.append(self._before[-1] + characters)


@cache
def _wide() -> re.Pattern[str]:
    return re.compile(_WIDE)
