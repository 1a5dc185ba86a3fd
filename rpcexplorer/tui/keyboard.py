"""What becomes of keys: one at a time, each where the ones before it have led, none below what is about to open.

Textual lets keys overtake each other: a letter is put in at once, a key with a binding travels up to the app, and
what comes of it (a row is taken, a screen opens, the focus moves) travels on in messages. In a burst, as a slow line or
a paste delivers them, Enter would act before the arrow that was pressed before it, or after the one behind it. So a key
sets out only when nothing moves any more of what the key before it has set off.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final, TypeVar

from textual import events
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import TextArea

from rpcexplorer.tui.pending_keys import KeyOrText, PendingKeys
from rpcexplorer.tui.terminal.typed_text import BREAKS, TypedText, key_of
from rpcexplorer.tui.widgets.in_order import InOrder

TWICE: Final = 0.25
"""Seconds within which the same key again is one press too many."""
SOON: Final = 100
"""Turns of the loop that nearly every key is done within."""
PAUSE: Final = 0.002
"""Seconds between two looks from then on."""
LOOKS: Final = 1_500
"""Looks after which the next key waits no longer for the one before: some seconds, and more where all is slow."""
LONG: Final = 1.0
"""Seconds after which somebody who wants to leave need not wait for what the keys wait for."""
ReturnType = TypeVar("ReturnType")


class Keyboard(App[ReturnType]):
    """A program whose screens open over one that has an editor: nobody is to type into that by mistake."""

    def __init__(self) -> None:
        super().__init__()
        self.pending = PendingKeys(lambda: self.call_later(self._free))
        self._typed: events.Event | None = None
        """The last key or paste that set out."""
        self._into: Widget | None = None
        """The line or editor that it was text for."""
        self._closed_by: events.Key | None = None
        """The key that brought back the screen with the editor."""
        self._settling: asyncio.Task[None] | None = None

    @property
    def home(self) -> Screen[Any] | None:
        return None

    def on_mount(self) -> None:
        self.screen_change_signal.subscribe(self, self._screen_changed, immediate=True)

    async def on_event(self, event: events.Event) -> None:
        """Nothing that is typed while a screen opens goes to the one below, nor an Enter too many after it closed."""
        if isinstance(event, KeyOrText) and not (event.is_forwarded or self._is_way_out(event)):
            self.pending.take(event)
            await self._free()
        else:
            await super().on_event(event)

    async def _free(self) -> None:
        """Let those set out that need not wait any longer."""
        while (waiting := self.pending.next(self._goes_along)) is not None:
            typed = self._first_of(waiting) if isinstance(waiting, TypedText) else waiting
            if self._is_one_too_many(typed):
                continue
            self._typed, self._into = typed, self._text_for(typed)
            self.pending.begin()
            await super().on_event(typed)
            if self._settling is None or self._settling.done():
                self._settling = asyncio.create_task(self._settle())

    def _first_of(self, text: TypedText) -> events.Key | events.Paste:
        """What becomes of a text that came at once where it goes now: a paste as far as it is text, else its first key.

        The rest comes next: where it goes depends on what this has led to.
        """
        size = self._pasted(text.text) if isinstance(self.focused, InOrder) else 0
        if rest := text.from_on(size or 1):
            self.pending.put_back(rest)
        return events.Paste(text.text[:size]) if size else text.first_key()

    def _pasted(self, text: str) -> int:
        """How much of a text is put into the field with the focus: Enter in a line, and keys that win, are keys."""
        bound = {key for key, each in self.active_bindings.items() if each.binding.priority and each.enabled}
        lone = () if isinstance(self.focused, TextArea) else BREAKS
        keys = {each for each in set(text) if each in lone or key_of(each).key in bound}
        return next((at for at, each in enumerate(text) if each in keys), len(text)) if keys else len(text)

    def _is_way_out(self, event: events.Event) -> bool:
        """The key to leave by, where keys wait for something that may never come."""
        if not isinstance(event, events.Key) or self.pending.waited(event.time) < LONG:
            return False
        bound = self.active_bindings.get(event.key)
        return bound is not None and bound.binding.action == "quit"

    def _is_one_too_many(self, typed: events.Key | events.Paste) -> bool:
        """The key that closed something, pressed again at once: it would change what is in the editor."""
        before = self._closed_by
        if before is None or not isinstance(typed, events.Key) or typed.time - before.time > TWICE:
            return False
        if typed.key != before.key:
            self._closed_by = None  # who has gone on to other keys means each of them
            return False
        return typed.is_printable or typed.key == "enter"

    def _goes_along(self, typed: KeyOrText) -> bool:
        """Text for the line that the text before it went to: there, one comes after the other anyway."""
        return self._into is not None and self._into is self._text_for(typed)

    def _text_for(self, typed: KeyOrText) -> Widget | None:
        if isinstance(typed, TypedText):
            is_text = isinstance(self.focused, InOrder) and self._pasted(typed.text) > 0
        else:
            is_text = isinstance(typed, events.Paste) or typed.is_printable
        return self.focused if is_text and isinstance(self.focused, InOrder) else None

    async def _settle(self) -> None:
        """Wait until what was typed is done: at two looks running, nobody was at anything."""
        still = 0
        try:
            for look in range(LOOKS):
                await asyncio.sleep(0 if look < SOON else PAUSE)
                still = 0 if self._is_busy() else still + 1
                if still == 2:
                    break
        finally:
            self.pending.done()

    def _is_busy(self) -> bool:
        """Whether anybody on view has something to do, or is at it."""
        screens = self.screen_stack[-1:]
        return _is_at_work(self) or any(
            _is_at_work(each) for screen in screens for each in screen.walk_children(with_self=True)
        )

    def _screen_changed(self, screen: Screen[Any]) -> None:
        """Keys wait until it has settled where they go."""
        self._closed_by = self._typed if isinstance(self._typed, events.Key) and screen is self.home else None
        self.pending.changed(self.screen_stack)
        screen.call_later(self.pending.opened)


def _is_at_work(pump: MessagePump) -> bool:
    """Whether it is doing something, rather than waiting for a message. Only its queue knows."""
    queue: Any = pump._message_queue  # noqa: SLF001
    return pump.is_running and not (queue.empty() and queue.ready_event._waiters)  # noqa: SLF001
