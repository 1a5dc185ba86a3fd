"""How the benchmarks measure and what they print: in turns, and as medians, worst cases and ratios."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

Measured = TypeVar("Measured")


def in_turns(runs: int, contenders: Mapping[str, Callable[[], Measured]]) -> dict[str, list[Measured]]:
    """What each measured, one after the other and again, so that a machine that drifts is as slow for all of them."""
    taken: dict[str, list[Measured]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, measure in contenders.items():
            taken[name].append(measure())
    return taken


def after_one(runs: int, contenders: Mapping[str, Callable[[], Measured]]) -> dict[str, list[Measured]]:
    """In turns, but for the first turn, which fills the disk's cache and compiles what was never compiled."""
    return {name: taken[1:] for name, taken in in_turns(runs + 1, contenders).items()}


def told(name: str, taken: Sequence[float], more: str = "") -> float:
    """Print seconds as milliseconds; their median."""
    median = statistics.median(taken)
    figures = f"median {median * 1000:8.1f} ms   worst {max(taken) * 1000:8.1f} ms   {len(taken):4} times"
    print(f"{name:<30} {figures}   {more}".rstrip(), flush=True)
    return median
