"""The methods of one answer while they are read: each name once, not more than a catalogue holds, the rest counted."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import Any

from rpcexplorer.client.discovery.limits import name_of
from rpcexplorer.model.method import EVENT, Described, Method, key_of_event
from rpcexplorer.model.methods.listing import Listing

MOST_METHODS = 20_000
MOST_PARAMETERS = 50_000
"""Of all methods together: references make a small document say a lot."""
NAMELESS = "without a name that can be called"


class Collected:
    """What has been found so far, and what has been left out."""

    def __init__(self) -> None:
        self.methods: dict[str, Method] = {}
        self.events: dict[str, Method] = {}
        self.described: dict[str, Described] = {}
        self._parameters_left = MOST_PARAMETERS
        self._nameless = self._repeated = self._too_many = self._without_parameters = 0

    def room_for(self, value: Any) -> str:
        """The name, if it can be called and is new; else it is counted as left out, and empty."""
        return self._room(value, self.methods)

    def room_for_event(self, value: Any) -> str:
        """The same of something that the server sends of itself."""
        return self._room(value, self.events)

    def _room(self, value: Any, among: dict[str, Method]) -> str:
        name = name_of(value)
        if not name or name.startswith(EVENT):
            self._nameless += 1
        elif name in among:
            self._repeated += 1
        elif len(among) == MOST_METHODS:
            self._too_many += 1
        else:
            return name
        return ""

    def take(self, method: Method, described: Described | None = None) -> None:
        self.methods[method.name] = method
        if described is not None:
            self.described[method.name] = described

    def take_event(self, event: Method, described: Described | None = None) -> None:
        self.events[event.name] = event
        if described is not None:
            self.described[key_of_event(event.name)] = described

    def parameters_fit(self, entries: Sized) -> bool:
        """Whether so many more can be described; else they are counted as left out."""
        if len(entries) > self._parameters_left:
            self._without_parameters += 1
            return False
        self._parameters_left -= len(entries)
        return True

    def listing(self, about: str = "", *said: str) -> Listing:
        """All of it, with what was left out in sentences, and what else is ``said`` of it."""
        return Listing(
            tuple(self.methods.values()),
            about,
            (*self._skipped(), *said),
            described=self.described,
            events=tuple(self.events.values()),
        )

    def _skipped(self) -> Iterator[str]:
        for count, why in (
            (self._nameless, NAMELESS),
            (self._repeated, "named a second time"),
            (self._too_many, f"beyond the first {MOST_METHODS:,}"),
        ):
            if count:
                yield f"{count:,} left out: {why}"
        if self._without_parameters:
            yield f"the params of {self._without_parameters:,} methods left out: the document describes too many"
