"""The method lists on disk, one file for each profile.

A file has three lines: a head, the list, and the descriptions. At the start, only the list is read. The descriptions
are read when the first one is needed, and decoded one by one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cached_property, partial
from glob import escape
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final, NamedTuple
from zlib import crc32

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Discovery, Learned, MethodChanges
from rpcexplorer.files.io import (
    KEPT,
    FileError,
    error_of,
    file_errors,
    opened,
    read_bytes,
    read_span,
    refuse_links,
    size_words,
    write_private,
)
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import DocumentSource, Profile
from rpcexplorer.model.secret import PROFILE_NAME, Secret, with_references
from rpcexplorer.model.settings import MIB
from rpcexplorer.rpc.messages import ErrorObject, Result, lacks_method

MAX_DESCRIPTION_BYTES: Final = 32 * MIB
"""Bytes of a file with a description; the largest known are a few 100,000."""


def stamp_of(source: DocumentSource) -> str:
    """Return a stamp that changes with the file; empty for an empty file.

    An empty file is about to be written: `methods --export openrpc > FILE` empties it before it starts.
    """
    try:
        found = Path(source.file).stat()
    except OSError as error:
        return f"{source.file}: {type(error).__name__}"
    if S_ISREG(found.st_mode) and not found.st_size:
        return ""
    return f"{source.file} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def read_description(source: DocumentSource) -> bytes:
    """Return the content of the file, or raise ``FileError``.

    The content is external text. A file that the project file names must be in that file's folder, without links. The
    user file may name any file.
    """
    path = Path(source.file)
    if source.inside:
        refuse_links(path.parent, Path(source.inside))
    content = read_bytes(path, MAX_DESCRIPTION_BYTES, links=not source.inside, others=True)
    if content is None:
        raise FileError(f"cannot read {path}: it does not exist. Create it, or change discovery in the profile")
    return content


HEAD: Final = "rpcexplorer methods 2 {:08x} {:08x} {:08x} {:08x}\n"
"""Length and checksum of the list, and of the descriptions."""
HEAD_BYTES: Final = len(HEAD.format(0, 0, 0, 0))
EARLIER: Final = b"rpcexplorer catalogue 1 "
"""First bytes of the lists of earlier versions."""
EARLIER_FACTS: Final = frozenset({"name", "doc", "params", "auth", "safe", "source", "by", "deprecated", "dialect"})
"""Columns of these lists that a method still has."""
LIST_NOT_STORED: Final = "the method list is kept only until you quit"
SCHEMAS_NOT_STORED: Final = "schemas and examples are kept only until you quit"
NO_CHANGES: Final = Raw(b"null")
HideSecrets = Callable[[str], str]


class MethodList(Struct):
    """The methods of a profile, without their descriptions."""

    profile: str
    endpoint: str
    when: datetime | None = None
    """Time of the discovery; None if there was none."""
    methods: tuple[Method, ...] = ()
    absent: frozenset[str] = frozenset()
    """Names that the server does not know."""
    habits: bool = False
    """The quirks of the server's responses were reported."""
    source: str = ""
    """The stamp of the described file; empty if the list is from the server."""
    mcp: str = ""
    """The version of MCP that the server spoke last."""

    def clean(self, hide: HideSecrets) -> MethodList:
        """Return the list without secrets.

        A method with a secret keeps only its name. It is dropped if the name has a secret.
        """
        if not _has_secret(self, hide):
            return self
        absent = frozenset(name for name in self.absent if not _has_secret(name, hide))
        return replace(self, methods=_clean_methods(self.methods, hide), absent=absent)


def _clean_methods(methods: Iterable[Method], hide: HideSecrets) -> tuple[Method, ...]:
    found = []
    for method in methods:
        if not _has_secret(method, hide):
            found.append(method)
        elif not _has_secret(method.name, hide):
            found.append(Method(method.name, source=method.source, protocol=method.protocol))
    return tuple(found)


class Piece(NamedTuple):
    """The JSON of a description, and the index of its definitions, or -1."""

    text: Raw
    definitions: int


class Descriptions(Struct, dict=True):
    """The descriptions of all methods, as JSON that is decoded one by one."""

    methods: dict[str, Piece] = {}
    definitions: list[dict[str, Raw]] = []
    """Most documents have one set for all methods."""
    events: tuple[Method, ...] = ()
    changes: Raw = NO_CHANGES
    """The changes of the last refresh that found any."""

    def described(self, method: str) -> Described | None:
        piece = self.methods.get(method)
        if piece is None:
            return None
        described = msgspec.json.decode(piece.text, type=Described)
        if piece.definitions < 0:
            return described
        return replace(described, definitions=self._sets[piece.definitions])

    @cached_property
    def _sets(self) -> list[Definitions]:
        return [Definitions(pieces) for pieces in self.definitions]

    def clean(self, hide: HideSecrets) -> Descriptions:
        """Return the descriptions without entries that contain a secret."""
        if not _has_secret(self, hide):
            return self
        return Descriptions(
            _without_secrets(self.methods, hide),
            [_without_secrets(pieces, hide) for pieces in self.definitions],
            _clean_methods(self.events, hide),
            NO_CHANGES if _has_secret(self.changes, hide) else self.changes,
        )


class Definitions(Mapping[str, Any]):
    """Targets of references, each decoded when it is needed."""

    def __init__(self, pieces: Mapping[str, Raw]) -> None:
        self._pieces = pieces
        self._decoded: dict[str, Any] = {}

    def __getitem__(self, reference: str) -> Any:
        if reference not in self._decoded:
            self._decoded[reference] = msgspec.json.decode(self._pieces[reference])
        return self._decoded[reference]

    def __contains__(self, reference: object) -> bool:
        return reference in self._pieces

    def __iter__(self) -> Iterator[str]:
        return iter(self._pieces)

    def __len__(self) -> int:
        return len(self._pieces)


def _without_secrets(pieces: Mapping[str, Any], hide: HideSecrets) -> dict[str, Any]:
    return {name: piece for name, piece in pieces.items() if not _has_secret((name, piece), hide)}


def _has_secret(value: Any, hide: HideSecrets) -> bool:
    text = msgspec.json.encode(value).decode()
    return hide(text) != text


def encoded(discovery: Discovery) -> Descriptions:
    """Return the descriptions, with shared definitions stored once."""
    numbers: dict[int, int] = {}
    result = Descriptions({}, [], discovery.events)
    for name, described in discovery.described.items():
        number = -1
        if described.definitions:
            number = numbers.setdefault(id(described.definitions), len(result.definitions))
        if number == len(result.definitions):
            pieces = described.definitions.items()
            result.definitions.append({reference: Raw(msgspec.json.encode(schema)) for reference, schema in pieces})
        alone = replace(described, definitions={})
        result.methods[name] = Piece(Raw(msgspec.json.encode(alone)), number)
    return result


def changes_of(before: Known, now: Known) -> MethodChanges:
    """Return the differences between two lists that come from a discovery."""
    from rpcexplorer.discovery.changes import MAX_CHANGES, changes_between

    assert before.list.when
    assert now.list.when
    old, descriptions = before.descriptions or Descriptions(), now.descriptions or Descriptions()
    texts: dict[bytes, int] = {}
    old_sets, new_sets = _numbered(old.definitions, texts), _numbered(descriptions.definitions, texts)

    def pair(name: str) -> tuple[Described, Described] | None:
        was, is_now = old.methods.get(name), descriptions.methods.get(name)
        if was is None or is_now is None:
            return None
        if bytes(was.text) == bytes(is_now.text) and old_sets[was.definitions] == new_sets[is_now.definitions]:
            return None
        known, new = old.described(name), descriptions.described(name)
        return (known, new) if known and new else None

    names = {method.name for method in before.list.methods}, {method.name for method in now.list.methods}
    changes = list(changes_between(*names, pair))
    more = max(len(changes) - MAX_CHANGES, 0)
    return MethodChanges(now.list.when, before.list.when, tuple(changes[:MAX_CHANGES]), more)


def _numbered(definitions: Iterable[Mapping[str, Raw]], texts: dict[bytes, int]) -> dict[int, int]:
    """Return a number for each set, the same for sets with the same text; -1 is none."""
    numbers = {-1: -1}
    for at, pieces in enumerate(definitions):
        numbers[at] = texts.setdefault(msgspec.json.encode(pieces, order="sorted"), len(texts))
    return numbers


class Known(Struct):
    """The list and the descriptions of a profile."""

    list: MethodList
    descriptions: Descriptions | None = None
    """None if they have not been read yet."""


class Prepared(NamedTuple):
    """A discovery that is ready to be written."""

    known: Known
    changes: MethodChanges | None
    content: bytes
    """The file's content; empty if there is nothing to write."""
    problem: str
    """A sentence about parts that are kept only until you quit."""


def _changed(known: Known, change: Callable[[str], str]) -> Known:
    """Return a list whose JSON text went through a function."""
    text = msgspec.json.encode(known).decode()
    changed = change(text)
    return known if changed == text else msgspec.json.decode(changed, type=Known)


def _of_file(path: Path, profile: Profile, *, in_full: bool) -> Known | None:
    """Return the content of a file, or raise ``FileError``.

    None if there is no file, or none for this endpoint.
    """
    texts: list[bytes] = []
    with file_errors("read", path), suppress(FileNotFoundError), opened(path) as file:
        head = read_span(file, 0, HEAD_BYTES)
        if head.startswith(EARLIER):
            return _of_earlier_version(path, profile)
        start, sizes = HEAD_BYTES, _sizes(head)
        size = HEAD_BYTES + sum(length for length, _ in sizes)
        if not sizes or size != os.fstat(file).st_size or size > KEPT:
            raise _damaged(path)
        for length, checksum in sizes if in_full else sizes[:1]:
            texts.append(read_span(file, start, start + length))
            start += length
            if crc32(texts[-1]) != checksum:
                raise _damaged(path)
    if not texts:
        return None
    try:
        found = msgspec.json.decode(texts[0], type=MethodList)
        descriptions = msgspec.json.decode(texts[1], type=Descriptions) if in_full else None
    except (msgspec.MsgspecError, RecursionError):
        raise _damaged(path) from None
    if (found.profile, found.endpoint) != _key(profile):
        return None
    return Known(found, descriptions)


def _damaged(path: Path) -> FileError:
    return FileError(f"cannot use {path}: it is damaged, or another version wrote it. Refresh the method list")


def _sizes(head: bytes) -> list[tuple[int, int]]:
    """Return length and checksum of both lines; empty if the head is damaged."""
    try:
        first, second, third, fourth = (int(word, 16) for word in head.split()[3:])
    except ValueError:
        return []
    if HEAD.format(first, second, third, fourth).encode() != head:
        return []
    return [(first, second), (third, fourth)]


def _of_earlier_version(path: Path, profile: Profile) -> Known | None:
    """Return the list that an earlier version wrote, without descriptions.

    The next refresh adds the descriptions.
    """
    try:
        content = json.loads((read_bytes(path) or b"").partition(b"\n")[2])
        if (content["profile"], content["endpoint"]) != _key(profile):
            return None
        columns = content["columns"][0]
        if not content["when"]:
            content["methods"] = []
        methods = []
        for row in content["methods"]:
            facts = dict(zip(columns, row, strict=True))
            methods.append({key: facts[key] for key in facts.keys() & EARLIER_FACTS})
        return Known(msgspec.convert({**content, "methods": methods}, MethodList))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


Key = tuple[str, str]
"""A profile's name and its endpoint."""


def _key(profile: Profile) -> Key:
    return (profile.name, profile.endpoint)


class MethodLists:
    """The method lists of all profiles, each read when it is first needed."""

    def __init__(self, folder: Path, secrets: Callable[[], Iterable[Secret]] = tuple) -> None:
        """``secrets`` returns the secrets that must not be stored."""
        self._folder, self._secrets = folder, secrets
        self._known: dict[Key, Known] = {}
        self._refused: dict[Key, str] = {}
        """Stamps of files with descriptions that could not be used."""
        self.problem = ""
        """Why a stored list cannot be used; empty if it can."""

    def learned(self, profile: Profile) -> Learned | None:
        """Return the methods discovered for a profile at its endpoint, or None."""
        found = self._cached(profile).list
        return Learned(found.methods, found.when) if found.when else None

    def described(self, profile: Profile, method: str) -> Described | None:
        """Return the description of a method; None if the service has none."""
        return self._descriptions(profile).described(method)

    def events(self, profile: Profile) -> tuple[Method, ...]:
        """Return the events that the service can send."""
        return self._descriptions(profile).events

    def changes(self, profile: Profile) -> MethodChanges | None:
        """Return the changes of the last refresh that found any, or None."""
        return msgspec.json.decode(self._descriptions(profile).changes, type=MethodChanges | None)

    def compared(self, old: Profile, new: Profile) -> MethodChanges | None:
        """Return the differences between the lists of two profiles; None if one has not been discovered."""
        before, now = self._read_again(old), self._read_again(new)
        if not before.list.when or not now.list.when:
            return None
        # A secret in the docs of both servers is redacted under the name of each profile.
        renamed = partial(with_references, profile=old.name, new=new.name)
        return changes_of(_changed(before, renamed), now)

    def openrpc(self, profile: Profile, methods: Iterable[Method]) -> str:
        """Return an OpenRPC document of these methods, without secrets."""
        from rpcexplorer.discovery.openrpc import openrpc_document, openrpc_text

        known = partial(self.described, profile)
        return self._hide()(openrpc_text(openrpc_document(profile.name, methods, known, self.events(profile))))

    def copy(self, profile: Profile, new: str) -> None:
        """Store the list of a profile for its new name too. Raises ``FileError``."""
        known, renamed = self._read_again(profile), replace(profile, name=new)
        copied = Known(replace(known.list, profile=new), known.descriptions)
        self._known[_key(renamed)] = copied
        if known.list != MethodList(*_key(profile)):
            problem = self._write(renamed, copied)
            if problem:
                raise FileError(problem)

    def unread(self, profile: Profile) -> str:
        """Return the stamp of a description file to read; "" for none."""
        source = profile.discovery
        if not isinstance(source, DocumentSource) or not source.file:
            return ""
        stamp = stamp_of(source)
        return "" if stamp in {self._cached(profile).list.source, self._refused.get(_key(profile))} else stamp

    def absent(self, profile: Profile) -> frozenset[str]:
        """Return the names that the server does not know."""
        return self._cached(profile).list.absent

    def note_response(self, exchange: Exchange, profile: Profile, *, keep: bool = True) -> None:
        """Learn from a response whether the server has the method.

        Without ``keep``, this is forgotten at the end of the program.
        """
        if exchange.kind != "call" or not isinstance(exchange.outcome, Result | ErrorObject):
            return
        known, name = self._cached(profile), exchange.method
        is_absent = lacks_method(exchange.outcome)
        if is_absent == (name in known.list.absent):
            return
        if keep:
            known = self._read_again(profile)
        if is_absent:
            known.list.absent |= {name}
        else:
            known.list.absent -= {name}
        if keep:
            self._write(profile, known)

    def with_quirks(self, exchange: Exchange, profile: Profile) -> Exchange:
        """Return the exchange with a note about quirks, once for each server."""
        habits = getattr(exchange.outcome, "habits", ())
        if not habits or not self.report_quirks_once(profile):
            return exchange
        quirks = ", ".join(habits)
        note = f"this server deviates from JSON-RPC ({quirks}). rpcexplorer handles this"
        if not profile.ad_hoc:  # Nothing is remembered about a typed server.
            note += " and reports it only once"
        return replace(exchange, notes=(*exchange.notes, note))

    def report_quirks_once(self, profile: Profile) -> bool:
        """Return whether quirks are new, and mark them as reported."""
        if self._cached(profile).list.habits:
            return False
        known = self._read_again(profile)
        known.list.habits = True
        self._write(profile, known)
        return True

    def mcp_version(self, profile: Profile) -> str:
        """Return the version of MCP that the server spoke last; empty if none is known."""
        return self._cached(profile).list.mcp

    def keep_mcp_version(self, profile: Profile, version: str) -> None:
        """Remember the version of MCP that a server speaks."""
        if self.mcp_version(profile) == version:
            return
        known = self._read_again(profile)
        known.list.mcp = version
        self._write(profile, known)

    def settle(self, profile: Profile, discovery: Discovery, stamp: str = "") -> Discovery:
        """Store a discovery; return it with the differences from the previous one.

        A first discovery has no differences. ``stamp``: the stamp of the file that was read.
        """
        if not discovery.found:
            return self._refuse(profile, discovery, stamp)
        prepared = self._prepare(profile, self._read_again(profile), discovery, stamp, self._hide())
        return self._keep(profile, discovery, prepared)

    async def settle_aside(self, profile: Profile, discovery: Discovery, stamp: str = "") -> Discovery:
        """Store a discovery like ``settle``, with the slow part in a thread."""
        import asyncio  # not needed at the start

        if not discovery.found:
            return self._refuse(profile, discovery, stamp)
        before, hide = self._read_again(profile), self._hide()
        prepared = await asyncio.to_thread(self._prepare, profile, before, discovery, stamp, hide)
        return self._keep(profile, discovery, prepared)

    def _refuse(self, profile: Profile, discovery: Discovery, stamp: str) -> Discovery:
        """Do not read a file again before it changes."""
        if stamp:
            self._refused[_key(profile)] = stamp
            self.problem = " ".join(discovery.sentences)
        return discovery

    def _prepare(
        self, profile: Profile, before: Known, discovery: Discovery, stamp: str, hide: HideSecrets
    ) -> Prepared:
        """Prepare the descriptions, the changes and the file's content."""
        descriptions = encoded(discovery)
        absent = before.list.absent - {method.name for method in discovery.methods}
        found = replace(before.list, when=discovery.when, methods=discovery.methods, absent=absent, source=stamp)
        known = Known(found, descriptions)
        changes = None
        if before.list.when:  # A secret that is known only now may be in a list from before.
            changes = changes_of(_changed(before, hide), _changed(known, hide))
        last = before.descriptions.changes if before.descriptions else NO_CHANGES
        descriptions.changes = Raw(msgspec.json.encode(changes)) if changes and changes.methods else last
        return Prepared(known, changes, *self._content(profile, known, hide))

    def _keep(self, profile: Profile, discovery: Discovery, prepared: Prepared) -> Discovery:
        self._known[_key(profile)] = prepared.known
        self.problem = ""
        problems = [prepared.problem, self._put(profile, prepared.content)]
        methods = prepared.changes.methods if prepared.changes else ()
        return replace(
            discovery,
            sentences=(*discovery.sentences, *(problem for problem in problems if problem)),
            new=tuple(change.name for change in methods if change.kind == "new"),
            gone=tuple(change.name for change in methods if change.kind == "gone"),
            changed=methods,
        )

    def _write(self, profile: Profile, known: Known) -> str:
        """Write the list; return a sentence if that fails."""
        content, _ = self._content(profile, known, self._hide())
        return self._put(profile, content)

    def _cached(self, profile: Profile) -> Known:
        """Return the list of a profile, perhaps without its descriptions."""
        key = _key(profile)
        if key not in self._known:
            self._known[key] = self._read(profile, in_full=False) or Known(MethodList(*key))
        return self._known[key]

    def _descriptions(self, profile: Profile) -> Descriptions:
        if self._cached(profile).descriptions is None:
            self._read_again(profile)
        return self._cached(profile).descriptions or Descriptions()

    def _read_again(self, profile: Profile) -> Known:
        """Read the whole file again, because another program may have written it.

        Facts that only this program knows are kept.
        """
        known = self._cached(profile)
        found = self._read(profile, in_full=True)
        if found is None:
            known.descriptions = known.descriptions or Descriptions()
            return known
        found.list.habits |= known.list.habits
        if known.list.when and (found.list.when is None or known.list.when >= found.list.when):
            source, methods = known.list.source, known.list.methods
            found.list = replace(found.list, when=known.list.when, source=source, methods=methods)
            found.descriptions = known.descriptions or found.descriptions
        found.descriptions = found.descriptions or Descriptions()
        self._known[_key(profile)] = found
        return found

    def _read(self, profile: Profile, *, in_full: bool) -> Known | None:
        """Return the content of the file; None if there is no usable one for this endpoint."""
        self.problem = ""
        path = self._path(profile)
        if path is None:
            return None
        try:
            return _of_file(path, profile, in_full=in_full)
        except FileError as error:
            self.problem = error.sentence
        return None

    def _content(self, profile: Profile, known: Known, hide: HideSecrets) -> tuple[bytes, str]:
        """Return the file's content without secrets, and a sentence on gaps."""
        if self._path(profile) is None:
            return b"", ""
        lines = msgspec.json.encode(known.list.clean(hide)) + b"\n"
        if len(lines) > KEPT // 2:
            return b"", f"{LIST_NOT_STORED}: it is too large ({size_words(len(lines))})"
        full = msgspec.json.encode((known.descriptions or Descriptions()).clean(hide)) + b"\n"
        problem = ""
        if len(full) > KEPT // 2:
            problem = f"{SCHEMAS_NOT_STORED}: they are larger than {size_words(KEPT // 2)}"
            full = msgspec.json.encode(Descriptions()) + b"\n"
        head = HEAD.format(len(lines), crc32(lines), len(full), crc32(full)).encode()
        return b"".join((head, lines, full)), problem

    def _put(self, profile: Profile, content: bytes) -> str:
        """Write the content, if there is any; return a sentence if that fails."""
        path = self._path(profile)
        if path is None or not content:
            return ""
        problem = error_of(lambda: write_private(path, content))
        if problem:
            return f"{LIST_NOT_STORED}: {problem}"
        with suppress(OSError):
            for earlier in self._folder.glob(f"{escape(profile.name)}.*.full"):
                earlier.unlink()
        return ""

    def _hide(self) -> HideSecrets:
        """Return a function that redacts the secrets known now."""
        from rpcexplorer.redaction.redactor import Redactor  # needed only for writing

        return Redactor(self._secrets()).text

    def _path(self, profile: Profile) -> Path | None:
        """Return the path of a profile's file; None if it has no file."""
        if profile.ad_hoc or not PROFILE_NAME.fullmatch(profile.name):
            return None
        return self._folder / f"{profile.name}.json"
