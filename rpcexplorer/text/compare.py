"""A comparison as lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, tzinfo
from itertools import groupby, islice, zip_longest
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.client.replay import Replayed, ReplayVerdict
from rpcexplorer.compare.compare import ComparedPlace, Comparison, Difference, merged
from rpcexplorer.compare.parts import Document, name_of
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.jsontext.scan import Span
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.exchange import Exchange, OutcomeName
from rpcexplorer.model.problem import counted
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.text.document import shown
from rpcexplorer.text.exchange import ROLES, SIGNS, duration, in_short, outcome_line, outcome_words, reason, size
from rpcexplorer.text.history import moment_words
from rpcexplorer.text.json_text import inked, painted
from rpcexplorer.text.printable import clipped, printable
from rpcexplorer.text.wrapping import WordLine

LineKind = Literal["equal", "changed", "spelling", "added", "removed", "ignored", "hidden", "fold", "note"]
SideNames: TypeAlias = tuple[str, str] | None
LINE_SIGNS: Final[dict[LineKind, tuple[str, str]]] = {
    "changed": ("-", "+"),
    "spelling": ("~", "~"),
    "added": ("-", "+"),
    "removed": ("-", "+"),
    "ignored": ("·", "·"),
    "hidden": ("·", "·"),
}
SIGN_ROLES: Final = {"-": "wrong", "+": "well", "~": "careful", "·": "dim"}
REMARKS: Final[dict[LineKind, str]] = {"ignored": "ignored", "hidden": "redacted, not compared"}
DIFFERENCE_SIGNS: Final = {"changed": "~", "spelling": "~", "added": "+", "removed": "-"}
REPLAY_SIGNS: Final[dict[ReplayVerdict, str]] = {
    "same": "✓",
    "differs": "≠",
    "not comparable": "?",
    "failed": "✗",
    "stopped": "◌",
    "skipped": "-",
}
FOLDED_CHARACTERS: Final = 80
LONG_STRING_BYTES: Final = 120
"""A longer string is shown only around the difference."""
CHARACTERS_AROUND: Final = 40
MAX_SCALAR_BYTES: Final = 10_000
CONTEXT: Final = 2
"""Equal values that are shown before and behind a difference."""
RUN: Final = 500
"""Equal values that one unfolding shows. A fold with the rest follows."""
MAX_VALUE_LINES: Final = 100
"""Lines of one value on one side that are shown before it is unfolded."""
MAX_DIFFERENCES: Final = 2_000
MORE: Final = "more than "
MAX_INDENTED_LEVELS: Final = 64
MAX_LISTED_DIFFERENCES: Final = 20
MAX_VALUE_COLUMNS: Final = 60
MAX_NAME_COLUMNS: Final = 24
_BLANK = regex(r"\s+")
_CODE = regex(rb'\{"code":(-?[0-9]{1,20})')


def one_line(prefix: str, value: bytes) -> str:
    text = shown(prefix.encode("utf-8", "surrogatepass") + value[:MAX_SCALAR_BYTES])
    if len(value) > MAX_SCALAR_BYTES:
        text += "…"
    return text


def begun(prefix: str, value: bytes) -> str:
    """Return the beginning of a large value on one line."""
    start = value[: FOLDED_CHARACTERS * 4]
    text = _BLANK.sub(" ", start.decode("utf-8", "ignore"))
    if len(start) < len(value) or len(text) > FOLDED_CHARACTERS:
        text = f"{text[:FOLDED_CHARACTERS]}…"
    return _printed(prefix + text)


def laid_out(prefix: str, value: bytes | None, blank: str) -> Sequence[str]:
    if value is None:
        return ()
    lines = indented(value).split(b"\n")
    lines[0] = prefix.encode("utf-8", "surrogatepass") + lines[0]
    return [blank + one_line("", line.removesuffix(b",")) for line in lines]


def differing(prefix: str, left: bytes, right: bytes, *, spelling: bool) -> tuple[str, str, str]:
    """Return two scalars and a remark; of long strings the differing part."""
    if spelling:
        return one_line(prefix, left), one_line(prefix, right), "the same number"
    are_strings = left[:1] == right[:1] == b'"'
    if not are_strings or max(len(left), len(right)) <= LONG_STRING_BYTES:
        return one_line(prefix, left), one_line(prefix, right), ""
    left_text, right_text = name_of(left), name_of(right)
    at = _parting(left_text, right_text)
    note = f"first difference at character {at + 1:,}"
    return _part(prefix, left_text, at), _part(prefix, right_text, at), note


def _parting(left: str, right: str) -> int:
    """Return the index of the first character that differs."""
    for at, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return at
    return min(len(left), len(right))


def _part(prefix: str, text: str, at: int) -> str:
    start, end = max(0, at - CHARACTERS_AROUND), at + 2 * CHARACTERS_AROUND
    part = spelled(text[start:end])
    if start > 0:
        part = f"…{part}"
    if end < len(text):
        part = f"{part}…"
    return _printed(prefix + part)


def _printed(text: str) -> str:
    return shown(text.encode("utf-8", "surrogatepass"))


def own_part(own: str, other: str) -> tuple[int, int]:
    """Return where a line differs from its counterpart."""
    begin, shorter = _parting(own, other), min(len(own), len(other))
    tail = 0
    while tail < shorter - begin and own[-1 - tail] == other[-1 - tail]:
        tail += 1
    return begin, len(own) - tail


class ComparedLine(Struct, frozen=True):
    """A line of two columns. All of it is printable."""

    kind: LineKind
    left: str | None
    right: str | None
    difference: int | None = None
    """Which of the comparison's differences it shows."""
    fold: str = ""
    """The key that unfolds this line in ``unfolded``, or empty."""
    note: str = ""
    """For example the first character at which two strings differ."""


class _Child(NamedTuple):
    prefix: str
    left: Span | None
    right: Span | None


def compared_lines(
    comparison: Comparison, unfolded: Collection[str] = frozenset(), *, full: bool = False
) -> Sequence[ComparedLine]:
    """Return the lines of a comparison.

    ``unfolded`` has the ``fold`` of lines that are to be opened; ``full``: all are.
    """
    if comparison.verdict == "not comparable":
        return [_both("note", printable(comparison.why))]
    if comparison not in _LAYOUTS:
        _LAYOUTS[comparison] = _Layout(comparison)
    return list(_LAYOUTS[comparison].lines(unfolded, full=full))


def stacked(lines: Iterable[ComparedLine]) -> Iterator[ComparedLine]:
    """For one column: of each difference the left lines, then the right ones."""
    for difference, run in groupby(lines, lambda line: line.difference):
        group = list(run)
        if difference is None or len(group) < 2:
            yield from group
            continue
        folds = [line for line in group if line.kind == "fold"]
        text = [line for line in group if line.kind != "fold"]
        yield from (replace(line, right=None) for line in text if line.left is not None)
        yield from (replace(line, left=None) for line in text if line.right is not None)
        yield from folds


def is_pair(shown: ComparedLine) -> bool:
    """Return whether a line takes two rows in one column."""
    if shown.left is None or shown.right is None or shown.kind in {"equal", "fold", "note"}:
        return False
    return shown.kind not in REMARKS or shown.left != shown.right


def _both(kind: LineKind, text: str, fold: str = "") -> ComparedLine:
    return ComparedLine(kind, text, text, fold=fold)


class _Layout:
    """A comparison with its parsed documents, cached for redrawing."""

    def __init__(self, comparison: Comparison) -> None:
        self._left_text, self._right_text = comparison.left, comparison.right
        self._left, self._right = Document(comparison.left), Document(comparison.right)
        self._children: dict[Span, list[_Child]] = {}
        marks: list[tuple[int | None, Difference]] = list(enumerate(comparison.differences))
        marks += [(None, difference) for difference in comparison.passed]
        self._at_left = {mark.left.start: (at, mark) for at, mark in marks if mark.left}
        self._at_right = {mark.right.start: (at, mark) for at, mark in marks if mark.right and not mark.left}
        self._starts = sorted(self._at_left), sorted(self._at_right)
        self._count = len(comparison.differences)
        self._unfolded: Collection[str] = ()
        self._full = False
        self._shown, self._most = 0, MAX_DIFFERENCES

    def lines(self, unfolded: Collection[str], *, full: bool) -> Iterator[ComparedLine]:
        self._unfolded, self._full, self._shown, self._most = unfolded, full, 0, MAX_DIFFERENCES
        while f"{MORE}{self._most}" in unfolded:
            self._most *= 10
        yield from self._pair("", self._left.root, self._right.root, 0)
        if self._shown < self._count:
            yield _both("fold", f"⋯ {counted(self._count - self._shown, 'more difference')}", f"{MORE}{self._most}")

    def _is_open(self, key: str) -> bool:
        return self._full or key in self._unfolded

    def _pair(self, prefix: str, left: Span, right: Span, level: int) -> Iterator[ComparedLine]:
        if left[0] in self._at_left:
            yield from self._marked(prefix, left, right, level)
        elif self._has_marks(left, right):
            yield from self._opened(prefix, left, right, level)
        else:
            yield from self._equal(prefix, left, right, level)

    def _has_marks(self, left: Span, right: Span) -> bool:
        left_starts, right_starts = self._starts
        return _any_inside(left_starts, left) or _any_inside(right_starts, right)

    def _opened(self, prefix: str, left: Span, right: Span, level: int) -> Iterator[ComparedLine]:
        blank = _indent(level)
        is_object = self._left_text[left[0] : left[0] + 1] == b"{"
        opener, closer = "{}" if is_object else "[]"
        yield _both("equal", printable(blank + prefix + opener))
        waiting: list[_Child] = []
        first = True
        if left not in self._children:
            children = self._members(left, right) if is_object else self._elements(left, right)
            self._children[left] = list(children)
        for child in self._children[left]:
            if child.left and child.right and not self._has_marks(child.left, child.right):
                waiting.append(child)
                continue
            if self._shown >= self._most and not self._full:
                break
            yield from self._run(waiting, level + 1, head=first, tail=False, opener=opener)
            waiting, first = [], False
            if child.left and child.right:
                yield from self._pair(child.prefix, child.left, child.right, level + 1)
            else:
                yield from self._marked(child.prefix, child.left, child.right, level + 1)
        yield from self._run(waiting, level + 1, head=False, tail=True, opener=opener)
        yield _both("equal", blank + closer)

    def _members(self, left: Span, right: Span) -> Iterator[_Child]:
        for name, one, two in merged(at_once(self._left.members(left)), at_once(self._right.members(right))):
            yield _Child(f"{spelled(name)}: ", one, two)

    def _elements(self, left: Span, right: Span) -> Iterator[_Child]:
        """Yield elements as they were paired."""
        theirs = iter(at_once(self._right.elements(right)))
        for one in at_once(self._left.elements(left)):
            if one[0] in self._at_left and self._at_left[one[0]][1].right is None:
                yield _Child("", one, None)
                continue
            for two in theirs:
                alone = two[0] in self._at_right
                yield _Child("", None if alone else one, two)
                if not alone:
                    break
        yield from (_Child("", None, two) for two in theirs)

    def _run(self, run: Sequence[_Child], level: int, *, head: bool, tail: bool, opener: str) -> Iterator[ComparedLine]:
        """Yield equal values: the nearest are shown, the others folded."""
        begin, end = CONTEXT, len(run) - CONTEXT
        if head:
            begin = 0
        if tail:
            end = len(run)
        if end - begin <= 1:
            yield from self._all(run, level)
            return
        yield from self._all(run[:begin], level)
        yield from self._folded(run[begin:end], level, opener)
        yield from self._all(run[end:], level)

    def _folded(self, run: Sequence[_Child], level: int, opener: str) -> Iterator[ComparedLine]:
        assert run[0].left is not None
        key = f"{run[0].left[0]}+{len(run)}"
        if self._is_open(key):
            shown = len(run) if self._full else RUN
            yield from self._all(run[:shown], level)
            if run[shown:]:
                yield from self._folded(run[shown:], level, opener)
            return
        noun = "member" if opener == "{" else "element"
        text = f"{_indent(level)}⋯ {counted(len(run), f'equal {noun}')}"
        yield _both("fold", text, key)

    def _all(self, run: Sequence[_Child], level: int) -> Iterator[ComparedLine]:
        for child in run:
            assert child.left is not None
            assert child.right is not None
            yield from self._equal(child.prefix, child.left, child.right, level)

    def _equal(self, prefix: str, left: Span, right: Span, level: int) -> Iterator[ComparedLine]:
        ours, theirs = self._left_text[slice(*left)], self._right_text[slice(*right)]
        blank = _indent(level)
        key = f"{left[0]}"
        if ours[:1] not in b"[{" or len(ours) <= len("{}"):
            yield ComparedLine("equal", blank + one_line(prefix, ours), blank + one_line(prefix, theirs))
        elif self._is_open(key):
            yield from self._columns("equal", prefix, ours, theirs, level=level, key=key)
        else:
            yield ComparedLine("fold", blank + begun(prefix, ours), blank + begun(prefix, theirs), fold=key)

    def _marked(self, prefix: str, left: Span | None, right: Span | None, level: int) -> Iterator[ComparedLine]:
        if left:
            (index, mark), key = self._at_left[left[0]], f"{left[0]}"
        else:
            assert right is not None
            (index, mark), key = self._at_right[right[0]], f"r{right[0]}"
        if index is not None:
            self._shown += 1
        ours, theirs = _cut(self._left_text, left), _cut(self._right_text, right)
        blank = _indent(level)
        if ours and theirs and ours[:1] not in b"[{" and theirs[:1] not in b"[{":
            one, two, note = differing(prefix, ours, theirs, spelling=mark.kind == "spelling")
            yield ComparedLine(mark.kind, blank + one, blank + two, index, note=note)
        elif mark.kind in REMARKS and not self._is_open(key):  # Large ignored values are folded.
            before = None if ours is None else blank + begun(prefix, ours)
            now = None if theirs is None else blank + begun(prefix, theirs)
            yield ComparedLine(mark.kind, before, now, fold=key)
        else:
            yield from self._columns(mark.kind, prefix, ours, theirs, level=level, key=key, index=index)

    def _columns(
        self,
        kind: LineKind,
        prefix: str,
        left: bytes | None,
        right: bytes | None,
        *,
        level: int,
        key: str,
        index: int | None = None,
    ) -> Iterator[ComparedLine]:
        most = None if self._full else MAX_VALUE_LINES
        while most and f"{key}:{most}" in self._unfolded:
            most *= 10
        ours, theirs = laid_out(prefix, left, _indent(level)), laid_out(prefix, right, _indent(level))
        for one, two in islice(zip_longest(ours, theirs), most):
            yield ComparedLine(kind, one, two, index)
        count = max(len(ours), len(theirs))
        if most and count > most:
            text = f"{_indent(level)}⋯ {counted(count - most, 'more line')}"
            one = None if left is None else text
            two = None if right is None else text
            yield ComparedLine("fold", one, two, index, f"{key}:{most}")


def _cut(text: bytes, span: Span | None) -> bytes | None:
    return text[slice(*span)] if span else None


def _any_inside(starts: Sequence[int], span: Span) -> bool:
    return bisect_left(starts, span[0]) < bisect_left(starts, span[1])


def _indent(level: int) -> str:
    return "  " * min(level, MAX_INDENTED_LEVELS)


_LAYOUTS: Final[WeakKeyDictionary[Comparison, _Layout]] = WeakKeyDictionary()


def printed(lines: Iterable[ComparedLine], *, colour: bool = False) -> Iterator[str]:
    """Yield lines to print: of each difference the left ones, then the right."""
    for (kind, _), group in groupby(lines, lambda line: (line.kind, line.difference)):
        if kind not in LINE_SIGNS:
            role = "dim" if kind in {"fold", "note"} else "text"
            for line in group:
                yield inked(f"  {line.right if line.left is None else line.left}", role, colour=colour)
            continue
        removed, added = LINE_SIGNS[kind]
        run = list(group)
        remarks = [line.note for line in run]
        remarks[0] = remarks[0] or REMARKS.get(kind, "")
        for line, remark in zip(run, remarks, strict=True):
            if line.left is not None:
                is_last = line.right is None or kind in REMARKS
                yield _side_line(removed, line.left, remark if is_last else "", colour=colour)
        for line, remark in zip(run, remarks, strict=True):
            if line.right is not None and not (kind in REMARKS and line.right == line.left):
                yield _side_line(added, line.right, remark, colour=colour)


def _side_line(sign: str, text: str, remark: str, *, colour: bool) -> str:
    words = [(f"{sign} {text}", SIGN_ROLES[sign])]
    if remark:
        words.append((f"  ({remark})", "dim"))
    return painted(words, colour=colour)


def heading(sign: str, exchange: Exchange, *, colour: bool = False) -> str:
    """Return the heading of a side: sign, id, profile, method and outcome."""
    names = f"{clipped(exchange.profile, 32)}  {clipped(exchange.method, 32)}"
    text = f"{sign * 3} {printable(exchange.id)}  {names}  {clipped(outcome_line(exchange), 64)}"
    return inked(text, SIGN_ROLES[sign], colour=colour)


def summary(comparison: Comparison, names: SideNames = None) -> str:
    """Summarise differences, then ignored and redacted values."""
    parts = [_verdict(comparison, names)]
    ignored, hidden = len(comparison.ignored), comparison.hidden
    if ignored:
        parts.append(_counted(ignored, "value was", "values were") + " ignored")
    if hidden:
        parts.append(_counted(hidden, "redacted value was", "redacted values were") + " not compared")
    return ", ".join(parts)


def names_of(left: Exchange, right: Exchange) -> SideNames:
    """Return the profiles of two exchanges; None if they are the same."""
    if left.profile == right.profile:
        return None
    return clipped(left.profile, MAX_NAME_COLUMNS), clipped(right.profile, MAX_NAME_COLUMNS)


def _on_sides(names: SideNames, prefix: str, left: str, right: str) -> tuple[str, str]:
    """Return words for the two sides: the names of their profiles if these differ."""
    if names is None:
        return left, right
    return prefix + names[0], prefix + names[1]


def _verdict(comparison: Comparison, names: SideNames) -> str:
    if comparison.verdict == "not comparable":
        return f"not comparable: {printable(comparison.why)}"
    before, now = comparison.outcomes
    if before != now:
        first, second = _on_sides(names, "in ", "before", "now")
        return f"{_outcome(before, comparison.left)} {first}, {_outcome(now, comparison.right)} {second}"
    if comparison.verdict == "same":
        return "the same" if before == "result" else f"the same {_outcome(before, comparison.left)}"
    counts: Counter[str] = Counter(difference.kind for difference in comparison.differences)
    parts = []
    changed, spelling = counts["changed"], counts["spelling"]
    if changed:
        pointers = [difference.left.pointer for difference in comparison.differences if difference.left]
        subject = f"the {before}" if "" in pointers else counted(changed, _noun(comparison))
        parts.append(f"{subject} {'differs' if changed == 1 else 'differ'}")
    if spelling:
        parts.append(_counted(spelling, "number is", "numbers are") + " equal but written differently")
    gone, new = _on_sides(names, "only in ", "gone", "new")
    for count, word in ((counts["added"], new), (counts["removed"], gone)):
        if count:
            noun = "" if parts else f"{_noun(comparison)} "
            nouns = "" if parts else f"{_noun(comparison)}s "
            parts.append(_counted(count, f"{noun}is", f"{nouns}are") + f" {word}")
    return ", ".join(parts)


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _outcome(name: OutcomeName, text: bytes) -> str:
    code = _CODE.match(text) if name == "error" else None
    return f"error {code[1].decode()}" if code else name


def _noun(comparison: Comparison) -> str:
    are_members = {_is_member(comparison, difference) for difference in comparison.differences}
    if len(are_members) > 1:
        return "value"
    return "member" if True in are_members else "element"


def _is_member(comparison: Comparison, difference: Difference) -> bool:
    """Return whether a name stands before the value."""
    text = comparison.left if difference.left else comparison.right
    at = _place(difference).start - 1
    while at >= 0 and text[at] in b" \t\r\n":
        at -= 1
    return at >= 0 and text[at] == ord(":")


def replay_line(result: Replayed) -> str:
    """Return sign, ids, method and outcome of a replayed call."""
    record, live = result.recorded, result.live
    ids = f"{printable(record.id)} {printable(result.new_id) or '-'}"
    outcome = f"{result.verdict}: {printable(result.why)}"
    if result.comparison is not None and result.verdict in {"same", "differs"}:
        outcome = summary(result.comparison, names_of(record, live) if live else None)
    return f"{REPLAY_SIGNS[result.verdict]} {ids}  {printable(record.method)}  {outcome}"


def difference_lines(comparison: Comparison, most: int = MAX_LISTED_DIFFERENCES) -> Iterator[str]:
    """Yield a line for each difference: sign, place, old and new value."""
    if comparison.verdict != "differs":
        return
    for difference in comparison.differences[:most]:
        pointer = printable(_place(difference).pointer) or "the whole value"
        values = []
        for text, place in ((comparison.left, difference.left), (comparison.right, difference.right)):
            if place is not None:
                end = min(place.end, place.start + 4 * MAX_VALUE_COLUMNS)
                value = " ".join(text[place.start : end].decode(errors="replace").split())
                values.append(clipped(value, MAX_VALUE_COLUMNS))
        spelled = "  (the same number, written differently)" if difference.kind == "spelling" else ""
        yield f"{DIFFERENCE_SIGNS[difference.kind]} {pointer}: {' → '.join(values)}{spelled}"
    more = len(comparison.differences) - most
    if more > 0:
        yield f"… and {counted(more, 'more difference')}"


def replay_row(result: Replayed) -> dict[str, Any]:
    """Return a replayed call for a program."""
    comparison = result.comparison
    compared: dict[str, Any] = {"differences": [], "ignored": [], "hidden": 0}
    if comparison is not None:
        compared["differences"] = [difference_row(comparison, found) for found in comparison.differences]
        compared |= {"ignored": list(comparison.ignored), "hidden": comparison.hidden}
    return {
        "id": result.recorded.id,
        "live": result.new_id or None,
        "method": printable(result.recorded.method),
        "verdict": "left out" if result.verdict == "skipped" else result.verdict,  # as scripts know it
        "outcomes": [result.recorded.outcome_name, result.live.outcome_name if result.live else None],
        "why": printable(result.why),
    } | compared


def verdict_count(verdict: ReplayVerdict, count: int) -> str:
    if verdict == "differs" and count > 1:
        return f"{count} differ"
    return f"{count} {verdict}"


def totals(results: Sequence[Replayed]) -> str:
    """Count results: ``4 calls: 2 same, 1 differs, 1 failed``."""
    counts = Counter(result.verdict for result in results)
    parts = [verdict_count(verdict, counts[verdict]) for verdict in REPLAY_SIGNS if counts[verdict]]
    return f"{counted(len(results), 'call')}: {', '.join(parts)}"


def difference_row(comparison: Comparison, difference: Difference) -> dict[str, Any]:
    return {
        "pointer": _place(difference).pointer,
        "kind": difference.kind,
        "left": _text(comparison.left, difference.left),
        "right": _text(comparison.right, difference.right),
    }


def _place(difference: Difference) -> ComparedPlace:
    place = difference.left or difference.right
    assert place is not None
    return place


def _text(side: bytes, place: ComparedPlace | None) -> str | None:
    return None if place is None else side[place.start : place.end].decode(errors="replace")


def side(exchange: Exchange, today: date, zone: tzinfo | None = None, *, with_method: bool = False) -> WordLine:
    """Return one side of a comparison in a line: method if asked, profile, time and outcome."""
    name = exchange.counts_as
    profile = clipped(exchange.profile, MAX_NAME_COLUMNS)
    words = [(profile, "text bold")]
    if with_method:
        words = [(f"{clipped(exchange.method, MAX_NAME_COLUMNS)}  ", "text bold"), (profile, "text")]
    if exchange.foreign:
        words.append((" (imported)", "careful"))
    return [
        *words,
        (f"  {moment_words(exchange.when, today, zone)}", "middle"),
        (f"  {SIGNS[name]} ", ROLES[name]),
        (clipped(in_short(exchange), 120), f"{ROLES[name]} bold"),
        (f"  {duration(exchange.seconds)}", "dim"),
    ]


def reasons(left: Exchange, right: Exchange) -> list[str]:
    """Return why there is no reply, or none that can be read, on a side."""
    sentences = [reason(exchange) for exchange in (left, right) if reason(exchange) != in_short(exchange)]
    different = [sentence for sentence in dict.fromkeys(sentences) if sentence]
    if len(different) < 2:
        return different
    sides = _on_sides(names_of(left, right), "in ", "on the left", "on the right")
    return [f"{side}: {sentence}" for side, sentence in zip(sides, different, strict=True)]


def replayed_words(replayed: Replayed) -> tuple[str, str]:
    """Return the outcome of a replayed call: a word, and how or why."""
    comparison, live = replayed.comparison, replayed.live
    if replayed.why or comparison is None or live is None:
        return replayed.verdict, printable(" ".join(replayed.why.split()))
    if replayed.verdict == "same":
        return "same", f"{outcome_words(live.outcome)}  {size(live.response.size)}"
    return replayed.verdict, summary(comparison, names_of(replayed.recorded, live))
