"""A few lines of what is worth saying beside an outcome: three above a reply, and as many as it takes above none."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from rpcexplorer.views.printable import printable


class Remarks(Static):
    """Sentences with their roles, joined by a dot in the middle; gone where there is nothing to say."""

    DEFAULT_CSS = """
    Remarks { height: auto; max-height: 3; padding: 0 2 0 3; background: $background; }
    Remarks.-alone { max-height: 12; }
    """

    pieces: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    joined: reactive[bool] = reactive(True)
    """A dot between the pieces; else they are one line as they stand."""

    def on_mount(self) -> None:
        self.watch_pieces()

    def watch_pieces(self) -> None:
        self.display = bool(self.pieces)
        parts = [Content.styled(printable(text), _style(role)) for text, role in self.pieces]
        self.update(Content("  ·  " if self.joined else "").join(parts))


def _style(role: str) -> str:
    """A role in the words of Textual's own styles."""
    colour, *rest = role.split()
    return " ".join([f"${colour}", *rest])
