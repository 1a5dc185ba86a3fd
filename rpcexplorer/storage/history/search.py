"""Which stretches of a history's files need not be read, because nothing in them can be what a filter asks for.

A megabyte of blocks is looked through in the time in which thirty of them are read. What an exchange must have to be
found is in model/filter.py alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial

from rpcexplorer.model.filter import Bounds, HistoryFilter
from rpcexplorer.storage.history.blockfile import split
from rpcexplorer.storage.history.blocks import HEADER, all_untouched, quoted, untouched
from rpcexplorer.storage.history.records import BASE64

PACKED = f"{BASE64} = ".encode()
IN_CALL = frozenset(b"id method params params_sent message reason headers reply name note".split())
"""The keys under which is written down what was asked and what came of it."""
ANYWHERE = IN_CALL | {b"profile", b"url"}
FOLDED_TO_ASCII = tuple(character.encode() for character in "ßİŉſǰẖẗẘẙẚẞ\u212aﬀﬁﬂﬃﬄﬅﬆ")
"""All characters but the letters of ASCII that are letters of ASCII, some of them, where case does not count."""
TIME_LINE, MS_LINE, RECEIVED_LINE = (re.compile(rb"\n%s = ([^\r\n]*)" % key) for key in (b"time", b"ms", b"received"))
FOREIGN = b"\nforeign = true"
FAILED = re.compile(rb'\n(?:outcome = "error"|message(?:_base64)? = )')
"""A line of what counts as an error: the result of a tool that failed has a message."""
METHOD = re.compile(rb"\nmethod(?:_base64)? = [^\r\n]*")
Limit = tuple[re.Pattern[bytes], Callable[[bytes], bool]]
"""Lines with a value, and which of the values may be meant."""


class BlockFilter:
    """A filter as it is spelled in a file: tells of bytes whether what is looked for may be in them."""

    def __init__(self, wanted: HistoryFilter) -> None:
        exact = [("profile", wanted.profile), ("profile", wanted.named_profile), ("method", wanted.method)]
        if wanted.outcome and len(wanted.outcomes) < 2 and wanted.outcomes != ("error",):
            exact.append(("outcome", next(iter(wanted.outcomes), wanted.outcome)))
        self._lines = [f"\n{key} = {quoted(value)}\n".encode() for key, value in exact if value]
        """The lines of a block that must be these; what is empty has none."""
        self._patterns = [*_number_lines(wanted.bounds), *([FAILED] if wanted.outcomes == ("error",) else [])]
        self._limits = list(_limits(wanted.bounds))
        self._nothing = bool(wanted.wrong)
        texts = [(wanted.text, ANYWHERE), *((word, IN_CALL) for word in wanted.words)]
        texts += [(wanted.in_profile, frozenset({b"profile"})), (wanted.in_method, frozenset({b"method"}))]
        self._needles = [(quoted(text)[1:-1].casefold().encode(), keys) for text, keys in texts if text]
        """What must stand in a line, and the keys of the lines in which it may."""
        self._plain = all(needle.isascii() for needle, _ in self._needles)

    def among(self, stretch: bytes) -> list[bytes]:
        """The blocks of a stretch that may have it; much quicker to say than by reading them.

        Only blocks as we spelled them can be judged so: whoever edits by hand is free to write A as an escape.
        """
        if self._nothing:
            return []
        if all_untouched(stretch):
            return [raw for raw in split(stretch) if self._may_be_in(raw)] if self._may_be_in(stretch) else []
        return [raw for raw in split(stretch) if (own := untouched(raw)) is None or self._may_be_in(b"\n" + own)]

    def _may_be_in(self, own: bytes) -> bool:
        """False where nothing can have it that we spelled."""
        if PACKED in own:
            return True
        if not all(line in own for line in self._lines) or not all(line.search(own) for line in self._patterns):
            return False
        if not all(_may_hold(own, *limit) for limit in self._limits):
            return False
        folded = self._folded(own) if self._needles else b""
        return all(_stands_in(folded, needle, keys) for needle, keys in self._needles)

    def _folded(self, stretch: bytes) -> bytes:
        """The stretch without its upper case; ten times as quick where nothing but letters of ASCII can be meant."""
        if stretch.isascii() or (self._plain and not any(one in stretch for one in FOLDED_TO_ASCII)):
            return stretch.lower()
        return stretch.decode(errors="replace").casefold().encode()


def _number_lines(bounds: Bounds) -> Iterator[re.Pattern[bytes]]:
    """The lines without which no call can be meant."""
    if bounds.code is not None:
        yield re.compile(rb"\ncode = %d\n" % bounds.code)
    if bounds.status is not None:
        low, high = bounds.status
        yield re.compile(rb"\nstatus = (?:%s)\n" % b"|".join(b"%d" % each for each in range(low, high + 1)))


def _limits(bounds: Bounds) -> Iterator[Limit]:
    """The values that a limit leaves. A time that is spelled in another zone, by hand, is not compared here."""
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
    """Whether a number lies there; nobody need have written one."""
    try:
        number = float(value) / parts
    except ValueError:
        return True
    return (above is None or number > above) and (below is None or number < below)


def _spelled(moment: datetime) -> bytes:
    """As a block spells it: to the millisecond that has begun."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds").encode() + b"Z"


def _may_hold(own: bytes, line: re.Pattern[bytes], fits: Callable[[bytes], bool]) -> bool:
    """Whether one of the values may be meant, or a block has none."""
    values = line.findall(own)
    return any(map(fits, values)) or len(values) < max(own.count(HEADER), 1)


def _stands_in(folded: bytes, needle: bytes, keys: Iterable[bytes]) -> bool:
    """Whether it stands in the value of a line with one of these keys."""
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


def method_line(raw: bytes) -> bytes | None:
    """How a block spells its method; None of what is foreign, which teaches nothing of a profile here."""
    name = None if FOREIGN in raw else METHOD.search(raw)
    return name[0] if name else None
