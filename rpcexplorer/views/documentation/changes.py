"""What a refresh has found that was not so before, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from rpcexplorer.model.methods.changes import MethodChange, MethodChanges
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import WordLine

_SIGNS: Final = {"new": ("+", "well"), "gone": ("-", "wrong"), "changed": ("~", "careful")}


def changes_counted(changes: Iterable[MethodChange]) -> str:
    """How many of each kind: ``2 new, 1 gone, 3 changed``; empty for none."""
    counts = Counter[str](change.kind for change in changes)
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in _SIGNS if counts[kind])


def changes_lines(changes: MethodChanges) -> list[WordLine]:
    """Each method with a sign and a word for what became of it, and below it what is said otherwise."""
    when, before = (f"{each.astimezone():%-d %B %Y at %H:%M}" for each in (changes.when, changes.before))
    lines: list[WordLine] = [[(f"  Found on {when}; before that the service was asked on {before}.", "dim")], []]
    for change in changes.methods:
        sign, role = _SIGNS[change.kind]
        lines.append([(f"  {sign} ", role), (printable(change.name), "text bold"), (f"  {change.kind}", role)])
        lines += [[("      ", "text"), (printable(what), "middle")] for what in change.what]
    if changes.more:
        lines += [[], [(f"  {changes.more:,} more are not kept.", "dim")]]
    return lines
