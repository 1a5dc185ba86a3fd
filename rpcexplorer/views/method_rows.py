"""The method picker as rows: which methods stand in it for what is typed, in which order, under which heading.

How a row looks is the business of whoever draws it; how well a name fits what is typed, that of ``matching``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Final, Literal, TypeAlias, overload

from msgspec import Struct

from rpcexplorer.model.method import Method
from rpcexplorer.text.matching import Names

Standing = Literal["pinned", "recent", "plain"]
"""Pinned by the person, called lately, or neither."""
_GROUPS: Final = (re.compile(r"(.+?)[./:](?=.)", re.DOTALL), re.compile(r"(.+?)_(?=.)", re.DOTALL))
_WEIGHTS: Final[dict[Standing, float]] = {"pinned": 0.2, "recent": 0.1}
"""What a standing counts among matches that are about as good; it never makes a worse one better."""


class MethodRow(Struct, frozen=True):
    """A method in the list."""

    method: Method
    standing: Standing
    positions: Sequence[int] = ()
    """Which characters of the name match what is typed."""


class Heading(Struct, frozen=True):
    """What the rows below have in common; without words it is a gap. Nothing to choose."""

    words: str


class TypedRow(Struct, frozen=True):
    """The name as it was typed: any name can be called, known or not."""

    name: str


MethodListRow: TypeAlias = MethodRow | Heading | TypedRow


def name_of(row: MethodListRow | None) -> str:
    """The method that a row stands for; empty where it stands for none."""
    match row:
        case MethodRow(method=method):
            return method.name
        case TypedRow(name=name):
            return name
    return ""


def group_of(name: str) -> str:
    """What stands before the first ``.``, ``/`` or ``:`` of a name, or before its first ``_``; empty without these."""
    found = next((found for pattern in _GROUPS if (found := pattern.match(name))), None)
    return found[1] if found else ""


class Listed(Struct, frozen=True):
    rows: Sequence[MethodListRow]
    names: Sequence[str]
    """What each row stands for; empty for a heading."""
    count: int
    """How many of the rows are methods."""

    def place(self, name: str) -> int:
        """Where a method stands; 0, the top, where it does not."""
        return self.names.index(name) if name and name in self.names else 0


class MethodRows:
    def __init__(self, methods: Mapping[str, Method], pinned: Sequence[str] = (), recent: Sequence[str] = ()) -> None:
        """``recent``: names called lately. One that is not in the catalogue does not come into the list by that."""
        self._methods = {name: methods.get(name) or Method(name) for name in (*methods, *pinned)}
        self._pinned = list(dict.fromkeys(pinned))
        self._standings: dict[str, Standing] = {name: "recent" for name in recent if name in self._methods}
        for name in pinned:
            self._standings[name] = "pinned"
        self._weights = {name: _WEIGHTS[standing] for name, standing in self._standings.items()}
        self._order = _in_order(tuple(self._methods))

    def __len__(self) -> int:
        return len(self._methods)

    def listed(self, typed: str) -> Listed:
        """Everything in groups where nothing is typed, else what was found, best first, and the name as typed."""
        name = typed.strip()
        return self._found(name) if name else self._grouped

    def prepare(self) -> None:
        """Do now what the first letter would have to wait for; with ten thousand names that can be felt."""
        self._order.searched.ranked("a")

    def _row(self, name: str, positions: Sequence[int] = ()) -> MethodRow:
        return MethodRow(self._methods[name], self._standings.get(name, "plain"), positions)

    def _found(self, name: str) -> Listed:
        matches = self._order.searched.ranked(name, weights=self._weights)
        others: list[MethodListRow] = [] if matches else [Heading("nothing matches")]
        if name not in self._methods:
            others.append(TypedRow(name))
        found = len(matches)

        def row(place: int) -> MethodListRow:
            if place >= found:
                return others[place - found]
            match = matches[place]
            return self._row(match.name, match.positions)

        names = [*map(self._order.names.__getitem__, matches.indexes), *map(name_of, others)]
        return Listed(_MethodListRows(row, range(len(names))), names, found)

    @cached_property
    def _grouped(self) -> Listed:
        """Pinned ones, then those that stand alone, then the groups by name."""
        alone: list[str] = []
        grouped: dict[str, list[str]] = {}
        for name, group in zip(self._order.names, self._order.groups, strict=True):
            if self._standings.get(name) != "pinned":
                (grouped.setdefault(group, []) if group else alone).append(name)
        parts = [("pinned", self._pinned)] if self._pinned else []
        parts += [("", alone)] if alone else []
        parts += [(group, grouped[group]) for group in sorted(grouped, key=str.casefold)]
        headings: dict[int, Heading] = {}
        names: list[str] = []
        for heading, members in parts:
            if names or heading:
                headings[len(names)] = Heading(heading)
                names.append("")
            names += members

        def row(place: int) -> MethodListRow:
            return headings.get(place) or self._row(names[place])

        return Listed(_MethodListRows(row, range(len(names))), names, len(self))


class _MethodListRows(Sequence[MethodListRow]):
    """Rows that are made when they are looked at: there can be ten thousand, and a screen shows forty."""

    def __init__(self, make: Callable[[int], MethodListRow], places: range) -> None:
        self._make, self._places = make, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> MethodListRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[MethodListRow]: ...

    def __getitem__(self, index: int | slice) -> MethodListRow | Sequence[MethodListRow]:
        if isinstance(index, slice):
            return _MethodListRows(self._make, self._places[index])
        return self._make(self._places[index])


class _Order:
    """What the names alone decide. Pins and calls come and go, the names stay."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = sorted(names, key=str.casefold)
        groups = [group_of(name) for name in self.names]
        sizes = Counter(groups)
        self.groups = [group if sizes[group] > 1 else "" for group in groups]
        """Of each name; empty where it would be the only one in it."""

    @cached_property
    def searched(self) -> Names:
        """The names, made ready to be found."""
        return Names(self.names)


_in_order = lru_cache(2)(_Order)
