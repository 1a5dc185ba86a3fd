"""Pictures of the docs in each of their places."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.demo.declaration import document
from rpcexplorer.demo.methods import TABLE
from rpcexplorer.discovery.interview import discovery_of
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from tests.tui.test_snapshots import NOW, Snap, calls, state, still

__all__ = ["calls", "still"]
pytestmark = [pytest.mark.drawn, pytest.mark.thorough]
PLACE = "demo.orders.place"
FIND = "demo.orders.find"
ORDERS = (FIND, PLACE, "demo.orders.search", "demo.tree", "demo.misdescribed")


async def example(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
    screen.drafts.choose(FIND)
    await pilot.press("alt+m", "n")


async def by_themselves(app: ExplorerApp, pilot: Pilot[Any], screen: CallScreen) -> None:
    screen.drafts.choose(PLACE)
    screen.params.focus_inside()
    await pilot.press("alt+down", "alt+down", "alt+down", "alt+down")


@pytest.mark.parametrize(
    ("size", "show", "shows"),
    [
        pytest.param((80, 24), example, "▸ Open orders", id="small"),
        pytest.param((120, 40), example, "▸ Open orders", id="tall"),
        pytest.param((200, 60), by_themselves, "Customer who places", id="large"),
    ],
)
def test_docs(
    compare_picture: Snap,
    calls: tuple[ExplorerApp, Explorer],
    size: tuple[int, int],
    show: Any,
    shows: str,
) -> None:
    app, explorer = calls
    listing = read_openrpc(document(TABLE[name] for name in ORDERS))
    assert explorer.profile is not None
    explorer.method_lists.settle(explorer.profile, discovery_of(NOW, listing, ()))
    assert compare_picture(app, terminal_size=size, run_before=state(shows, "Docs", then=show))
