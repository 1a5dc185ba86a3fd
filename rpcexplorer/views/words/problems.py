"""A problem in typed text, shown as the line it stands in with the place marked, and what a fix would make of it.

Also what a schema has against params or a result, in a line: where, what, and how many more there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from rpcexplorer.jsontext.params import Params, Problem, parse
from rpcexplorer.model.problem import MOST_TOLD, Checked, SchemaProblem
from rpcexplorer.views.cells import columns
from rpcexplorer.views.printable import printable

BREAK = re.compile(r"[\r\n]")
"""Nothing else ends a line of JSON, whatever it does elsewhere."""
WIDTH = 72
"""Columns of a long line that are shown around the place."""
LONGEST: Final = 400
"""Characters of a sentence: what a service writes into its schemas may have any length."""
TOLD: Final = 3
"""Problems of a result."""
LONGEST_PATH: Final = 60


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


def warning(problem: SchemaProblem, at: int = 0, count: int = 1, key: str = "") -> str:
    """One problem of params: its place, what it is, and which of all; ``key`` leads to the next."""
    further = f", {key} shows the next" if key else ""
    which = f" ({at + 1} of {count}{' or more' if count == MOST_TOLD else ''}{further})" if count > 1 else ""
    return f"line {problem.line}, column {problem.column}: {_sentence(problem)}.{which}"


def result_remark(problems: Sequence[SchemaProblem]) -> str:
    """The first problems of a result, and how many more there are; empty where there is none."""
    if not problems:
        return ""
    told = (f"{_at(each)}{_sentence(each)}" for each in problems[:TOLD])
    at_least = "at least " if len(problems) == MOST_TOLD else ""
    more = f" ({at_least}{len(problems) - TOLD} more)" if len(problems) > TOLD else ""
    first, *others = told
    return ";".join([f"not as its schema says{first}", *(each.removeprefix(":") for each in others)]) + more


def _at(problem: SchemaProblem) -> str:
    return f" at {path(problem.pointer)}: " if problem.pointer else ": "


def unchecked_words(checked: Checked) -> str:
    """Why a text was not checked, or not all of it; empty where it was."""
    if not checked.why_not:
        return ""
    told = checked.why_not if len(checked.why_not) <= LONGEST else f"{checked.why_not[:LONGEST]} …"
    return f"{'not all is' if checked.in_part else 'not'} checked: {printable(told)}"


def path(pointer: Iterable[str | int]) -> str:
    """A way through a value as a JSON pointer; the end of a long one."""
    told = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in pointer)
    return printable(told if len(told) <= LONGEST_PATH else f"…{told[-LONGEST_PATH:]}")


def _sentence(problem: SchemaProblem) -> str:
    told = problem.sentence if len(problem.sentence) <= LONGEST else f"{problem.sentence[:LONGEST]} …"
    return printable(told.rstrip("."))
