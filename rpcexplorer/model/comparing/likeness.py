"""How much two elements of arrays are alike that are not the same, and which member tells one element from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from rpcexplorer.jsontext.steps import Steps

NAMES: Final = ("id", "_id", "uuid", "guid", "uid", "key", "name", "hash", "txid", "address", "path", "url", "code")
"""Members that are there to tell one element from another, wherever they are."""
TRIED: Final = 12
"""Members that are tried beside those."""
PARTS: Final = 64
"""Parts of an element that are looked at."""
SCALAR: Final = b""
NO_FIELDS: Final[Mapping[str, bytes]] = {}


class Element:
    """An element of an array, as far as it takes to find its partner."""

    __slots__ = ("_parts", "fields", "first", "kind")

    def __init__(self, kind: bytes, fields: Mapping[str, bytes] = NO_FIELDS, first: Sequence[bytes] = ()) -> None:
        self.kind = kind
        """How a container begins; empty for a scalar."""
        self.fields = fields
        """The members of an object, as they are written."""
        self.first = first
        """The first elements of an array."""
        self._parts: frozenset[object] | None = None

    @property
    def parts(self) -> frozenset[object]:
        """Names with their values, or elements: made for those alone that are set beside others."""
        if self._parts is None:
            self._parts = frozenset(self.first or islice(self.fields.items(), PARTS))
        return self._parts


def likeness(left: Element, right: Element, naming: str | None) -> float:
    """Nothing where they have nothing to do with each other: then one went and another came."""
    if left.kind != right.kind:
        return 0.01
    if left.kind == SCALAR:
        return 0.5
    most = max(len(left.parts), len(right.parts), 1)
    same = len(left.parts & right.parts) / most
    if left.kind == b"[":
        return 0.1 + same
    names = len(left.fields.keys() & right.fields.keys())
    if same < 0.5 and (not names or (naming and left.fields.get(naming) != right.fields.get(naming))):
        return 0
    return 0.1 + same + 0.1 * names / max(len(left.fields), len(right.fields), 1)


def naming_member(left: Sequence[Element], right: Sequence[Element]) -> Steps[str | None]:
    """The member by which elements on both sides can be known: each has a value of its own there, and most are shared.

    One that is called ``id`` or the like names them as soon as a single value is shared.
    """
    first = next((each.fields for each in (*left[:1], *right[:1]) if each.fields), {})
    by_name = [name for name in NAMES if name in first]
    others = islice((name for name, value in first.items() if value[:1] not in b"[{" and name not in by_name), TRIED)
    for name in (*by_name, *others):
        ours = named(left, name)
        yield
        theirs = named(right, name) if ours else {}
        yield
        shared = len(ours.keys() & theirs.keys())
        if shared >= (1 if name in by_name else (min(len(left), len(right)) + 1) // 2):
            return name
    return next(iter(by_name), None)


def named(elements: Sequence[Element], name: str) -> dict[bytes, int]:
    """Where the elements stand that have this value for a name, and are the only ones; none where many share one."""
    places: dict[bytes, int] = {}
    count = 0
    for at, element in enumerate(elements):
        value = element.fields.get(name)
        if value is not None:
            places[value] = at
            count += 1
    return places if len(places) == count else {}
