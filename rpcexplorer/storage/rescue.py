"""Calls that could not be written by the end of a run: put where there is room, and taken back by a later run.

Nothing here raises: what happened is a sentence. Each rescue is a small history of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import gettempdir

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import Profile
from rpcexplorer.storage.files import lock, names, telling, told
from rpcexplorer.storage.journal import Journal

PATIENCE = 0.2
"""Seconds to wait while another program takes them back."""


class Rescue:
    """The calls of one journal that have no place in their history."""

    def __init__(self, journal: Journal, folder: Path, body_limit: int) -> None:
        """``folder`` is where a later run looks; where it takes nothing, the system's for what does not last."""
        self._journal, self._folder, self._body_limit = journal, folder, body_limit

    def put_aside(self) -> str:
        """The run ends: put what still cannot be written where there is room; a sentence if there was any."""
        if not self._journal.unsaved or not self._journal.save_unsaved():
            return ""
        from rpcexplorer.storage.history import History

        calls = self._journal.unsaved
        many = f"{_calls(len(calls))} could not be written to the history: {self._journal.trouble}."
        for folder in (self._folder, Path(gettempdir()) / "rpcexplorer-unsaved"):
            aside = History(folder / calls[-1].id, body_limit=self._body_limit)
            if not any(told(partial(aside.append, call)) for call in calls):
                return f"{many} They are kept in {aside.folder}."
        return f"{many} There was no other place for them."

    def take_back(self, profiles: Callable[[str], Profile | None]) -> str:
        """Write what an earlier run put aside into the history that it belongs to; a sentence if there was any."""
        back: list[Exchange] = []
        told(lambda: back.extend(self._taken_back(profiles)))
        return f"{_calls(len(back))} of an earlier run could be written to the history now." if back else ""

    def _taken_back(self, profiles: Callable[[str], Profile | None]) -> Iterator[Exchange]:
        asides = [self._folder / name for name in sorted(names(self._folder)) if not name.startswith(".")]
        if not asides:
            return
        from rpcexplorer.storage.history import History

        with lock(self._folder / "taking", PATIENCE):
            for aside in asides:
                found = list(History(aside).all())
                calls = [each for each in reversed(found) if isinstance(each, Exchange)]
                for call in calls:
                    history = self._journal.of(profiles(call.profile))
                    if isinstance(history.find(call.id), Exchange):  # an earlier start got as far as this one
                        continue
                    if told(partial(history.append, call)):
                        history.unsaved.pop()  # it stays where it is, and is no new trouble
                        return
                    yield call
                if len(calls) == len(found):  # what cannot be read stays where somebody can look at it
                    with telling("remove", aside):
                        shutil.rmtree(aside)


def _calls(many: int) -> str:
    return f"{many} call{'s' * (many != 1)}"
