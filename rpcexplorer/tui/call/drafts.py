"""The draft in the editor: saving, replacing, restoring.

It is written at each pause in the typing, and at least once a second. A thread writes, so that a slow disk does not
delay keys; only leaving a draft waits for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from textual.app import SuspendNotSupported

from rpcexplorer.model.draft import EMPTY_PARAMS, Draft
from rpcexplorer.model.problem import capitalised, counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.params import ParamsPane
from rpcexplorer.tui.call.state import CallState

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from rpcexplorer.tui.form import FormScreen

PAUSE_SECONDS: Final = 0.3
"""The draft is written after this time without a key."""
MAX_DELAY_SECONDS: Final = 1.0
"""Without a pause, it is written after this time."""


class DraftKeeper:
    """The call in the editor: saves the draft, keeps replaced ones.

    A single thread writes, so that an older text never overwrites a newer one.
    """

    def __init__(self, state: CallState, params: ParamsPane) -> None:
        self._state, self._explorer, self._params = state, state.explorer, params
        self.is_opening = False
        """The draft was opened with the profile, not chosen by the user."""
        self.batch_draft: Draft | None = None
        """The batch's version of the call in the editor, if it has one."""
        self.batch_row: Draft | None = None
        """The call under the cursor when the batch was closed."""
        self.form: FormScreen | None = None
        """The form over the editor."""
        self._thread: ThreadPoolExecutor | None = None
        """Started when the first letter is typed."""
        self._profile: Profile | None = None
        """The profile of the draft."""
        self._written: Draft | None = None
        """The draft that was written or loaded last."""
        self._write_result: Future[str] | None = None
        self._typed_at = 0.0
        self._is_following = False
        self._back_from_editor_at = 0.0

    @property
    def draft(self) -> Draft:
        """The call in the editor, as it would be sent."""
        return Draft(self._state.called, self._params.text, sources=tuple(self._params.loaded))

    def choose(self, name: str) -> None:
        """Load a listed method or saved call with its draft; "" loads none."""
        self.write_down()
        explorer, state = self._explorer, self._state
        state.method = name  # first, as the preview of the loaded text is about it
        self._params.load(explorer.draft_of(name, called=state.has_history))
        self.batch_draft, self.is_opening = None, False
        self._profile, self._written = explorer.profile, self._listed_draft
        if name and explorer.profile is not None and not explorer.profile.ad_hoc:
            explorer.remembered.set_method(explorer.profile.name, name)

    def open_again(self) -> None:
        """Load the draft again once the history has been read: it may start from the last call."""
        method, text = self._state.method, self._params.text
        is_start = self._explorer.drafts.is_start(self._state.profile_name, method, text)
        if self.is_opening and is_start and self._explorer.draft_of(method) != text:
            self.choose(method)

    def is_untouched_since(self, moment: float) -> bool:
        """Return whether the params have the focus, and nothing was typed there."""
        return self._params.has_focus_within and self._typed_at < moment

    def typed(self) -> None:
        self._typed_at = time.monotonic()
        if not self._is_following:
            self._is_following = True
            following: Callable[[], Awaitable[None]] = self._follow
            self._state.run_worker(following, group="drafts")

    def write_down(self) -> None:
        """Write the draft now: afterwards it is on disk, or there is a problem."""
        if self.form is not None:
            self.form.put_typed()
        if self._is_behind or (self._state.draft_problem and self._is_newest):
            self._write()
        if self._write_result is not None:
            self._finish_write(self._write_result.result())
            self._write_result = None

    @property
    def _listed_draft(self) -> Draft:
        return Draft(self._state.method, self._params.text)

    @property
    def _is_behind(self) -> bool:
        return self._written is not None and self._written != self._listed_draft

    @property
    def _is_newest(self) -> bool:
        """Return whether the draft on disk is the one that was written last.

        An import may have replaced it.
        """
        draft, profile = self._written, self._profile
        if draft is None or profile is None:
            return False
        return self._explorer.drafts.find(profile.name, draft.method) == draft.text

    async def _follow(self) -> None:
        """Write until the typing stops and everything is written."""
        try:
            while self._is_behind:
                await self._pause()
                # A running thread cannot be stopped, and a waiting one must not be.
                self._finish_write(await asyncio.shield(asyncio.wrap_future(self._write())))
        finally:
            self._is_following = False

    async def _pause(self) -> None:
        latest = time.monotonic() + MAX_DELAY_SECONDS
        while (left := min(self._typed_at + PAUSE_SECONDS, latest) - time.monotonic()) > 0:  # noqa: ASYNC110 - each letter moves it
            await asyncio.sleep(left)

    def _write(self) -> Future[str]:
        from concurrent.futures import ThreadPoolExecutor

        assert self._profile is not None
        self._thread = self._thread or ThreadPoolExecutor(1, "drafts")
        draft = self._written = self._listed_draft
        keep, secrets = self._explorer.drafts.keep_typed, self._explorer.credentials.in_use()
        self._write_result = self._thread.submit(keep, self._profile, draft.method, draft.text, secrets)
        return self._write_result

    def _finish_write(self, problem: str) -> None:
        self._state.draft_problem = problem
        self._state.show_problems()

    def reset(self) -> None:
        """Discard the draft, and load the starting params of its method."""
        self.write_down()  # nothing may be written while the draft is discarded
        self._explorer.drafts.forget(self._state.profile_name, self._state.method)
        self._params.replace(self._explorer.draft_of(self._state.method))
        self._written = self._listed_draft

    def replace(self, text: str, *, recorded: bool = False) -> bool:
        """Put a text into the editor; return whether it replaces a draft.

        A replaced draft can be restored.
        """
        explorer, before = self._explorer, self._params.text
        assert explorer.profile is not None
        is_draft = before != text and self._is_typed
        if is_draft:
            secrets = explorer.credentials.in_use()
            self._tell_problem(explorer.replaced.keep(explorer.profile, self._state.method, before, secrets))
        if recorded:
            explorer.replaced.recorded[explorer.profile.name, self._state.method] = text
        self._params.replace(text)
        return is_draft

    def bring_back(self) -> None:
        """Restore the draft that was replaced last.

        The draft in the editor can then be restored in turn.
        """
        explorer = self._explorer
        assert explorer.profile is not None
        before = self._params.text if self._is_typed else ""
        secrets = explorer.credentials.in_use()
        text, problem = explorer.replaced.bring_back(explorer.profile, self._state.method, before, secrets)
        self._params.replace(text)
        self._tell_problem(problem)

    @property
    def _is_typed(self) -> bool:
        """The user typed the draft: it is not empty, a start, or recorded."""
        text, name = self._params.text, self._state.profile_name
        if text.strip() in EMPTY_PARAMS or self._explorer.drafts.is_start(name, self._state.method, text):
            return False
        return self._explorer.replaced.recorded.get((name, self._state.method)) != text

    def edit_outside(self, text: str, asked_at: float) -> None:
        """Let the user change the draft in $EDITOR."""
        if asked_at < self._back_from_editor_at:  # the key was pressed again before the editor opened
            return
        from rpcexplorer.tui.processes import edit_in_editor

        changed, problem, app = text, "Cannot open your editor: this terminal does not support it.", self._state.app
        with suppress(SuspendNotSupported), app.suspend():
            changed, problem = edit_in_editor(text, self._state.method)
        self._back_from_editor_at = time.monotonic()
        app.refresh(layout=True)
        if problem:
            self._state.tell(problem)
        elif changed != text:
            self._params.replace(changed, is_typed=True)

    def add_to_batch(self, key: str) -> str:
        """Add the call to the batch, or update it there; return a notice."""
        explorer, draft = self._explorer, Draft(self._state.called, self._params.text)
        assert explorer.profile is not None
        batch, secrets = explorer.batches.of(explorer.profile), explorer.credentials.in_use()
        if (at := batch.place_of(self.batch_draft)) is None:
            batch = batch.added(draft)
            problem, count = explorer.batches.keep(explorer.profile, batch, secrets), len(batch.rows)
            sentence = f"Added {draft.method} to the batch: {counted(count, 'call')}."
        else:
            batch = batch.with_draft(at, draft)
            problem = explorer.batches.replace(explorer.profile, batch, secrets)
            self.batch_draft = self.batch_row = batch.rows[at].draft
            sentence = f"Updated {draft.method} in the batch: call {at + 1:,} of {len(batch.rows):,}."
        return " ".join([sentence, f"{key} shows the batch.", *([f"{capitalised(problem)}."] if problem else [])])

    def _tell_problem(self, problem: str) -> None:
        if problem:
            self._state.tell(f"{capitalised(problem)}.")
