"""Measuring in turns, and printing medians, worst cases and ratios."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

Measured = TypeVar("Measured")


def in_turns(runs: int, contenders: Mapping[str, Callable[[], Measured]]) -> dict[str, list[Measured]]:
    """Measure all contenders in turns, so that a drifting machine slows all."""
    taken: dict[str, list[Measured]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, measure in contenders.items():
            taken[name].append(measure())
    return taken


def after_one(runs: int, contenders: Mapping[str, Callable[[], Measured]]) -> dict[str, list[Measured]]:
    """Measure in turns without the first turn, which fills caches."""
    return {name: taken[1:] for name, taken in in_turns(runs + 1, contenders).items()}


def print_median(name: str, taken: Sequence[float], more: str = "") -> float:
    """Print seconds as milliseconds; return their median."""
    median = statistics.median(taken)
    figures = f"median {median * 1000:8.1f} ms   worst {max(taken) * 1000:8.1f} ms   {len(taken):4} times"
    print(f"{name:<30} {figures}   {more}".rstrip(), flush=True)
    return median
