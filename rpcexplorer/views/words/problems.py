"""A problem in typed text, shown as the line it stands in with the place marked, and what a fix would make of it."""

from __future__ import annotations

import re

from rpcexplorer.jsontext.typed.params import Params, Problem, parse
from rpcexplorer.views.cells import columns
from rpcexplorer.views.printable import printable

BREAK = re.compile(r"[\r\n]")
"""Nothing else ends a line of JSON, whatever it does elsewhere."""

WIDTH = 72
"""Columns of a long line that are shown around the place."""


def marked(text: str, problem: Problem) -> str:
    """The line, a caret under the place, and the first line of the mended text where fixes come to one."""
    at = problem.column - 1
    line = BREAK.split(text[problem.offset - at :], maxsplit=1)[0]
    start = max(0, at - WIDTH // 2)
    before, after = printable(line[start:at]), printable(line[at : start + WIDTH])
    shown = [f"  {before}{after}", f"  {' ' * columns(before)}^"]
    if fixed := mended(problem):
        labels, whole = fixed
        first, more, _ = whole.strip().partition("\n")
        shown.append(f"  {', '.join(labels)}: {printable(first[: 2 * WIDTH])}{' …' if more else ''}")
    return "\n".join(shown)


def mended(problem: Problem) -> tuple[list[str], str] | None:
    """What can be sent after this fix and those of the problems that are left by it, with the name of each.

    One fix alone may leave a text that is still none: where nobody can take the next one with a key, it is no way out.
    """
    labels: list[str] = []
    read: Params | Problem = problem
    while isinstance(read, Problem):
        if read.fix is None:
            return None
        labels.append(read.fix.label)
        text = read.fix.text
        read = parse(text)
    return list(dict.fromkeys(labels)), text
