"""What becomes of keys while screens open and close: none goes to the screen below, none counts once too often."""

from __future__ import annotations

from typing import Any, Final, TypeVar

from textual import events
from textual.app import App
from textual.screen import Screen

from rpcexplorer.tui.held import HeldKeys

TWICE: Final = 0.25
"""Seconds within which the same key again is one press too many."""
Wanted = TypeVar("Wanted")


class Keyboard(App[Wanted]):
    """A program whose screens open over one that has an editor: nobody is to type into that by mistake."""

    def __init__(self) -> None:
        super().__init__()
        self.held = HeldKeys(lambda: self.call_later(self._free))
        self._typed: events.Event | None = None
        """The last key or paste that was not held back."""
        self._closed_by: events.Key | None = None
        """The key that brought back the screen with the editor."""

    @property
    def home(self) -> Screen[Any] | None:
        """The screen with the editor, where it is there."""
        return None

    def on_mount(self) -> None:
        """Follow the screens."""
        self.screen_change_signal.subscribe(self, self._screen_changed, immediate=True)

    async def on_event(self, event: events.Event) -> None:
        """Nothing that is typed while a screen opens goes to the one below, nor an Enter too many after it closed."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            if self._is_one_too_many(event) or self.held.takes(event):
                return
            self._typed = event
        await super().on_event(event)

    def _is_one_too_many(self, event: events.Event) -> bool:
        """The key that closed something, pressed again at once: it would change what is in the editor."""
        before = self._closed_by
        if before is None or not isinstance(event, events.Key) or event.time - before.time > TWICE:
            return False
        return event.key == before.key and (event.is_printable or event.key == "enter")

    def _screen_changed(self, screen: Screen[Any]) -> None:
        """Keys wait until it has settled where they go."""
        self._closed_by = self._typed if isinstance(self._typed, events.Key) and screen is self.home else None
        self.held.wait("screen")
        screen.call_later(self.held.opened)

    async def _free(self) -> None:
        for typed in self.held.freed():
            self._typed = typed
            await super().on_event(typed)
