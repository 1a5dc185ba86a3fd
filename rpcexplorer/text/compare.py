"""A comparison as lines."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date, tzinfo
from itertools import groupby, islice, zip_longest
from typing import Any, Final, Literal, NamedTuple, TypeAlias

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

LineKind = Literal["equal", "changed", "spelling", "added", "removed", "ignored", "hidden", "fold"]
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
UNFOLDED_PARTS: Final = 500
"""Values, lines or differences that one unfolding shows. A fold with the rest follows."""
MAX_VALUE_LINES: Final = 100
"""Lines of one value on one side that are shown before it is unfolded."""
MAX_DIFFERENCES: Final = 2_000
MAX_INDENTED_LEVELS: Final = 64
MAX_LISTED_DIFFERENCES: Final = 20
MAX_VALUE_COLUMNS: Final = 60
MAX_NAME_COLUMNS: Final = 24
_CODE = regex(rb'\{"code":(-?[0-9]{1,20})')


def one_line(prefix: str, value: bytes) -> str:
    text = shown(prefix.encode("utf-8", "surrogatepass") + value[:MAX_SCALAR_BYTES])
    if len(value) > MAX_SCALAR_BYTES:
        text += "…"
    return text


def begun(prefix: str, value: bytes | None) -> str | None:
    """Return the beginning of a large value on one line."""
    if value is None:
        return None
    start = value[: FOLDED_CHARACTERS * 4]
    text = " ".join(start.decode("utf-8", "ignore").split())
    if len(start) < len(value) or len(text) > FOLDED_CHARACTERS:
        text = f"{text[:FOLDED_CHARACTERS]}…"
    return one_line(prefix + text, b"")


def laid_out(prefix: str, value: bytes | None, blank: str) -> Sequence[str]:
    if value is None:
        return ()
    first, *others = indented(value).split(b"\n")
    lines = [one_line(prefix, first.removesuffix(b","))]
    return lines + [one_line(blank, line.removesuffix(b",")) for line in others]


def differing(prefix: str, left: bytes, right: bytes) -> tuple[str, str, str]:
    """Return two scalars and a remark; of long strings the differing part."""
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
    return one_line(prefix + part, b"")


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
    """What unfolds here, see ``ComparisonLayout``; empty if nothing is folded."""
    note: str = ""
    """For example the first character at which two strings differ."""


def compared_lines(comparison: Comparison, unfolded: Collection[str] = (), *, full: bool = False) -> list[ComparedLine]:
    return list(ComparisonLayout(comparison).lines(unfolded, full=full))


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
    if shown.left is None or shown.right is None or shown.kind in {"equal", "fold"}:
        return False
    return shown.kind not in REMARKS or shown.left != shown.right


class _Child(NamedTuple):
    """A member or an element; without a counterpart, one side is None."""

    prefix: str
    """The name before the value."""
    left: Span | None
    right: Span | None


class ComparisonLayout:
    """Two responses laid out side by side, with folds.

    Equal values between differences are folded, and so is the rest of a long value and of many differences. All folds
    work the same: something is shown up to a number of parts, and a line says how many are left. Its ``fold`` names the
    place and that number. Each time it is unfolded, more parts are shown.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.size = len(comparison.left) + len(comparison.right)
        self._left, self._right = Document(comparison.left), Document(comparison.right)
        self._children: dict[Span, list[_Child]] = {}
        """What was parsed, as the lines are made again for each fold that opens."""
        marks: list[tuple[int | None, Difference]] = list(enumerate(comparison.differences))
        marks += [(None, difference) for difference in comparison.passed]
        self._at_left = {mark.left.start: (at, mark) for at, mark in marks if mark.left}
        self._at_right = {mark.right.start: (at, mark) for at, mark in marks if mark.right and not mark.left}
        self._starts = sorted(self._at_left), sorted(self._at_right)
        self._count = len(comparison.differences)
        self._unfolded: Collection[str] = ()
        self._full = False
        self._shown, self._most = 0, MAX_DIFFERENCES
        """Differences so far, and how many are to be shown."""

    def lines(self, unfolded: Collection[str] = (), *, full: bool = False) -> Iterator[ComparedLine]:
        """Yield the lines; ``unfolded`` has the ``fold`` of those that are open, ``full`` opens all."""
        if not self.size:  # The responses cannot be compared.
            return
        self._unfolded, self._full = unfolded, full
        self._shown, self._most = 0, self._parts_shown("differences", MAX_DIFFERENCES)
        yield from self._pair(_Child("", self._left.root, self._right.root), 0)
        if self._shown < self._count:
            text = f"⋯ {counted(self._count - self._shown, 'more difference')}"
            yield ComparedLine("fold", text, text, fold=_fold("differences", self._most))

    def _parts_shown(self, place: str, first: int) -> int:
        if self._full:
            return sys.maxsize
        parts = first
        while _fold(place, parts) in self._unfolded:
            parts += UNFOLDED_PARTS
        return parts

    def _pair(self, child: _Child, level: int) -> Iterator[ComparedLine]:
        _, kind = self._mark(child)
        if kind == "equal" and self._has_marks(child):
            yield from self._opened(child, level)
        else:
            yield from self._value(child, level)

    def _has_marks(self, child: _Child) -> bool:
        """Return whether it differs, is ignored, or has such a value inside."""
        for starts, span in zip(self._starts, (child.left, child.right), strict=True):
            if span is None or bisect_left(starts, span[0]) < bisect_left(starts, span[1]):
                return True
        return False

    def _opened(self, child: _Child, level: int) -> Iterator[ComparedLine]:
        left, right = child.left, child.right
        assert left is not None
        assert right is not None
        is_object = self._left.text[left[0] : left[0] + 1] == b"{"
        (opener, closer), noun = ("{}", "member") if is_object else ("[]", "element")
        first, last = printable(_indent(level) + child.prefix + opener), _indent(level) + closer
        if left not in self._children:
            children = self._members(left, right) if is_object else self._elements(left, right)
            self._children[left] = list(children)
        yield ComparedLine("equal", first, first)
        run: list[_Child] = []
        before = 0
        for inner in self._children[left]:
            if not self._has_marks(inner):
                run.append(inner)
                continue
            if self._shown >= self._most:
                break
            yield from self._run(run, level + 1, noun, before, CONTEXT)
            run, before = [], CONTEXT
            yield from self._pair(inner, level + 1)
        yield from self._run(run, level + 1, noun, CONTEXT, 0)
        yield ComparedLine("equal", last, last)

    def _members(self, left: Span, right: Span) -> Iterator[_Child]:
        for name, one, two in merged(at_once(self._left.members(left)), at_once(self._right.members(right))):
            yield _Child(f"{spelled(name)}: ", one, two)

    def _elements(self, left: Span, right: Span) -> Iterator[_Child]:
        """Yield elements as they were paired: those that have no counterpart are marked."""
        theirs = deque(at_once(self._right.elements(right)))
        for one in at_once(self._left.elements(left)):
            if one[0] in self._at_left and self._at_left[one[0]][1].right is None:
                yield _Child("", one, None)
                continue
            while theirs[0][0] in self._at_right:
                yield _Child("", None, theirs.popleft())
            yield _Child("", one, theirs.popleft())
        for two in theirs:
            yield _Child("", None, two)

    def _run(self, run: Sequence[_Child], level: int, noun: str, before: int, after: int) -> Iterator[ComparedLine]:
        """Yield equal values: the first and last ones are shown, those between are folded."""
        end = len(run) - after
        if end - before > 1:
            assert run[before].left is not None
            place = f"run{run[before].left}"
            folded_from = min(before + self._parts_shown(place, 0), end)
        else:
            folded_from = end
        for child in run[:folded_from]:
            yield from self._value(child, level)
        if folded_from < end:
            text = f"{_indent(level)}⋯ {counted(end - folded_from, f'equal {noun}')}"
            yield ComparedLine("fold", text, text, fold=_fold(place, folded_from - before))
        for child in run[end:]:
            yield from self._value(child, level)

    def _value(self, child: _Child, level: int) -> Iterator[ComparedLine]:
        """Yield a value that is shown as a whole: equal, ignored or different."""
        index, kind = self._mark(child)
        if index is not None:
            self._shown += 1
        blank = _indent(level)
        start = blank + child.prefix
        left, right = _cut(self._left, child.left), _cut(self._right, child.right)
        if left and right and _is_one_line(left) and _is_one_line(right):
            one, two, note = one_line(start, left), one_line(start, right), ""
            if kind == "spelling":
                note = "the same number"
            elif kind != "equal":
                one, two, note = differing(start, left, right)
            yield ComparedLine(kind, one, two, index, note=note)
            return

        place = f"left{child.left}" if child.left else f"right{child.right}"
        most = self._parts_shown(place, MAX_VALUE_LINES if index is not None else 0)
        if most == 0:
            folded_kind: LineKind = "fold" if kind == "equal" else kind
            yield ComparedLine(folded_kind, begun(start, left), begun(start, right), fold=_fold(place, 0))
            return
        ours, theirs = laid_out(start, left, blank), laid_out(start, right, blank)
        for above, below in islice(zip_longest(ours, theirs), most):
            yield ComparedLine(kind, above, below, index)
        more = max(len(ours), len(theirs)) - most
        if more > 0:
            text = f"{blank}⋯ {counted(more, 'more line')}"
            yield ComparedLine("fold", text if ours else None, text if theirs else None, index, _fold(place, most))

    def _mark(self, child: _Child) -> tuple[int | None, LineKind]:
        """Return which difference a value is, if any, and the kind of its lines."""
        if child.left is not None and child.left[0] in self._at_left:
            index, difference = self._at_left[child.left[0]]
            return index, difference.kind
        if child.left is None and child.right is not None:
            index, difference = self._at_right[child.right[0]]
            return index, difference.kind
        return None, "equal"


def _fold(place: str, parts: int) -> str:
    return f"{place}:{parts}"


def _is_one_line(value: bytes) -> bool:
    return value[:1] not in b"[{" or len(value) <= len("{}")


def _cut(document: Document, span: Span | None) -> bytes | None:
    return document.text[slice(*span)] if span else None


def _indent(level: int) -> str:
    return "  " * min(level, MAX_INDENTED_LEVELS)


def printed(lines: Iterable[ComparedLine], *, colour: bool = False) -> Iterator[str]:
    """Yield lines to print: of each difference the left ones, then the right."""
    for (kind, _), group in groupby(lines, lambda line: (line.kind, line.difference)):
        run = list(group)
        if kind not in LINE_SIGNS:
            role = "dim" if kind == "fold" else "text"
            for line in run:
                text = line.right if line.left is None else line.left
                yield inked(f"  {text}", role, colour=colour)
            continue
        removed, added = LINE_SIGNS[kind]
        notes = [line.note for line in run]
        notes[0] = notes[0] or REMARKS.get(kind, "")
        for line, note in zip(run, notes, strict=True):
            if line.left is not None:
                is_noted = line.right is None or kind in REMARKS
                yield _side_line(removed, line.left, note if is_noted else "", colour=colour)
        for line, note in zip(run, notes, strict=True):
            is_printed_already = kind in REMARKS and line.right == line.left
            if line.right is not None and not is_printed_already:
                yield _side_line(added, line.right, note, colour=colour)


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
        parts.append(f"{_counted(ignored, 'value was', 'values were')} ignored")
    if hidden:
        parts.append(f"{_counted(hidden, 'redacted value was', 'redacted values were')} not compared")
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
    if comparison.verdict == "differs":
        return ", ".join(_difference_counts(comparison, names))
    if before == "result":
        return "the same"
    return f"the same {_outcome(before, comparison.left)}"


def _difference_counts(comparison: Comparison, names: SideNames) -> Iterator[str]:
    """Yield how many values differ; only the first words name what they are."""
    counts = Counter(difference.kind for difference in comparison.differences)
    noun = _noun(comparison)
    if counts["changed"]:
        subject = counted(counts["changed"], noun)
        if any(difference.left and difference.left.pointer == "" for difference in comparison.differences):
            subject = f"the {comparison.outcomes[0]}"
        yield f"{subject} {'differs' if counts['changed'] == 1 else 'differ'}"
    if counts["spelling"]:
        yield f"{_counted(counts['spelling'], 'number is', 'numbers are')} equal but written differently"
    is_named = counts["changed"] or counts["spelling"]
    gone, new = _on_sides(names, "only in ", "gone", "new")
    for count, word in ((counts["added"], new), (counts["removed"], gone)):
        if not count:
            continue
        verb = "is" if count == 1 else "are"
        yield f"{count:,} {verb} {word}" if is_named else f"{counted(count, noun)} {verb} {word}"
        is_named = True


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _outcome(name: OutcomeName, text: bytes) -> str:
    code = _CODE.match(text) if name == "error" else None
    return f"error {code[1].decode()}" if code else name


def _noun(comparison: Comparison) -> str:
    """Return what differs: a member has its name and a colon before the value."""
    nouns = set()
    for difference in comparison.differences:
        text = comparison.left if difference.left else comparison.right
        at = _place(difference).start - 1
        while text[at : at + 1].isspace():
            at -= 1
        nouns.add("member" if text[at : at + 1] == b":" else "element")
    return nouns.pop() if len(nouns) == 1 else "value"


def replay_line(result: Replayed) -> str:
    """Return sign, ids, method and outcome of a replayed call."""
    record, live = result.recorded, result.live
    ids = f"{printable(record.id)} {printable(result.new_id) or '-'}"
    outcome = f"{result.verdict}: {printable(result.why)}"
    if result.comparison is not None and live is not None and not result.why:
        outcome = summary(result.comparison, names_of(record, live))
    return f"{REPLAY_SIGNS[result.verdict]} {ids}  {printable(record.method)}  {outcome}"


def difference_lines(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each difference: sign, place, old and new value."""
    if comparison.verdict != "differs":
        return
    for difference in comparison.differences[:MAX_LISTED_DIFFERENCES]:
        pointer = printable(_place(difference).pointer) or "the whole value"
        values = []
        for text, place in ((comparison.left, difference.left), (comparison.right, difference.right)):
            if place is not None:
                end = min(place.end, place.start + 4 * MAX_VALUE_COLUMNS)
                value = " ".join(text[place.start : end].decode(errors="replace").split())
                values.append(clipped(value, MAX_VALUE_COLUMNS))
        line = f"{DIFFERENCE_SIGNS[difference.kind]} {pointer}: {' → '.join(values)}"
        if difference.kind == "spelling":
            line += "  (the same number, written differently)"
        yield line
    more = len(comparison.differences) - MAX_LISTED_DIFFERENCES
    if more > 0:
        yield f"… and {counted(more, 'more difference')}"


def replay_row(result: Replayed) -> dict[str, Any]:
    """Return a replayed call for a program."""
    comparison, live = result.comparison, result.live
    compared: dict[str, Any] = {"differences": [], "ignored": [], "hidden": 0}
    if comparison is not None:
        compared["differences"] = [difference_row(comparison, found) for found in comparison.differences]
        compared |= {"ignored": list(comparison.ignored), "hidden": comparison.hidden}
    return {
        "id": result.recorded.id,
        "live": result.new_id or None,
        "method": printable(result.recorded.method),
        "verdict": "left out" if result.verdict == "skipped" else result.verdict,  # as scripts know it
        "outcomes": [result.recorded.outcome_name, live.outcome_name if live else None],
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
