"""The words of a filter for the calls that a row of figures is about."""

from __future__ import annotations

from rpcexplorer.model.filter import OUTCOMES
from rpcexplorer.model.history.statistics import Figures, Grouping


def words_for(row: Figures, by: Grouping, *, of_one: bool) -> str:
    """``of_one``: only the calls of one profile are looked at already, which goes without saying."""
    if by == "code":
        (code,) = row.name
        return f"outcome:{code}" if code in OUTCOMES else f"code:{code}"
    kinds = ("method", "profile") if by == "method" else ("profile",)
    parts = zip(kinds, row.name, strict=True)
    return " ".join(_word(kind, name) for kind, name in parts if name and not (of_one and kind == "profile"))


def _word(kind: str, name: str) -> str:
    """A name with a blank is put in quotes; of one with quotes there is no more than what stands before them."""
    name = name.partition('"')[0]
    return f'{kind}:"{name}"' if any(map(str.isspace, name)) else f"{kind}:{name}"
