"""A case: calls that somebody has handed on, as a value. How one is written and read is storage's."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from rpcexplorer.model.complaint import Complaint
from rpcexplorer.model.exchange import Damaged, Exchange

MOST: Final = 64 * 1024 * 1024
"""Bytes of a case that is read: it is meant to be small."""
MOST_CALLS: Final = 1_000


class Case(Struct, frozen=True):
    """What a case holds, in its order."""

    file: str
    calls: tuple[Exchange | Damaged, ...] = ()
    note: str = ""
    """What whoever made it has to say."""
    complaints: tuple[Complaint, ...] = ()
    """What is wrong above its calls."""

    @property
    def exchanges(self) -> list[Exchange]:
        return [call for call in self.calls if isinstance(call, Exchange)]

    @property
    def damaged(self) -> list[Damaged]:
        return [call for call in self.calls if isinstance(call, Damaged)]

    @property
    def addresses(self) -> list[str]:
        """Where its calls went, each address once."""
        return list(dict.fromkeys(call.url for call in self.exchanges if call.url))


class TakenIn(Struct, frozen=True):
    """What became of a case that was to be added to the history."""

    added: tuple[Exchange, ...] = ()
    known: int = 0
    """So many were there already."""
    renamed: int = 0
    """So many were added under another id, as another call has theirs."""
    trouble: str = ""
    """Why not all of it could be written."""
