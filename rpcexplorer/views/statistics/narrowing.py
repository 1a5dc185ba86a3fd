"""The words of a filter for the calls that a row of figures is about."""

from __future__ import annotations

from rpcexplorer.history.statistics import Figures, Grouping
from rpcexplorer.model.filter import OUTCOMES


def words_for(row: Figures, by: Grouping, *, of_one: bool) -> str:
    """``of_one``: only the calls of one profile are looked at already, which goes without saying."""
    if by == "code":
        (code,) = row.name
        return f"outcome:{code}" if code in OUTCOMES else f"code:{code}"
    kinds = ("method", "profile") if by == "method" else ("profile",)
    parts = zip(kinds, row.name, strict=True)
    return " ".join(_word(kind, name) for kind, name in parts if name and not (of_one and kind == "profile"))


def _word(kind: str, name: str) -> str:
    """The whole name, in quotes where it has a blank; of one with quotes in it what stands before them."""
    part, quote, _ = name.partition('"')
    said = part if quote else f"={part}"
    return f'{kind}:"{said}"' if any(map(str.isspace, said)) else f"{kind}:{said}"
