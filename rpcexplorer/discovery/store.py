"""The method lists on disk."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from stat import S_ISREG
from time import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from zlib import crc32

from msgspec import UNSET, Struct, convert, to_builtins
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery, Learned
from rpcexplorer.files.io import (
    ABANDONED,
    KEPT,
    FileError,
    error_of,
    opened,
    read_bytes,
    read_span,
    refuse_links,
    telling,
    told_size,
    write_private,
)
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described, DescribedError, DescribedParam, ExampleCall, Method, Parameter
from rpcexplorer.model.profile import DocumentSource, Profile
from rpcexplorer.model.secret import PROFILE_NAME, Secret
from rpcexplorer.model.settings import MIB
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, ErrorObject, Result

if TYPE_CHECKING:
    from rpcexplorer.discovery.changes import BothTimes, MethodChanges

DESCRIPTION: Final = 32 * MIB
"""Bytes of a file that describes a service: the largest that were seen have a few hundred thousand."""


def stamp_of(source: DocumentSource) -> str:
    """Return what a file is known by for as long as nobody changes it; empty if there is nothing to read yet.

    An empty file is about to be written: `methods --export openrpc > FILE` has emptied it before it starts.
    """
    try:
        found = Path(source.file).stat()
    except OSError as error:
        return f"{source.file}: {type(error).__name__}"
    if S_ISREG(found.st_mode) and not found.st_size:
        return ""
    return f"{source.file} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def read_description(source: DocumentSource) -> bytes:
    """What the file holds in which a service is described; ``FileError`` where it cannot be used.

    It is read as what it is: text from outside. One that a team's file names lies in that file's folder, behind no
    link; this person's own file may name any.
    """
    path = Path(source.file)
    if source.inside:
        refuse_links(path.parent, Path(source.inside))
    content = read_bytes(path, DESCRIPTION, links=not source.inside, others=True)
    if content is None:
        raise FileError(f"cannot read {path}: it does not exist; put it there, or change discovery in the profile")
    return content


HEAD: Final = "rpcexplorer catalogue 1 {checksum:08x}"
COLUMNS: Final = [list(Method.__struct_fields__), list(Parameter._fields)]
"""What stands where in a row. A file in which it is something else is of another version."""
PARAMETERS: Final = COLUMNS[0].index("parameters")
SOURCES: Final = COLUMNS[0].index("sources")


class KeptCatalogue(Struct):
    """What is known of the methods of a profile, where it points to now."""

    learned: Learned | None = None
    absent: frozenset[str] = frozenset()
    """Names that the server does not know."""
    habits: bool = False
    """Whether it was said how the server writes all of its replies."""
    source: str = ""
    """What the file that it was read from is known by; empty if it came from the server."""
    beside: str = ""
    """Which file beside this one has the methods in full; empty where none has."""


def encoded(profile: Profile, kept: KeptCatalogue, hide: Callable[[str], str]) -> bytes:
    """The file's content, without whatever ``hide`` would change. It raises ``RecursionError`` for too many levels."""
    methods = kept.learned.methods if kept.learned else ()
    content = {
        "profile": profile.name,
        "endpoint": profile.endpoint,
        "when": kept.learned.when.isoformat() if kept.learned else None,
        "columns": COLUMNS,
        "methods": rows_of(methods),
        "habits": kept.habits,
        "source": kept.source,
        "beside": kept.beside,
        "absent": sorted(kept.absent),
    }
    body = _text(content)
    if hide(body) != body:
        content |= {"methods": clean_rows(methods, hide), "absent": sorted(n for n in kept.absent if hide(n) == n)}
        body = _text(content)
    whole = body.encode()
    return _head(whole) + b"\n" + whole + b"\n"


def rows_of(methods: Iterable[Method]) -> list[list[Any]]:
    return [[getattr(method, column) for column in COLUMNS[0]] for method in methods]


def clean_rows(methods: Iterable[Method], hide: Callable[[str], str]) -> list[list[Any]]:
    """Rows in which there is no secret: where there is one, the name alone is kept, if it is not in that."""
    rows: list[list[Any]] = []
    for method, row in zip(methods, rows_of(methods), strict=True):
        text = _text(row)
        if hide(text) == text:
            rows.append(row)
        elif hide(method.name) == method.name:
            rows += rows_of([Method(method.name, source=method.source, dialect=method.dialect)])
    return rows


def decoded_rows(text: bytes, profile: Profile) -> KeptCatalogue | None:
    """What a file says of a profile; None where it is about another place, ``ValueError`` where it cannot be used."""
    head, _, body = text.partition(b"\n")
    content = _content(body) if head == _head(body.rstrip(b"\n")) else {}
    if content.get("columns") != COLUMNS:
        raise ValueError
    if (content["profile"], content["endpoint"]) != (profile.name, profile.endpoint):
        return None
    # an earlier version did not write all of these
    kept = KeptCatalogue(None, frozenset(content.get("absent", ())), content.get("habits", False))
    if content["when"] is not None:
        methods = tuple([method_of_row(row) for row in content["methods"]])
        kept.learned = Learned(methods, datetime.fromisoformat(content["when"]))
        kept.beside, kept.source = content.get("beside", ""), content.get("source", "")
    return kept


def method_of_row(row: list[Any]) -> Method:
    row[PARAMETERS] = tuple([Parameter(*parameter) for parameter in row[PARAMETERS]])
    row[SOURCES] = tuple([tuple(each) for each in row[SOURCES]])
    return Method(*row)


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _head(body: bytes) -> bytes:
    return HEAD.format(checksum=crc32(body)).encode()


def _content(body: bytes) -> dict[str, Any]:
    """What the checksum vouches for was written here, so that it needs no further doubt but this."""
    try:
        found: dict[str, Any] = json.loads(body)
    except RecursionError:  # an example has nearly as many levels as Python can read
        return {}
    return found


ONLY_HERE: Final = "the catalogue is kept for this run only"
NOT_IN_FULL: Final = "schemas and examples are kept for this run only"
NAMED: Final = re.compile("[0-9a-f]{9,24}")
"""What tells one file of methods in full from another: its checksum and its size."""


class CatalogueFiles:
    """The files of all profiles."""

    def __init__(self, folder: Path, secrets: Callable[[], Iterable[Secret]]) -> None:
        """``secrets`` are those known at that moment: what holds one is not written."""
        self._folder = folder
        self._secrets = secrets

    def read(self, profile: Profile) -> KeptCatalogue | None:
        """The lines; None where there are none, ``FileError`` where they cannot be used."""
        path = self._path(profile)
        text = read_bytes(path) if path else None
        try:
            return None if text is None else decoded_rows(text, profile)
        except ValueError:
            raise FileError(
                f"{path} is damaged or of another version, and is not used: discover the methods again"
            ) from None

    def beside(self, profile: Profile, name: str) -> Path | None:
        """Where the methods in full lie; None where they do not."""
        path = self._path(profile)
        return path.with_name(f"{profile.name}.{name}.full") if path and NAMED.fullmatch(name) else None

    def writer(
        self, profile: Profile, found: Discovery, hide: Callable[[str], str]
    ) -> tuple[PiecesWriter | None, tuple[str, ...]]:
        """What is to be written of methods in full; and sentences about what cannot be."""
        if self._path(profile) is None:
            return None, ()
        try:
            writer = PiecesWriter(found, hide)
        except PiecesTooLarge:
            return None, (f"{NOT_IN_FULL}: they have more than {told_size(KEPT // 2)}",)
        return writer, (f"{NOT_IN_FULL} where they have too many levels",) if writer.left_out else ()

    def write_both(self, profile: Profile, kept: KeptCatalogue, full: bytes) -> tuple[str, ...]:
        """Write the methods in full, then the lines, which name that file; a sentence where only this run has one."""
        before, kept.beside = kept.beside, f"{crc32(full):08x}{len(full):x}" if full else ""
        path = self.beside(profile, kept.beside)
        if path and (problem := error_of(lambda: write_private(path, full))):
            kept.beside = ""
            return (f"{ONLY_HERE}: {problem}",)
        said = self.write(profile, kept)
        unused = kept.beside if said else before
        if said:
            kept.beside = ""
        if unused != kept.beside:
            self._forget(profile, unused, kept.beside)
        return said

    def write(self, profile: Profile, kept: KeptCatalogue) -> tuple[str, ...]:
        """Write the lines; a sentence when only this run will know them."""
        path = self._path(profile)
        if path is None:
            return ()
        try:
            content = encoded(profile, kept, self.hide())
            if len(content) > KEPT // 2:
                return (f"{ONLY_HERE}: it has {told_size(len(content))}",)
            write_private(path, content)
        except FileError as error:
            return (f"{ONLY_HERE}: {error.sentence}",)
        except RecursionError:  # the server's document was read where the stack was less full
            return (f"{ONLY_HERE}: one of its examples has too many levels",)
        return ()

    def _forget(self, profile: Profile, unused: str, used: str) -> None:
        """Remove a file that no lines name any more, and what programs have left that were ended in between."""
        mine = re.compile(rf"{re.escape(profile.name)}\.({NAMED.pattern})\.full")
        with suppress(OSError):
            for path in self._folder.iterdir():
                found = mine.fullmatch(path.name)
                if found and found[1] != used and (found[1] == unused or path.lstat().st_mtime < time() - ABANDONED):
                    path.unlink()

    def _path(self, profile: Profile) -> Path | None:
        """Where a profile's lines lie; None for one of which nothing is kept."""
        if profile.ad_hoc or not PROFILE_NAME.fullmatch(profile.name):
            return None
        return self._folder / f"{profile.name}.json"

    def hide(self) -> Callable[[str], str]:
        """What puts placeholders in the place of the secrets that are known now."""
        from rpcexplorer.redaction.redactor import Redactor  # only for what is written anew

        return Redactor(self._secrets()).text


T = TypeVar("T")
Key = tuple[str, str]
"""A profile's name and its URL."""


class Catalogues:
    """What was discovered, by profile. A file is read when it is first asked for."""

    def __init__(self, folder: Path, secrets: Callable[[], Iterable[Secret]] = tuple) -> None:
        """``secrets`` are those known at that moment: what holds one is not written."""
        self._files = CatalogueFiles(folder, secrets)
        self._kept: dict[Key, KeptCatalogue] = {}
        self._found: dict[Key, tuple[Discovery, MethodChanges | None]] = {}
        """What this run has discovered itself, as long as no other has since."""
        self._pieces: dict[Key, tuple[str, KeptPieces]] = {}
        """The files of methods in full, each with what it was named by."""
        self._refused: dict[Key, str] = {}
        """Files of descriptions that were of no use, each by what it was known by."""
        self._unusable: set[str] = set()
        """Those that have turned out to be damaged, or gone."""
        self.problem = ""
        """Why a catalogue that is stored cannot be used; empty when it can."""

    def of(self, profile: Profile) -> Learned | None:
        """What was discovered for a profile where it points to now; None where nothing was."""
        return self._looked_up(profile).learned

    def described(self, profile: Profile, method: str) -> Described | None:
        """All that the service says of a method; None where it has never said more than its line."""
        found = self._found.get(_key(profile))
        return found[0].described.get(method) if found else self._read_full(profile, lambda it: it.described(method))

    def events(self, profile: Profile) -> tuple[Method, ...]:
        """What the service says that it sends of itself."""
        found = self._found.get(_key(profile))
        return found[0].events if found else self._read_full(profile, lambda it: it.events()) or ()

    def changes(self, profile: Profile) -> MethodChanges | None:
        """What the last refresh found that found anything new, gone or changed; None where none has."""
        found = self._found.get(_key(profile))
        return found[1] if found else self._read_full(profile, lambda it: it.changes())

    def openrpc(self, profile: Profile, methods: Iterable[Method]) -> str:
        """All that is known of these methods as an OpenRPC document, for a team to commit: without any secret."""
        from rpcexplorer.discovery.openrpc import openrpc_document, openrpc_text

        known = partial(self.described, profile)
        return self._files.hide()(openrpc_text(openrpc_document(profile.name, methods, known, self.events(profile))))

    def unread(self, profile: Profile) -> str:
        """Return what the file that describes a profile's methods is known by; empty if it was read as it is now."""
        source = profile.discovery
        if not isinstance(source, DocumentSource) or not source.file:
            return ""
        stamp = stamp_of(source)
        return "" if stamp in {self._looked_up(profile).source, self._refused.get(_key(profile))} else stamp

    def absent(self, profile: Profile) -> frozenset[str]:
        """Names to which the server has last said that there is no such method."""
        return self._looked_up(profile).absent

    def heard(self, exchange: Exchange, profile: Profile, *, keep: bool = True) -> None:
        """Learn from a reply whether the server has the method; ``keep`` it beyond this run, if that can be."""
        if exchange.kind != "call" or not isinstance(exchange.outcome, Result | ErrorObject):
            return
        kept, name = self._looked_up(profile), exchange.method
        is_absent = isinstance(exchange.outcome, ErrorObject) and exchange.outcome.code == METHOD_NOT_FOUND
        if is_absent == (name in kept.absent):
            return
        if keep:
            kept = self._read_again(profile)
        kept.absent = kept.absent | {name} if is_absent else kept.absent - {name}
        if keep:
            self._files.write(profile, kept)

    def with_habits(self, exchange: Exchange, profile: Profile) -> Exchange:
        """How a server writes all of its replies, noted on the first one that shows it: no call is at fault there."""
        habits = getattr(exchange.outcome, "habits", ())
        if not habits or not self.is_news(profile):
            return exchange
        note = f"in replies of this server {'; '.join(habits)}: that is understood, nothing to do; it is said once"
        return replace(exchange, notes=(*exchange.notes, note))

    def is_news(self, profile: Profile) -> bool:
        """Whether it was never said before how this server writes its replies; from now on it was."""
        if self._looked_up(profile).habits:
            return False
        kept = self._read_again(profile)
        kept.habits = True
        self._files.write(profile, kept)
        return True

    def settle(self, profile: Profile, discovery: Discovery, stamp: str = "") -> Discovery:
        """Keep what was found instead of what was known; the discovery with what differs between the two.

        Where nothing was known before, nothing differs. ``stamp``: what the file is known by that it was read from.
        """
        if not discovery.found:
            return self._refuse(profile, discovery, stamp)
        return self._keep(profile, discovery, self._preparing(profile, discovery)(), stamp)

    async def settle_aside(self, profile: Profile, discovery: Discovery, stamp: str = "") -> Discovery:
        """As ``settle``, but what takes long of it is done in a thread: somebody may be typing."""
        import asyncio  # no start needs it

        if not discovery.found:
            return self._refuse(profile, discovery, stamp)
        return self._keep(profile, discovery, await asyncio.to_thread(self._preparing(profile, discovery)), stamp)

    def _refuse(self, profile: Profile, discovery: Discovery, stamp: str) -> Discovery:
        """A file is not read again before it changes."""
        if stamp:
            self._refused[_key(profile)] = stamp
            self.problem = "; ".join(discovery.sentences)
        return discovery

    def _preparing(self, profile: Profile, discovery: Discovery) -> Callable[[], Prepared]:

        kept, found = self._looked_up(profile), self._found.get(_key(profile), (None, None))
        before = KnownBefore(kept.learned, kept.beside, *found)
        return partial(prepare, self._files, profile, before, discovery, self._files.hide())

    def _keep(self, profile: Profile, discovery: Discovery, prepared: Prepared, stamp: str) -> Discovery:
        kept = self._read_again(profile)
        kept.learned, kept.source = Learned(discovery.methods, discovery.when), stamp
        kept.absent -= {method.name for method in discovery.methods}
        said = (*prepared.said, *self._files.write_both(profile, kept, prepared.full))
        self._found[_key(profile)] = discovery, prepared.last
        self.problem = ""
        differs = prepared.changes.methods if prepared.changes else ()
        return replace(
            discovery,
            sentences=(*discovery.sentences, *said),
            new=tuple(each.name for each in differs if each.kind == "new"),
            gone=tuple(each.name for each in differs if each.kind == "gone"),
            changed=differs,
        )

    # --- what is known -----------------------------------------------------------------------------------------------

    def _looked_up(self, profile: Profile) -> KeptCatalogue:
        """All that the file of lines says."""
        key = _key(profile)
        if key not in self._kept:
            self._kept[key] = self._read(profile) or KeptCatalogue()
        return self._kept[key]

    def _read_again(self, profile: Profile) -> KeptCatalogue:
        """What is about to be written goes over what another program may have learned meanwhile."""
        kept, key = self._looked_up(profile), _key(profile)
        if there := self._read(profile):
            there.habits |= kept.habits
            if _when(kept) > _when(there):  # which could not be written
                there.learned, there.beside, there.source = kept.learned, kept.beside, kept.source
            elif _when(kept) < _when(there):
                self._found.pop(key, None)
            self._kept[key] = there
        return self._kept[key]

    def _read(self, profile: Profile) -> KeptCatalogue | None:
        self.problem = ""
        try:
            return self._files.read(profile)
        except FileError as error:
            self.problem = error.sentence
        return None

    def _read_full(self, profile: Profile, ask: Callable[[KeptPieces], T]) -> T | None:
        """Ask the file that has the methods in full; where it is gone, perhaps there is a newer one."""
        beside = self._looked_up(profile).beside
        for again in (False, True):
            if again and beside == (beside := self._read_again(profile).beside):
                break
            pieces = self._pieces_of(profile, beside)
            if pieces is None:
                return None
            try:
                return ask(pieces)
            except FileError as error:
                said = error.sentence
        self._unusable.add(beside)
        self.problem = said
        return None

    def _pieces_of(self, profile: Profile, beside: str) -> KeptPieces | None:
        if not beside or beside in self._unusable:
            return None
        named, pieces = self._pieces.get(_key(profile), ("", None))
        if pieces is None or named != beside:
            path = self._files.beside(profile, beside)
            if path is None:
                return None
            pieces = KeptPieces(path)
            self._pieces[_key(profile)] = beside, pieces
        return pieces


def _key(profile: Profile) -> Key:
    return (profile.name, profile.endpoint)


def _when(kept: KeptCatalogue) -> float:
    return kept.learned.when.timestamp() if kept.learned else 0.0


PIECES_HEAD: Final = b"rpcexplorer methods in full 1\n"
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
        self._lines: list[bytes] = [PIECES_HEAD]
        self._size = len(PIECES_HEAD)
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
    """A file of methods in full. Whatever cannot be read of it raises ``FileError``."""

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
        from rpcexplorer.discovery.changes import MethodChanges

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
            head = read_span(file, 0, len(PIECES_HEAD))
            size = os.fstat(file).st_size
            foot = read_span(file, max(size - FOOT, 0), size)
            start, length, checksum = (_number(foot[a:b]) for a, b in ((0, 12), (12, 22), (22, 30)))
            text = read_span(file, start, start + min(length, size))
        index: Any = self._value(text) if head == PIECES_HEAD and crc32(text) == checksum else None
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

    def _unusable(self) -> FileError:
        return FileError(f"{self._path} is damaged or of another version, and is not used: discover the methods again")


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
            except FileError:  # another refresh has taken its place meanwhile
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


class KnownBefore(Struct, frozen=True):
    """What this run knows when a discovery has ended."""

    learned: Learned | None
    beside: str
    """The file of methods in full."""
    found: Discovery | None = None
    """What this run has discovered itself."""
    changes: MethodChanges | None = None
    """With it: what was told last."""


class Prepared(Struct, frozen=True):
    """A discovery that only has to be kept."""

    full: bytes
    """The methods as they are written; empty where nothing is to be."""
    said: tuple[str, ...] = ()
    """What cannot be kept, in sentences."""
    changes: MethodChanges | None = None
    """What differs from what was known; None where nothing does, or nothing was known."""
    last: MethodChanges | None = None
    """What is told last: these changes, or those before."""


def prepare(
    files: CatalogueFiles, profile: Profile, before: KnownBefore, now: Discovery, hide: Callable[[str], str]
) -> Prepared:
    before = _newest(files, profile, before)
    path = files.beside(profile, before.beside)
    pieces = KeptPieces(path) if path else None
    writer, said = files.writer(profile, now, hide)
    changes = last = None
    if before.learned:
        changes = _changes(before, before.learned, now, pieces, writer)
        last = changes or _told_before(before, pieces)
    return Prepared(writer.content(last) if writer else b"", said, changes, last)


def _newest(files: CatalogueFiles, profile: Profile, before: KnownBefore) -> KnownBefore:
    """Another program may have asked since."""
    with suppress(FileError):
        there = files.read(profile)
        if there and there.learned and (before.learned is None or there.learned.when > before.learned.when):
            return KnownBefore(there.learned, there.beside)
    return before


def _told_before(before: KnownBefore, pieces: KeptPieces | None) -> MethodChanges | None:
    if before.found or pieces is None:
        return before.changes
    with suppress(FileError):
        return pieces.changes()
    return None


def _changes(
    before: KnownBefore, learned: Learned, now: Discovery, pieces: KeptPieces | None, writer: PiecesWriter | None
) -> MethodChanges | None:
    from rpcexplorer.discovery.changes import MOST_CHANGES, MethodChanges, changes_between

    def old(name: str) -> Described | None:
        if before.found:
            return before.found.described.get(name)
        return pieces.described(name) if pieces else None

    def both(name: str) -> BothTimes | None:
        """None where it stands in the file as it will be written now, with all that it may refer to."""
        new = now.described.get(name)
        with suppress(FileError):
            mark = pieces.mark(name) if pieces and writer else None
            if new is None or (mark and writer and mark == writer.mark(name)):
                return None
            known = old(name)
            return (known, new) if known else None
        return None

    changes = list(changes_between(learned.methods, now.methods, both))
    told, more = tuple(changes[:MOST_CHANGES]), max(len(changes) - MOST_CHANGES, 0)
    return MethodChanges(now.when, learned.when, told, more) if changes else None
