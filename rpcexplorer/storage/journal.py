"""The history as the explorer keeps it: which folder a profile writes to, what is recorded, and what went wrong.

Nothing here raises: a history that cannot be written or read stops no call. Blocks and files are history.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import TypeVar

from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.record import recorded
from rpcexplorer.model.secret import Secret
from rpcexplorer.model.settings import HistorySettings
from rpcexplorer.storage.files import told
from rpcexplorer.storage.history import History

GONE = "This call is no longer in the history: somebody else has removed it."

T = TypeVar("T")


class Journal:
    """One history for each folder that a setting or a profile names."""

    def __init__(self, settings: HistorySettings, folder: Path, secrets: Callable[[], Iterable[Secret]]) -> None:
        self.recording = settings.record
        """Whether calls are written down at all."""
        self.trouble = ""
        """Why the last exchange could not be written, or some could not be read; empty while all is well."""
        self._settings, self._folder, self._secrets = settings, folder, secrets
        self._open: dict[Path, History] = {}

    def of(self, profile: Profile | None) -> History:
        """The history that a profile writes to."""
        own = profile.history if profile else None
        folder = Path(own or self._settings.folder or self._folder)
        if folder not in self._open:
            self._open[folder] = History(folder, body_limit=self._settings.body_limit)
        return self._open[folder]

    def record(self, exchange: Exchange, profile: Profile) -> None:
        """Write an exchange down, secrets hidden. A full disk stops no call: its trouble is told later."""
        self.trouble = ""
        if self.recording and not isinstance(exchange.outcome, Refused):
            record = recorded(exchange, profile, list(self._secrets()), self._settings.body_limit)
            self.trouble = told(lambda: self.of(profile).append(record))

    def recent(self, profile: Profile, limit: int) -> list[Exchange]:
        """The newest calls of a profile, newest first; also those that could not be written."""
        history = self.of(profile)
        unsaved = [each for each in reversed(history.unsaved) if each.profile == profile.name]
        found = (each for each in history.search("", profile.name) if isinstance(each, Exchange))
        return [*unsaved, *self._read(lambda: islice(found, limit))][:limit]

    def methods(self, profile: Profile) -> list[str]:
        """The names that were called on a profile."""
        return self._read(lambda: self.of(profile).methods(profile.name)) if self.recording else []

    def annotate(self, profile: Profile | None, id: str, *, name: str | None, note: str | None) -> str:
        """Name a call or write a note to it; a sentence where that failed."""
        return self._changed(lambda: self.of(profile).annotate(id, name=name, note=note))

    def delete(self, profile: Profile | None, id: str) -> str:
        """Delete a call for good; a sentence where that failed."""
        return self._changed(lambda: self.of(profile).delete(id))

    @staticmethod
    def _changed(change: Callable[[], bool]) -> str:
        done: list[bool] = []
        return told(lambda: done.append(change())) or ("" if any(done) else GONE)

    def _read(self, read: Callable[[], Iterable[T]]) -> list[T]:
        """What can be read of it; why the rest cannot is told as its trouble."""
        found: list[T] = []
        self.trouble = told(lambda: found.extend(read())) or self.trouble
        return found
