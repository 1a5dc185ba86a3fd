"""How the program ends: by its key, by a signal, without a terminal, or by a mistake. What was typed is kept."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Literal, TypeVar

from textual import work

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.appearance import Themed
from rpcexplorer.tui.call.screen import CallScreen

if TYPE_CHECKING:
    from rpcexplorer.tui.terminal.driver import ReadingFailed

Wish = Literal["", "demo"]
"""What the person wants next, once the screen is closed."""
T = TypeVar("T")


async def in_a_thread_of_its_own(work: Callable[[], T]) -> T:
    """What comes of work that may take long and can be given up: the program would wait for a thread of the loop."""
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    found: list[T] = []

    def done() -> None:
        try:
            found.append(work())
        finally:
            with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
                loop.call_soon_threadsafe(came.set)

    Thread(target=done, daemon=True).start()
    await came.wait()
    return found[0]


class Leaving(Themed[Wish]):
    """A program that is left when what runs has ended and what was typed is written down."""

    def __init__(self, explorer: Explorer) -> None:
        super().__init__(explorer)
        self._leaving = self._asked = False
        """Whether somebody wants an end; whether they were told what cannot be kept."""

    @property
    def home(self) -> CallScreen | None:
        return self.calls

    @property
    def calls(self) -> CallScreen | None:
        return next((screen for screen in self.screen_stack if isinstance(screen, CallScreen)), None)

    @property
    def mistake(self) -> BaseException | None:
        """What ended the program though it should not have; a worker's is inside another."""
        found = self._exception
        return getattr(found, "error", found)

    def _fatal_error(self) -> None:
        """Textual would print the values of variables here; whoever started this says type, file and line."""
        with suppress(Exception):  # whatever else is broken: what stands in the editor is kept, if it can be
            if self.calls is not None:
                self.calls.write_down()
        self._close_messages_no_wait()

    async def on_unmount(self) -> None:
        await self.explorer.__aexit__()

    def on_terminal_gone(self) -> None:
        self._leave()

    def on_reading_failed(self, event: ReadingFailed) -> None:
        """Nobody could type any more: it ends as by any mistake of ours."""
        raise event.error

    async def action_quit(self) -> None:
        """Leave: end what runs, write down what was typed. The loop goes on meanwhile, for what that needs."""
        self._leave(asking=True)

    def _leave(self, *, asking: bool = False) -> None:
        """Whoever wants it a second time wants no more waiting, but has to be told what would not be kept."""
        if self._leaving and self.calls is not None:
            self.calls.write_down()
        if self._leaving and (self._asked or not asking or not self.explorer.drafts.unsaved):
            self.exit("")
            return
        self._quit(asking=asking, waiting=not self._leaving)
        self._leaving = True

    @work(group="quit", exclusive=True)
    async def _quit(self, *, asking: bool, waiting: bool) -> None:
        if self.calls is not None and waiting:
            await self.calls.settle()
        if asking and self.explorer.drafts.unsaved:
            from rpcexplorer.tui.dialogs.unsaved import may_end

            self._asked = True
            if not await may_end(self, self.explorer):
                self._leaving = self._asked = False
                return
        self.exit("")

    def _heed_signals(self) -> None:
        """A terminal that is gone, or somebody who wants an end, is the same as the key for it."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            with suppress(NotImplementedError):  # Windows knows not all of them, and takes no handlers in a loop
                if number is not None:
                    loop.add_signal_handler(number, self._leave)
