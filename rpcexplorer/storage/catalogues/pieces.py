"""The file that no start reads: methods in full, what their schemas refer to, events, and what changed last.

Each piece is a line of JSON. An index stands at the end, so that who opens one method reads its line and the index, and
of what its schemas refer to what is asked for. Definitions stand there once, however many methods refer to them. The
file is named after its content, and the lines that a start reads name it: so the two of different refreshes are never
mixed. A piece that holds a secret of this run is left out, and so is one with more levels than can be written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

from msgspec import UNSET, Struct, convert, to_builtins
from msgspec.structs import replace

from rpcexplorer.files.io import KEPT, FileTrouble, opened, read_span, telling
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall, Method
from rpcexplorer.model.methods.changes import MethodChanges
from rpcexplorer.model.methods.listing import Discovery
from rpcexplorer.storage.catalogues.rows import COLUMNS, clean_rows, method_of_row

HEAD: Final = b"rpcexplorer methods in full 1\n"
FOOT: Final = 31
"""Bytes at the end: where the index begins, its length, its checksum, each in hexadecimal digits."""
SHAPE: Final = [
    COLUMNS,
    *(list(each.__struct_fields__) for each in (Described, DescribedParam, DescribedError, ExampleCall)),
]
"""What is said of a method. A file in which it is something else is of another version."""
NO_SET: Final = -1
HideSecrets = Callable[[str], str]
Mark = tuple[int, int, int]
"""Length and checksum of a piece, and a checksum of all that it may refer to."""


class PiecePlace(NamedTuple):
    """Where a piece stands in the file, and what tells it from others."""

    start: int
    length: int
    checksum: int


class PiecesTooLarge(Exception):  # noqa: N818 - it reads as what it is where it is raised
    """There is more than one file may hold."""


# --- writing ----------------------------------------------------------------------------------------------------------


class PiecesWriter:
    """The content of a file, put together piece by piece."""

    def __init__(self, found: Discovery, hide: HideSecrets) -> None:
        """``PiecesTooLarge`` where it is."""
        self._lines: list[bytes] = [HEAD]
        self._size = len(HEAD)
        self._hide = hide
        self.left_out = 0
        """Pieces that cannot be written, but for secrets."""
        self.methods: dict[str, tuple[PiecePlace, int]] = {}
        self.sets: list[dict[str, PiecePlace]] = []
        numbers: dict[int, int] = {}
        for name, described in found.described.items():
            known = id(described.definitions)
            if described.definitions and known not in numbers:
                numbers[known] = len(self.sets)
                self.sets.append(self._definitions(described.definitions))
            if hide(name) == name and (place := self._piece(_plain(described))):
                self.methods[name] = (place, numbers.get(known, NO_SET))
        self.events = self._piece(clean_rows(found.events, hide)) if found.events else None

    def mark(self, method: str) -> Mark | None:
        """What tells whether a method is as it was in another file."""
        place, number = self.methods.get(method, (None, NO_SET))
        return (*place[1:], self._marks[number]) if place else None

    @cached_property
    def _marks(self) -> dict[int, int]:
        return _marks_of(self.sets)

    def content(self, changes: MethodChanges | None) -> bytes:
        """All of it; empty where there is nothing to write."""
        told = self._piece(to_builtins(changes)) if changes else None
        if not (self.methods or self.events or told):
            return b""
        index = {
            "shape": SHAPE,
            "methods": {name: [*place, number] for name, (place, number) in self.methods.items()},
            "sets": self.sets,
            "events": self.events,
            "changes": told,
        }
        body = json.dumps(index, separators=(",", ":")).encode() + b"\n"
        foot = f"{self._size:012x}{len(body) - 1:010x}{crc32(body[:-1]):08x}\n".encode()
        return b"".join([*self._lines, body, foot])

    def _definitions(self, definitions: Mapping[str, Any]) -> dict[str, PiecePlace]:
        found = {}
        for reference, schema in definitions.items():
            if self._hide(reference) == reference and (place := self._piece(schema)):
                found[reference] = place
        return found

    def _piece(self, value: Any) -> PiecePlace | None:
        try:
            text = _ENCODE(value)
        except RecursionError:
            self.left_out += 1
            return None
        if self._hide(text) != text:
            return None
        line = text.encode()
        place = PiecePlace(self._size, len(line), crc32(line))
        self._lines += (line, b"\n")
        self._size += len(line) + 1
        if self._size > KEPT // 2:
            raise PiecesTooLarge
        return place


def _marks_of(sets: Iterable[Mapping[str, Sequence[int]]]) -> dict[int, int]:
    """A checksum of what each set of definitions holds, wherever in a file that stands."""
    marks = {NO_SET: 0}
    for number, places in enumerate(sets):
        marks[number] = crc32(repr(sorted((name, *place[1:]) for name, place in places.items())).encode())
    return marks


_ENCODE: Final = json.JSONEncoder(separators=(",", ":")).encode


def _plain(described: Described) -> dict[str, Any]:
    """As JSON, but what its schemas refer to; what is as usual is left out."""
    return {name: value for name, value in _fields(described) if name != "definitions"}


def _fields(struct: Struct) -> Iterator[tuple[str, Any]]:
    for field, usual in zip(struct.__struct_fields__, _usual(type(struct)), strict=True):
        value = getattr(struct, field)
        if value is not usual and value is not UNSET:
            if isinstance(value, tuple):
                value = [dict(_fields(each)) if isinstance(each, Struct) else each for each in value]
            yield field, value


def _usual(kind: type[Struct]) -> tuple[Any, ...]:
    """The default of each field; something that no value is, where there is none."""
    fields, usual = kind.__struct_fields__, kind.__struct_defaults__
    return (*[_NOTHING] * (len(fields) - len(usual)), *usual)


_NOTHING: Final = object()


# --- reading ----------------------------------------------------------------------------------------------------------


class KeptPieces:
    """A file of methods in full. Whatever cannot be read of it raises ``FileTrouble``."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def described(self, method: str) -> Described | None:
        """All that was said of a method; None where that was no more than its line."""
        found = self._index["methods"].get(method)
        if found is None:
            return None
        *place, number = found
        return replace(convert(self._read(PiecePlace(*place)), Described), definitions=self._sets[number])

    def mark(self, method: str) -> Mark | None:
        """What tells whether a method is as it was in another file."""
        found = self._index["methods"].get(method)
        return (*found[1:3], self._marks[found[3]]) if found else None

    @cached_property
    def _marks(self) -> dict[int, int]:
        return _marks_of(self._index["sets"])

    def events(self) -> tuple[Method, ...]:
        place = self._index["events"]
        return tuple([method_of_row(row) for row in self._read(PiecePlace(*place))]) if place else ()

    def changes(self) -> MethodChanges | None:
        place = self._index["changes"]
        return convert(self._read(PiecePlace(*place)), MethodChanges) if place else None

    def definition(self, place: PiecePlace) -> Any:
        return self._read(place)

    @cached_property
    def _sets(self) -> dict[int, Mapping[str, Any]]:
        """Definitions, each set of them the same for all methods that share it."""
        kept = {number: KeptDefinitions(self, places) for number, places in enumerate(self._index["sets"])}
        return {NO_SET: {}, **kept}

    @cached_property
    def _index(self) -> dict[str, Any]:
        with telling("read", self._path), opened(self._path) as file:
            head = read_span(file, 0, len(HEAD))
            size = os.fstat(file).st_size
            foot = read_span(file, max(size - FOOT, 0), size)
            start, length, checksum = (_number(foot[a:b]) for a, b in ((0, 12), (12, 22), (22, 30)))
            text = read_span(file, start, start + min(length, size))
        index: Any = self._value(text) if head == HEAD and crc32(text) == checksum else None
        if not isinstance(index, dict) or index.get("shape") != SHAPE:
            raise self._unusable()
        return index

    def _read(self, place: PiecePlace) -> Any:
        with telling("read", self._path), opened(self._path) as file:
            text = read_span(file, place.start, place.start + place.length)
        if crc32(text) != place.checksum:
            raise self._unusable()
        return self._value(text)

    def _value(self, text: bytes) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise self._unusable() from None

    def _unusable(self) -> FileTrouble:
        return FileTrouble(
            f"{self._path} is damaged or of another version, and is not used: discover the methods again"
        )


class KeptDefinitions(Mapping[str, Any]):
    """What schemas refer to, each read when it is asked for. What cannot be read any more leads nowhere."""

    def __init__(self, pieces: KeptPieces, places: Mapping[str, list[int]]) -> None:
        self._pieces = pieces
        self._places = places
        self._read: dict[str, Any] = {}

    def __getitem__(self, reference: str) -> Any:
        if reference not in self._read:
            place = PiecePlace(*self._places[reference])
            try:
                self._read[reference] = self._pieces.definition(place)
            except FileTrouble:  # another refresh has taken its place meanwhile
                raise KeyError(reference) from None
        return self._read[reference]

    def __contains__(self, reference: object) -> bool:
        return reference in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _number(digits: bytes) -> int:
    try:
        return int(digits, 16)
    except ValueError:
        return 0
