"""What a comparison came to, in one line."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, TypeAlias

from rpcexplorer.compare.compare import Comparison, Difference
from rpcexplorer.model.exchange import Exchange, OutcomeName
from rpcexplorer.views.cells import clipped
from rpcexplorer.views.printable import printable

NAMED: Final = 3
"""Pointers that are named; the rest is counted."""
PROFILE: Final = 24
"""Columns that a profile's name gets at most."""
SideNames: TypeAlias = tuple[str, str] | None
"""What the two sides are called if they are of two profiles."""
_CODE = re.compile(rb'\{"code":(-?[0-9]{1,20})')


def summary(comparison: Comparison, names: SideNames = None) -> str:
    """Return what differs, such as ``3 members differ, 1 is new``; then what was not compared, and why."""
    return "; ".join([_verdict(comparison, names), *_remarks(comparison)])


def names_of(left: Exchange, right: Exchange) -> SideNames:
    """Return the profiles of two exchanges; None if they have the same: then the words are *before* and *now*."""
    if left.profile == right.profile:
        return None
    return clipped(left.profile, PROFILE), clipped(right.profile, PROFILE)


def _verdict(comparison: Comparison, names: SideNames) -> str:
    if comparison.verdict == "not comparable":
        return f"not comparable: {printable(comparison.why)}"
    before, now = comparison.outcomes
    if before != now:
        when = tuple(f"in {name}" for name in names) if names else ("before", "now")
        return f"{_outcome(before, comparison.left)} {when[0]}, {_outcome(now, comparison.right)} {when[1]}"
    if comparison.verdict == "same":
        return "the same" if before == "result" else f"the same {_outcome(before, comparison.left)}"
    counts: Counter[str] = Counter(each.kind for each in comparison.differences)
    parts = []
    if changed := counts["changed"]:
        whole = any(each.left is not None and not each.left.pointer for each in comparison.differences)
        subject = f"the {before}" if whole else f"{changed:,} {_nouns(comparison, changed)}"
        parts.append(f"{subject} differ{'s' if changed == 1 else ''}")
    if spelled := counts["spelling"]:
        parts.append(f"{spelled:,} number{'s are' if spelled > 1 else ' is'} the same but written otherwise")
    added, removed = (f"only in {names[1]}", f"only in {names[0]}") if names else ("new", "gone")
    for kind, word in (("added", added), ("removed", removed)):
        if count := counts[kind]:
            noun = "" if parts else f" {_nouns(comparison, count)}"
            parts.append(f"{count:,}{noun} {'is' if count == 1 else 'are'} {word}")
    return ", ".join(parts)


def _outcome(name: OutcomeName, text: bytes) -> str:
    code = _CODE.match(text) if name == "error" else None
    return f"error {code[1].decode()}" if code else name


def _nouns(comparison: Comparison, count: int) -> str:
    """What the differences are about: members of objects, elements of arrays, or both."""
    members = {_is_member(comparison, each) for each in comparison.differences}
    noun = "value" if len(members) > 1 else "member" if members == {True} else "element"
    return noun if count == 1 else f"{noun}s"


def _is_member(comparison: Comparison, difference: Difference) -> bool:
    text, place = (comparison.left, difference.left) if difference.left else (comparison.right, difference.right)
    at = place.start - 1 if place else -1
    while at >= 0 and text[at] in b" \t\r\n":
        at -= 1
    return at >= 0 and text[at] == ord(":")


def _remarks(comparison: Comparison) -> list[str]:
    remarks = []
    if ignored := len(comparison.ignored):
        remarks.append(f"{ignored:,} {'value was' if ignored == 1 else 'values were'} left out")
    if hidden := comparison.hidden:
        remarks.append(f"{hidden:,} hidden {'value was' if hidden == 1 else 'values were'} not compared")
    if arrays := comparison.unaligned:
        named = ", ".join(printable(each) or "the array" for each in arrays[:NAMED])
        more = f" and {len(arrays) - NAMED:,} more" if len(arrays) > NAMED else ""
        remarks.append(f"the elements of {named}{more} are too different to be aligned, and were compared by place")
    return remarks
