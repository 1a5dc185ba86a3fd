"""Which element of an array belongs to which of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from rpcexplorer.jsontext.scan import Span
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.comparing.parts import Parts

Paired: TypeAlias = list[tuple[int | None, int | None]]
"""Indices on the left and on the right, both rising; None where there is no partner."""


class Pairing:
    def __init__(self, left: Parts, right: Parts) -> None:
        self._left, self._right = left, right

    def of(self, left: Sequence[Span], right: Sequence[Span]) -> Steps[tuple[Paired, bool]]:
        """All elements of both, and whether they could be aligned."""
        yield
        both = min(len(left), len(right))
        paired: Paired = [(at, at) for at in range(both)]
        paired += [(at, None) for at in range(both, len(left))]
        paired += [(None, at) for at in range(both, len(right))]
        return paired, True
