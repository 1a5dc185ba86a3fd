"""A list of objects as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Final, Literal, Self

import msgspec
from msgspec import Struct

from rpcexplorer.jsontext import scan
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.codec import open_array
from rpcexplorer.text.printable import columns as columns_of
from rpcexplorer.text.printable import printable, readable

SAMPLE: Final = 200
WIDEST: Final = 40
"""Columns of the terminal that a column of the table asks for at most."""
LONGEST: Final = 1_000
CellKind = Literal["absent", "null", "string", "number", "literal", "nested"]
ColumnKind = Literal["number", "text", "literal", "nested"]
_KINDS: Final[dict[bytes, CellKind]] = {
    b'"': "string",
    b"{": "nested",
    b"[": "nested",
    b"t": "literal",
    b"f": "literal",
    b"n": "null",
    b"N": "literal",  # NaN; Infinity has no digits.
    b"I": "literal",
}
_COLUMN_KINDS: Final[dict[CellKind, ColumnKind]] = {"number": "number", "literal": "literal", "nested": "nested"}
_SORTED_BY_KIND: Final[Sequence[CellKind]] = ("number", "string", "literal", "nested")
_WHOLE = regex(r"-?[0-9]{1,18}")
_ASTRONOMIC = regex(r"[eE][+-]?0*[1-9][0-9]{15}")
"""Close to the exponents for which ``Decimal`` raises."""
_PLAIN_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")
Members = Mapping[str, bytes | msgspec.Raw]
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Column(Struct, frozen=True):
    name: str
    """Its heading: the member's name, printable."""
    member: str
    kind: ColumnKind
    width: int
    """Columns for the heading and the sample's values, up to a limit."""


class Cell(Struct, frozen=True):
    text: str
    kind: CellKind
    """Distinguishes "null" from null, and an empty string from no member."""


_ABSENT: Final = Cell("", "absent")


def indented_values(text: bytes) -> list[bytes]:
    """Return the values of an indented text, each of which begins on a line of its own."""
    values: list[list[bytes]] = []
    for line in text.rstrip(b"\n").split(b"\n"):
        if values and line.startswith((b" ", b"]", b"}")):
            values[-1].append(line)
        else:
            values.append([line])
    return [b"\n".join(lines) for lines in values]


class Table:
    def __init__(self, elements: Sequence[bytes], path: str = ".") -> None:
        """``elements`` are JSON texts of objects, or nulls among them."""
        self._elements = elements
        self._order: Sequence[int] = range(len(elements))
        self._opened: tuple[int, Members] = (-1, {})
        self.path = path
        """Path of the list in the value: ``.`` or a member such as ``.items``."""
        self.columns: list[Column] = _columns([_members(element) for element in islice(elements, SAMPLE)])
        """The members that most rows have, those with simple values first."""

    @classmethod
    def of(cls, value: bytes) -> Self | None:
        """Return the table of a list of objects, or None.

        The value may also be an object with exactly one such list among its members.
        """
        if value.rstrip()[-1:] not in {b"]", b"}"} or readable(value) is None:
            return None
        elements, path = _objects(value), "."
        if not elements:
            lists = [(name, _objects(bytes(text))) for name, text in _members(value).items()]
            found = [(name, rows) for name, rows in lists if rows]
            if len(found) != 1:
                return None
            name, elements = found[0]
            path = _path(name)
        table = cls(elements, path)
        return table if table.columns else None

    @classmethod
    def of_values(cls, text: bytes) -> Self | None:
        """Return the table of the results of jq: one list, or several objects; or None."""
        values = indented_values(text)
        return cls.of(text.rstrip() if len(values) == 1 else b"[%b]" % b",".join(values))

    @property
    def rows(self) -> int:
        return len(self._elements)

    def cell(self, row: int, column: int) -> Cell:
        return _cell(self._row(self._order[row]).get(self.columns[column].member))

    def original(self, row: int) -> int:
        return self._order[row]

    def value(self, row: int) -> bytes:
        return self._elements[self._order[row]]

    def cell_value(self, row: int, column: int) -> bytes:
        """Return the JSON text of a cell, or nothing if the member is absent."""
        return _text(self._row(self._order[row]).get(self.columns[column].member)) or b""

    def cell_path(self, row: int, column: int) -> str:
        """Return the path of a cell in the value: ``$.items[2].name``."""
        path = self.path if self.path != "." else ""
        steps = [path, f"[{self._order[row]}]", _path(self.columns[column].member)]
        return "$" + "".join(step.replace(".[", "[", 1) for step in steps)

    def sort(self, column: int, descending: bool = False) -> None:
        """Sort by a column: numbers, then text, then other values.

        Null and absent values come last in either direction. Equal rows keep their order.
        """
        member = self.columns[column].member
        keys: dict[int, SortKey] = {}
        last: dict[CellKind, list[int]] = {"null": [], "absent": []}
        for index, element in enumerate(self._elements):
            text = _text(_members(element).get(member))
            kind = _kind(text)
            if text is None or kind == "null":
                last[kind].append(index)
            else:
                keys[index] = _key(kind, text)
        self._order = [*sorted(keys, key=keys.__getitem__, reverse=descending), *last["null"], *last["absent"]]

    def unsort(self) -> None:
        self._order = range(len(self._elements))

    def _row(self, index: int) -> Members:
        """Return the members of an element. The last one is cached."""
        if self._opened[0] != index:
            self._opened = (index, _members(self._elements[index]))
        return self._opened[1]


# --- taking apart ------------------------------------------------------------------------------------------------


def _objects(text: bytes) -> list[bytes]:
    """Return the elements of a list of objects and nulls, else nothing."""
    if text.lstrip()[:1] != b"[":
        return []
    elements = open_array(text) or []
    heads = {element[:1] for element in elements}
    return elements if heads in ({b"{"}, {b"{", b"n"}) else []


def _members(text: bytes) -> Members:
    """Return the members of an object; of duplicates, the last one counts.

    The native parser accepts nearly all objects. The lenient scanner reads the rest.
    """
    try:
        return _MEMBERS.decode(text)
    except (msgspec.DecodeError, RecursionError):
        whole = text.decode()
        return {member.name: whole[slice(*member.value)].encode() for member in scan.members(whole) or ()}


def _path(name: str) -> str:
    return f".{name}" if _PLAIN_NAME.fullmatch(name) else f'.["{printable(name)}"]'


# --- columns -----------------------------------------------------------------------------------------------------


def _columns(sample: Sequence[Members]) -> list[Column]:
    """Return the members that half of the sample's objects have, else all."""
    objects = [row for row in sample if row]
    presence = Counter(name for row in objects for name in row)  # counts in order of first appearance
    common = [name for name, count in presence.items() if 2 * count >= len(objects)] or list(presence)
    found = []
    for member in common:
        cells = [_cell(row[member]) for row in objects if member in row]
        kinds = {cell.kind for cell in cells} - {"null"}
        kind: ColumnKind = "text"
        if len(kinds) == 1:
            kind = _COLUMN_KINDS.get(kinds.pop(), "text")
        name = printable(member)
        width = max(map(columns_of, (name, *(cell.text for cell in cells))))
        found.append(Column(name, member, kind, min(max(width, 1), WIDEST)))
    return sorted(found, key=lambda column: column.kind == "nested")


# --- cells -------------------------------------------------------------------------------------------------------


def _text(value: bytes | msgspec.Raw | None) -> bytes | None:
    return None if value is None else bytes(value)


def _kind(text: bytes | None) -> CellKind:
    if text is None:
        return "absent"
    return _KINDS.get(text[:1]) or ("literal" if text == b"-Infinity" else "number")


def _cell(value: bytes | msgspec.Raw | None) -> Cell:
    text = _text(value)
    kind = _kind(text)
    if text is None:
        return _ABSENT
    if kind == "nested":
        count = _size(text)
        if text[:1] == b"{":
            return Cell("{ 1 member }" if count == 1 else f"{{ {count} members }}", kind)
        return Cell("[ 1 item ]" if count == 1 else f"[ {count} items ]", kind)
    shown = _shown(kind, text)
    if len(shown) > LONGEST:
        shown = shown[: LONGEST - 1] + "…"
    return Cell(printable(shown), kind)


def _shown(kind: CellKind, text: bytes) -> str:
    return scan.decoded(text.decode()) if kind == "string" else text.decode()


def _size(text: bytes) -> int:
    if text[:1] == b"{":
        return len(_members(text))
    return len(open_array(text) or ())


# --- order -------------------------------------------------------------------------------------------------------

SortKey = tuple[int, int | float | Decimal | str, str]


def _key(kind: CellKind, text: bytes) -> SortKey:
    rank = _SORTED_BY_KIND.index(kind)
    if kind == "number":
        return rank, _number(text.decode()), ""
    if kind == "nested":
        return rank, _size(text), ""
    shown = _shown(kind, text)
    return rank, shown.casefold(), shown


def _number(text: str) -> int | float | Decimal:
    """Return the exact number, so that long ids keep their order.

    Only with an extreme exponent, return zero or infinity.
    """
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _ASTRONOMIC.search(text) else Decimal(text)
