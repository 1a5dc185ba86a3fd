"""A problem in typed text, shown as the line it stands in with the place marked, and what a fix would make of it."""

from __future__ import annotations

import re

from rpcexplorer.protocol.text import Problem
from rpcexplorer.views.cells import columns
from rpcexplorer.views.printable import printable

BREAK = re.compile(r"[\r\n]")
"""Nothing else ends a line of JSON, whatever it does elsewhere."""

WIDTH = 72
"""Columns of a long line that are shown around the place."""


def marked(text: str, problem: Problem) -> str:
    """The line, a caret under the place, and the first line of the mended text where there is a fix."""
    at = problem.column - 1
    line = BREAK.split(text[problem.offset - at :], maxsplit=1)[0]
    start = max(0, at - WIDTH // 2)
    before, after = printable(line[start:at]), printable(line[at : start + WIDTH])
    shown = [f"  {before}{after}", f"  {' ' * columns(before)}^"]
    if problem.fix is not None:
        mended = problem.fix.text.strip()
        first, more, _ = mended.partition("\n")
        shown.append(f"  {problem.fix.label}: {printable(first[: 2 * WIDTH])}{' …' if more else ''}")
    return "\n".join(shown)
