"""Recording events: a queue, and a thread that writes them in groups."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event as Signal
from threading import Thread
from typing import Any, Final

from rpcexplorer.files.io import (
    FileError,
    Unfit,
    file_errors,
    lock,
    opened,
    private_folder,
    read_span,
    refuse_links,
    size_words,
)
from rpcexplorer.history.file import EVENTS, FILE, FOREIGN, append, current, this_writer
from rpcexplorer.history.record import HEADER, event_block, event_head
from rpcexplorer.model.event import Event
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.model.settings import MIB
from rpcexplorer.redaction.exchange import MAX_METHOD, EventRedactor
from rpcexplorer.rpc.messages import ALPHABET, CHANCE_LIMIT, make_id

MAX_WAITING: Final = 20_000
MAX_WAITING_BYTES: Final = 64 * MIB
"""Events, and bytes of them, that wait at most; others are not recorded."""
GROUP: Final = 5_000
"""Events that are redacted and written together.

Files are opened for each group, and to go on after that takes milliseconds while another thread is busy.
"""
GROUP_BYTES: Final = MIB
PAUSE_SECONDS: Final = 0.02
"""Seconds to wait for more events, to write them together."""
MAX_FILES: Final = 8
MAX_PROFILES: Final = 50
MAX_HEADS: Final = 1_000
"""Names whose lines are remembered: a server can make up any number."""
_PAIRS: Final = [first + second for first in ALPHABET for second in ALPHABET]

Place = tuple[Path, Path | None, bool]
"""A history's folder, the folder it must be in, and whether it is shared."""
Waiting = tuple[Event, Profile, int]
"""An event, and how many before it were not recorded."""


class EventFiles:
    """The files of events in one folder: the oldest is removed for new ones."""

    def __init__(self, place: Place, limit: int) -> None:
        """``limit``: bytes of all files."""
        self._folder, self._inside, self._shared = place
        self._writer = this_writer() + EVENTS
        self._limit = limit

    def append(self, blocks: bytes) -> None:
        if len(blocks) > self._limit:
            raise FileError(f"an event is larger than history.events, {size_words(self._limit)}")
        if self._inside is not None:
            refuse_links(self._folder, self._inside)
        private_folder(self._folder)
        with lock(current(self._folder, self._writer)):
            self._make_room(len(blocks))
            now, rotate_at = datetime.now(UTC), min(FILE, self._limit // MAX_FILES)
            append(self._folder, self._writer, blocks, when=now, rotate_at=rotate_at, shared=self._shared)

    def _make_room(self, size: int) -> None:
        with file_errors("read", self._folder), os.scandir(self._folder) as found:
            files = [
                (entry.stat(follow_symlinks=False), Path(entry.path))
                for entry in found
                if entry.name.endswith(".toml") and entry.name.partition(".")[0] == self._writer
            ]
        size += sum(stat.st_size for stat, _ in files)
        for stat, path in sorted(files, key=lambda file: file[0].st_mtime_ns):
            if size <= self._limit:
                return
            with file_errors("remove", path):
                with opened(path) as file:
                    if stat.st_size and read_span(file, 0, len(HEADER)) != HEADER:
                        raise Unfit(FOREIGN)
                path.unlink()
            size -= stat.st_size


class EventRecords:
    """Spells the events of one profile, while the known secrets do not change."""

    def __init__(self, profile: Profile, secrets: Sequence[Secret], body_limit: int) -> None:
        self._redactor = EventRedactor(profile, secrets, guesses=True)
        self._limit = min(body_limit, MIB)
        self._head = lru_cache(MAX_HEADS)(
            lambda name, of: event_head(profile.name, self._redactor.url, self._redactor.method(name), of)
        )
        self._profile = profile  # Its id names these records, so it must not be used again.
        self._millisecond = self._chance = 0
        self._time = ""

    def blocks(self, waiting: Sequence[Waiting]) -> list[bytes]:
        replies = self._redactor.cut_messages([event for event, *_ in waiting], self._limit)
        blocks = []
        for (event, _, missed), (reply, is_cut) in zip(waiting, replies, strict=True):
            id, head = self._fresh_id(event.when), self._head(self._short(event.method), event.of)
            more = self._more(event, missed, is_cut=is_cut)
            blocks.append(event_block(id, event.when, head, reply, received=event.size, more=more))
        return blocks

    def _short(self, name: str) -> str:
        """Return a name to remember; a long one is cut, and redacted before."""
        return name if len(name) <= MAX_METHOD else self._redactor.method(name)

    def _more(self, event: Event, missed: int, *, is_cut: bool) -> dict[str, Any]:
        """Return the values that few events have."""
        if not (missed or is_cut or event.remark or event.answer):
            return {}
        return {
            "reply_cut": is_cut,
            "remarks": [self._redactor.text(event.remark)] if event.remark else [],
            "answer": self._redactor.answer(event),
            "sent": len(event.answer_with(event.answer)) if event.id and event.answer else None,
            "missed": missed or None,
        }

    def _fresh_id(self, when: datetime) -> str:
        """Return an id that sorts after those of earlier events."""
        millisecond = int(when.timestamp() * 1000)
        if millisecond != self._millisecond:
            self._millisecond, self._time = millisecond, make_id(millisecond, 0)[:-6]
            self._chance = random.randrange(CHANCE_LIMIT // 2)  # noqa: S311 - no secret
        self._chance = (self._chance + 1) % CHANCE_LIMIT
        chance = self._chance
        return self._time + _PAIRS[chance >> 20] + _PAIRS[chance >> 10 & 1023] + _PAIRS[chance & 1023]


class EventRecorder:
    """Records events soon, in a thread. What cannot be recorded is counted."""

    def __init__(
        self,
        limit: int,
        body_limit: int,
        place_of: Callable[[Profile], Place],
        secrets: Callable[[], Iterable[Secret]],
    ) -> None:
        """``limit``: bytes of all recorded events of a folder."""
        self._limit, self._body_limit, self._place_of, self._secrets = limit, body_limit, place_of, secrets
        self.problem = ""
        """Why events were not recorded, or empty."""
        self._queue: SimpleQueue[Waiting | Signal] = SimpleQueue()
        self._added = self._added_bytes = 0
        self._done = self._done_bytes = 0
        """Written by the thread only, as are the next four."""
        self._lost = 0
        self._unrecorded: dict[str, int] = {}
        """Lost events of profiles, for the next record."""
        self._known: list[tuple[Secret, str, bool]] = []
        self._records: dict[int, EventRecords] = {}
        self._files: dict[Place, EventFiles] = {}
        self._refused = 0
        self._missed: dict[str, int] = {}
        """Refused events of profiles, for the next one that is added."""
        self._in_a_hurry = Signal()
        self._thread: Thread | None = None

    @property
    def missed(self) -> int:
        """How many events were not recorded."""
        return self._refused + self._lost

    def add(self, event: Event, profile: Profile) -> None:
        """Add an event, in two microseconds; with a full queue it is only counted."""
        if self._added - self._done >= MAX_WAITING or self._added_bytes - self._done_bytes >= MAX_WAITING_BYTES:
            self._refused += 1
            self._missed[profile.name] = self._missed.get(profile.name, 0) + 1
            return
        if self._thread is None:
            self._thread = Thread(target=self._run, name="events", daemon=True)
            self._thread.start()
        self._added += 1
        self._added_bytes += event.size
        self._queue.put((event, profile, self._missed.pop(profile.name, 0) if self._missed else 0))

    def flush(self, seconds: float) -> str:
        """Write what waits; return a sentence if events were not recorded."""
        written = Signal()
        self._queue.put(written)
        self._in_a_hurry.set()
        waiting = 0
        if self._thread is not None and not written.wait(seconds):
            waiting = self._added - self._done
            self.problem = self.problem or f"writing them takes longer than {seconds:g} s"
        self._in_a_hurry.clear()
        count = self.missed + waiting
        if not count:
            return ""
        verb = "is" if count == 1 else "are"
        why = self.problem or "they came faster than they can be written"
        return f"{counted(count, 'event')} {verb} not in the history: {why}."

    def _run(self) -> None:
        while True:
            self._write_from(self._queue.get())

    def _write_from(self, first: Waiting | Signal) -> None:
        """Write a group of events, and signal that the events before a signal are written."""
        self._in_a_hurry.wait(PAUSE_SECONDS)
        found, size = [first], 0
        with suppress(Empty):
            while len(found) < GROUP and size < GROUP_BYTES:
                if not isinstance(found[-1], Signal):
                    size += found[-1][0].size
                found.append(self._queue.get_nowait())
        waiting = [one for one in found if not isinstance(one, Signal)]
        self._write(waiting)
        self._done_bytes += sum(event.size for event, *_ in waiting)
        self._done += len(waiting)
        for written in found:
            if isinstance(written, Signal):
                written.set()

    def _write(self, waiting: Sequence[Waiting]) -> None:
        groups: dict[int, list[Waiting]] = {}
        for one in waiting:
            groups.setdefault(id(one[1]), []).append(one)
        for group in groups.values():
            profile, written = group[0][1], 0
            missed = self._unrecorded.pop(profile.name, 0)
            group[0] = (*group[0][:2], group[0][2] + missed)
            try:
                for blocks in self._pieces(self._records_of(profile).blocks(group)):
                    self._files_of(profile).append(b"".join(blocks))
                    written += len(blocks)
            except FileError as error:
                self.problem = error.sentence
            except Exception as error:  # noqa: BLE001 - nothing else would report an error of this thread
                self.problem = f"an internal error, {type(error).__name__}, ended the writing"
            lost = len(group) - written
            self._lost += lost
            if lost:
                self._unrecorded[profile.name] = lost + (0 if written else group[0][2])

    def _records_of(self, profile: Profile) -> EventRecords:
        """Return the records of a profile, made again if the known secrets have changed."""
        secrets = list(self._secrets())
        known = [(secret, secret.label, secret.is_public) for secret in secrets]
        if known != self._known or len(self._records) >= MAX_PROFILES:
            self._known = known
            self._records.clear()
        if id(profile) not in self._records:
            self._records[id(profile)] = EventRecords(profile, secrets, self._body_limit)
        return self._records[id(profile)]

    def _files_of(self, profile: Profile) -> EventFiles:
        place = self._place_of(profile)
        if place not in self._files:
            self._files[place] = EventFiles(place, self._limit)
        return self._files[place]

    def _pieces(self, blocks: Iterable[bytes]) -> Iterator[list[bytes]]:
        """Yield blocks to write at once: all, unless little may be recorded at all."""
        piece: list[bytes] = []
        size = 0
        for block in blocks:
            if piece and size + len(block) > self._limit // MAX_FILES:
                yield piece
                piece, size = [], 0
            piece.append(block)
            size += len(block)
        yield piece
