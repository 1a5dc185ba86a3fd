"""What a refresh has found that was not so before, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from rpcexplorer.discovery.changes import MethodChange, MethodChanges
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import WordLine

_SIGNS: Final = {"new": ("+", "well"), "gone": ("-", "wrong"), "changed": ("~", "careful")}


def changes_counted(changes: Iterable[MethodChange]) -> str:
    """How many of each kind: ``2 new, 1 gone, 3 changed``; empty for none."""
    counts = Counter[str](change.kind for change in changes)
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in _SIGNS if counts[kind])


def changes_found(changes: MethodChanges) -> str:
    """When they were found, and how many more there were."""
    when, before = (f"{each.astimezone():%-d %B %Y at %H:%M}" for each in (changes.when, changes.before))
    more = f" {changes.more:,} more are not kept." if changes.more else ""
    return f"Found on {when}; before that the service was asked on {before}.{more}"


def change_lines(change: MethodChange) -> list[WordLine]:
    """A method with a sign and a word for what became of it, and below it what is said otherwise."""
    sign, role = _SIGNS[change.kind]
    name: WordLine = [(f" {sign} ", role), (printable(change.name), "text bold"), (f"  {change.kind}", role)]
    return [name, *([("     ", "text"), (printable(what), "middle")] for what in change.what)]
