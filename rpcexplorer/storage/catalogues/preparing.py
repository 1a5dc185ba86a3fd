"""What is made of a discovery before it is kept: what differs from what was known, and what will be written.

It takes a second or more for ten thousand methods, so it can be done in a thread: nothing here is changed, and no file
written.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct

from rpcexplorer.files.io import FileTrouble
from rpcexplorer.model.method import Described
from rpcexplorer.model.methods.changes import MOST_CHANGES, BothTimes, MethodChanges, changes_between
from rpcexplorer.model.methods.listing import Discovery, Learned
from rpcexplorer.model.profile import Profile
from rpcexplorer.storage.catalogues.keeping import CatalogueFiles
from rpcexplorer.storage.catalogues.pieces import KeptPieces, PiecesWriter


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
    with suppress(FileTrouble):
        there = files.read(profile)
        if there and there.learned and (before.learned is None or there.learned.when > before.learned.when):
            return KnownBefore(there.learned, there.beside)
    return before


def _told_before(before: KnownBefore, pieces: KeptPieces | None) -> MethodChanges | None:
    if before.found or pieces is None:
        return before.changes
    with suppress(FileTrouble):
        return pieces.changes()
    return None


def _changes(
    before: KnownBefore, learned: Learned, now: Discovery, pieces: KeptPieces | None, writer: PiecesWriter | None
) -> MethodChanges | None:
    def old(name: str) -> Described | None:
        if before.found:
            return before.found.described.get(name)
        return pieces.described(name) if pieces else None

    def both(name: str) -> BothTimes | None:
        """None where it stands in the file as it will be written now, with all that it may refer to."""
        new = now.described.get(name)
        with suppress(FileTrouble):
            mark = pieces.mark(name) if pieces and writer else None
            if new is None or (mark and writer and mark == writer.mark(name)):
                return None
            known = old(name)
            return (known, new) if known else None
        return None

    changes = list(changes_between(learned.methods, now.methods, both))
    told, more = tuple(changes[:MOST_CHANGES]), max(len(changes) - MOST_CHANGES, 0)
    return MethodChanges(now.when, learned.when, told, more) if changes else None
