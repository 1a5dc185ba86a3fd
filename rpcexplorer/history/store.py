"""The histories of all profiles, and calls that could not be recorded."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from rpcexplorer.files.io import FileError, error_of, file_errors, lock, names
from rpcexplorer.files.paths import UNSAVED
from rpcexplorer.model.exchange import Exchange, Refused
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.model.settings import HistorySettings
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.messages import Result

if TYPE_CHECKING:
    from rpcexplorer.history.events import EventRecorder
    from rpcexplorer.history.folder import History
    from rpcexplorer.model.event import Event
    from rpcexplorer.redaction.exchange import Redaction
    from rpcexplorer.variables.resolve import LastResult

GONE = "This call is no longer in the history: it was deleted elsewhere."
LONG = 256 * 1024
"""Bytes of a history that can be searched at once without delay."""
RESCUE_LOCK = "taking"
RESCUE_SECONDS = 0.2
"""How long to wait while another program takes rescued calls back."""
T = TypeVar("T")


class Journal:
    """The histories, one for each configured folder, opened when needed."""

    def __init__(self, settings: HistorySettings, folder: Path, secrets: Callable[[], Iterable[Secret]]) -> None:
        self.recording = settings.record
        self.problem = ""
        """Why a call could not be written or read, or empty."""
        self.body_limit = settings.body_limit
        self._chosen, self._folder, self._secrets = settings.folder, folder, secrets
        self._open: dict[tuple[Path, Path | None], History] = {}
        self._sent: set[tuple[str, str, str, str | None]] = set()
        """Recorded calls of this run whose params contain secret references."""
        self._writing = Lock()
        self._events_limit = settings.events

    def _place_of(self, profile: Profile | None) -> tuple[Path, Path | None, bool]:
        """Return a folder, the folder that it must be in, and whether it is shared."""
        folder, inside = Path(self._chosen or self._folder), None
        if profile and profile.history:
            folder = Path(profile.history)
            inside = Path(profile.history_inside) if profile.history_inside else None
        return folder, inside, folder != self._folder

    def of(self, profile: Profile | None) -> History:
        folder, inside, shared = self._place_of(profile)
        if (folder, inside) not in self._open:
            from rpcexplorer.history.folder import History

            self._open[folder, inside] = History(folder, body_limit=self.body_limit, inside=inside, shared=shared)
        return self._open[folder, inside]

    def of_cases(self, profile: Profile | None) -> History:
        """Return the history for cases, which lie in files of their own."""
        from rpcexplorer.history.file import CASES
        from rpcexplorer.history.folder import History

        there, limit = self.of(profile), self.body_limit
        own = there.writer + CASES
        return History(there.folder, writer=own, body_limit=limit, inside=there.inside, shared=there.shared)

    def as_recorded(self, exchange: Exchange, profile: Profile, body_limit: int | None = None) -> Exchange:
        """Return the exchange as it would be read back from a history."""
        from rpcexplorer.history.record import to_exchange, to_record
        from rpcexplorer.redaction.exchange import for_history, redacted

        record = redacted(exchange, for_history(body_limit), profile, self._secrets())
        read = to_exchange(to_record(record))
        return replace(read, notes=record.notes, writer=record.writer) if isinstance(read, Exchange) else record

    def record(self, exchange: Exchange, profile: Profile, redaction: Redaction | None = None) -> None:
        """Write an exchange, secrets hidden; problems are reported later.

        ``redaction`` is that of the call; without it, the secrets are hidden that are known now.
        """
        if isinstance(exchange.outcome, Refused) or not self.recording:
            self.problem = ""
            return
        from rpcexplorer.model.secret import PLACEHOLDER
        from rpcexplorer.redaction.exchange import Redaction, for_history

        redaction = redaction or Redaction(profile, self._secrets())
        record = redaction.redacted(exchange, for_history(self.body_limit))
        if PLACEHOLDER.search(f"{record.params} {record.params_sent}"):
            self._sent.add((record.url, record.method, record.params, record.params_sent))
        with self._writing:
            self.problem = error_of(lambda: self.of(profile).append(record)) or self._save_unsaved()

    def record_event(self, event: Event, profile: Profile) -> None:
        """Record an event soon, in another thread."""
        if self.recording and self._events_limit:
            self.events.add(event, profile)

    @cached_property
    def events(self) -> EventRecorder:
        from rpcexplorer.history.events import EventRecorder

        return EventRecorder(self._events_limit, self.body_limit, self._place_of, self._secrets)

    @property
    def events_missed(self) -> int:
        """How many events of this run could not be recorded."""
        return self.events.missed if "events" in self.__dict__ else 0

    def flush_events(self, seconds: float = 5) -> str:
        """Write the events that wait; return a sentence if some could not be recorded."""
        return self.events.flush(seconds) if "events" in self.__dict__ else ""

    def is_ours(self, exchange: Exchange, profile: Profile | None) -> bool:
        """Return whether only this person can have written the record.

        Only the folder in this person's own state proves that, or that it was sent in this run.
        """
        if exchange.foreign or exchange.writer:
            return False
        if self.of(profile).folder == self._folder:
            return True
        return (exchange.url, exchange.method, exchange.params, exchange.params_sent) in self._sent

    @property
    def unsaved(self) -> list[Exchange]:
        waiting: list[Exchange] = []
        for history in self._open.values():
            waiting += history.unsaved
        return sorted(waiting, key=lambda exchange: exchange.when)

    def save_unsaved(self) -> str:
        with self._writing:
            return self._save_unsaved()

    def _save_unsaved(self) -> str:
        self.problem = ""
        for history in self._open.values():
            problem = error_of(history.save_unsaved)
            self.problem = self.problem or problem
        return self.problem

    def recent(self, profile: Profile, limit: int) -> list[Exchange]:
        """Return the newest calls of a profile, unsaved ones too.

        Only the newest megabytes are searched.
        """
        history = self.of(profile)
        calls = [call for call in reversed(history.unsaved) if call.profile == profile.name]
        for record in self._read(lambda: history.recent(profile.name, limit)):
            if isinstance(record, Exchange):
                calls.append(record)
            elif not self.problem:
                self.problem = record.reason
        return [call for call in calls if _is_of(call, profile)][:limit]

    def all_calls(self, profile: Profile) -> Iterator[Exchange]:
        """Yield the recorded calls of a profile, the newest first, without imported ones."""
        from rpcexplorer.model.filter import HistoryFilter

        for found in self.of(profile).search(HistoryFilter(profile=profile.name)):
            if isinstance(found, Exchange) and not found.foreign and _is_of(found, profile):
                yield found

    def read_times(self, profile: Profile | None) -> None:
        """Read which durations are usual. Lists of calls report why a history cannot be read."""
        error_of(self.of(profile).read_times)

    def is_long(self, profile: Profile) -> bool:
        return sum(self._read(lambda: self.of(profile).sizes())) > LONG

    def methods(self, profile: Profile) -> list[str]:
        """Return the names called on a profile; none for a typed address."""
        if not self.recording or profile.ad_hoc:
            return []
        return self._read(lambda: self.of(profile).methods(profile.name))

    def last_params(self, profile: Profile, method: str) -> str | None:
        """Return the params of the last successful call, if sendable."""
        from rpcexplorer.model.secret import PLACEHOLDER, UNRECORDED

        call = self._last_result(profile, method)
        if call is None or UNRECORDED in call.params:
            return None
        if self.is_ours(call, profile):
            return call.params
        from rpcexplorer.variables.resolve import as_it_went_out

        params = as_it_went_out(call).params
        return None if PLACEHOLDER.search(params) else params

    def last_value(self, profile: Profile, method: str) -> LastResult:
        """Return the newest result of a method as a value for other calls."""
        from rpcexplorer.model.secret import HIDDEN
        from rpcexplorer.variables.resolve import LastResult

        call = self._last_result(profile, method)
        if call is None or not isinstance(call.outcome, Result):
            why = f"there is no result of {method} on {profile.shown_name} in the history"
            return LastResult(why=why if self.recording else f"{why}, because calls are not recorded")
        text = bytes(call.outcome.value).decode("utf-8", "replace")
        newest = f"the newest result of {method} on {profile.shown_name}"
        if not self.is_ours(call, profile):
            return LastResult(why=f"{newest} is in a folder that others can write to")
        if call.url != redacted_address(profile.endpoint):  # a file may have moved the profile to another server
            return LastResult(why=f"{newest} came from another URL: {call.url}")
        if call.response.cut or not text:
            return LastResult(why=f"{newest} is too large: only its start was recorded")
        if HIDDEN.search(text):
            return LastResult(why=f"{newest} contains a redacted value")
        return LastResult(text)

    def _last_result(self, profile: Profile, method: str) -> Exchange | None:
        if not self.recording:
            return None
        for call in self._read(lambda: [self.of(profile).last_result(profile.name, method)]):
            if call is not None and _is_of(call, profile):
                return call
        return None

    def refusal(self, profile: Profile | None, call: Exchange) -> str:
        """Return why a call cannot be changed, or nothing."""
        return self.of(profile).refusal(call.writer)

    def before(self, profile: Profile | None, call: Exchange) -> Exchange | None:
        """Return the newest earlier call that sent the same.

        A foreign call is compared with the newest of all, as it names no profile of this person.
        """
        from rpcexplorer.model.draft import sent_draft
        from rpcexplorer.model.filter import HistoryFilter

        wanted = HistoryFilter(method=call.method, profile=None if call.foreign else call.profile)
        history, sent = self.of(profile), sent_draft(call).text

        def same() -> Iterator[Exchange]:
            unsaved = [found for found in reversed(history.unsaved) if wanted.matches(found)]
            for found in chain(unsaved, history.search(wanted)):
                if not isinstance(found, Exchange) or found.id == call.id or found.kind != call.kind:
                    continue
                is_earlier = call.foreign or found.when <= call.when
                if is_earlier and sent_draft(found).text == sent:
                    yield found

        earlier = self._read(lambda: islice(same(), 1))
        return earlier[0] if earlier else None

    def annotate(self, profile: Profile | None, id: str, *, name: str | None = None, note: str | None = None) -> str:
        from rpcexplorer.redaction.redactor import Redactor

        hide = Redactor(self._secrets()).text
        name, note = name and hide(name), note and hide(note)
        return self._changed(lambda: self.of(profile).annotate(id, name=name, note=note))

    def delete(self, profile: Profile | None, id: str) -> str:
        return self._changed(lambda: self.of(profile).delete(id))

    @staticmethod
    def _changed(change: Callable[[], bool]) -> str:
        try:
            return "" if change() else GONE
        except FileError as error:
            return error.sentence

    def _read(self, read: Callable[[], Iterable[T]]) -> list[T]:
        found: list[T] = []
        try:
            found.extend(read())  # What was read before an error is used.
        except FileError as error:
            self.problem = error.sentence
        return found


def _is_of(call: Exchange, profile: Profile) -> bool:
    """Return whether it was made with this profile; ad hoc ones share a name."""
    return not profile.ad_hoc or call.url == redacted_address(profile.endpoint)


class Rescue:
    """Calls that a later run can record, stored in another folder."""

    def __init__(self, journal: Journal, folder: Path) -> None:
        """Later runs read ``folder``; if not writable, use a temporary one."""
        self._journal, self._folder = journal, folder

    def put_aside(self) -> str:
        """Store unrecorded calls elsewhere; return a sentence about them."""
        if not self._journal.unsaved or not self._journal.save_unsaved():
            return ""
        from rpcexplorer.history.folder import History

        calls = self._journal.unsaved
        verb = "is" if len(calls) == 1 else "are"
        failure = f"{counted(len(calls), 'call')} {verb} not in the history: {self._journal.problem}."
        for place in self._places():
            aside = History(place / calls[-1].id, body_limit=self._journal.body_limit)
            if not any(error_of(partial(aside.append, call)) for call in calls):
                return f"{failure} rpcexplorer tries again at its next start, from {aside.folder}."
        return f"{failure} Saving to another folder also failed."

    def _places(self) -> Iterator[Path]:
        yield self._folder
        if temporary := _temporary_folder():
            import shutil
            from tempfile import mkdtemp

            with suppress(OSError):
                made = Path(mkdtemp(prefix=self._prefix, dir=temporary))  # Other users cannot read this folder.
                yield made
                shutil.rmtree(made, ignore_errors=True)  # there was no room either

    @property
    def _prefix(self) -> str:
        """Name folders by the home, so that another home leaves them alone."""
        import hashlib

        home = hashlib.sha256(os.fsencode(self._folder.absolute())).hexdigest()[:16]
        return f"{UNSAVED}{home}-"

    def take_back(self, profiles: Callable[[str], Profile | None]) -> str:
        """Record what earlier runs put aside; return a sentence if there was any."""
        temporary = _temporary_folder()
        left = sorted(temporary.glob(f"{self._prefix}*")) if temporary else []
        calls = list[Exchange]()
        for place in (self._folder, *(folder for folder in left if _is_ours(folder))):
            error_of(partial(calls.extend, self._take_calls(place, profiles)))
            if place != self._folder:
                with suppress(OSError):  # something is left in it
                    if [entry.name for entry in place.iterdir()] == [f".{RESCUE_LOCK}.lock"]:
                        (place / f".{RESCUE_LOCK}.lock").unlink()
                    place.rmdir()
        if not calls:
            return ""
        return f"Wrote {counted(len(calls), 'call')} to the history that could not be recorded earlier."

    def _take_calls(self, place: Path, profiles: Callable[[str], Profile | None]) -> Iterator[Exchange]:
        asides = [place / name for name in sorted(names(place)) if not name.startswith(".")]
        if not asides:
            return
        import shutil

        from rpcexplorer.history.folder import History

        with lock(place / RESCUE_LOCK, RESCUE_SECONDS):
            for aside in asides:
                found = list(History(aside, body_limit=self._journal.body_limit).all())
                calls = [record for record in reversed(found) if isinstance(record, Exchange)]
                for call in calls:
                    history = self._journal.of(profiles(call.profile))
                    if isinstance(history.find(call.id), Exchange):  # an earlier start got as far as this one
                        continue
                    if error_of(partial(history.append, call)):
                        history.unsaved.pop()  # The call stays in the folder and is not a new problem.
                        return
                    yield call
                if len(calls) == len(found):  # Unreadable records stay, so that the user can inspect them.
                    with file_errors("remove", aside):
                        shutil.rmtree(aside)


def _temporary_folder() -> Path | None:
    """Return a safe folder for temporary files, or None.

    Python falls back to the working folder, which may be a checkout with files of other users.
    """
    from tempfile import gettempdir

    with suppress(OSError):
        folder = Path(gettempdir())
        mode = folder.stat().st_mode
        is_named = folder in {Path(os.environ.get(name, "")).absolute() for name in ("TMPDIR", "TEMP", "TMP")}
        if mode & stat.S_ISVTX or (is_named and (os.name == "nt" or not mode & 0o022)):
            return folder
    return None


def _is_ours(place: Path) -> bool:
    """Return whether a folder contains only private files of this user."""
    if os.name == "nt":  # the folder is this user's own
        return True
    with suppress(OSError):
        for path in (place, *place.rglob("*")):
            entry = path.lstat()
            is_usual = stat.S_ISDIR(entry.st_mode) or stat.S_ISREG(entry.st_mode)  # and no link to something else
            if not is_usual or entry.st_uid != os.geteuid() or entry.st_mode & 0o077:
                return False
        return True
    return False
