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
    """Hints in the order of the command table, a few first; some stay in little room.

    Those are the way back, the palette, help, and what can be done with a recorded call, which nobody guesses.
    """

    DEFAULT_CSS = "Footer { height: 1; dock: bottom; }"

    STAY: ClassVar[frozenset[str]] = frozenset(
        {"history.close", "batch.close", "profiles.close", "comparison.close", "replay.stop", "palette", "help"}
        | {"history.again", "history.replay", "history.mark", "history.export"}
    )
    GAP: ClassVar[int] = 3

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
        hints, gap = self._fitting()
        for _, key, told, _ in hints:
            words += [(" " * (gap if words else 1), "text"), (key, "bold"), (f" {told}", "middle")]
        return line(words, self.size.width, styles, ground="prod-surface" if self.prod else "surface")

    def on_click(self, event: events.Click) -> None:
        x = 1
        hints, gap = self._fitting()
        for name, key, told, _ in hints:
            wide = width_of([(f"{key} {told}", "")])
            if x <= event.x < x + wide:
                self.app.simulate_key(name)
            x += wide + gap

    def _fitting(self) -> tuple[list[KeyHint], int]:
        """All hints, or fewer and closer together: the last of those that need not stay goes first."""
        kept, room = list(self.hints), self.size.width
        while self._width(kept, self.GAP - 1) > room and (others := [hint for hint in kept if not hint[3]]):
            kept.remove(others[-1])
        return kept, self.GAP if self._width(kept, self.GAP) <= room else self.GAP - 1

    @staticmethod
    def _width(hints: list[KeyHint], gap: int) -> int:
        return 1 + sum(width_of([(f"{key} {told}", "")]) + gap for _, key, told, _ in hints) - gap
