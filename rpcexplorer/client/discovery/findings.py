"""What the dialects have told so far, put together: the first to say something wins, and the others fill its gaps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from rpcexplorer.client.discovery.questions import NOT_OFFERED
from rpcexplorer.model.method import Described, Method, completed
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.methods.sources import filled

if TYPE_CHECKING:
    from rpcexplorer.client.discovery.questioning import Interview


class Findings:
    """What has been heard; see ``Heard`` for what is decided by it."""

    def __init__(self, interview: Interview) -> None:
        self.methods: dict[str, Method] = {}
        self.described: dict[str, Described] = {}
        self.events: tuple[Method, ...] = ()
        self.notes: list[str] = []
        """What happened by the way."""
        self.is_known = False
        self._is_understood = False
        """A question was answered as one about a method, be it that there is none."""
        self._interview = interview
        self._told: list[tuple[str, str]] = []

    def add(self, dialect: str, listing: Listing, *, is_proof: bool) -> None:
        """Add an answer; what was found before stays, its gaps filled. ``is_proof``: no other service gives it."""
        self.methods = _with_gaps_filled(self.methods, {method.name: method for method in listing.methods})
        self.described = _completed(self.described, listing.described)
        self.events = self.events or listing.events
        self._is_understood |= not listing.refusal or listing.refusal.startswith(NOT_OFFERED)
        self.is_known |= is_proof and not listing.refusal.startswith(NOT_OFFERED)
        self._told += [(dialect, sentence) for sentence in told(listing)]

    def well_described(self) -> frozenset[str]:
        """Methods of which nobody need be asked any more."""
        return frozenset(name for name, method in self.methods.items() if method.doc)

    @property
    def has_methods(self) -> bool:
        return bool(self.methods)

    @property
    def is_closed(self) -> bool:
        return self._interview.closed is not None or not self._is_understood

    def gave_away(self, clue: re.Pattern[str]) -> bool:
        return any(clue.search(message) for message in self._interview.error_messages)

    def sentences(self) -> list[str]:
        """One for each dialect, but one for several that are not offered, or that are told the same of."""
        alike = [list(told) for _, told in groupby(self._told, lambda told: _reason(told[1]))]
        return [*self.notes, *(f"{', '.join(dialect for dialect, _ in told)}: {told[0][1]}" for told in alike)]


def told(listing: Listing) -> list[str]:
    """What came of one dialect, in sentences."""
    if listing.refusal:
        return [listing.refusal]
    count = len(listing.methods)
    about = f" ({listing.about})" if listing.about else ""
    return [f"{count:,} method{'' if count == 1 else 's'}{about}", *listing.skipped]


def _with_gaps_filled(methods: dict[str, Method], others: dict[str, Method]) -> dict[str, Method]:
    both = {name: filled(method, others[name]) for name, method in methods.items() if name in others}
    return others | methods | both


def _completed(described: dict[str, Described], others: Mapping[str, Described]) -> dict[str, Described]:
    both = {name: completed(each, others[name]) for name, each in described.items() if name in others}
    return {**others, **described, **both}


def _reason(sentence: str) -> str:
    """What makes two sentences say the same; why something is not offered is told of the first alone."""
    return NOT_OFFERED if sentence.startswith(NOT_OFFERED) else sentence
