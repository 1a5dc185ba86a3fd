"""Values that options and arguments take, and the sentence about one that cannot be taken."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import click

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.model.problem import nearest


def whole_number(
    least: int, most: int | None = None, *, what: str = "number", otherwise: str = ""
) -> Callable[[str], int]:
    """A whole number within bounds; ``what`` it would be, and what can be done ``otherwise``, go into the sentence."""

    def number(value: str | int) -> int:
        try:
            found = int(value)
        except ValueError:
            found = least - 1
        if found < least or (most is not None and found > most):
            bounds = f"from {least} on" if most is None else f"from {least} to {most}"
            raise click.BadParameter(f"{value} is no {what}: write a whole number {bounds}{otherwise}.")
        return min(found, sys.maxsize)

    return number


def seconds(value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise click.BadParameter(f"{value} is no time: write seconds as a number above 0, such as 30 or 0.5.")
    return found


class OneOf(click.Choice):  # type: ignore[type-arg] # the oldest click that will do has no type there
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value in self.choices:
            return value
        near = nearest(str(value), self.choices)
        guess = f"; did you mean {near}?" if near else "."
        raise click.BadParameter(f"{value} is none of {', '.join(self.choices)}{guess}", ctx, param)


AUTH = OneOf(KINDS)
"""An auth type, for an address that is typed."""
