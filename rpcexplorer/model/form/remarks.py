"""What a checker has against params, told on the rows of their form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from rpcexplorer.model.form.field import FormField
from rpcexplorer.model.problem import SchemaProblem


def with_problems(
    rows: Sequence[FormField], text: str, problems: Iterable[SchemaProblem]
) -> tuple[tuple[FormField, ...], str]:
    """The rows, each with the first thing that is wrong there, or in it where that is folded; and what is of no row.

    What is missing is said by the row of it; what stands for a value is no value yet.
    """
    told = {row.path: at for at, row in enumerate(rows) if row.alone}
    found, of_all = list(rows), ""
    for problem in problems:
        path = problem.pointer
        while path and path not in told:
            path = path[:-1]
        about = text[problem.offset : problem.end]
        if about.startswith('"') and "{{" in about:
            continue
        if not path:
            of_all = of_all or problem.sentence
        elif not (row := found[told[path]]).wrong:
            found[told[path]] = replace(row, wrong=problem.sentence)
    return tuple(found), of_all
