"""Keys that wait while something is about to open, so that they go to it and not to what is still in its place.

A slow line delivers a dozen keys at once: what is typed right after the key that opens a password's dialog must not
end up in the editor, where it would be seen and kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from functools import update_wrapper, wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from textual import work
from textual.events import Key, Paste
from textual.worker_manager import WorkerManager

Typed: TypeAlias = Key | Paste
Given = ParamSpec("Given")


class HeldKeys:
    """Whoever opens something says ``wait``; ``go_on`` is said once it is there, or will not come."""

    def __init__(self, free: Callable[[], object] = lambda: None) -> None:
        """``free`` is called when the keys that waited can be done."""
        self._free = free
        self._waiting: set[str] = set()
        """Who is about to open something."""
        self._held: deque[Typed] = deque()

    def wait(self, who: str) -> None:
        """Hold back what comes from now on."""
        self._waiting.add(who)

    def go_on(self, who: str) -> None:
        """This one opens nothing, or has: where nobody else is about to, let the keys go where they belong now."""
        self._waiting.discard(who)
        self._let_go()

    def opened(self) -> None:
        """A screen has opened or closed, and knows by now where keys go."""
        self._waiting.clear()
        self._let_go()

    def _let_go(self) -> None:
        if self._held and not self._waiting:
            self._free()

    def takes(self, typed: Typed) -> bool:
        """Whether this one has to wait; it then comes again out of ``freed``."""
        if self._waiting or self._held:
            self._held.append(typed)
            return True
        return False

    def freed(self) -> Iterator[Typed]:
        """What waited, in its order, until one of them opens something."""
        while self._held and not self._waiting:
            yield self._held.popleft()


class Opener(Protocol):
    """Who opens things."""

    held: HeldKeys

    @property
    def workers(self) -> WorkerManager:
        """Textual's own."""


Who = TypeVar("Who", bound=Opener)


def opens(
    group: str,
) -> Callable[[Callable[Concatenate[Who, Given], Coroutine[Any, Any, None]]], Callable[Concatenate[Who, Given], None]]:
    """Textual's ``work`` for an action that opens something: keys wait until it is there, or the action is over.

    Nothing is opened twice. An action that goes on without having opened anything says ``held.go_on(group)`` itself.
    """

    def decorated(
        action: Callable[Concatenate[Who, Given], Coroutine[Any, Any, None]],
    ) -> Callable[Concatenate[Who, Given], None]:
        @wraps(action)
        async def done(who: Who, /, *given: Given.args, **named: Given.kwargs) -> None:
            try:
                await action(who, *given, **named)
            finally:
                who.held.go_on(group)

        worker: Any = work(group=group)(done)

        def begun(who: Who, /, *given: Given.args, **named: Given.kwargs) -> None:
            own: object = who
            if any(each.group == group and each.node is own and not each.is_finished for each in who.workers):
                who.held.go_on(group)
                return
            who.held.wait(group)
            worker(who, *given, **named)

        update_wrapper(begun, action)
        return begun

    return decorated
