"""A line that holds one of some words: left, right and space change it, a letter, or a click on another word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.tui.messages import message
from rpcexplorer.tui.theming import ThemeStyles, line, width_of

BEFORE: Final = [("… ", "dim")]
"""There are words before those on view."""


class Cycle(Widget, can_focus=True):
    """The chosen word is told by a sign and underline, with the focus by a ground of its own.

    All words are on view where they fit, else as many as do around the chosen one.
    """

    DEFAULT_CSS = "Cycle { height: 1; width: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right,space", "turn(1)", show=False),
    ]

    value: reactive[str] = reactive("")

    @message
    class Changed(Message):
        """A person chose another word."""

        cycle: Cycle
        value: str

    def __init__(self, words: Sequence[str], value: str, *, nothing: str = "none", id: str | None = None) -> None:
        """A value that is none of the words comes before them; the empty word is shown as ``nothing``."""
        super().__init__(id=id)
        self._nothing = nothing
        self._words = [*words] if value in words else [value, *words]
        self.set_reactive(Cycle.value, value)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        pieces = [piece for _, each in self._on_view() for piece in each]
        ground = "background" if self.has_focus else "surface"
        return line(pieces, self.size.width, ThemeStyles.of(self), ground=ground)

    def watch_value(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        self.focus()
        x = 0
        for word, pieces in self._on_view():
            if x <= event.x < (x := x + width_of(pieces)) and word is not None:
                self._take(word)

    def on_key(self, event: events.Key) -> None:
        """A letter goes on to the next word that begins with it."""
        letter = (event.character or "").lower()
        if not letter.isalnum():
            return
        event.stop()
        at = self._words.index(self.value) + 1
        after = [*self._words[at:], *self._words[:at]]
        self._take(next((word for word in after if word.lower().startswith(letter)), self.value))

    def action_turn(self, by: int) -> None:
        self._take(self._words[(self._words.index(self.value) + by) % len(self._words)])

    def _take(self, word: str) -> None:
        if word != self.value:
            self.value = word
            self.post_message(self.Changed(self, word))

    def _on_view(self) -> list[tuple[str | None, list[tuple[str, str]]]]:
        """The words that fit, the chosen one among them; None stands for those before. The line cuts what is behind."""
        pieces: list[tuple[str | None, list[tuple[str, str]]]] = [*self._pieces()]
        widths = [width_of(each) for _, each in pieces]
        until = self._words.index(self.value) + 1
        first, room = 0, self.size.width
        while sum(widths) > room and first + 1 < until and sum(widths[first:until]) > room - (width_of(BEFORE) + 1):
            first += 1
        return [(None, BEFORE), *pieces[first:]] if first else pieces

    def _pieces(self) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Each word with its sign. They start where the text of an ``Entry`` does."""
        for word in self._words:
            chosen = word == self.value
            role = ("accent reverse bold" if self.has_focus else "text bold underline") if chosen else "middle"
            mark = "› "  # noqa: RUF001 - the sign is meant
            yield word, [(mark if chosen else "  ", "accent"), (word or self._nothing, role), ("  ", "text")]
