"""The last point before bytes leave for the terminal: whatever still is not printable is replaced here.

Views make text printable at their exit; this is the second line of defence, for every widget there is, ours or not.
"""

from __future__ import annotations

from rich.cells import set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from rpcexplorer.text.printable import printable


class Guard(LineFilter):
    """Replaces control characters in whatever a widget drew; its own escapes come later, from the styles."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The segments with nothing in them that a terminal would obey."""
        return [each if harmless(each.text) else _inert(each) for each in segments]


def harmless(text: str) -> bool:
    """Whether nothing in the text can do anything but be seen."""
    return text.isprintable() and (text.isascii() or printable(text) == text)


def _inert(segment: Segment) -> Segment:
    """Visible, in as many columns as before: a line must not grow at the last moment."""
    return Segment(set_cell_size(printable(segment.text), segment.cell_length), segment.style)
