"""What stands in the editor, written down beside the typing: at each pause, and where there is none every second.

A disk may take its time over it. That is a thread's time, and no key waits; only whoever leaves a draft does. What
could not be kept, this or anything else, is told once, and has words for as long as it lasts.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from textual.screen import Screen

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.profile import Profile

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

SETTLE: Final = 0.3
"""Seconds without a key before what was typed is written down."""
OFTEN: Final = 1.0
"""Seconds after which it is written down though there was no such pause."""


class DraftWriter:
    """Knows what was written down last. There is one thread, so that no write brings back an older text."""

    def __init__(
        self, screen: Screen[Any], explorer: Explorer, now: Callable[[], Draft], told: Callable[[], object]
    ) -> None:
        """``now`` is what stands in the editor of ``screen``; after each write somebody is ``told``."""
        self._screen, self._explorer, self._now, self._told = screen, explorer, now, told
        self._thread: ThreadPoolExecutor | None = None
        """Comes with the first letter."""
        self._profile: Profile | None = None
        """Whose draft stands there."""
        self._written: Draft | None = None
        """What was given to the thread last, or came into the editor."""
        self._last: Future[str] | None = None
        """What became of it."""
        self._typed = 0.0
        """When a letter was typed."""
        self._follows = False
        self.trouble = ""
        """Why the draft could not be written; empty while all is well."""

    def loaded(self) -> None:
        """Another draft came into the editor, of the profile in use."""
        self._profile, self._written = self._explorer.profile, self._now()

    def typed(self) -> None:
        self._typed = time.monotonic()
        if not self._follows:
            self._follows = True
            following: Callable[[], Awaitable[None]] = self._follow
            self._screen.run_worker(following, group="drafts")

    def write_down(self) -> None:
        """Now, whatever is under way: afterwards it is written, or there is a trouble."""
        if self._is_behind or (self.trouble and self._written is not None):
            self._write()
        if self._last is not None:
            self._came_of(self._last.result())

    @property
    def _is_behind(self) -> bool:
        return self._written is not None and self._written != self._now()

    async def _follow(self) -> None:
        """Until somebody stops typing, and what stands there is written."""
        try:
            while self._is_behind:
                await self._pause()
                # a thread that has begun cannot be stopped, and one that has not is not to be
                self._came_of(await asyncio.shield(asyncio.wrap_future(self._write())))
        finally:
            self._follows = False

    async def _pause(self) -> None:
        latest = time.monotonic() + OFTEN
        while (left := min(self._typed + SETTLE, latest) - time.monotonic()) > 0:  # noqa: ASYNC110 - each letter moves it
            await asyncio.sleep(left)

    def _write(self) -> Future[str]:
        from concurrent.futures import ThreadPoolExecutor

        assert self._profile is not None
        self._thread = self._thread or ThreadPoolExecutor(1, "drafts")
        draft = self._written = self._now()
        keep, secrets = self._explorer.drafts.keep_typed, self._explorer.credentials.in_use()
        self._last = self._thread.submit(keep, self._profile, draft.method, draft.text, secrets)
        return self._last

    def _came_of(self, trouble: str) -> None:
        self.trouble = trouble
        self._told()


class Troubles:
    """Remembers what was told."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._told: set[str] = set()
        """Those that were told, and last."""

    def told(self, draft: str, tell: Callable[[str], object]) -> str:
        """Tell those that are new; the words for the first that lasts. ``draft``: why what is typed is not written."""
        explorer = self._explorer
        history = explorer.journal.trouble
        if history and explorer.history.unsaved:
            history += " It is kept in memory and tried again with the next call."
        troubles = {
            "history not written": history,
            "draft not kept": draft or explorer.drafts.trouble,
            "draft changed elsewhere": explorer.drafts.other,
            "screen not remembered": explorer.remembered.trouble,
            "methods not kept": explorer.catalogues.trouble,
        }
        for trouble in troubles.values():
            if trouble and trouble not in self._told:
                tell(trouble)
        self._told = set(troubles.values())
        return next((words for words, trouble in troubles.items() if trouble), "")
