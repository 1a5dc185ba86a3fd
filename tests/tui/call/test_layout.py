"""How the panes of the call screen share a wide terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.widgets.bars import Bar
from tests.tui.visiting import visit
from tests.tui.waiting import until

WIDE = (180, 50)


def stand_beside(calls: CallScreen) -> bool:
    """Whether both have all of the height, and half of the width each."""
    params, response = calls.params.region, calls.response.region
    tinted = any(bar.has_class("-tinted") for bar in calls.response.query(Bar))
    return (
        params.y == response.y == 1
        and params.height == response.height == calls.size.height - 2
        and params.right == response.x
        and abs(params.width - response.width) <= 1
        and not tinted
    )


def are_stacked(calls: CallScreen) -> bool:
    """Whether the response is below the params, as wide as they are, and told apart from them."""
    params, response = calls.params.region, calls.response.region
    tinted = any(bar.has_class("-tinted") for bar in calls.response.query(Bar))
    return params.bottom == response.y and params.width == response.width and tinted


@pytest.mark.thorough
def test_side_by_side_is_remembered_and_holds_where_there_is_room(
    explorer: Explorer, make_explorer: Callable[..., Explorer]
) -> None:
    async def choose(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await until(pilot, lambda: are_stacked(calls))
        await pilot.press("alt+s")
        await until(pilot, lambda: stand_beside(calls))
        assert not calls.check_action("taller", ())
        await pilot.resize_terminal(179, 50)
        await until(pilot, lambda: are_stacked(calls))
        assert calls.check_action("taller", ())
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: stand_beside(calls))

    async def again(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await until(pilot, lambda: stand_beside(calls))
        await pilot.press("alt+s")
        await until(pilot, lambda: are_stacked(calls))

    async def back(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await until(pilot, lambda: are_stacked(calls))

    visit(explorer, choose, size=WIDE)
    visit(make_explorer(""), again, size=WIDE)
    visit(make_explorer(""), back, size=WIDE)


@pytest.mark.thorough
def test_side_by_side_one_of_them_can_have_all_the_room(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("alt+s", "f5")
        await until(pilot, lambda: calls.exchange is not None and stand_beside(calls))
        await pilot.press("f4", "z")
        await until(pilot, lambda: calls.response.region.width == WIDE[0])
        await pilot.press("z")
        await until(pilot, lambda: stand_beside(calls))

    visit(explorer, scene, size=WIDE)
