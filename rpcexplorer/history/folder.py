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
from itertools import islice
from math import inf
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from msgspec.structs import replace

from rpcexplorer.files.io import (
    LOCK_SECONDS,
    FileError,
    changed_last,
    file_errors,
    lock,
    may_change,
    names,
    opened,
    private_folder,
    read_span,
    refuse_links,
    sizes,
)
from rpcexplorer.history.file import (
    CASES,
    CHUNK,
    EVENTS,
    FILE,
    LARGEST,
    OVERLAP,
    append,
    current,
    files_of,
    holds_calls,
    holds_events,
    is_comment,
    newest_first,
    rewrite,
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
from rpcexplorer.model.filter import Bounds, HistoryFilter, short_parts
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.settings import MIB
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import is_made, lacks_method

TIME = regex(rb"\ntime = ([^\r\n]{0,99})")
NEWEST = b"~"
"""Sorts above every time, for records without one."""
ID_HEADER = regex(re.escape(HEADER) + rb'id = "[^"\n]*"\n')
"""The beginning of a record as this program writes it. The binary search ignores edited ones."""
OVERTAKING = 4 * CHUNK
"""Bytes of later calls that may precede a call: calls are written when they end."""
TORN = "it is incomplete: writing it was interrupted"
UNFINISHED = LOCK_SECONDS
"""Seconds during which a block without its end may still be written."""
WRITERS = 200
"""Writers whose files are read in one folder: the last changed ones. Each run in a container may be one.

A long file of each is open at the same time, and macOS allows 256 open files.
"""
RECENT_BYTES = 8 * MIB
"""Bytes searched for recent calls, which takes a moment."""
NEWEST_BYTES = 2 * MIB
"""Bytes searched for methods and the last result, while a screen waits."""
MOMENT = 0.25
"""Seconds to search while a screen waits: the folder can be on a slow disk."""
SPELLED = 8
"""Bytes of a record, at the most, for each byte of the reply in it."""
SHOWN = 5
T = TypeVar("T")

if TYPE_CHECKING:
    from rpcexplorer.history.statistics import UsualTimes


class RawBlock(NamedTuple):
    time: bytes
    """As spelled in the block, or that of the block written next."""
    writer: str
    file: Path
    raw: bytes
    harm: str = ""
    """Why the block is damaged: torn, or in an unreadable file."""


class Passed(NamedTuple):
    """A point where a search can stop."""

    time: bytes
    """No later block of the file is newer, or only a little."""
    size: int = 0
    """Bytes of calls since the point before."""


Probe = Callable[[bytes], list[bytes]]
"""Returns the blocks of a stretch that may match; ``split`` returns all."""


class FolderReader:
    """Reads the files of all writers at once, newest blocks first."""

    def __init__(self, folder: Path, wanted: Probe, largest: int, is_read: Callable[[str], bool]) -> None:
        """``is_read``: which files are read, by their names. More than ``largest`` bytes without a call end a file."""
        self._folder, self._wanted, self._largest, self._is_read = folder, wanted, largest, is_read

    def blocks(self, own: str, reach: float) -> Iterator[RawBlock | None]:
        """Yield blocks that may match, and None where the search can stop.

        A block in two copies of a file is yielded once, as a block of the writer ``own``. The search ends after
        ``reach`` bytes of calls.
        """
        last = None
        for block in _sorted_on_the_way(merge(*self._streams(own), key=attrgetter("time"), reverse=True), reach):
            if block is None:
                yield None
            elif (block.raw, block.harm) != last:
                last = block.raw, block.harm
                yield block

    def _streams(self, own: str) -> Iterator[Iterator[RawBlock | Passed]]:
        listed = list(filter(self._is_read, names(self._folder)))
        every = writers(listed)
        if len(every) > WRITERS:
            rule = f"only the newest {WRITERS} are read. Move old files elsewhere"
            harm = f"{self._folder} has files of {len(every):,} writers, but {rule}"
            yield iter([RawBlock(NEWEST, "", self._folder, b"", harm)])
        newest = changed_last(self._folder, WRITERS, {f"{writer}.toml": writer for writer in every})
        yield from map(self._written_by, sorted(newest, key=lambda writer: writer != own))
        # Torn blocks come last among equals, because a whole copy may exist elsewhere.
        yield from map(self._torn, torn_files(listed))

    def _written_by(self, writer: str) -> Iterator[RawBlock | Passed]:
        yield Passed(NEWEST)
        seen: set[int] = set()
        for path in files_of(self._folder, writer):
            yield from self._in_file(path, writer, seen)

    def _torn(self, name: str) -> Iterator[RawBlock | Passed]:
        yield Passed(NEWEST)
        yield from self._in_file(self._folder / name, name.partition(".")[0], set(), is_torn=True)

    def _in_file(
        self, path: Path, writer: str, seen: set[int], *, is_torn: bool = False
    ) -> Iterator[RawBlock | Passed]:
        """Read a file, if it was not ``seen`` under another name. A short one is closed at once."""
        content = b""
        changed = None
        try:
            with file_errors("read", path), suppress(FileNotFoundError), opened(path, others=True) as file:
                found = os.fstat(file)
                if found.st_ino in seen:
                    return
                seen.add(found.st_ino)
                if not is_torn:
                    changed = found.st_mtime
                if found.st_size > CHUNK:
                    yield from self._blocks_of(partial(read_span, file), found.st_size, path, writer, changed)
                else:
                    content = read_span(file, 0, found.st_size)
        except FileError as error:
            yield RawBlock(NEWEST, writer, path, b"", error.sentence)
        yield from self._blocks_of(lambda start, end: content[start:end], len(content), path, writer, changed)

    def _blocks_of(
        self, read: Callable[[int, int], bytes], size: int, path: Path, writer: str, changed: float | None
    ) -> Iterator[RawBlock | Passed]:
        """``changed``: when the file was changed last, or None if it has only a torn block."""
        moment = b"" if changed is None else NEWEST
        at_end = True
        for stretch in newest_first(read, size, self._largest):
            for raw in reversed(self._wanted(stretch)):
                if raw.isspace() or not raw:
                    continue
                spelled = TIME.search(raw)
                if spelled:
                    moment = spelled[1]
                is_torn = at_end and stretch.endswith(raw) and not is_sealed(raw) and not is_comment(raw)
                if not is_torn:
                    yield RawBlock(moment, writer, path, raw)
                elif changed is None or time.time() - changed >= UNFINISHED:  # Until then, somebody may be writing it.
                    yield RawBlock(moment, writer, path, raw, TORN)
                at_end = False
            oldest = TIME.search(stretch)
            if oldest:
                moment = oldest[1]
            at_end = at_end and not stretch
            yield Passed(moment, len(stretch) if oldest else 0)


def _sorted_on_the_way(found: Iterable[RawBlock | Passed], reach: float) -> Iterator[RawBlock | None]:
    """Sort blocks that are nearly sorted; None wherever a search can stop."""
    held: list[tuple[bytes, int, RawBlock]] = []
    passed = 0
    for item in found:
        if isinstance(item, RawBlock):
            insort_left(held, (item.time, passed, item), key=itemgetter(0))
            continue
        passed += item.size
        while held and passed - held[-1][1] >= OVERTAKING:
            yield held.pop()[2]
        yield None
        if passed >= reach:
            break
    for _, _, block in reversed(held):
        yield block


def _block_with(header: bytes, read: Callable[[int, int], bytes], size: int, largest: int) -> bytes:
    """Return the block that begins with ``header``, searched by time, or nothing.

    Calls are written when they end, so a long call is after calls that began later.
    """
    low, high = 0, size
    while high - low > CHUNK:
        middle = (low + high) // 2
        found = None
        for at in range(middle, high, CHUNK):
            found = ID_HEADER.search(read(at, min(at + CHUNK + OVERLAP, size)))
            if found:
                break
        if found and found[0] < header:
            low = middle
        else:
            high = middle
    start = max(0, low - CHUNK)
    at = read(start, low + OVERTAKING).rfind(header)
    length = CHUNK
    while at >= 0 and length <= 4 * min(size, largest):
        raw = split(read(start + at, start + at + length))[0]
        if is_sealed(raw):
            return raw
        length *= 4
    return b""


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


class BlockFilter:
    """A filter that checks unread bytes for possible matches."""

    def __init__(self, wanted: HistoryFilter) -> None:
        self._is_wrong = bool(wanted.wrong)
        exact = [("profile", wanted.profile), ("profile", wanted.named_profile), ("method", wanted.method)]
        self._patterns: list[re.Pattern[bytes]] = []
        if wanted.outcomes == ("error",):
            self._patterns.append(FAILED)
        elif len(wanted.outcomes) == 1:
            exact.append(("outcome", wanted.outcomes[0]))
        self._lines = [f"\n{key} = {quoted(value)}\n".encode() for key, value in exact if value]
        """Lines that a matching block must contain."""
        bounds = wanted.bounds
        if bounds.code is not None:
            self._patterns.append(re.compile(rb"\ncode = %d\n" % bounds.code))
        if bounds.status is not None:
            statuses = b"|".join(b"%d" % status for status in range(bounds.status[0], bounds.status[1] + 1))
            self._patterns.append(re.compile(rb"\nstatus = (?:%s)\n" % statuses))
        self._limits = list(_limits(bounds))
        texts = [(wanted.text, ANYWHERE), *((word, IN_CALL) for word in wanted.words)]
        texts += [(wanted.in_profile, frozenset({b"profile"})), (wanted.in_method, frozenset({b"method"}))]
        self._needles: list[tuple[bytes, Collection[bytes]]] = []
        self._short: list[re.Pattern[bytes]] = []
        """Patterns of texts that params may contain in a longer spelling."""
        self._is_ascii = all(_needle(text).isascii() for text, _ in texts)
        for text, keys in texts:
            if parts := short_parts(text):
                self._short.append(re.compile(_BETWEEN_PARTS.join(re.escape(_needle(part)) for part in parts)))
            elif text:
                self._needles.append((_needle(text), keys))

    def among(self, stretch: bytes) -> list[bytes]:
        """Return the blocks of a stretch that may match, without reading them.

        Only blocks as we spelled them can be judged so: people may write A as an escape.
        """
        if self._is_wrong:
            return []
        if not all_untouched(stretch):
            return [raw for raw in split(stretch) if self._is_edited_or_may_match(raw)]
        if not self._may_match(stretch):
            return []
        return [raw for raw in split(stretch) if self._may_match(raw)]

    def _is_edited_or_may_match(self, raw: bytes) -> bool:
        own = untouched(raw)
        return own is None or self._may_match(b"\n" + own)

    def _may_match(self, own: bytes) -> bool:
        """Return whether a block, or one of several blocks, may match."""
        if PACKED in own:
            return True
        if not all(line in own for line in self._lines) or not all(line.search(own) for line in self._patterns):
            return False
        if not all(_may_hold(own, line, fits) for line, fits in self._limits):
            return False
        if not self._needles and not self._short:
            return True
        folded = self._folded(own)
        if not all(pattern.search(folded) for pattern in self._short):
            return False
        return all(_is_in_value(needle, keys, folded) for needle, keys in self._needles)

    def _folded(self, stretch: bytes) -> bytes:
        """Return the stretch casefolded; ten times faster if ASCII is enough."""
        if stretch.isascii() or (self._is_ascii and not any(one in stretch for one in FOLDED_TO_ASCII)):
            return stretch.lower()
        return stretch.decode(errors="replace").casefold().encode()


def _limits(bounds: Bounds) -> Iterator[tuple[re.Pattern[bytes], Callable[[bytes], bool]]]:
    """Yield patterns of lines with a test of their value. A time in another zone, written by hand, always passes."""
    if bounds.since is not None:
        since = _spelled(bounds.since)
        yield TIME_LINE, lambda time: time >= since or not time.endswith(b"Z")
    if bounds.until is not None:
        until = _spelled(bounds.until)
        yield TIME_LINE, lambda time: time <= until or not time.endswith(b"Z")
    if bounds.slower is not None or bounds.faster is not None:
        yield MS_LINE, lambda ms: _is_between(bounds.slower, bounds.faster, ms, 1000)
    if bounds.larger is not None or bounds.smaller is not None:
        yield RECEIVED_LINE, lambda size: _is_between(bounds.larger, bounds.smaller, size, 1)


def _is_between(above: float | None, below: float | None, value: bytes, parts: int) -> bool:
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


_BETWEEN_PARTS = rb'(?:\\[nrt"]|[ :,])*+'


def _needle(text: str) -> bytes:
    return quoted(text)[1:-1].casefold().encode()


def _is_in_value(needle: bytes, keys: Collection[bytes], lines: bytes) -> bool:
    """Return whether a value of one of these keys contains a text."""
    at = lines.find(needle)
    while at >= 0:
        line = lines.rfind(b"\n", 0, at) + 1
        value = lines.find(b" = ", line) + len(b" = ")
        if at < value:  # in a key, or a line that has none
            at = lines.find(needle, value)
        elif lines[line : value - len(b" = ")] in keys:
            return True
        else:
            at = lines.find(needle, lines.find(b"\n", at))
    return False


def _is_any(_name: str) -> bool:
    return True


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
        self.times: UsualTimes | None = None
        """The durations of the last results, after ``read_times``."""
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
        if self.times is not None:
            self.times.add(exchange)
        self.save_unsaved()

    def save_unsaved(self) -> None:
        if not self.unsaved:
            return
        blocks = "".join(map(to_block, self.unsaved)).encode()
        when = self.unsaved[-1].when
        self._refuse_links()
        private_folder(self.folder)
        with self._locked(self.writer):
            append(self.folder, self.writer, blocks, when=when, rotate_at=self._rotate_at, shared=self.shared)
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
        similar: dict[str, RawBlock] = {}
        for block in self._raw_blocks(self._may_have(id), is_read):
            own = id_of(block.raw)
            if own == id:
                return self._read(block)
            if own.startswith(id) or own.endswith(id):
                similar.setdefault(own, block)
        if not similar:
            return None
        if len(similar) == 1:
            return self._read(next(iter(similar.values())))
        some = ", ".join(islice(similar, SHOWN))
        if len(similar) > SHOWN:
            some += " …"
        sentence = f"{id} matches {len(similar)} calls: {some}. Type more characters of the id"
        return Problem(str(self.folder), sentence, key=id)

    def _block_by_time(self, id: str) -> RawBlock | None:
        """Return the block with a whole id of ours by its time.

        To search 100,000 calls takes a hundred times as long.
        """
        if not is_made(id):
            return None
        self._refuse_links()
        header = HEADER + f'id = "{id}"\n'.encode()
        for writer in sorted(
            writers(names(self.folder)), key=lambda writer: (holds_events(writer), writer != self.writer)
        ):
            for path in files_of(self.folder, writer):
                with (
                    suppress(FileNotFoundError, FileError),
                    file_errors("read", path),
                    opened(path, others=True) as file,
                ):
                    raw = _block_with(header, partial(read_span, file), os.fstat(file).st_size, self._largest)
                    if raw:
                        return RawBlock(b"", writer, path, raw)
        return None

    @staticmethod
    def _may_have(id: str) -> Probe:
        if not id.isalnum() or not id.isascii():  # The id was written by hand and may be spelled in several ways.
            return BlockFilter(HistoryFilter(id)).among
        needle = id.encode()

        def among(stretch: bytes) -> list[bytes]:
            if needle not in stretch:
                return []
            return [raw for raw in split(stretch) if needle in raw]

        return among

    def with_ids(self, ids: Collection[str]) -> dict[str, Exchange | Damaged | None]:
        found: dict[str, Exchange | Damaged | None] = {}
        for block in self._raw_blocks():
            id = id_of(block.raw)
            if id in ids and id not in found:
                found[id] = self._read(block)
        return found

    def search(self, wanted: HistoryFilter) -> Iterator[Exchange | Damaged]:
        return (found for found in self.search_in_steps(wanted) if found is not None)

    def search_in_steps(
        self, wanted: HistoryFilter, reach: float = inf, *, whole: bool = True
    ) -> Iterator[Exchange | Damaged | None]:
        """Like ``search``; and None whenever a few blocks were read.

        If a call is not wanted ``whole``, its params and reply may be missing.
        """
        whole = whole or bool(wanted.text or wanted.words)
        is_read = _is_any if "event" in wanted.outcomes else holds_calls
        for block in self._steps(BlockFilter(wanted).among, is_read, reach):
            if block is None:
                yield None
                continue
            found = self._read(block, whole=whole)
            if found is not None and wanted.matches(found):
                yield found

    def recent(self, profile: str, limit: int) -> list[Exchange | Damaged]:
        """Return the calls of a profile that are among the newest of all.

        The first damaged record is included, because it may be the reason why calls are missing. Imported calls belong
        to no profile.
        """
        late = f"{self.folder} takes long to search: some recent calls may be missing"
        calls: list[Exchange | Damaged] = []
        damaged: Damaged | None = None
        steps = self.search_in_steps(HistoryFilter(profile=profile), RECENT_BYTES)
        for found in self._for_a_moment(steps, 2 * MOMENT, Damaged(str(self.folder), late, "")):
            if isinstance(found, Damaged):
                damaged = damaged or found
            elif found is not None and not found.foreign:
                calls.append(found)
            if len(calls) == limit:
                break
        return [*calls, damaged] if damaged else calls

    def read_times(self) -> None:
        """Read the durations of the last results, as far as they are in the newest megabytes."""
        from rpcexplorer.history.statistics import UsualTimes  # only screens show them

        times = UsualTimes()
        steps = self.search_in_steps(HistoryFilter(outcome="result"), RECENT_BYTES, whole=False)
        for found in self._for_a_moment(steps, 2 * MOMENT):
            if isinstance(found, Exchange):
                times.add_earlier(found)
        self.times = times

    def methods(self, profile: str | None = None) -> list[str]:
        """Return the names called recently, the last one first.

        A name that the server has last answered with "method not found" is left out.
        """
        wanted = HistoryFilter(profile=profile)
        among = BlockFilter(wanted).among
        newest: dict[bytes, bytes] = {}
        for block in self._for_a_moment(self._steps(reach=NEWEST_BYTES)):
            # Imported calls may have profiles that are not known here.
            if block is None or block.harm or FOREIGN in block.raw:
                continue
            name = METHOD.search(block.raw)
            if name and name[0] not in newest and among(block.raw):
                newest[name[0]] = block.raw
        methods = []
        for call in map(read_block, newest.values()):
            if not isinstance(call, Exchange) or call.kind == "batch" or not wanted.matches(call):
                continue
            if not lacks_method(call.outcome):
                methods.append(call.method)
        return methods

    def last_result(self, profile: str, method: str) -> Exchange | None:
        """Return the newest result of a method, if it is among the newest calls."""
        wanted = HistoryFilter(profile=profile, method=method, outcome="result")
        for found in self._for_a_moment(self.search_in_steps(wanted, NEWEST_BYTES)):
            if isinstance(found, Exchange) and found.kind == "call" and not found.foreign:
                return found
        return None

    # --- changing ----------------------------------------------------------------------------------------------

    def others(self) -> list[str]:
        calls = filter(holds_calls, names(self.folder))
        return [writer for writer in writers(calls) if writer.removesuffix(CASES) != self.writer]

    def refusal(self, writer: str) -> str:
        """Return why a writer's calls cannot be changed here, or nothing.

        In a folder that is one person's alone, this machine may have had another name.
        """
        writer = writer.removesuffix(EVENTS)
        if not writer or writer.removesuffix(CASES) == self.writer:
            return ""
        if not self.shared and writer.partition("@")[0] == self.writer.partition("@")[0]:
            return ""
        return f"it was recorded by {writer}, and only {writer} can change it"

    def annotate(self, id: str, *, name: str | None = None, note: str | None = None) -> bool:

        def annotated(raw: bytes) -> bytes:
            record = read_record(raw)
            if not isinstance(record, dict):
                return raw
            return spell(renamed(record, name=name, note=note)).encode()

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
        doomed: set[bytes] = set()
        its_writers: set[str] = set()
        unread: set[Path] = set()
        kept = 0
        for block in self._raw_blocks():
            if not block.raw:
                unread.add(block.file)
            if block.harm or self.refusal(block.writer) or not is_mine(block.file):
                continue
            call = outline(block.raw) or read_block(block.raw)
            if not isinstance(call, Exchange) or profile not in {None, call.profile}:
                continue
            if (keep is not None and kept >= keep) or (before is not None and call.when < before):
                doomed.add(fingerprint(block.raw))
                its_writers.add(block.writer)
            else:
                kept += 1
        if dry:
            return len(doomed)
        for writer in sorted(its_writers):
            for path in files_of(self.folder, writer):
                if path not in unread:
                    self._rewrite(path, lambda raw: b"" if fingerprint(raw) in doomed else raw, writer)
        return len(doomed)

    def _change(self, id: str, change: Callable[[bytes], bytes], *, torn: bool) -> bool:
        """Change the newest block with this id, even if it moved to another file.

        With ``torn``, change also the incomplete block in a separate file.
        """
        found = self._block_by_time(id)
        if found is None:
            blocks = self._raw_blocks(self._may_have(id), _is_any)
            meant = (block for block in blocks if torn or not block.harm)
            found = next((block for block in meant if id_of(block.raw) == id), None)
        if found is None:
            return False
        if refused := self.refusal(found.writer):
            raise FileError(refused)
        sought = fingerprint(found.raw)
        paths = [found.file, *files_of(self.folder, found.writer)]
        paths += [self.folder / name for name in torn_files(names(self.folder)) if writers([name]) == [found.writer]]
        for path in dict.fromkeys(paths):
            if self._rewrite(path, lambda raw: change(raw) if fingerprint(raw) == sought else raw, found.writer):
                return True
        return False

    def _read(self, block: RawBlock, *, whole: bool = True) -> Exchange | Damaged | None:
        if block.harm:
            return Damaged(str(block.file), block.harm, left_of(block.raw), id_of(block.raw))
        found = (None if whole else outline(block.raw)) or read_block(block.raw, str(block.file))
        writer = block.writer.removesuffix(EVENTS)
        if isinstance(found, Exchange) and writer != self.writer:
            return replace(found, writer=writer)
        return found

    def _rewrite(self, path: Path, change: Callable[[bytes], bytes], writer: str) -> int:
        return rewrite(path, change, partial(self._locked, writer), FILE + 2 * self._largest)

    def _raw_blocks(self, wanted: Probe = split, is_read: Callable[[str], bool] = holds_calls) -> Iterator[RawBlock]:
        return (block for block in self._steps(wanted, is_read) if block is not None)

    def _steps(
        self, wanted: Probe = split, is_read: Callable[[str], bool] = holds_calls, reach: float = inf
    ) -> Iterator[RawBlock | None]:
        self._refuse_links()
        return FolderReader(self.folder, wanted, self._largest, is_read).blocks(self.writer, reach)

    def _for_a_moment(self, found: Iterable[T], seconds: float = MOMENT, late: T | None = None) -> Iterator[T]:
        """Yield items for a limited time, then ``late`` if time runs out."""
        end = inf
        for one in found:
            yield one
            end = min(end, self._clock() + seconds)  # to list the folder is not counted
            if self._clock() > end:
                if late is not None:
                    yield late
                return

    def _refuse_links(self) -> None:
        if self.inside is not None:
            refuse_links(self.folder, self.inside)

    def _locked(self, writer: str) -> AbstractContextManager[None]:
        return lock(current(self.folder, writer), self._lock_seconds)
