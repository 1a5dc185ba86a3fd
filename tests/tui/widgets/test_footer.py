"""Which hints the bottom line keeps where not all have room."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.history import HistoryScreen
from tests.tui.visiting import on, on_view, rest, visit
from tests.tui.waiting import until


@pytest.mark.parametrize(
    ("width", "footer"),
    [
        (80, "Enter load  r resend  R replay  m mark  x export  Esc back  ^P palette  F1 help"),
        (78, "r resend   R replay   m mark   x export   Esc back   ^P palette   F1 help"),
    ],
)
def test_history_footer_shows_resend_replay_mark_export(explorer: Explorer, width: int, footer: str) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], _: CallScreen) -> None:
        await pilot.press("f5")
        await until(pilot, lambda: bool(explorer.recent(1)))
        await pilot.press("f6")
        await on(pilot, HistoryScreen)
        await rest(pilot)
        assert on_view(app).splitlines()[-1].strip() == footer

    visit(explorer, scene, size=(width, 24))
