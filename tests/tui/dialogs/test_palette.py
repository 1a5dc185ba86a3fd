"""The palette finds a command by the word that somebody has for it, also one that cannot be done now."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.widgets.picker import Picker
from tests.tui.stage import text_of
from tests.tui.visiting import on, on_view, type_in, visit
from tests.tui.waiting import until

WORDS = {
    "reset": {"params.reset"},
    "save": {"keep-call", "response.save", "response.pipe"},
    "export": {"copy"},
    "undo": {"params.undo"},
    "redo": {"params.redo"},
    "repeat": {"send", "recent.again"},
    "compare": {"compare-profiles", "response.compare", "history"},
    "quit": {"quit"},
    "exit": {"quit"},
    "curl": {"copy"},
    "afresh": {"params.reset"},
}


async def found(pilot: Pilot[str], word: str) -> Picker:
    """The palette, with a word typed into it."""
    await pilot.press("ctrl+p")
    picker: Picker = await on(pilot, Picker)
    await type_in(pilot, word)
    await pilot.pause()
    return picker


@pytest.mark.everyday(1)
@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_people_search_for_finds_its_command(explorer: Explorer, word: str) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[str], calls: CallScreen) -> None:
        picker = await found(pilot, word)
        best = picker.list.items[0].pick
        assert best.id in WORDS[word]
        assert best.label in on_view(app)
        await pilot.press("escape")

    visit(explorer, scene)


@pytest.mark.thorough
def test_what_is_found_by_another_word_is_done(explorer: Explorer) -> None:
    async def scene(_: ExplorerApp, pilot: Pilot[str], calls: CallScreen) -> None:
        await found(pilot, "past calls")
        await pilot.press("enter")
        await on(pilot, HistoryScreen)

    visit(explorer, scene)


@pytest.mark.thorough
def test_what_cannot_be_done_now_is_found_and_said_to_be_so(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[str], calls: CallScreen) -> None:
        calls.choose("demo.echo")
        await pilot.press("ctrl+p")
        picker = await on(pilot, Picker)
        assert "params.undo" not in [item.pick.id for item in picker.list.items], "who only looks is not bothered"
        await type_in(pilot, "undo")
        await until(pilot, lambda: "not now" in text_of(picker.list))
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen is picker
        await pilot.press("escape")
        await on(pilot, CallScreen)
        calls.params.focus_inside()
        await pilot.press("end", "space")
        picker = await found(pilot, "undo")
        assert picker.list.items[0].pick.id == "params.undo"
        assert not picker.list.items[0].pick.idle
        before = calls.params.text
        await pilot.press("enter")
        await until(pilot, lambda: calls.params.text != before)

    visit(explorer, scene)


def test_no_command_is_called_by_what_nobody_would_type() -> None:
    from rpcexplorer.tui.commands import COMMANDS

    told = " ".join(f"{command.words} {command.help}" for command in COMMANDS)
    for words in ("afresh", "Take the last change", "Make it again"):
        assert words not in told
