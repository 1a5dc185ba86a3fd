"""The keys that move through whatever is longer than its room: one of them for each way, the same everywhere."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

SCROLLING: Final = (
    Binding("up,k", "move(-1)", show=False),
    Binding("down,j", "move(1)", show=False),
    Binding("pageup", "page(-1)", show=False),
    Binding("pagedown", "page(1)", show=False),
    Binding("home", "first", show=False),
    Binding("end", "last", show=False),
)
"""A widget that has them has ``action_move``, ``action_page``, ``action_first`` and ``action_last``."""
