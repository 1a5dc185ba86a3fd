"""The docs on the call screen, which never cover the editor."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import ExampleCall, Method
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.docs import DocsSheet
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.call.state import Running
from rpcexplorer.tui.widgets.bars import Bar, Footer
from tests.tui.visiting import is_on_view, visit
from tests.tui.waiting import until


async def discovered(explorer: Explorer) -> None:
    explorer.use("demo")
    await explorer.discover()


def place(calls: CallScreen) -> str:
    """Return where the docs are; the editor is always visible."""
    docs = calls.panes.docs
    assert is_on_view(calls.params)
    assert calls.params.editor.region.height >= 2
    if docs is None:
        return "nowhere"
    if docs.region.x >= calls.params.region.right:
        return "beside"
    return "below" if is_on_view(calls.response) else "over"


@pytest.mark.thorough
def test_docs_use_free_room_and_never_cover_editor(explorer: Explorer) -> None:
    asyncio.run(discovered(explorer))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        for method in ("demo.orders.place", "ping"):  # nothing moves for a method with shorter docs
            calls.drafts.choose(method)
            await until(pilot, lambda: place(calls) == "beside")
        docs = calls.panes.docs
        assert docs is not None
        assert (docs.region.y, docs.region.bottom) == (calls.params.region.y, calls.response.region.bottom)
        assert min(calls.params.region.width, calls.response.region.width) >= 80
        await pilot.press("f4", "z")
        await until(pilot, lambda: calls.panes.docs is None and calls.response.region.width == 200)
        await pilot.press("z", "alt+s")  # side by side, both need the room of the docs
        await until(pilot, lambda: calls.panes.docs is None and calls.response.region.y == calls.params.region.y)
        await pilot.press("alt+m")
        await until(pilot, lambda: calls.panes.docs is not None and not calls.response.display)
        assert calls.panes.docs is not None
        assert (calls.panes.docs.region.x, calls.panes.docs.region.y) == (calls.params.region.right, 1)
        await pilot.press("alt+s")
        await until(pilot, lambda: place(calls) == "beside")
        assert calls.panes.docs is not None
        assert calls.panes.docs.has_focus_within
        await pilot.press("tab")  # back to the first pane
        assert calls.methods.has_focus_within
        await pilot.press("shift+tab")
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: place(calls) == "over" and any(page.has_focus for page in calls.query(DocsSheet)))
        await pilot.press("alt+m")
        await until(pilot, lambda: place(calls) == "nowhere")
        assert calls.params.has_focus_within
        await pilot.resize_terminal(200, 60)
        await until(pilot, lambda: calls.params.region.width > 130)  # they stay closed

    visit(explorer, scene, size=(200, 60))


@pytest.mark.thorough
def test_docs_have_45_columns_of_text(explorer: Explorer) -> None:
    asyncio.run(discovered(explorer))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        def is_at(where: str) -> Callable[[], bool]:
            return lambda: place(calls) == where

        calls.drafts.choose("demo.orders.place")
        await pilot.press("alt+m")
        for width, where in ((120, "over"), (154, "over"), (155, "beside"), (200, "beside"), (80, "over")):
            await pilot.resize_terminal(width, 40)
            await until(pilot, is_at(where))
            assert calls.panes.docs is not None
            assert calls.panes.docs.page.scrollable_content_region.width > 45

    visit(explorer, scene)


def test_docs_over_response_stay_until_response_wanted(explorer: Explorer) -> None:
    asyncio.run(discovered(explorer))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        for key in ("escape", "f4", "alt+m", "f5"):
            await pilot.press("alt+m")
            for pane in ("f2", "f3"):
                await pilot.press(pane)
                await until(pilot, lambda: place(calls) == "over" and not calls.response.display)
            await pilot.press(*(["alt+m"] if key == "alt+m" else []), key)
            await until(pilot, lambda: place(calls) == "nowhere" and calls.response.display)

    visit(explorer, scene, size=(120, 40))


@pytest.mark.thorough
def test_docs_in_narrow_terminal_cover_the_old_response(explorer: Explorer) -> None:
    asyncio.run(discovered(explorer))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.drafts.choose("demo.echo")

        def covered() -> bool:
            return place(calls) == "over" and not calls.response.display

        def free() -> bool:
            return place(calls) == "nowhere" and calls.response.display

        for key in ("escape", "f4", "alt+m", "f5"):
            await pilot.press("f2", "alt+m")
            await until(pilot, covered)
            await pilot.press(key)
            await until(pilot, free)
        await until(pilot, lambda: calls.exchange is not None)
        await pilot.press("alt+m")
        await until(pilot, covered)
        calls.running = Running(explorer, "sending", "demo.slow")  # a running call is on screen before it ends
        assert free()
        assert explorer.remembered.docs == ""

    visit(explorer, scene, size=(80, 24))


@pytest.mark.thorough
def test_docs_follow_the_list_and_example_chooses_method(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.tui.call.layout.POINTER_PAUSE_SECONDS", 0.001)
    asyncio.run(discovered(explorer))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        def about() -> str:
            docs = calls.panes.docs
            return docs.page.method.name if docs is not None and docs.page.method is not None else ""

        calls.drafts.choose("demo.echo")
        await pilot.press("alt+m", "f2", *"orders.find")
        await until(pilot, lambda: about() == "demo.orders.find")
        assert calls.method == "demo.echo"
        await pilot.press("f3")
        await until(pilot, lambda: about() == "demo.echo")
        calls.drafts.choose("demo.orders.place")
        assert about() == "demo.echo"  # the params come first
        await until(pilot, lambda: about() == "demo.orders.place")
        calls.drafts.choose("demo.echo")
        await until(pilot, lambda: about() == "demo.echo")
        await pilot.press("f2", "down")
        await until(pilot, lambda: about() != "demo.echo")
        await pilot.press("f2", *"orders.place")
        await until(pilot, lambda: about() == "demo.orders.place")
        await pilot.press("alt+m", "n")
        assert calls.panes.docs is not None
        page = calls.panes.docs.page
        hints = [command.words for _, command in calls.query_one(Footer)._possible()]
        assert hints[:2] == ["next example", "load"]
        await pilot.press("enter")
        await until(pilot, lambda: calls.method == "demo.orders.place" and "tea-01" in calls.params.text)
        assert calls.params.has_focus_within
        hostile, echo = ExampleCall("", ["«demo.password»", "{{uuid}}"]), Method("demo.echo")
        page.post_message(DocsSheet.ExampleTaken(echo, hostile))
        await until(pilot, lambda: "demo.password" in calls.params.text)
        assert json.loads(calls.params.text) == hostile.params
        assert "«" not in calls.params.text  # or it would be resolved
        assert "{{" not in calls.params.text

    visit(explorer, scene)


WIDE = (180, 50)


def are_side_by_side(calls: CallScreen) -> bool:
    """Return whether both have the full height and half of the width."""
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
    """Return whether the response is below the params, with a tinted bar."""
    params, response = calls.params.region, calls.response.region
    tinted = any(bar.has_class("-tinted") for bar in calls.response.query(Bar))
    return params.bottom == response.y and params.width == response.width and tinted


@pytest.mark.thorough
def test_side_by_side_is_remembered_if_it_fits(explorer: Explorer, make_explorer: Callable[..., Explorer]) -> None:
    async def choose(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await until(pilot, lambda: are_stacked(calls))
        await pilot.press("alt+s")
        await until(pilot, lambda: are_side_by_side(calls))
        assert not calls.check_action("taller", ())
        await pilot.resize_terminal(179, 50)
        await until(pilot, lambda: are_stacked(calls))
        assert calls.check_action("taller", ())
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: are_side_by_side(calls))

    async def again(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await until(pilot, lambda: are_side_by_side(calls))
        await pilot.press("alt+s")
        await until(pilot, lambda: are_stacked(calls))

    async def back(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await until(pilot, lambda: are_stacked(calls))

    visit(explorer, choose, size=WIDE)
    visit(make_explorer(""), again, size=WIDE)
    visit(make_explorer(""), back, size=WIDE)
