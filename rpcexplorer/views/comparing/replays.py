"""What came of calls that were sent again, in words: one line for each, then where it differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rpcexplorer.client.replay import Replayed, ReplayVerdict
from rpcexplorer.compare.compare import ComparedPlace, Comparison, Difference
from rpcexplorer.views.cells import clipped
from rpcexplorer.views.comparing.summary import names_of, summary
from rpcexplorer.views.printable import printable

SIGNS: Final[dict[ReplayVerdict, str]] = {
    "same": "✓",
    "differs": "≠",
    "not comparable": "?",
    "failed": "✗",
    "stopped": "◌",
    "left out": "-",
}
WORDS: Final[dict[ReplayVerdict, str]] = {
    "same": "same",
    "differs": "differs",
    "not comparable": "not comparable",
    "failed": "failed",
    "stopped": "stopped",
    "left out": "left out",
}
TOLD: Final = 20
"""Differences of one call that are listed; the rest is counted."""
LONGEST: Final = 60
"""Columns of a value that differs."""
KINDS: Final = {"changed": "~", "spelling": "~", "added": "+", "removed": "-"}


def replay_line(result: Replayed) -> str:
    """The sign, the ids of the record and of the new one, the method, and how it ended."""
    record, live = result.recorded, result.live
    ids = f"{printable(record.id)} {printable(live.id) if live else '-'}"
    return f"{SIGNS[result.verdict]} {ids}  {printable(record.method)}  {how(result)}"


def how(result: Replayed) -> str:
    """Same, in which way it differs, or why it failed."""
    if result.comparison is not None and result.verdict in {"same", "differs"}:
        return summary(result.comparison, names_of(result.recorded, result.live) if result.live else None)
    return f"{WORDS[result.verdict]}: {printable(result.why)}"


def difference_lines(comparison: Comparison, most: int = TOLD) -> Iterator[str]:
    """Each difference on a line: a sign, where it is, what was there and what is there now."""
    if comparison.verdict != "differs":
        return
    for each in comparison.differences[:most]:
        pointer = printable(_place(each).pointer) or "all of it"
        sides = (_shown(comparison.left, each.left), _shown(comparison.right, each.right))
        values = " → ".join(side for side in sides if side is not None)
        spelled = "  (the same number, written otherwise)" if each.kind == "spelling" else ""
        yield f"{KINDS[each.kind]} {pointer}: {values}{spelled}"
    if (more := len(comparison.differences) - most) > 0:
        yield f"… and {more:,} more"


def replay_row(result: Replayed) -> dict[str, Any]:
    """The same for a program: values as JSON text, in the spelling that they have."""
    comparison = result.comparison
    differences = comparison.differences if comparison else ()
    return {
        "id": result.recorded.id,
        "live": result.live.id if result.live else None,
        "method": printable(result.recorded.method),
        "verdict": result.verdict,
        "outcomes": [result.recorded.outcome_name, result.live.outcome_name if result.live else None],
        "why": printable(result.why),
        "differences": [difference_row(comparison, each) for each in differences] if comparison else [],
        "ignored": [] if comparison is None else list(comparison.ignored),
        "hidden": 0 if comparison is None else comparison.hidden,
    }


def totals(results: Sequence[Replayed]) -> str:
    """How many came out how: ``4 calls: 2 same, 1 differs, 1 failed``."""
    counts = Counter(result.verdict for result in results)
    parts = [f"{counts[verdict]} {WORDS[verdict]}" for verdict in WORDS if counts[verdict]]
    return f"{len(results)} call{'s' * (len(results) != 1)}: {', '.join(parts)}"


def difference_row(comparison: Comparison, difference: Difference) -> dict[str, Any]:
    """A difference for a program."""
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


def _shown(side: bytes, place: ComparedPlace | None) -> str | None:
    if place is None:
        return None
    text = side[place.start : min(place.end, place.start + 4 * LONGEST)].decode(errors="replace")
    return clipped(printable(" ".join(text.split())), LONGEST)
