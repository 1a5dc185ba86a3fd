"""One row of a pager as a line of the screen: number, sign of a fold, text in its colours, what was found in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct
from rich.segment import Segment
from textual.strip import Strip

from rpcexplorer.text.document import Document
from rpcexplorer.text.document_rows import DocumentRow
from rpcexplorer.text.json_text import tokens
from rpcexplorer.tui.reader.hits import Hits
from rpcexplorer.tui.sizes import AFTER_NUMBER, GUTTER
from rpcexplorer.tui.theming import ThemeStyles, clipped, filled

BEFORE, AFTER = "‹", "›"  # noqa: RUF001 - the signs are meant
"""There is more at this side."""
FOUND: Final = {True: "careful reverse", False: "careful underline"}
"""How a place that was found is drawn: the one at hand, and the others."""
_SIGNS: Final = {"open": ("▾", "dim"), "folded": ("▸", "accent")}


def number_width(count: int) -> int:
    """Columns for the numbers of so many lines; JSON starts in the same column as in the editor as long as it can."""
    return max(GUTTER - AFTER_NUMBER, len(str(count)))


class Painter(Struct, frozen=True):
    """What all rows of one moment have in common."""

    document: Document
    hits: Hits | None
    styles: ThemeStyles
    left: int
    """How many characters are out of sight at the left."""
    room: int
    """Columns for the text."""

    numbers: int
    """Columns for the numbers of lines."""

    def line(self, row: DocumentRow, *, here: bool) -> Strip:
        """A whole line; ``here``: the cursor stands on it and can be seen."""
        ground = "selection" if here else "background"
        sign, role = _SIGNS.get(row.fold, (" ", "text"))
        number = ("" if row.continued else str(row.line + 1)).rjust(self.numbers) + " "
        margin = [(number, "middle" if here else "dim"), (sign, role), (BEFORE if self.left else " ", "dim")]
        pieces = [Segment(text, self.styles.style(role, ground)) for text, role in margin]
        text = clipped(
            list(self._segments(row.text, self._roles(row), ground)),
            self.room,
            Segment(AFTER, self.styles.style("dim", ground)),
        )
        # one strip and no more: Textual's have seven caches each
        return filled([*pieces, *text], self.numbers + AFTER_NUMBER + self.room, self.styles.style("text", ground))

    def _roles(self, row: DocumentRow) -> list[str]:
        """The role of each character. What a fold says is nobody's text: no colours there, and nothing is found."""
        roles = ["text"] * len(row.text)

        def paint(start: int, end: int, role: str) -> None:
            start, end = max(start, 0), min(end, len(roles))
            roles[start:end] = [role] * (end - start)

        first = row.start + self.left
        own = len(roles)
        if self.document.is_json:
            for start, end, token in tokens(row.text, in_string=row.in_string):
                paint(start, end, f"json-{token}")
        if row.fold == "folded":
            own = max(self.document.size(*self.document.span(row.line))[0] - first, 0)
            paint(own, row.text.rfind(" "), "middle")
        if self.hits is not None:
            for start, end, at_hand in self.hits.on(row.line, first, first + own):
                paint(start - first, end - first, FOUND[at_hand])
        return roles

    def _segments(self, text: str, roles: Sequence[str], ground: str) -> Iterator[Segment]:
        start = 0
        for role, run in groupby(roles):
            end = start + sum(1 for _ in run)
            yield Segment(text[start:end], self.styles.style(role, ground))
            start = end
