"""What was called: recorded, listed, found, named and forgotten. A folder of files that only ever grow at the end.

How an exchange is spelled is in blocks.py and records.py, how a file is added to and mended in blockfile.py, which
files there are in files.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cache, partial
from itertools import chain, islice
from math import inf
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from rpcexplorer.files.io import (
    LOCK_SECONDS,
    PRIVATE_FILE,
    FileTrouble,
    lock,
    may_change,
    meanwhile,
    names,
    private_folder,
    refuse_links,
    sizes,
)
from rpcexplorer.model.exchange import Damaged, Exchange, Refused
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.settings import MIB
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND
from rpcexplorer.storage.history.blockfile import FILE, LARGEST, append, mode_in, rewrite, split
from rpcexplorer.storage.history.blocks import id_of, left_of, outline, read_block, read_record, spell, to_block
from rpcexplorer.storage.history.files import CASES, current, files_of, rotated, this_writer, torn_files, writers
from rpcexplorer.storage.history.merging import Probe, RawBlock, blocks_in_steps, raw_blocks
from rpcexplorer.storage.history.pruning import Prune, fingerprint
from rpcexplorer.storage.history.records import renamed
from rpcexplorer.storage.history.search import BlockFilter, method_line

REACH = 8 * MIB
"""Bytes of a history in which that which is only of interest while it is new is looked for: a moment's reading."""
MOMENT = 0.25
"""Seconds after which that ends in any case."""
SPELLED = 8
"""Bytes of a record, at the most, for each byte of the reply in it."""
SHOWN = 5
"""Ids that are named where several are alike."""
T = TypeVar("T")


class History:
    """The history in one folder. Whatever cannot be written stays in ``unsaved`` and is tried again."""

    def __init__(
        self,
        folder: Path,
        *,
        writer: str | None = None,
        body_limit: int = MIB,
        rotate_at: int = FILE,
        lock_seconds: float = LOCK_SECONDS,
        inside: Path | None = None,
        shared: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``inside``: the folder is in there, and no link leads to it from there; that of a team's file is.

        ``shared``: other people and machines write to the folder too, each to files of its own.
        """
        self.folder = folder
        self.inside, self.shared = inside, shared
        self.writer = writer or this_writer()
        self.unsaved: list[Exchange] = []
        """Exchanges that could not be written yet, oldest first."""
        self._rotate_at = rotate_at
        self._lock_seconds = lock_seconds
        self._clock = clock
        self._largest = LARGEST + SPELLED * body_limit

    # --- writing -----------------------------------------------------------------------------------------------

    def append(self, exchange: Exchange) -> None:
        """Write an exchange down, and first of all those that could not be. A refusal never is."""
        if isinstance(exchange.outcome, Refused):
            return
        if len(exchange.params) + len(exchange.params_sent or "") > MIB and len(to_block(exchange)) > self._largest:
            raise FileTrouble("a call with so long params is not recorded: no more could be read of it")
        self.unsaved.append(exchange)
        self.save_unsaved()

    def save_unsaved(self) -> None:
        """Try once more to write what could not be written."""
        if not self.unsaved:
            return
        blocks = "".join(map(to_block, self.unsaved)).encode()
        full = rotated(self.folder, self.writer, self.unsaved[-1].when)
        with meanwhile("the exchange is kept in memory"):
            self._refuse_links()
            private_folder(self.folder)
            with self._locked(self.writer):
                file, mode = current(self.folder, self.writer), mode_in(self.folder) if self.shared else PRIVATE_FILE
                append(file, blocks, rotate_at=self._rotate_at, rotated=full, mode=mode)
        self.unsaved.clear()

    # --- reading -----------------------------------------------------------------------------------------------

    def all(self) -> Iterator[Exchange | Damaged]:
        """Everything, newest first, read as far as it is asked for."""
        return self.search(HistoryFilter())

    def newest(self, limit: int) -> list[Exchange | Damaged]:
        """The newest ``limit`` records, newest first; of a file that cannot be read nobody knows how old it is."""
        return list(islice((found for found in self.all() if isinstance(found, Exchange) or found.text), limit))

    def sizes(self) -> list[int]:
        return sizes(self.folder, ".toml")

    def find(self, id: str) -> Exchange | Damaged | Complaint | None:
        """The exchange with this id, or with an id that begins or ends so if there is but one."""
        if not id:
            return None
        like: dict[str, RawBlock | None] = {}
        for block in self._raw_blocks(BlockFilter(HistoryFilter(id)).among):
            own = id_of(block.raw)
            if own == id:
                return self._read(block)
            if own.startswith(id) or own.endswith(id):
                like.setdefault(own, None if like else block)
        if len(like) > 1:
            some = ", ".join(islice(like, SHOWN)) + (" …" if len(like) > SHOWN else "")
            return Complaint(
                str(self.folder), f"{len(like)} calls have an id like {id}: {some}; write more of it", key=id
            )
        return next((self._read(block) for block in like.values() if block), None)

    def with_ids(self, ids: Collection[str]) -> dict[str, Exchange | Damaged | None]:
        """The newest record of each of these whole ids that has one."""
        blocks = [(id, block) for block in self._raw_blocks() if (id := id_of(block.raw)) in ids]
        return {id: self._read(block) for id, block in reversed(blocks)}

    def search(self, wanted: HistoryFilter) -> Iterator[Exchange | Damaged]:
        """What a filter asks for, newest first. A file that cannot be read comes as well: all of it may be in there."""
        return (found for found in self.search_in_steps(wanted) if found is not None)

    def search_in_steps(
        self, wanted: HistoryFilter, reach: float = inf, *, whole: bool = True
    ) -> Iterator[Exchange | Damaged | None]:
        """Like ``search``; and None whenever a few blocks were read, that one can stop or show what was found so far.

        Where a call is not wanted ``whole``, what was asked and came back may be missing in it.
        """
        whole = whole or bool(wanted.text or wanted.words)
        self._refuse_links()
        for block in blocks_in_steps(self.folder, BlockFilter(wanted).among, reach, self._largest, self.writer):
            found = self._read(block, whole=whole) if block else None
            if not block or (found is not None and wanted.matches(found)):
                yield found

    def recent(self, profile: str, limit: int) -> list[Exchange | Damaged]:
        """The newest of a profile, as far as they are among the newest of all: older ones are not looked for.

        Of what is damaged the first comes as well: it may be why there are no more. What is foreign is of no profile.
        """
        long = f"{self.folder} takes long to look through: not all recent calls are known"
        late = Damaged(str(self.folder), long, "")
        calls: list[Exchange | Damaged] = []
        damaged: list[Exchange | Damaged] = []
        for each in self._for_a_moment(self.search_in_steps(HistoryFilter(profile=profile), REACH), 2 * MOMENT, [late]):
            if each is not None and not getattr(each, "foreign", False):
                (damaged if isinstance(each, Damaged) else calls).append(each)
            if len(calls) == limit:
                break
        return [*calls, *damaged[:1]]

    def methods(self, profile: str | None = None, reach: int = 2 * MIB) -> list[str]:
        """The names called of late, the last one first; ``reach``: so many bytes of files are looked through.

        A name is none of a method where the server has last said so.
        """
        wanted = HistoryFilter(profile=profile)
        among = BlockFilter(wanted).among
        spelled: dict[bytes, bytes] = {}
        self._refuse_links()
        for block in self._for_a_moment(blocks_in_steps(self.folder, split, reach, self._largest)):
            name = None if block is None or block.harm else method_line(block.raw)
            if block and name and name not in spelled and among(block.raw):
                spelled[name] = block.raw
        found = [read_block(raw) for raw in spelled.values()]
        calls = [call for call in found if isinstance(call, Exchange) and call.kind != "batch" and wanted.matches(call)]
        return [call.method for call in calls if getattr(call.outcome, "code", None) != METHOD_NOT_FOUND]

    def last_result(self, profile: str, method: str, reach: int = 2 * MIB) -> Exchange | None:
        """The newest call of a method that brought a result, as far as it is among the newest of all."""
        wanted = HistoryFilter(profile=profile, method=method, outcome="result")
        found = self._for_a_moment(self.search_in_steps(wanted, reach))
        calls = (each for each in found if isinstance(each, Exchange) and each.kind == "call")
        return next((call for call in calls if not call.foreign), None)

    # --- changing ----------------------------------------------------------------------------------------------

    def others(self) -> list[str]:
        """Everyone else who has written to the folder."""
        return [writer for writer in writers(names(self.folder)) if writer.removesuffix(CASES) != self.writer]

    def refusal(self, writer: str) -> str:
        """Why what a writer has recorded cannot be changed here; empty where it can. Nobody is this one.

        In a folder that is one person's alone, a machine may have had another name when a file was begun.
        """
        person, own = writer.partition("@")[0], self.writer.partition("@")[0]
        if not writer or writer.removesuffix(CASES) == self.writer or (person == own and not self.shared):
            return ""
        return f"it was recorded by {writer}, and can only be changed by them, there"

    def annotate(self, id: str, *, name: str | None = None, note: str | None = None) -> bool:
        """Give the exchange with this whole id a name or a note, or take it away with an empty one."""

        def annotated(raw: bytes) -> bytes:
            record = read_record(raw)
            return spell(renamed(record, name=name, note=note)).encode() if isinstance(record, dict) else raw

        return self._change(id, annotated, torn=False)

    def delete(self, id: str) -> bool:
        """Remove the exchange with this whole id for good; False where there is none."""
        return self._change(id, lambda _: b"", torn=True)

    def prune(
        self, keep: int | None = None, before: datetime | None = None, profile: str | None = None, *, dry: bool = False
    ) -> int:
        """Remove for good what is not among the newest ``keep`` or is older than ``before``; how many those are.

        Damaged records stay: nobody can say how old they are; and so do, uncounted, those that others have recorded.
        ``dry`` only counts.
        """
        mine = cache(may_change)
        prune = Prune(keep, before, profile)
        prune.look_through(self._raw_blocks(), lambda block: not self.refusal(block.writer) and mine(block.file))
        for writer in sorted(prune.writers) if not dry else ():
            for path in files_of(self.folder, writer):
                if path not in prune.unread:
                    self._rewrite(path, lambda raw: b"" if fingerprint(raw) in prune.doomed else raw, writer)
        return len(prune.doomed)

    def _change(self, id: str, change: Callable[[bytes], bytes], *, torn: bool) -> bool:
        """Change the newest block with this id, in whichever of its writer's files it lies by now.

        Where one that is ``torn`` may be meant, what is left of it lies in a file of its own.
        """
        meant = (block for block in self._raw_blocks(BlockFilter(HistoryFilter(id)).among) if torn or not block.harm)
        found = next((block for block in meant if id_of(block.raw) == id), None)
        if found is None:
            return False
        if refused := self.refusal(found.writer):
            raise FileTrouble(refused)
        sought = fingerprint(found.raw)
        asides = (self.folder / name for name in torn_files(names(self.folder)) if writers([name]) == [found.writer])
        return any(
            self._rewrite(path, lambda raw: change(raw) if fingerprint(raw) == sought else raw, found.writer)
            for path in dict.fromkeys(chain([found.file], files_of(self.folder, found.writer), asides))
        )

    def _read(self, block: RawBlock, *, whole: bool = True) -> Exchange | Damaged | None:
        if block.harm:
            return Damaged(str(block.file), block.harm, left_of(block.raw), id_of(block.raw))
        found = (None if whole else outline(block.raw)) or read_block(block.raw, str(block.file))
        if isinstance(found, Exchange) and block.writer != self.writer:
            return replace(found, writer=block.writer)
        return found

    def _rewrite(self, path: Path, change: Callable[[bytes], bytes], writer: str) -> int:
        return rewrite(path, change, partial(self._locked, writer), FILE + 2 * self._largest)

    def _raw_blocks(self, wanted: Probe = split) -> Iterator[RawBlock]:
        self._refuse_links()
        return raw_blocks(self.folder, wanted, largest=self._largest, own=self.writer)

    def _for_a_moment(self, found: Iterable[T], seconds: float = MOMENT, late: Iterable[T] = ()) -> Iterator[T]:
        """What is found as long as anybody waits for it; then what is to be said of the rest."""
        end = inf
        for one in found:
            yield one
            end = min(end, self._clock() + seconds)  # to list the folder is not counted
            if self._clock() > end:
                yield from late
                return

    def _refuse_links(self) -> None:
        if self.inside is not None:
            refuse_links(self.folder, self.inside)

    def _locked(self, writer: str) -> AbstractContextManager[None]:
        return lock(current(self.folder, writer), self._lock_seconds)
