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
from textual.worker import Worker

Typed: TypeAlias = Key | Paste
Given = ParamSpec("Given")


class HeldKeys:
    """Whoever opens something says ``wait``; ``go_on`` is said once it is there, or will not come."""

    def __init__(self, free: Callable[[], object] = lambda: None) -> None:
        """``free`` is called when the keys that waited can be done."""
        self._free = free
        self._waiting = False
        self._held: deque[Typed] = deque()

    def wait(self) -> None:
        """Hold back what comes from now on."""
        self._waiting = True

    def go_on(self) -> None:
        """Let it go where it belongs now."""
        self._waiting = False
        if self._held:
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


Who = TypeVar("Who", bound=Opener)


def opens(
    group: str,
) -> Callable[
    [Callable[Concatenate[Who, Given], Coroutine[Any, Any, None]]], Callable[Concatenate[Who, Given], Worker[None]]
]:
    """Textual's ``work`` for an action that opens something: keys wait until it is there, or the action is over.

    Nothing is opened twice, as the key for it waits as well. An action that goes on without having opened anything
    says ``held.go_on()`` itself.
    """

    def decorated(
        action: Callable[Concatenate[Who, Given], Coroutine[Any, Any, None]],
    ) -> Callable[Concatenate[Who, Given], Worker[None]]:
        @wraps(action)
        async def done(who: Who, /, *given: Given.args, **named: Given.kwargs) -> None:
            try:
                await action(who, *given, **named)
            finally:
                who.held.go_on()

        worker: Any = work(group=group)(done)

        def begun(who: Who, /, *given: Given.args, **named: Given.kwargs) -> Worker[None]:
            who.held.wait()
            result: Worker[None] = worker(who, *given, **named)
            return result

        update_wrapper(begun, action)
        return begun

    return decorated
