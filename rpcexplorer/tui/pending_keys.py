"""Keys that wait for the one before them, and while something is about to open, so that they go where they belong.

A slow line delivers a dozen keys at once: what is typed right after the key that opens a password's dialog must not
end up in the editor, where it would be seen and kept; an arrow after the key that deletes a row must not lead it to
another row.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Coroutine, Hashable, Sequence
from functools import update_wrapper, wraps
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar

from textual import work
from textual.events import Key, Paste

from rpcexplorer.tui.terminal.typed_text import TypedText

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
