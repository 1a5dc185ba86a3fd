"""A problem in typed text, shown as the line it stands in with the place marked, and what a fix would make of it."""

from __future__ import annotations

from rpcexplorer.protocol.text import Problem
from rpcexplorer.views.printable import printable

WIDTH = 72
"""Columns of a long line that are shown around the place."""


def marked(text: str, problem: Problem) -> str:
    """The line, a caret under the place, and the first line of the mended text where there is a fix."""
    lines = text.splitlines() or [""]
    line = lines[min(problem.line, len(lines)) - 1]
    at = min(problem.column - 1, len(line))
    start = max(0, at - WIDTH // 2)
    before, after = printable(line[start:at]), printable(line[at : start + WIDTH])
    shown = [f"  {before}{after}", f"  {' ' * len(before)}^"]
    if problem.fix is not None:
        mended = problem.fix.text.strip()
        first, more, _ = mended.partition("\n")
        shown.append(f"  {problem.fix.label}: {printable(first[: 2 * WIDTH])}{' …' if more else ''}")
    return "\n".join(shown)
