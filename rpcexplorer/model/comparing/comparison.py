"""What came of comparing two replies: values, with nothing in them that is worked out later."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from rpcexplorer.model.exchange import OutcomeName

DifferenceKind = Literal["changed", "spelling", "added", "removed"]
PassedKind = Literal["ignored", "hidden"]
ComparedVerdict = Literal["same", "differs", "not comparable"]


class ComparedPlace(Struct, frozen=True, gc=False):
    """Where a value stands in one of the two texts."""

    pointer: str
    """A JSON pointer. Of a name that an object has twice, it is the pointer of both."""
    start: int
    """Of its bytes."""
    end: int


class Difference(Struct, frozen=True, gc=False):
    """One value that is not the same on both sides, or is on one side only."""

    kind: DifferenceKind
    """``spelling``: the same number, written otherwise."""
    left: ComparedPlace | None
    """None where it was added."""
    right: ComparedPlace | None
    """None where it was removed."""


class PassedOver(Struct, frozen=True, gc=False):
    """A value that was not compared, though it is not written the same on both sides, or is on one side only."""

    kind: PassedKind
    """``hidden``: a secret's name stands for it, so that nobody can say whether it differs."""
    left: ComparedPlace | None
    right: ComparedPlace | None


class Comparison(Struct, frozen=True, eq=False, weakref=True):
    """Two replies side by side, and every place where they differ, in reading order."""

    verdict: ComparedVerdict
    outcomes: tuple[OutcomeName, OutcomeName]
    left: bytes = b""
    """What was compared, as JSON text: a result as the server wrote it, or an error's code, message and data."""
    right: bytes = b""
    differences: tuple[Difference, ...] = ()
    passed: tuple[PassedOver, ...] = ()
    """Places that may differ, and were not compared."""
    hidden: int = 0
    """Values that were not compared as a secret's name stands for it; also where that is so on both sides."""
    unaligned: tuple[str, ...] = ()
    """Pointers of arrays too different for their elements to be aligned: those were compared one by one, by place."""
    why: str = ""
    """Why they are not comparable; empty where they are."""

    @property
    def ignored(self) -> tuple[str, ...]:
        """Pointers that were left out, and perhaps differ; what is written the same on both sides is none of them."""
        places = (each.left or each.right for each in self.passed if each.kind == "ignored")
        return tuple(place.pointer for place in places if place)
