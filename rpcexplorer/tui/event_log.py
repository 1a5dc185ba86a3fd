"""The newest events of a profile, in bounded memory, and the search among them.

Taking an event costs a microsecond: nothing is decoded, redacted or drawn before somebody looks at it.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final, Protocol

from msgspec import Struct

from rpcexplorer.model.event import MAX_EVENT, Event
from rpcexplorer.model.secret import MARGIN
from rpcexplorer.text.document import Document

MAX_EVENTS: Final = 100_000
MAX_BYTES: Final = 64 * 1024 * 1024
MAX_STDERR: Final = 64 * 1024
"""Characters of the lines of stderr."""
AT_ONCE_BYTES: Final = 64 * 1024
"""A larger message is redacted in a thread."""
GROUP: Final = 256
"""Events that are searched together, which is much faster."""
METHOD: Final = "method:"
"""The word of a filter that selects methods."""


GONE: Final = Event(datetime.fromtimestamp(0, UTC), "unreadable", b"", remark="dropped")
"""In place of an event that was dropped a moment ago."""


class EventLog:
    """The events of a profile since the start; older ones are dropped."""

    def __init__(self) -> None:
        self.count = 0
        """Events since the start."""
        self.dropped = 0
        """Events that are no longer here: the number of the first one that is."""
        self.stderr = deque[str]()
        """The last lines that the process has written to its stderr."""
        self._ring: list[Event | None] = []
        self._bytes = self._stderr_size = 0

    @property
    def newest(self) -> Event | None:
        return self.numbered(self.count - 1) if self.count else None

    def numbered(self, number: int) -> Event:
        """Return an event by its number since the start, from 0."""
        event = self._ring[number % MAX_EVENTS] if number >= self.dropped else None
        return event or GONE

    def following(self, number: int, most: int) -> list[Event]:
        """Return the events from a number on that is still here."""
        end = min(number + most, self.count)
        return [self._ring[at % MAX_EVENTS] or GONE for at in range(number, end)]

    def take(self, event: Event) -> None:
        """Append an event, and cut it if it is too large."""
        event.cut()
        number = self.count
        if number < MAX_EVENTS:
            self._ring.append(event)
        else:
            if number - self.dropped == MAX_EVENTS:
                self._drop()
            self._ring[number % MAX_EVENTS] = event
        self.count = number + 1
        self._bytes += _size(event)
        while self._bytes > MAX_BYTES:
            self._drop()

    def take_stderr(self, line: str) -> None:
        """Append a line of stderr, at most its beginning."""
        self.stderr.append(line[:MAX_STDERR])
        self._stderr_size += len(self.stderr[-1]) + 1
        while self._stderr_size > MAX_STDERR + 1:
            self._stderr_size -= len(self.stderr.popleft()) + 1

    def _drop(self) -> None:
        at = self.dropped % MAX_EVENTS
        event, self._ring[at] = self._ring[at], None
        assert event is not None
        self._bytes -= _size(event)
        self.dropped += 1


def _size(event: Event) -> int:
    return len(event.text) + len(event.method)


RATE_SECONDS: Final = 300
"""Seconds whose events are counted; more than any screen shows."""
MAX_COUNTED: Final = 20_000
"""Events that are counted at once, in a few milliseconds. Of more, the newest are counted."""
MAX_KINDS: Final = 50
"""Methods that are counted apart."""
OTHERS: Final = "others"


class EventRates:
    """How many events came in each of the last seconds, by method."""

    def __init__(self, log: EventLog) -> None:
        self._log, self._next = log, 0
        self._counts: defaultdict[str, Counter[int]] = defaultdict(Counter)

    def update(self) -> None:
        """Count the events that came since the last time, and forget old ones."""
        log = self._log
        first = max(self._next, log.dropped, log.count - MAX_COUNTED)
        for event in log.following(first, MAX_COUNTED):
            kind = event.method or event.kind
            if kind not in self._counts and len(self._counts) >= MAX_KINDS:
                kind = OTHERS
            self._counts[kind][int(event.when.timestamp())] += 1
        self._next = log.count
        newest = log.newest
        oldest = int(newest.when.timestamp()) - RATE_SECONDS if newest else 0
        for kind, counts in list(self._counts.items()):
            for second in [second for second in counts if second < oldest]:
                del counts[second]
            if not counts:
                del self._counts[kind]

    @property
    def kinds(self) -> int:
        return len(self._counts)

    def last_second(self, now: int) -> int:
        """Return the current second, or that of the newest event if the clock was set back."""
        newest = self._log.newest
        return max(now, int(newest.when.timestamp())) if newest else now

    def rows(self, now: int, seconds: int, most: int) -> list[tuple[str, list[int]]]:
        """Return the events of the last seconds, oldest first, for the most frequent methods and for all others."""
        span = range(now - seconds + 1, now + 1)
        found = {kind: [counts[second] for second in span] for kind, counts in self._counts.items()}
        frequent = sorted(found, key=lambda kind: (-sum(found[kind]), kind))
        apart = frequent if len(frequent) <= most else frequent[: most - 1]
        rows = [(kind, found[kind]) for kind in sorted(apart, key=str.casefold)]
        if others := [found[kind] for kind in frequent[len(apart) :]]:
            rows.append((OTHERS if apart else "all", [sum(counts) for counts in zip(*others, strict=True)]))
        return rows


class Hide(Protocol):
    """What the screen needs of a redactor of events."""

    def message(self, event: Event) -> bytes: ...

    def messages(self, events: Sequence[Event]) -> list[bytes]: ...

    def part(self, event: Event, part: bytes) -> bytes: ...

    def method(self, name: str) -> str: ...

    def text(self, text: str) -> str: ...

    @property
    def margin(self) -> int: ...


def message_of(event: Event, hide: Hide) -> bytes:
    """Return the message without secrets. A long one is redacted before it is cut, so that no secret is cut in half."""
    return _shown(event, hide.message(event))


def _shown(event: Event, text: bytes) -> bytes:
    searched = len(text) - MARGIN if event.size > len(event.text) else len(text)
    return text[: max(min(searched, MAX_EVENT), 0)]


class EventFilter(Struct, frozen=True):
    """The words of a filter. Lower case matches any case, as in a search."""

    words: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> EventFilter:
        words = text.split()
        methods = (word.removeprefix(METHOD) for word in words if word.startswith(METHOD))
        return cls(tuple(word for word in words if not word.startswith(METHOD)), tuple(filter(None, methods)))

    def __bool__(self) -> bool:
        return bool(self.words or self.methods)

    def found(self, events: Sequence[Event], hide: Hide) -> Sequence[Event]:
        """Return the events that have all words. The value of a secret is never found."""
        if self.methods:
            names = {event.method for event in events}
            fitting = {name for name in names if _has(name, self.methods) and _has(hide.method(name), self.methods)}
            events = [event for event in events if event.method in fitting]
        for word in self.words:
            cased = _cased(word)
            events = [event for event in events if word in cased(event.text.decode("utf-8", "replace"))]
        if not self.words:
            return events
        found = list[Event]()
        for event, text in zip(events, hide.messages(events), strict=True):
            is_whole = text is event.text and event.size <= MAX_EVENT
            if is_whole or _has(_shown(event, text).decode("utf-8", "replace"), self.words):
                found.append(event)
        return found


def _has(text: str, words: Sequence[str]) -> bool:
    """Return whether a text has all words."""
    return all(word in _cased(word)(text) for word in words)


def _cased(word: str) -> Callable[[str], str]:
    """Return how to spell a text that a word is searched in: lower case matches any case."""
    return str.lower if word.islower() else str


class AllEvents(Sequence[Event]):
    """The events of a log, as many as there were a moment ago."""

    is_complete = True

    def __init__(self, log: EventLog) -> None:
        self._log, self._first, self._end = log, log.dropped, log.count

    def __len__(self) -> int:
        return self._end - self._first

    def __getitem__(self, index: Any) -> Any:
        """Return an event by its index; nothing slices a log."""
        if not 0 <= index < len(self):
            raise IndexError
        return self._log.numbered(self._first + index)

    def update(self) -> int:
        """Include new events; return how many were dropped since the last time."""
        gone = self._log.dropped - self._first
        self._first, self._end = self._log.dropped, self._log.count
        return gone


class EventSearch(Sequence[Event]):
    """The events of a log that match a filter, found in slices of time."""

    def __init__(self, log: EventLog, wanted: EventFilter) -> None:
        self.log, self.wanted = log, wanted
        self._numbers = list[int]()
        self._next = 0
        """The number of the first event that is not searched yet."""
        self._aside: asyncio.Future[Sequence[Event]] | None = None
        """The search in a large event, in a thread."""

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: Any) -> Any:
        """Return an event by its index; nothing slices a search."""
        return self.log.numbered(self._numbers[index])

    @property
    def is_complete(self) -> bool:
        return self._next >= self.log.count

    def update(self) -> int:
        """Leave out events that were dropped; return how many."""
        gone = bisect_left(self._numbers, self.log.dropped)
        del self._numbers[:gone]
        return gone

    def search(self, hide: Hide, seconds: float) -> None:
        """Search for some time, or up to a large event; it can be called again later."""
        until = time.perf_counter() + seconds
        while not self.is_complete and time.perf_counter() < until:
            if self._aside is not None:
                if not self._aside.done():
                    return
                self._numbers += [self._next] * len(self._aside.result())
                self._aside = None
                self._next += 1
                continue
            self._next = max(self._next, self.log.dropped)
            events = self.log.following(self._next, GROUP)
            while len(events) > 1 and sum([len(event.text) for event in events]) > AT_ONCE_BYTES:
                events = events[: len(events) // 2]
            if len(events[0].text) > AT_ONCE_BYTES:
                find = partial(self.wanted.found, events, hide)
                self._aside = asyncio.get_running_loop().run_in_executor(_thread(), find)
                continue
            found = set(self.wanted.found(events, hide))
            self._numbers += [number for number, event in enumerate(events, self._next) if event in found]
            self._next += len(events)


@cache
def _thread() -> ThreadPoolExecutor:
    """Return one thread for all searches: several would leave too little time for keys."""
    return ThreadPoolExecutor(1)


def document_of(event: Event, hide: Hide) -> Document:
    text = message_of(event, hide)
    return Document.raw(text) if event.size > MAX_EVENT else Document.of_json(text)
