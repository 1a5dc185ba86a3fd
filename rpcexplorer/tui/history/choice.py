"""What somebody has chosen to do with a call of the history, once its screen is closed."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from rpcexplorer.model.exchange import Exchange


class HistoryChoice(Struct, frozen=True):
    """What the person wants with a call."""

    exchange: Exchange
    action: Literal["load", "again", "carry"]
    profile: str = ""
    """Where it is to be taken."""
