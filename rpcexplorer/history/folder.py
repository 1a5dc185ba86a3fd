"""All files of a history: merged, searched, pruned."""

from __future__ import annotations

import os
import re
import time
from bisect import insort_left
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from functools import cache, partial
from heapq import merge
from itertools import chain, islice
from math import inf
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from rpcexplorer.files.io import (
    LOCK_SECONDS,
    PRIVATE_FILE,
    FileError,
    Unfit,
    changed_last,
    file_errors,
    inodes,
    lock,
    may_change,
    names,
    opened,
    private_folder,
    read_bytes,
    read_span,
    refuse_links,
    size_words,
    sizes,
)
from rpcexplorer.history.file import (
    CASES,
    CHUNK,
    COMMENTS,
    EVENTS,
    FILE,
    LARGEST,
    OVERLAP,
    append,
    current,
    files_of,
    full_files,
    holds_calls,
    holds_events,
    mode_in,
    newest_first,
    rewrite,
    rotated,
    split,
    this_writer,
    torn_files,
    writers,
)
from rpcexplorer.history.record import (
    BASE64,
    HEADER,
    all_untouched,
    id_of,
    is_sealed,
    left_of,
    outline,
    quoted,
    read_block,
    read_record,
    renamed,
    spell,
    to_block,
    untouched,
)
from rpcexplorer.model.exchange import Damaged, Exchange, Refused
from rpcexplorer.model.filter import Bounds, HistoryFilter
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.settings import MIB
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import is_made, lacks_method

TIME = regex(rb"\ntime = ([^\r\n]{0,99})")
EARLY = CHUNK
NEWEST = b"~"
"""Sorts above every time, for text at the end of a file without a time."""
ID_HEADER = regex(re.escape(HEADER) + rb'id = "[^"\n]*"\n')
OVERTAKING = 4 * CHUNK
"""Bytes of later calls that may precede a call, for a search by time."""
TORN = "it is incomplete: writing it was interrupted"
UNFINISHED = LOCK_SECONDS
"""Seconds during which a block without its end may still be written."""
CROWD = 200
"""Beginnings of calls without any time in one stretch that are skipped."""
WINDOW = 64
"""Calls that may be out of order: they are written when they end."""
WAITING = LARGEST
WRITERS = 500
"""Writers and torn calls read in one folder: the last changed ones."""
OPEN = 64
"""Maximum of long files that are open at once."""


PACKED = f"{BASE64} = ".encode()
IN_CALL = frozenset(b"id method params params_sent message reason headers reply name note answer of".split())
ANYWHERE = IN_CALL | {b"profile", b"url"}
FOLDED_TO_ASCII = tuple(character.encode() for character in "ßİŉſǰẖẗẘẙẚẞ\u212aﬀﬁﬂﬃﬄﬅﬆ")
"""Characters that count as ASCII letters if case does not matter."""
TIME_LINE, MS_LINE, RECEIVED_LINE = (regex(rb"\n%s = ([^\r\n]*)" % key) for key in (b"time", b"ms", b"received"))
FOREIGN = b"\nforeign = true"
FAILED = regex(rb'\n(?:outcome = "error"|message(?:_base64)? = )')
"""A line of an error, or of a failed tool, whose result has a message."""
METHOD = regex(rb"\nmethod(?:_base64)? = [^\r\n]*")
Limit = tuple[re.Pattern[bytes], Callable[[bytes], bool]]
REACH = 8 * MIB
"""Bytes searched for recent calls, which takes a moment."""
NEWEST_BYTES = 2 * MIB
"""Bytes searched for methods and the last result, while a screen waits."""
MOMENT = 0.25
SPELLED = 8
"""Bytes of a record, at the most, for each byte of the reply in it."""
SHOWN = 5
T = TypeVar("T")


class RawBlock(NamedTuple):
    time: bytes
    """As spelled in the block, or that of the next written block."""
    writer: str
    file: Path
    raw: bytes
    harm: str = ""
    """Why the block is damaged: torn, or in an unreadable file."""


class Passed(NamedTuple):
    time: bytes
    stretch: bytes
    entries: int
    calls: int
    """So many bytes it has, if there are calls in it."""


Probe = Callable[[bytes], list[bytes]]
"""Returns the blocks of a stretch that may match; ``split`` returns all."""


def blocks_in_steps(
    folder: Path,
    wanted: Probe,
    reach: float = inf,
    largest: int = LARGEST,
    own: str = "",
    *,
    is_read: Callable[[str], bool] = holds_calls,
) -> Iterator[RawBlock | None]:
    """Yield blocks that may match, newest first, and None between stretches.

    A block in two copies of a file is yielded once, as a block of the writer ``own``. The search ends after ``reach``
    bytes of calls. A stretch longer than ``largest`` is not a block and only reported. Only files whose names satisfy
    ``is_read`` are read.
    """
    last = None
    streams = FolderReader(folder, wanted, largest, is_read).streams(own)
    for block in _settled(_within(reach, merge(*streams, key=attrgetter("time"), reverse=True))):
        if block is None:
            yield None
        elif (block.raw, block.harm) != last:
            last = block.raw, block.harm
            yield block


class FolderReader:
    def __init__(self, folder: Path, wanted: Probe, largest: int, is_read: Callable[[str], bool]) -> None:
        self._folder, self._wanted, self._largest = folder, wanted, largest
        self._listed = {name: inode for name, inode in inodes(folder).items() if is_read(name)}
        """The files by name, and how each is known when it has another name."""
        self._full = full_files(self._listed)
        self._open = 0

    def streams(self, own: str = "") -> list[Iterator[RawBlock | Passed]]:
        every, torn = writers(self._listed), torn_files(self._listed)
        newest = changed_last(self._folder, WRITERS, {f"{writer}.toml": writer for writer in every})
        newest_torn = changed_last(self._folder, WRITERS, {name: name for name in torn})
        # Torn blocks come last among equals, because a whole copy may exist elsewhere.
        problems = (
            f"{self._folder} has {words}, but only the newest {WRITERS} are read. Move old files elsewhere"
            for found, words in (
                (every, f"files of {len(every):,} writers"),
                (torn, f"{len(torn):,} files of incomplete calls"),
            )
            if len(found) > WRITERS
        )
        return [
            *(iter([RawBlock(NEWEST, "", self._folder, b"", problem)]) for problem in problems),
            *map(self._written_by, sorted(newest, key=own.__ne__)),
            *map(self._torn, newest_torn),
        ]

    def _written_by(self, writer: str) -> Iterator[RawBlock | Passed]:
        """Read what one writer wrote. A short file is closed at once."""
        yield Passed(NEWEST, b"", 0, 0)  # The reader can stop before each file.
        seen: set[tuple[int, int]] = set()
        for path in self._files_of(writer, seen):
            content = None
            try:
                with file_errors("read", path), suppress(FileNotFoundError), opened(path, others=True) as file:
                    found = os.fstat(file)
                    if (found.st_dev, found.st_ino) in seen:
                        continue
                    seen.add((found.st_dev, found.st_ino))
                    if found.st_size <= CHUNK:
                        content = read_span(file, 0, found.st_size)
                    elif self._open >= OPEN:
                        many = f"{OPEN} files of more than {size_words(CHUNK)} are already open"
                        raise Unfit(f"{many}. Move old files elsewhere")
                    else:
                        self._open += 1
                        try:
                            yield from self._in_file(partial(read_span, file), found, writer, path)
                        finally:
                            self._open -= 1
            except FileError as error:
                seen.add((0, self._listed.get(path.name, 0)))  # it is not looked for elsewhere
                yield RawBlock(NEWEST, writer, path, b"", error.sentence)
            if content:
                yield from self._in_file(partial(_span_of, content), found, writer, path)

    def _files_of(self, writer: str, seen: set[tuple[int, int]]) -> Iterator[Path]:
        """Yield the files, listing the folder again only if one may have moved."""
        first = current(self._folder, writer)
        yield first
        as_listed = {self._listed.get(first.name)} - {None} == {inode for _, inode in seen}
        full = self._full if as_listed else full_files(names(self._folder))
        yield from (self._folder / name for name in full.get(writer, ()))

    def _in_file(
        self, read: Callable[[int, int], bytes], found: os.stat_result, writer: str, path: Path
    ) -> Iterator[RawBlock | Passed]:
        moment, at_end = NEWEST, True
        called = start = found.st_size

        def reading(begin: int, end: int) -> bytes:
            nonlocal start
            start = begin
            return read(begin, end)

        for read_now in newest_first(reading, found.st_size, self._largest):
            stretch = b"" if read_now.isspace() else read_now
            raws = [raw for raw in self._wanted(stretch) if raw.strip()] if stretch else []
            oldest = TIME.search(stretch)
            crowded = len(raws) > CROWD and not oldest
            raws = [] if crowded else raws
            for raw in reversed(raws):
                # a block at a file's end is torn if it is the last one, and has no end
                is_last = at_end and stretch.rstrip().endswith(raw.rstrip())
                torn = is_last and not is_sealed(raw) and not COMMENTS.fullmatch(raw)
                at_end = False
                if torn and time.time() - found.st_mtime < UNFINISHED:
                    continue  # it is being written at this moment
                yield RawBlock(_time_of(raw, stretch, moment), writer, path, raw, TORN if torn else "")
            if oldest:
                moment, called = oldest[1], start
            elif (crowded or called - start > self._largest) and moment:
                without = f"{size_words(called - start)} or more of it contain no call"
                yield RawBlock(moment, writer, path, b"", f"cannot read {path}: {without}. Remove that part")
                moment = b""  # everybody else comes first now
            at_end = at_end and not stretch and bool(moment)
            yield Passed(moment, stretch, len(raws), len(stretch) if oldest else 0)

    def _torn(self, name: str) -> Iterator[RawBlock | Passed]:
        """Read a torn block from its own file, when its time has come."""
        path, writer = self._folder / name, name.partition(".")[0]
        yield Passed(NEWEST, b"", 0, 0)
        moment = b""
        try:
            with file_errors("read", path), suppress(FileNotFoundError), opened(path, others=True) as file:
                early = TIME.search(read_span(file, 0, EARLY))
                moment = early[1] if early else b""
            yield Passed(moment, b"", 0, 0)
            raw = read_bytes(path, self._largest, others=True)
        except FileError as error:
            yield RawBlock(NEWEST, writer, path, b"", error.sentence)
            return
        if raw:
            yield RawBlock(moment, writer, path, raw, TORN)


def _span_of(content: bytes, start: int, end: int) -> bytes:
    return content[start:end]


def _time_of(raw: bytes, stretch: bytes, otherwise: bytes) -> bytes:
    """Return the time of a block as spelled, or of the block below it."""
    if spelled := TIME.search(raw, 0, EARLY):
        return spelled[1]
    below = stretch.rfind(raw) + len(raw)
    spelled = TIME.search(stretch, below, below + EARLY)
    return spelled[1] if spelled else otherwise


def _block_beginning(header: bytes, read: Callable[[int, int], bytes], size: int, largest: int) -> bytes:
    """Return the block with this header, searched by time, or nothing.

    Calls are written when they end, so a long call is after calls that began later.
    """
    low, high = 0, size
    while high - low > CHUNK:
        middle = (low + high) // 2
        pieces = (read(at, min(at + CHUNK + OVERLAP, size)) for at in range(middle, high, CHUNK))
        found = next(filter(None, map(ID_HEADER.search, pieces)), None)
        low, high = (middle, high) if found and found[0] < header else (low, middle)
    start = max(0, low - CHUNK)
    at = read(start, low + OVERTAKING).rfind(header)
    length = CHUNK
    while at >= 0:
        raw = split(read(start + at, start + at + length))[0]
        if is_sealed(raw):
            return raw
        if length > min(size, largest):
            break
        length *= 4
    return b""


def _files_with(outcomes: Collection[str]) -> Callable[[str], bool]:
    """Return which files can contain records with these outcomes."""
    if "event" not in outcomes:
        return holds_calls
    return holds_events if len(outcomes) == 1 else lambda _: True


def _within(reach: float, stream: Iterable[RawBlock | Passed]) -> Iterator[RawBlock | Passed]:
    for one in stream:
        yield one
        if isinstance(one, Passed):
            reach -= one.calls
            if reach <= 0:
                return


def _settled(stream: Iterable[RawBlock | Passed]) -> Iterator[RawBlock | None]:
    """Sort a stream that is nearly sorted; None for every stretch passed."""
    held: list[tuple[bytes, int, RawBlock]] = []
    read = waiting = 0
    for one in stream:
        if isinstance(one, Passed):
            read += one.stretch.count(HEADER) - one.entries if held else 0  # counting takes as long as searching
        else:
            read += 1
            waiting += len(one.raw)
            insort_left(held, (one.time, read, one), key=itemgetter(0))
        last = not one.time  # what follows is older than anything
        while held and (last or len(held) > WINDOW or waiting > WAITING or read - held[-1][1] >= WINDOW):
            waiting -= len(held[-1][2].raw)
            yield held.pop()[2]
        if isinstance(one, Passed):
            yield None
    yield from (block for _, _, block in reversed(held))


class BlockFilter:
    """A filter that checks unread bytes for possible matches."""

    def __init__(self, wanted: HistoryFilter) -> None:
        exact = [("profile", wanted.profile), ("profile", wanted.named_profile), ("method", wanted.method)]
        if wanted.outcome and len(wanted.outcomes) < 2 and wanted.outcomes != ("error",):
            exact.append(("outcome", next(iter(wanted.outcomes), wanted.outcome)))
        self._lines = [f"\n{key} = {quoted(value)}\n".encode() for key, value in exact if value]
        """Lines that a matching block must contain."""
        self._patterns = [FAILED] if wanted.outcomes == ("error",) else []
        if wanted.bounds.code is not None:
            self._patterns.append(re.compile(rb"\ncode = %d\n" % wanted.bounds.code))
        if wanted.bounds.status is not None:
            low, high = wanted.bounds.status
            statuses = b"|".join(b"%d" % status for status in range(low, high + 1))
            self._patterns.append(re.compile(rb"\nstatus = (?:%s)\n" % statuses))
        self._limits = list(_limits(wanted.bounds))
        self._nothing = bool(wanted.wrong)
        texts = [(wanted.text, ANYWHERE), *((word, IN_CALL) for word in wanted.words)]
        texts += [(wanted.in_profile, frozenset({b"profile"})), (wanted.in_method, frozenset({b"method"}))]
        self._needles = [(quoted(text)[1:-1].casefold().encode(), keys) for text, keys in texts if text]
        self._plain = all(needle.isascii() for needle, _ in self._needles)

    def among(self, stretch: bytes) -> list[bytes]:
        """Return the blocks of a stretch that may match, without reading them.

        Only blocks as we spelled them can be judged so: people may write A as an escape.
        """
        if self._nothing:
            return []
        if all_untouched(stretch):
            return [raw for raw in split(stretch) if self._may_be_in(raw)] if self._may_be_in(stretch) else []
        return [raw for raw in split(stretch) if (own := untouched(raw)) is None or self._may_be_in(b"\n" + own)]

    def _may_be_in(self, own: bytes) -> bool:
        if PACKED in own:
            return True
        if not all(line in own for line in self._lines) or not all(line.search(own) for line in self._patterns):
            return False
        if not all(_may_hold(own, *limit) for limit in self._limits):
            return False
        folded = self._folded(own) if self._needles else b""
        return all(_stands_in(folded, needle, keys) for needle, keys in self._needles)

    def _folded(self, stretch: bytes) -> bytes:
        """Return the stretch casefolded; ten times faster if ASCII is enough."""
        if stretch.isascii() or (self._plain and not any(one in stretch for one in FOLDED_TO_ASCII)):
            return stretch.lower()
        return stretch.decode(errors="replace").casefold().encode()


def _limits(bounds: Bounds) -> Iterator[Limit]:
    """Yield each limit. A time in another zone, by hand, is not compared."""
    if bounds.since is not None:
        since = _spelled(bounds.since)
        yield TIME_LINE, lambda time: time >= since or not time.endswith(b"Z")
    if bounds.until is not None:
        until = _spelled(bounds.until)
        yield TIME_LINE, lambda time: time <= until or not time.endswith(b"Z")
    for line, above, below in (
        (MS_LINE, bounds.slower, bounds.faster),
        (RECEIVED_LINE, bounds.larger, bounds.smaller),
    ):
        if above is not None or below is not None:
            yield line, partial(_is_between, above, below, 1000 if line is MS_LINE else 1)


def _is_between(above: float | None, below: float | None, parts: int, value: bytes) -> bool:
    try:
        number = float(value) / parts
    except ValueError:
        return True
    return (above is None or number > above) and (below is None or number < below)


def _spelled(moment: datetime) -> bytes:
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds").encode() + b"Z"


def _may_hold(own: bytes, line: re.Pattern[bytes], fits: Callable[[bytes], bool]) -> bool:
    """Return whether a value may fit, or a block has none."""
    values = line.findall(own)
    return any(map(fits, values)) or len(values) < max(own.count(HEADER), 1)


def _stands_in(folded: bytes, needle: bytes, keys: Iterable[bytes]) -> bool:
    at = folded.find(needle)
    while at >= 0:
        line = folded.rfind(b"\n", 0, at) + 1
        value = folded.find(b" = ", line) + len(b" = ")
        if at < value:  # in a key, or a line that has none
            at = folded.find(needle, value)
        elif folded[line : value - len(b" = ")] in keys:
            return True
        else:
            at = folded.find(needle, folded.find(b"\n", at))
    return False


def fingerprint(raw: bytes) -> bytes:
    """Return a hash of a block. Ids written by hand may be duplicates."""
    from hashlib import blake2b  # it loads OpenSSL, and few commands change anything

    return blake2b(raw.strip(), digest_size=16).digest()


class History:
    """The history in one folder. Unwritten calls stay in ``unsaved``."""

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
        """``inside``: the folder must be in this one, and not be reached by links.

        It is set for the folder of a project file. ``shared``: other people and machines also write to the folder, each
        to separate files.
        """
        self.folder = folder
        self.inside, self.shared = inside, shared
        self.writer = writer or this_writer()
        self.unsaved: list[Exchange] = []
        self._rotate_at = rotate_at
        self._lock_seconds = lock_seconds
        self._clock = clock
        self._largest = LARGEST + SPELLED * body_limit

    # --- writing -----------------------------------------------------------------------------------------------

    def append(self, exchange: Exchange) -> None:
        """Write an exchange, and first those that could not be written before."""
        if isinstance(exchange.outcome, Refused):
            return
        if len(exchange.params) + len(exchange.params_sent or "") > MIB and len(to_block(exchange)) > self._largest:
            raise FileError("the params are too large to be recorded")
        self.unsaved.append(exchange)
        self.save_unsaved()

    def save_unsaved(self) -> None:
        if not self.unsaved:
            return
        blocks = "".join(map(to_block, self.unsaved)).encode()
        full = rotated(self.folder, self.writer, self.unsaved[-1].when)
        self._refuse_links()
        private_folder(self.folder)
        with self._locked(self.writer):
            file, mode = current(self.folder, self.writer), mode_in(self.folder) if self.shared else PRIVATE_FILE
            append(file, blocks, rotate_at=self._rotate_at, rotated=full, mode=mode)
        self.unsaved.clear()

    # --- reading -----------------------------------------------------------------------------------------------

    def all(self) -> Iterator[Exchange | Damaged]:
        return self.search(HistoryFilter())

    def newest(self, limit: int) -> list[Exchange | Damaged]:
        """Return the newest records; unreadable files are left out."""
        return list(islice((found for found in self.all() if isinstance(found, Exchange) or found.text), limit))

    def sizes(self) -> list[int]:
        return sizes(self.folder, lambda name: name.endswith(".toml") and holds_calls(name))

    def find(self, id: str) -> Exchange | Damaged | Problem | None:
        """Return the exchange with this id, or with this unique part of it.

        Events are searched if no call has the id.
        """
        if not id:
            return None
        if near := self._block_by_time(id):
            return self._read(near)
        found = self._find_in(holds_calls, id)
        return self._find_in(holds_events, id) if found is None else found

    def _find_in(self, is_read: Callable[[str], bool], id: str) -> Exchange | Damaged | Problem | None:
        like: dict[str, RawBlock | None] = {}
        for block in self._raw_blocks(self._may_have(id), is_read):
            own = id_of(block.raw)
            if own == id:
                return self._read(block)
            if own.startswith(id) or own.endswith(id):
                like.setdefault(own, None if like else block)
        if len(like) > 1:
            some = ", ".join(islice(like, SHOWN)) + (" …" if len(like) > SHOWN else "")
            return Problem(
                str(self.folder), f"{id} matches {len(like)} calls: {some}. Type more characters of the id", key=id
            )
        return next((self._read(block) for block in like.values() if block), None)

    def _block_by_time(self, id: str) -> RawBlock | None:
        """Return the block with a whole id of ours by its time.

        To search 100,000 calls takes a hundred times as long.
        """
        if not is_made(id):
            return None
        self._refuse_links()
        header = HEADER + f'id = "{id}"\n'.encode()
        every = writers(names(self.folder))
        for writer in sorted(every, key=lambda writer: (holds_events(writer), writer != self.writer)):
            for path in files_of(self.folder, writer):
                with (
                    suppress(FileNotFoundError, FileError),
                    file_errors("read", path),
                    opened(path, others=True) as file,
                ):
                    raw = _block_beginning(header, partial(read_span, file), os.fstat(file).st_size, self._largest)
                    if raw:
                        return RawBlock(b"", writer, path, raw)
        return None

    @staticmethod
    def _may_have(id: str) -> Probe:
        if not id.isalnum() or not id.isascii():  # The id was written by hand and may be spelled in several ways.
            return BlockFilter(HistoryFilter(id)).among
        needle = id.encode()
        return lambda stretch: [raw for raw in split(stretch) if needle in raw] if needle in stretch else []

    def with_ids(self, ids: Collection[str]) -> dict[str, Exchange | Damaged | None]:
        blocks = [(id, block) for block in self._raw_blocks() if (id := id_of(block.raw)) in ids]
        return {id: self._read(block) for id, block in reversed(blocks)}

    def search(self, wanted: HistoryFilter) -> Iterator[Exchange | Damaged]:
        return (found for found in self.search_in_steps(wanted) if found is not None)

    def search_in_steps(
        self, wanted: HistoryFilter, reach: float = inf, *, whole: bool = True
    ) -> Iterator[Exchange | Damaged | None]:
        """Like ``search``; and None whenever a few blocks were read.

        If a call is not wanted ``whole``, its params and reply may be missing.
        """
        whole = whole or bool(wanted.text or wanted.words)
        self._refuse_links()
        among, is_read = BlockFilter(wanted).among, _files_with(wanted.outcomes)
        for block in blocks_in_steps(self.folder, among, reach, self._largest, self.writer, is_read=is_read):
            found = self._read(block, whole=whole) if block else None
            if not block or (found is not None and wanted.matches(found)):
                yield found

    def recent(self, profile: str, limit: int) -> list[Exchange | Damaged]:
        """Return the calls of a profile that are among the newest of all.

        The first damaged record is included, because it may be the reason why calls are missing. Imported calls belong
        to no profile.
        """
        long = f"{self.folder} takes long to search: some recent calls may be missing"
        late = Damaged(str(self.folder), long, "")
        calls: list[Exchange | Damaged] = []
        damaged: list[Exchange | Damaged] = []
        for one in self._for_a_moment(self.search_in_steps(HistoryFilter(profile=profile), REACH), 2 * MOMENT, [late]):
            if one is not None and not getattr(one, "foreign", False):
                (damaged if isinstance(one, Damaged) else calls).append(one)
            if len(calls) == limit:
                break
        return [*calls, *damaged[:1]]

    def methods(self, profile: str | None = None) -> list[str]:
        """Return the names called recently, the last one first.

        A name that the server has last answered with "method not found" is left out.
        """
        wanted = HistoryFilter(profile=profile)
        among = BlockFilter(wanted).among
        spelled: dict[bytes, bytes] = {}
        self._refuse_links()
        for block in self._for_a_moment(blocks_in_steps(self.folder, split, NEWEST_BYTES, self._largest)):
            # Imported calls may have profiles that are not known here.
            if block is None or block.harm or FOREIGN in block.raw:
                continue
            name = METHOD.search(block.raw)
            if name and name[0] not in spelled and among(block.raw):
                spelled[name[0]] = block.raw
        found = [read_block(raw) for raw in spelled.values()]
        calls = [call for call in found if isinstance(call, Exchange) and call.kind != "batch" and wanted.matches(call)]
        return [call.method for call in calls if not lacks_method(call.outcome)]

    def last_result(self, profile: str, method: str) -> Exchange | None:
        """Return the newest result of a method, if it is among the newest calls."""
        wanted = HistoryFilter(profile=profile, method=method, outcome="result")
        found = self._for_a_moment(self.search_in_steps(wanted, NEWEST_BYTES))
        calls = (record for record in found if isinstance(record, Exchange) and record.kind == "call")
        return next((call for call in calls if not call.foreign), None)

    # --- changing ----------------------------------------------------------------------------------------------

    def others(self) -> list[str]:
        calls = filter(holds_calls, names(self.folder))
        return [writer for writer in writers(calls) if writer.removesuffix(CASES) != self.writer]

    def refusal(self, writer: str) -> str:
        """Return why a writer's calls cannot be changed here, or nothing.

        In a folder that is one person's alone, this machine may have had another name.
        """
        writer = writer.removesuffix(EVENTS)
        person, own = writer.partition("@")[0], self.writer.partition("@")[0]
        if not writer or writer.removesuffix(CASES) == self.writer or (person == own and not self.shared):
            return ""
        return f"it was recorded by {writer}, and only {writer} can change it"

    def annotate(self, id: str, *, name: str | None = None, note: str | None = None) -> bool:

        def annotated(raw: bytes) -> bytes:
            record = read_record(raw)
            return spell(renamed(record, name=name, note=note)).encode() if isinstance(record, dict) else raw

        return self._change(id, annotated, torn=False)

    def delete(self, id: str) -> bool:
        return self._change(id, lambda _: b"", torn=True)

    def prune(
        self, keep: int | None = None, before: datetime | None = None, profile: str | None = None, *, dry: bool = False
    ) -> int:
        """Remove all but the newest ``keep``, and all before a moment; count them.

        Damaged records stay, and so do events and what others have recorded. ``dry`` only counts.
        """
        is_mine = cache(may_change)
        doomed, its_writers, unread, kept = set[bytes](), set[str](), set[Path](), 0
        for block in self._raw_blocks():
            if not block.raw:
                unread.add(block.file)
            call = None if block.harm else outline(block.raw) or read_block(block.raw)
            if not isinstance(call, Exchange) or profile not in {None, call.profile}:
                continue
            if self.refusal(block.writer) or not is_mine(block.file):
                continue
            if (keep is not None and kept >= keep) or (before is not None and call.when < before):
                doomed.add(fingerprint(block.raw))
                its_writers.add(block.writer)
            else:
                kept += 1
        for writer in sorted(its_writers) if not dry else ():
            for path in files_of(self.folder, writer):
                if path not in unread:
                    self._rewrite(path, lambda raw: b"" if fingerprint(raw) in doomed else raw, writer)
        return len(doomed)

    def _change(self, id: str, change: Callable[[bytes], bytes], *, torn: bool) -> bool:
        """Change the newest block with this id, even if it moved to another file.

        With ``torn``, change also the incomplete block in a separate file.
        """
        blocks = self._raw_blocks(self._may_have(id), lambda _: True)
        meant = (block for block in blocks if torn or not block.harm)
        found = self._block_by_time(id) or next((block for block in meant if id_of(block.raw) == id), None)
        if found is None:
            return False
        if refused := self.refusal(found.writer):
            raise FileError(refused)
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
        if isinstance(found, Exchange) and block.writer.removesuffix(EVENTS) != self.writer:
            return replace(found, writer=block.writer.removesuffix(EVENTS))
        return found

    def _rewrite(self, path: Path, change: Callable[[bytes], bytes], writer: str) -> int:
        return rewrite(path, change, partial(self._locked, writer), FILE + 2 * self._largest)

    def _raw_blocks(self, wanted: Probe = split, is_read: Callable[[str], bool] = holds_calls) -> Iterator[RawBlock]:
        self._refuse_links()
        steps = blocks_in_steps(self.folder, wanted, largest=self._largest, own=self.writer, is_read=is_read)
        return (step for step in steps if step is not None)

    def _for_a_moment(self, found: Iterable[T], seconds: float = MOMENT, late: Iterable[T] = ()) -> Iterator[T]:
        """Yield items for a limited time, then ``late`` if time runs out."""
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
