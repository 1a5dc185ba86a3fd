"""The queue of typed keys: each acts on the state after those before it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable, Iterator, Sequence
from contextlib import suppress
from functools import partial, update_wrapper
from threading import Thread
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event, Key, Paste
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

from rpcexplorer.tui.widgets.inputs import InOrder

Typed: TypeAlias = Key | Paste
Args = ParamSpec("Args")
SCREEN: Final = "screen"
"""The group of a screen that opens: until then keys have no target."""


class PendingKeys:
    """The actions that keys wait for, by group, and the screen that opens.

    An action that opens something calls ``wait``, and ``go_on`` when it is open or will not open.
    """

    def __init__(self, resume: Callable[[], object] = lambda: None) -> None:
        """``resume`` is called when keys need not wait any longer."""
        self._resume = resume
        self._waiting: set[str] = set()
        self._openers: dict[Hashable, set[str]] = {}
        """The groups that opened each screen; they continue when it closes."""
        self._screens_opened: Counter[str] = Counter()
        """The number of screens that each group has opened."""
        self.runs: dict[tuple[Hashable, str], deque[Callable[[], Coroutine[Any, Any, None]]]] = {}
        """Actions that wait for the running one, by node and group."""

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    def wait(self, group: str) -> None:
        """Hold the keys typed from now on."""
        self._waiting.add(group)

    def go_on(self, group: str) -> None:
        """Let keys go, unless another group is about to open something."""
        self._waiting.discard(group)
        for openers in self._openers.values():
            openers.discard(group)
        if not self._waiting:
            self._resume()

    def change_screens(self, screens: Sequence[Hashable]) -> None:
        """Update for a new screen on top, or after one has closed."""
        for closed in [screen for screen in self._openers if screen not in screens]:
            self._waiting |= self._openers.pop(closed)
        if screens and screens[-1] not in self._openers:
            self._openers[screens[-1]] = self._waiting - {SCREEN}
            self._screens_opened.update(self._openers[screens[-1]])
            self._waiting.clear()
        self._waiting.add(SCREEN)

    def run(self, node: DOMNode | Opener, group: str, action: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start an action that may open a screen; keys wait for it.

        Keys wait until the action has opened a screen or is over. When that screen closes they wait again, for the rest
        of the action. A long action that opens nothing calls ``go_on`` itself. Actions of one node and group run one
        after the other. A second click before the screen opens does nothing, so that nothing opens twice.
        """
        is_first = (node, group) not in self.runs
        if not is_first and any(group in openers for openers in self._openers.values()):
            return
        opened = self._screens_opened[group]

        async def run() -> None:
            if self._screens_opened[group] == opened:
                await action()

        self.wait(group)
        self.runs.setdefault((node, group), deque()).append(run)
        if is_first:
            worker: Any = partial(self._run_all, node, group)
            node.run_worker(worker, group=group)

    async def _run_all(self, node: Hashable, group: str) -> None:
        try:
            while line := self.runs[node, group]:
                self.wait(group)
                await line.popleft()()
        finally:
            del self.runs[node, group]
            self.go_on(group)


class Opener(Protocol, Hashable):
    pending: PendingKeys

    def run_worker(self, work: Any, *, group: str) -> object: ...


OpenerType = TypeVar("OpenerType", bound=Opener)


def opens(
    group: str,
) -> Callable[
    [Callable[Concatenate[OpenerType, Args], Coroutine[Any, Any, None]]], Callable[Concatenate[OpenerType, Args], None]
]:
    """Make an action run through `PendingKeys.run`."""

    def decorated(
        action: Callable[Concatenate[OpenerType, Args], Coroutine[Any, Any, None]],
    ) -> Callable[Concatenate[OpenerType, Args], None]:
        def begin(opener: OpenerType, /, *given: Args.args, **named: Args.kwargs) -> None:
            opener.pending.run(opener, group, partial(action, opener, *given, **named))

        update_wrapper(begin, action)
        return begin

    return decorated


REPEAT_SECONDS: Final = 0.25
"""Within this time, the same key again is a mistake."""
MAX_SETTLE_SECONDS: Final = 5.0
"""After this time, the next key no longer waits for the one before."""
IMPATIENCE_SECONDS: Final = 1.0
"""After this time, the key to quit no longer waits."""
DROP_SECONDS: Final = 0.3
"""Text for a dialog that closed without its action is dropped until nothing was typed for this long."""
TEXT_KEYS: Final = frozenset({"enter", "tab", "backspace"})
"""Keys that are part of typing a text, besides printable ones."""


class Keys:
    """Delivers keys one after the other, and none while a screen opens.

    Keys meant for a dialog must not reach the editor below it, nor a second Enter after the dialog has closed.
    """

    def __init__(
        self,
        app: App[Any],
        deliver: Callable[[Event], Awaitable[None]],
        home: Callable[[], Screen[Any] | None] = lambda: None,
        settled: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``deliver`` is Textual's ``on_event``.

        ``home`` returns the screen with the editor. ``settled`` is called when keys have had their effect. ``clock`` is
        the one of the times of keys.
        """
        self._app, self._deliver, self._home, self._settled, self.clock = app, deliver, home, settled, clock
        self.pending = PendingKeys(self._resume)
        self._queue: deque[Typed] = deque()
        self._typed: Event | None = None
        """The last delivered key or paste."""
        self._into: Widget | None = None
        """The field that took it as text."""
        self._closed_by: Key | None = None
        """The key that closed the screen over the editor."""
        self._screen: Screen[Any] | None = None
        """The screen on top."""
        self._drops_until = 0.0
        """Text that was typed before this time was for a dialog that has closed."""
        self._dropped = 0
        """Keys that were dropped since then."""
        self._settling: asyncio.Task[None] | None = None
        """Waits for the effects of the last key."""

    @property
    def is_idle(self) -> bool:
        """Whether all keys were delivered and have had their effect."""
        return not self._queue and self._settling is None

    def watch_screens(self) -> None:
        """Hold keys while screens change; call this when the app is mounted."""
        self._app.screen_change_signal.subscribe(self._app, self._screen_changed, immediate=True)

    async def take(self, event: Event) -> bool:
        """Queue and deliver an event; return False if it was not typed."""
        if not isinstance(event, Typed) or event.is_forwarded or self._is_way_out(event):
            return False
        self._queue.append(event)
        await self._deliver_queued()
        return True

    async def _deliver_queued(self) -> None:
        while self._queue and self._can_go(self._queue[0]):
            typed = self._queue.popleft()
            if self._is_for_closed_dialog(typed):
                self._drop(typed)
                continue
            if self._is_one_too_many(typed):
                continue
            self._typed, self._into = typed, self._text_for(typed)
            await self._deliver(typed)
            if self._settling is None:
                self._settling = asyncio.create_task(self._settle())

    def _resume(self) -> None:
        if self._queue:
            self._app.call_later(self._deliver_queued)

    def _can_go(self, typed: Typed) -> bool:
        """Return whether a key can be delivered now.

        Text can follow text into the same field, whose own queue keeps the order.
        """
        if self.pending.is_waiting:
            return False
        return self._settling is None or (self._into is not None and self._into is self._text_for(typed))

    async def _settle(self) -> None:
        """Wait until all widgets have handled the effects of a key.

        A handler posts its messages before it ends, and none of ours waits for anything else: longer work runs in
        workers that `opens` starts. So everything is done when all queues are empty and all widgets mounted. Asking
        only busy widgets takes 1 ms a key; asking all of them, as Textual's pilot does, would take 7.
        """
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(MAX_SETTLE_SECONDS):
                    while busy := list(self._busy()):
                        for pump in busy:
                            is_done = asyncio.Event()
                            if pump.call_later(is_done.set):
                                await is_done.wait()
                        await asyncio.sleep(0)  # A closing widget takes no callback.
        finally:
            self._settling = None
            self._settled()
            if not self.pending.is_waiting:
                self._resume()

    def _busy(self) -> Iterator[MessagePump]:
        """Yield the app and the widgets with messages to handle or not mounted."""
        if self._app.message_queue_size:
            yield self._app
        for screen in self._app.screen_stack[-1:]:
            for widget in screen.walk_children(Widget, with_self=True):
                if widget.message_queue_size or not widget.is_mounted:
                    yield widget

    def _text_for(self, typed: Typed) -> Widget | None:
        """Return the field that takes this as text."""
        field = self._app.focused
        is_text = isinstance(typed, Paste) or typed.is_printable
        return field if is_text and isinstance(field, InOrder) else None

    def _is_way_out(self, event: Typed) -> bool:
        """Return whether this is the key to quit and keys have waited too long."""
        if not isinstance(event, Key) or not self._queue or event.time - self._queue[0].time < IMPATIENCE_SECONDS:
            return False
        bound = self._app.active_bindings.get(event.key)
        return bound is not None and bound.binding.action == "quit"

    def _is_one_too_many(self, typed: Typed) -> bool:
        """Return whether this key has just closed a screen, and came twice.

        It would change the draft.
        """
        before = self._closed_by
        if before is None or not isinstance(typed, Key) or typed.time - before.time > REPEAT_SECONDS:
            return False
        if typed.key != before.key:
            self._closed_by = None  # After another key, every key is meant.
            return False
        return typed.is_printable or typed.key == "enter"

    def _is_for_closed_dialog(self, typed: Typed) -> bool:
        """Return whether a dialog closed without its action just before this.

        It may be a password, which would be readable in the editor below. A command shows that the user has noticed.
        """
        if typed.time >= self._drops_until:
            return False
        if isinstance(typed, Key) and not typed.is_printable and typed.key not in TEXT_KEYS:
            self._drops_until = 0.0
            return False
        return True

    def _drop(self, typed: Typed) -> None:
        """Drop a key or a paste; say how many keys were dropped so far."""
        self._drops_until = max(self._drops_until, typed.time + DROP_SECONDS)  # The rest of a password may follow.
        self._dropped += 1 if isinstance(typed, Key) else len(typed.text)
        self._app.notify(f"Dropped keys that were typed for the closed dialog: {self._dropped:,}.")

    def _screen_changed(self, screen: Screen[Any]) -> None:
        """Hold keys until the new screen is ready for them."""
        before, self._screen = self._screen, screen
        if before not in self._app.screen_stack and getattr(before, "was_cancelled", False):
            self._drops_until, self._dropped = self.clock() + DROP_SECONDS, 0
        self._closed_by = self._typed if isinstance(self._typed, Key) and screen is self._home() else None
        self.pending.change_screens(self._app.screen_stack)
        if getattr(screen, "is_complete", True):  # An incomplete screen lets keys go itself.
            screen.call_later(self.pending.go_on, SCREEN)


T = TypeVar("T")
SLICE: Final = 0.006
"""Seconds of steps in a row."""
PAUSE_SECONDS: Final = 0.002
"""Seconds for other callbacks: a key needs a dozen until it is drawn."""


async def paced(steps: Iterator[T]) -> AsyncIterator[T]:
    until = time.perf_counter() + SLICE
    for step in steps:
        yield step
        if time.perf_counter() > until:
            await asyncio.sleep(PAUSE_SECONDS)
            until = time.perf_counter() + SLICE


async def run_in_thread(work: Callable[[], T]) -> T:
    """Return the result of long work that can be abandoned.

    A thread of the loop would delay the end of the program.
    """
    loop, is_done = asyncio.get_running_loop(), asyncio.Event()
    results: list[T] = []

    def run() -> None:
        try:
            results.append(work())
        finally:
            with suppress(RuntimeError):  # The loop is closed, so nothing waits any more.
                loop.call_soon_threadsafe(is_done.set)

    Thread(target=run, daemon=True).start()
    await is_done.wait()
    return results[0]
