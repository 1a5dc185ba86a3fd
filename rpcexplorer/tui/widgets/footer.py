"""The bottom line: the keys that work here and now, read off the bindings that are active."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events
from textual.reactive import reactive
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from rpcexplorer.tui.commands import COMMANDS, NO_KEY, spelled
from rpcexplorer.tui.theming import ThemeStyles, line, width_of

KeyHint = tuple[str, str, str, bool]
"""Key as Textual names it, key as people write it, words; whether it stays where there is little room."""


class Footer(Widget):
    """Hints in the order of the command table, a few first; the way back, the palette and help stay in little room."""

    DEFAULT_CSS = "Footer { height: 1; dock: bottom; }"

    STAY: ClassVar[frozenset[str]] = frozenset(
        {"history.close", "batch.close", "profiles.close", "comparison.close", "replay.stop", "palette", "help"}
    )

    FIRST: ClassVar[frozenset[str]] = frozenset({"docs.next", "docs.take"})
    """Those that nobody finds elsewhere, of a pane that is rarely in focus."""

    hints: reactive[tuple[KeyHint, ...]] = reactive[tuple[KeyHint, ...]](())
    prod: reactive[bool] = reactive(False)
    elsewhere: reactive[frozenset[str]] = reactive[frozenset[str]](frozenset())
    """Commands whose keys stand on screen at the pane they go to."""

    def __init__(self) -> None:
        super().__init__()
        self._drawn = False
        """Until then bindings change a dozen times, and nobody sees it."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._follow)

    def _follow(self, screen: Screen[object]) -> None:
        if self._drawn and screen is self.screen and self.app.screen is screen:
            self.hints = tuple(self._found())

    def _found(self) -> Iterator[KeyHint]:
        """One hint for each command that the footer shows and that can be done now."""
        active = {
            each.binding.id: each.binding
            for each in reversed(self.screen.active_bindings.values())
            if each.enabled and each.binding.key != NO_KEY
        }
        for command in sorted(COMMANDS, key=lambda each: each.id not in self.FIRST):
            binding = active.get(command.id)
            if command.footer and binding is not None and command.id not in self.elsewhere:
                yield binding.key, spelled(binding.key), command.words, command.id in self.STAY

    def watch_elsewhere(self) -> None:
        self._follow(self.screen)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        if not self._drawn:
            self._drawn = True
            self.set_reactive(Footer.hints, tuple(self._found()))
        styles = ThemeStyles.of(self)
        words: list[tuple[str, str]] = []
        for _, key, told, _ in self._fitting():
            words += [("   " if words else " ", "text"), (key, "bold"), (f" {told}", "middle")]
        return line(words, self.size.width, styles, ground="prod-surface" if self.prod else "surface")

    def on_click(self, event: events.Click) -> None:
        x = 1
        for name, key, told, _ in self._fitting():
            wide = width_of([(key, ""), (f" {told}   ", "")])
            if x <= event.x < x + wide - 3:
                self.app.simulate_key(name)
            x += wide

    def _fitting(self) -> list[KeyHint]:
        """All hints, or fewer: the last of those that need not stay goes first."""
        kept = list(self.hints)
        while self._width(kept) > self.size.width and (others := [hint for hint in kept if not hint[3]]):
            kept.remove(others[-1])
        return kept

    @staticmethod
    def _width(hints: list[KeyHint]) -> int:
        return 1 + sum(width_of([(key, ""), (f" {told}   ", "")]) for _, key, told, _ in hints) - 3
