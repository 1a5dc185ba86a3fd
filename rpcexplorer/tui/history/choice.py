"""What goes into the history screen and what comes out: calls of a case, and what somebody wants with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from rpcexplorer.model.exchange import Damaged, Exchange


class CaseOnView(Struct, frozen=True):
    """A case that somebody else has handed on: its calls are in no history of this person's, and nothing changes it."""

    name: str
    """Of its file."""
    calls: Sequence[Exchange | Damaged]
    """In its order."""
    note: str = ""
    addresses: Sequence[str] = ()
    """Where its calls went."""

    @property
    def told(self) -> str:
        """Whose it is, and where it comes from."""
        more = len(self.addresses) - 1
        where = f", sent to {self.addresses[0]}{f' and {more} more' if more else ''}" if self.addresses else ""
        return f"somebody else's{where}"


class HistoryChoice(Struct, frozen=True):
    """What the person wants with a call."""

    exchange: Exchange
    action: Literal["load", "again", "carry"]
    profile: str = ""
    """Where it is to be taken."""
