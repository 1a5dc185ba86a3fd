"""Keys in order: each acts on the state that the keys before it led to."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Hashable, Iterator, Sequence
from contextlib import closing
from functools import lru_cache, update_wrapper, wraps
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar

from textual import events, work
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.events import Event, Key, Paste
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import TextArea

from rpcexplorer.tui.widgets.inputs import InOrder

LEAST: Final = 64
"""Characters; a slow line delivers some dozen keys at once, and nobody types as many as these."""
BREAKS: Final = "\r\n"
"""What ends a line: Enter is the first of them."""
_TEXT: Final = re.compile(r"[^\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]*")


class TypedText(Event):
    """So many letters and line breaks that nobody can have typed them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        """What came."""

    def first_key(self) -> Key:
        key = key_of(self.text[0]).copy()
        key.time = self.time
        return key

    def from_on(self, at: int) -> TypedText | None:
        """What is left of it from a character on, which came when all of it came."""
        if at >= len(self.text):
            return None
        rest = TypedText(self.text[at:])
        rest.time = self.time
        return rest

    def with_more(self, more: TypedText) -> TypedText:
        """It and what came right after it, as one."""
        both = TypedText(self.text + more.text)
        both.time = self.time
        return both


@lru_cache(1024)
def key_of(character: str) -> Key:
    """The key that a letter or a line break is by itself."""
    found = next(iter(XTermParser().feed(character)), None)
    return found if isinstance(found, Key) else Key(character, character)


def text_at(came: str, at: int, least: int = LEAST) -> str:
    """The letters and line breaks that stand in what came, from a place on; nothing where these are fewer."""
    found = _TEXT.match(came, at)
    return found[0] if found and len(found[0]) >= least else ""


KeyOrText: TypeAlias = Key | Paste | TypedText
Args = ParamSpec("Args")
SCREEN: Final = "screen"
"""Who waits for another screen to know where keys go."""


class PendingKeys:
    """Whoever opens something says ``wait``; ``go_on`` is said once it is there, or will not come."""

    def __init__(self, free: Callable[[], object] = lambda: None) -> None:
        """``free`` is called when the keys that waited can be done."""
        self._free = free
        self._waiting: set[str] = set()
        """Who is about to open something."""
        self._open: dict[Hashable, set[str]] = {}
        """The screens, and who opened each and goes on when it closes."""
        self.screens_opened: Counter[str] = Counter()
        """How many screens each has opened."""
        self.runs: dict[tuple[Hashable, str], deque[Callable[[], Coroutine[Any, Any, None]]]] = {}
        """The actions of a node and group that wait for the one that runs."""
        self._under_way = False
        """What the last key has set off is not done yet."""
        self._queue: deque[KeyOrText] = deque()

    # --- who makes keys wait -----------------------------------------------------------------------------------

    def wait(self, who: str) -> None:
        """What comes from now on waits in the queue."""
        self._waiting.add(who)

    def go_on(self, who: str) -> None:
        """This one opens nothing more: where nobody else is about to, let the keys go where they belong now."""
        self._waiting.discard(who)
        for opened in self._open.values():
            opened.discard(who)
        self._let_go()

    def changed(self, screens: Sequence[Hashable]) -> None:
        """Another screen is on top: a new one, for whoever waited, or one that those come back to who opened others."""
        for closed in [each for each in self._open if each not in screens]:
            self._waiting |= self._open.pop(closed)
        if screens and screens[-1] not in self._open:
            self._open[screens[-1]] = self._waiting - {SCREEN}
            self.screens_opened.update(self._open[screens[-1]])
            self._waiting.clear()
        self._waiting.add(SCREEN)

    def has_open(self, who: str) -> bool:
        """Return whether a screen that it opened is still there."""
        return any(who in openers for openers in self._open.values())

    def opened(self) -> None:
        """The screen on top knows by now where keys go."""
        self.go_on(SCREEN)

    def begin(self) -> None:
        """A key sets out."""
        self._under_way = True

    def done(self) -> None:
        """Everything is done that the last key has set off."""
        self._under_way = False
        self._let_go()

    def _let_go(self) -> None:
        if self._queue and not (self._waiting or self._under_way):
            self._free()

    # --- the keys ----------------------------------------------------------------------------------------------

    def take(self, typed: KeyOrText) -> None:
        """One more; text right behind text is one text."""
        if isinstance(typed, TypedText) and self._queue and isinstance(last := self._queue[-1], TypedText):
            self._queue[-1] = last.with_more(typed)
        else:
            self._queue.append(typed)

    def put_back(self, typed: KeyOrText) -> None:
        """What is left of one that was let go: the others come after it."""
        self._queue.appendleft(typed)

    def waited(self, now: float) -> float:
        """Seconds that the first of those that wait has waited."""
        return now - self._queue[0].time if self._queue else 0.0

    def next(self, goes_along: Callable[[KeyOrText], bool]) -> KeyOrText | None:
        """The next one that need not wait: nothing is under way, or it goes along with what is."""
        if not self._queue or self._waiting or (self._under_way and not goes_along(self._queue[0])):
            return None
        return self._queue.popleft()


class Opener(Protocol, Hashable):
    pending: PendingKeys


Who = TypeVar("Who", bound=Opener)


def opens(
    group: str,
) -> Callable[[Callable[Concatenate[Who, Args], Coroutine[Any, Any, None]]], Callable[Concatenate[Who, Args], None]]:
    """Make an action a worker that keys wait for until it has opened a screen or is over.

    When the screen that it opened has closed they wait again, for what the action does then. An action that goes on
    without opening anything says ``pending.go_on(group)`` itself. Actions of a node's group run one after the other.
    A second click that came before the screen opened is done with it: nothing opens twice.
    """

    def decorated(
        action: Callable[Concatenate[Who, Args], Coroutine[Any, Any, None]],
    ) -> Callable[Concatenate[Who, Args], None]:
        @wraps(action)
        async def run_all(who: Who) -> None:
            runs = who.pending.runs
            try:
                while line := runs[who, group]:
                    who.pending.wait(group)
                    await line.popleft()()
            finally:
                del runs[who, group]
                who.pending.go_on(group)

        worker: Any = work(group=group)(run_all)

        def begin(who: Who, /, *given: Args.args, **named: Args.kwargs) -> None:
            pending, is_first = who.pending, (who, group) not in who.pending.runs
            if not is_first and pending.has_open(group):
                return
            opened = pending.screens_opened[group]

            async def run() -> None:
                if pending.screens_opened[group] == opened:
                    await action(who, *given, **named)

            pending.wait(group)
            pending.runs.setdefault((who, group), deque()).append(run)
            if is_first:
                worker(who)

        update_wrapper(begin, action)
        return begin

    return decorated


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


T = TypeVar("T")
SLICE: Final = 0.006
"""Seconds of steps in a row."""
PAUSE_SECONDS: Final = 0.002
"""Seconds for everybody else: a key takes a dozen callbacks before it is seen on screen."""


async def paced(steps: Iterator[T]) -> AsyncIterator[T]:
    until = time.perf_counter() + SLICE
    for step in steps:
        yield step
        if time.perf_counter() > until:
            await asyncio.sleep(PAUSE_SECONDS)
            until = time.perf_counter() + SLICE


async def in_turns(steps: Generator[None, None, T]) -> T:
    """What comes of the steps; whoever is stopped meanwhile stops them."""
    came: list[T] = []

    def all_of_them() -> Iterator[None]:
        came.append((yield from steps))

    with closing(steps):
        async for _ in paced(all_of_them()):
            pass
    return came[0]
