"""The tinted or plain line above a pane: what it shows at the left, its tabs at the right, the key that goes there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theming import Pieces, ThemeStyles, line, width_of


class Bar(Widget):
    """One line; the tab that is open is told by accent, bold and underline."""

    DEFAULT_CSS = """
    Bar { height: 1; background: $background; }
    Bar.-tinted { background: $surface; }
    """

    GAP: ClassVar[int] = 2

    words: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    """What stands at the left."""
    after: reactive[Sequence[tuple[str, str]]] = reactive[Sequence[tuple[str, str]]](())
    """What follows them; whoever gives the words shortens them for it, see ``room``."""
    tabs: reactive[Sequence[str]] = reactive[Sequence[str]](())
    open: reactive[str] = reactive("")
    """The tab that is open."""
    key: reactive[str] = reactive("")
    """The key that goes to this pane."""
    here: reactive[bool] = reactive(False)
    """The focus is in this pane."""

    @message
    class TabClicked(Message):
        """A tab was asked for by a click."""

        bar: Bar
        tab: str

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        styles = ThemeStyles.of(self)
        ground = "surface" if self.has_class("-tinted") else "background"
        words = [*self.words, *self.after]
        words = [("▍", "accent"), *_inverted(words)] if self.here else [(" ", "text"), *words]
        return line(words, self.size.width, styles, right=self._right(), ground=ground)

    @property
    def room(self) -> int:
        """Columns for the last of the words, behind the marks before it."""
        return self.size.width - width_of(self._right()) - width_of(self.after) - len("▍✓ ")

    def next_tab(self, by: int = 1) -> str:
        """The tab that comes after the open one, round the corner."""
        at = self.tabs.index(self.open) if self.open in self.tabs else -1
        return self.tabs[(at + by) % len(self.tabs)] if self.tabs else ""

    def on_click(self, event: events.Click) -> None:
        x = self.size.width - width_of(self._right())
        for tab in self.tabs:
            x += self.GAP
            if x <= event.x < x + len(tab):
                event.stop()
                self.post_message(self.TabClicked(self, tab))
            x += len(tab)

    def _right(self) -> Pieces:
        words = []
        for tab in self.tabs:
            words.append((" " * self.GAP, "text"))
            words.append((tab, "accent bold underline" if tab == self.open else "middle"))
        if self.key:
            words.append((f"  {self.key}", "dim"))
        return [*words, (" ", "text")]


def _inverted(words: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Swap text and ground up to the end of the title: it shows the focus also on a terminal without colours."""
    end = next((at for at, (text, _) in enumerate(words) if any(map(str.isalnum, text))), len(words) - 1)
    role, rest = (words[end][1] if words else ""), words[end + 1 :]
    title = [(text, f"{role} bold reverse") for text, _ in words[: end + 1]]
    if rest and rest[0][0].startswith(" "):
        title.append((" ", f"{role} reverse"))
        rest = [(rest[0][0][1:], rest[0][1]), *rest[1:]]
    return [*title, *rest]
