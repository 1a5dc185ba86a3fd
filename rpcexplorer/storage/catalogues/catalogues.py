"""What servers said of their methods, per profile in the cache folder, used only for the URL it came from.

A start reads the lines of the methods (rows.py); all that is said of one is read when it is opened (pieces.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from rpcexplorer.files.io import FileTrouble
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.methods.listing import Discovery, Learned
from rpcexplorer.model.profile import DocumentSource, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, ErrorObject, Result
from rpcexplorer.storage.catalogues.descriptions import stamp_of
from rpcexplorer.storage.catalogues.keeping import CatalogueFiles
from rpcexplorer.storage.catalogues.rows import KeptCatalogue

if TYPE_CHECKING:
    from rpcexplorer.model.methods.changes import MethodChanges
    from rpcexplorer.storage.catalogues.pieces import KeptPieces
    from rpcexplorer.storage.catalogues.preparing import Prepared

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
        self.trouble = ""
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
        from rpcexplorer.model.methods.openrpc import openrpc_document, openrpc_text

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
            self.trouble = "; ".join(discovery.sentences)
        return discovery

    def _preparing(self, profile: Profile, discovery: Discovery) -> Callable[[], Prepared]:
        from rpcexplorer.storage.catalogues.preparing import KnownBefore, prepare

        kept, found = self._looked_up(profile), self._found.get(_key(profile), (None, None))
        before = KnownBefore(kept.learned, kept.beside, *found)
        return partial(prepare, self._files, profile, before, discovery, self._files.hide())

    def _keep(self, profile: Profile, discovery: Discovery, prepared: Prepared, stamp: str) -> Discovery:
        kept = self._read_again(profile)
        kept.learned, kept.source = Learned(discovery.methods, discovery.when), stamp
        kept.absent -= {method.name for method in discovery.methods}
        said = (*prepared.said, *self._files.write_both(profile, kept, prepared.full))
        self._found[_key(profile)] = discovery, prepared.last
        self.trouble = ""
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
        self.trouble = ""
        try:
            return self._files.read(profile)
        except FileTrouble as trouble:
            self.trouble = trouble.sentence
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
            except FileTrouble as trouble:
                said = trouble.sentence
        self._unusable.add(beside)
        self.trouble = said
        return None

    def _pieces_of(self, profile: Profile, beside: str) -> KeptPieces | None:
        if not beside or beside in self._unusable:
            return None
        named, pieces = self._pieces.get(_key(profile), ("", None))
        if pieces is None or named != beside:
            from rpcexplorer.storage.catalogues.pieces import KeptPieces  # no start needs it

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
