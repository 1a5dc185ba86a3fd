"""The docs on the call screen, which never cover the editor."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from textual.widget import Widget

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import ExampleCall, Method
from rpcexplorer.tui.call.docs import DocsSheet
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.call.state import Running
from rpcexplorer.tui.widgets.bars import Bar, Footer
from tests.tui.program import open_program


async def discovered(explorer: Explorer) -> None:
    explorer.use("demo")
    await explorer.discover()


def is_on_view(widget: Widget) -> bool:
    """Return whether a widget and all around it are displayed."""
    return all(around.display for around in widget.ancestors_with_self if isinstance(around, Widget))


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
async def test_docs_use_free_room_and_never_cover_editor(explorer: Explorer) -> None:
    await discovered(explorer)

    async with open_program(explorer, profile="demo", size=(200, 60)) as program:
        calls = program.calls
        for method in ("demo.orders.place", "ping"):  # nothing moves for a method with shorter docs
            calls.drafts.choose(method)
            await program.until(lambda: place(calls) == "beside")
        docs = calls.panes.docs
        assert docs is not None
        assert (docs.region.y, docs.region.bottom) == (calls.params.region.y, calls.response.region.bottom)
        assert min(calls.params.region.width, calls.response.region.width) >= 80
        await program.press("f4", "z")
        await program.until(lambda: calls.panes.docs is None and calls.response.region.width == 200)
        await program.press("z", "alt+s")  # side by side, both need the room of the docs
        await program.until(lambda: calls.panes.docs is None and calls.response.region.y == calls.params.region.y)
        await program.press("alt+m")
        await program.until(lambda: calls.panes.docs is not None and not calls.response.display)
        assert calls.panes.docs is not None
        assert (calls.panes.docs.region.x, calls.panes.docs.region.y) == (calls.params.region.right, 1)
        await program.press("alt+s")
        await program.until(lambda: place(calls) == "beside")
        assert calls.panes.docs is not None
        assert calls.panes.docs.has_focus_within
        await program.press("tab")  # back to the first pane
        assert calls.methods.has_focus_within
        await program.press("shift+tab")
        await program.resize_terminal(120, 40)
        await program.until(lambda: place(calls) == "over" and any(page.has_focus for page in calls.query(DocsSheet)))
        await program.press("alt+m")
        await program.until(lambda: place(calls) == "nowhere")
        assert calls.params.has_focus_within
        await program.resize_terminal(200, 60)
        await program.until(lambda: calls.params.region.width > 130)  # they stay closed


@pytest.mark.thorough
async def test_docs_have_45_columns_of_text(explorer: Explorer) -> None:
    await discovered(explorer)

    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.drafts.choose("demo.orders.place")
        await program.press("alt+m")
        for width, where in ((120, "over"), (154, "over"), (155, "beside"), (200, "beside"), (80, "over")):
            await program.resize_terminal(width, 40)
            await program.until(lambda where=where: place(calls) == where)  # type: ignore[misc]
            assert calls.panes.docs is not None
            assert calls.panes.docs.page.scrollable_content_region.width > 45


async def test_docs_over_response_stay_until_response_wanted(explorer: Explorer) -> None:
    await discovered(explorer)

    async with open_program(explorer, profile="demo", size=(120, 40)) as program:
        calls = program.calls
        for key in ("escape", "f4", "alt+m", "f5"):
            await program.press("alt+m")
            for pane in ("f2", "f3"):
                await program.press(pane)
                await program.until(lambda: place(calls) == "over" and not calls.response.display)
            await program.press(*(["alt+m"] if key == "alt+m" else []), key)
            await program.until(lambda: place(calls) == "nowhere" and calls.response.display)


@pytest.mark.thorough
async def test_docs_in_narrow_terminal_cover_the_old_response(explorer: Explorer) -> None:
    await discovered(explorer)

    async with open_program(explorer, profile="demo", size=(80, 24)) as program:
        calls = program.calls
        calls.drafts.choose("demo.echo")

        def covered() -> bool:
            return place(calls) == "over" and not calls.response.display

        def free() -> bool:
            return place(calls) == "nowhere" and calls.response.display

        for key in ("escape", "f4", "alt+m", "f5"):
            await program.press("f2", "alt+m")
            await program.until(covered)
            await program.press(key)
            await program.until(free)
        await program.until(lambda: calls.exchange is not None)
        await program.press("alt+m")
        await program.until(covered)
        calls.running = Running(explorer, "sending", "demo.slow")  # a running call is on screen before it ends
        assert free()
        assert explorer.remembered.docs == ""


@pytest.mark.thorough
async def test_docs_follow_the_list_and_example_chooses_method(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rpcexplorer.tui.call.layout.POINTER_PAUSE_SECONDS", 0.001)
    await discovered(explorer)

    async with open_program(explorer, profile="demo") as program:
        calls = program.calls

        def about() -> str:
            docs = calls.panes.docs
            return docs.page.method.name if docs is not None and docs.page.method is not None else ""

        calls.drafts.choose("demo.echo")
        await program.press("alt+m", "f2", *"orders.find")
        await program.until(lambda: about() == "demo.orders.find")
        assert calls.method == "demo.echo"
        await program.press("f3")
        await program.until(lambda: about() == "demo.echo")
        calls.drafts.choose("demo.orders.place")
        assert about() == "demo.echo"  # the params come first
        await program.until(lambda: about() == "demo.orders.place")
        calls.drafts.choose("demo.echo")
        await program.until(lambda: about() == "demo.echo")
        await program.press("f2", "down")
        await program.until(lambda: about() != "demo.echo")
        await program.press("f2", *"orders.place")
        await program.until(lambda: about() == "demo.orders.place")
        await program.press("alt+m", "n")
        assert calls.panes.docs is not None
        page = calls.panes.docs.page
        hints = [command.words for _, command in calls.query_one(Footer)._possible()]
        assert hints[:2] == ["next example", "load"]
        await program.press("enter")
        await program.until(lambda: calls.method == "demo.orders.place" and "tea-01" in calls.params.text)
        assert calls.params.has_focus_within
        hostile, echo = ExampleCall("", ["«demo.password»", "{{uuid}}"]), Method("demo.echo")
        page.post_message(DocsSheet.ExampleTaken(echo, hostile))
        await program.until(lambda: "demo.password" in calls.params.text)
        assert json.loads(calls.params.text) == hostile.params
        assert "«" not in calls.params.text  # or it would be resolved
        assert "{{" not in calls.params.text


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
async def test_side_by_side_is_remembered_if_it_fits(
    explorer: Explorer, make_explorer: Callable[..., Explorer]
) -> None:
    async with open_program(explorer, profile="demo", size=WIDE) as program:
        calls = program.calls
        await program.until(lambda: are_stacked(calls))
        await program.press("alt+s")
        await program.until(lambda: are_side_by_side(calls))
        assert not calls.check_action("taller", ())
        await program.resize_terminal(179, 50)
        await program.until(lambda: are_stacked(calls))
        assert calls.check_action("taller", ())
        await program.resize_terminal(*WIDE)
        await program.until(lambda: are_side_by_side(calls))
    async with open_program(make_explorer(""), profile="demo", size=WIDE) as program:
        await program.until(lambda: are_side_by_side(program.calls))
        await program.press("alt+s")
        await program.until(lambda: are_stacked(program.calls))
    async with open_program(make_explorer(""), profile="demo", size=WIDE) as program:
        await program.until(lambda: are_stacked(program.calls))


@pytest.mark.parametrize(
    ("lines", "height", "response"),
    [(1, 24, 6), (3, 24, 6), (4, 24, 7), (9, 24, 12), (99, 24, 13), (20, 60, 23), (99, 60, 31)],
)
async def test_params_are_as_high_as_their_text(explorer: Explorer, lines: int, height: int, response: int) -> None:
    async with open_program(explorer, profile="demo", size=(120, height)) as program:
        await program.write("demo.echo", "\n".join(["[1", *[",2"] * (lines - 1)]) + "]")
        await program.rest()
        assert " Response " in program.text.splitlines()[response]


async def test_height_of_params_follows_typed_lines(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(120, 30)) as program:

        def response() -> int:
            return next(at for at, line in enumerate(program.text.splitlines()) if " Response " in line)

        await program.write("demo.echo", "[1,\n2,\n3]")
        await program.press("f3", "ctrl+end")
        assert response() == 6
        await program.press("enter", "enter")
        await program.until(lambda: response() == 8)
        await program.press("alt+down")
        await program.until(lambda: response() == 9)
        await program.press("enter")
        await program.rest()
        assert response() == 9, "the user has set the height"
        await program.press("alt+down", "alt+up", "alt+up", "alt+down")
        assert explorer.remembered.params_share is None, "the height follows the text again"


async def test_height_of_params_is_the_same_share_of_another_terminal(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo", size=(120, 30)) as program:
        await program.press("f3", *["alt+down"] * 4)
        params = program.calls.params
        assert params.size.height == 9
        for lines, height in ((60, 18), (24, 7), (30, 9)):
            await program.resize_terminal(120, lines)
            await program.until(lambda height=height: params.size.height == height)  # type: ignore[misc]
