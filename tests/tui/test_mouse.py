"""What the mouse does: clicks on hints, on the header, outside a dialog; double clicks; dividers."""

from __future__ import annotations

import pytest
from textual import events

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.answers import AnswerDialog
from rpcexplorer.tui.commands import COMMANDS, key_of, spelled
from rpcexplorer.tui.profiles import ProfilesScreen
from tests.tui.program import Program, open_program
from tests.tui.test_events import event, receive


def place_of(program: Program, text: str) -> tuple[int, int]:
    """Return the cell in which a text begins on the screen."""
    for y, line in enumerate(program.text.splitlines()):
        if text in line:
            return line.index(text), y
    raise AssertionError(text)


async def click(program: Program, text: str, times: int = 1) -> None:
    assert await program.click(offset=place_of(program, text), times=times)
    await program.pause()


async def drag(program: Program, start: tuple[int, int], end: tuple[int, int]) -> None:
    await program.mouse_down(offset=start)
    await program._post_mouse_events([events.MouseMove], offset=end, button=1)
    await program.mouse_up(offset=end)
    await program.pause()


async def test_slow_second_click_changes_no_profile(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = await program.profiles()
        row = place_of(program, "prod")
        for _ in range(2):
            await program.click(offset=row)
            program.app._click_chain_last_time = None  # as after two seconds
        await program.pause()
        assert program.app.screen is screen
        assert explorer.profile is not None
        assert explorer.profile.name == "demo"
        await program.click(offset=row, times=2)
        await program.until(lambda: explorer.profile is not None and explorer.profile.name == "prod")


async def test_click_on_the_header_opens_the_profiles(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.click(offset=(3, 0))
        await program.on(ProfilesScreen)


async def test_click_on_the_key_of_a_pane_presses_it(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await click(program, "F2")
        assert program.calls.methods.has_focus_within
        await click(program, "F4")
        assert program.calls.response.has_focus_within


async def test_click_on_the_key_of_a_dialog_presses_it(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f1")
        await program.sees("m manual")
        await click(program, "m manual")
        await program.sees("Calls, params and responses")


async def test_click_outside_closes_a_dialog(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("ctrl+p")
        await program.sees("Command palette")
        await program.click(offset=(1, 20))
        await program.misses("Command palette")
        assert program.app.screen is program.calls


async def test_click_outside_loses_no_typed_text(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f7", "a", *"http://a")
        await program.click(offset=(1, 20))
        await program.sees("Add a profile", "http://a")
        await program.press("ctrl+u", "backspace", *["backspace"] * 9)
        await program.press("escape")
        await program.misses("Add a profile")


async def test_dividers_of_the_call_are_dragged(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        edge = program.calls.methods.region.right - 1
        await drag(program, (edge, 10), (edge + 9, 10))
        assert program.calls.methods.region.right - 1 == edge + 9
        assert explorer.remembered.methods_width == edge + 10
        top = program.calls.response.region.y
        await drag(program, (80, top), (80, top + 4))
        assert program.calls.response.region.y == top + 4


async def test_divider_of_a_list_is_dragged(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        screen = await program.profiles()
        edge = screen.query_one("#main").region.right - 1
        await drag(program, (edge, 10), (edge - 12, 10))
        assert screen.query_one("#main").region.right - 1 == edge - 12


@pytest.mark.parametrize("key", sorted({key for command in COMMANDS for key in command.keys.split(",") if key}))
def test_key_of_a_hint_is_the_key(key: str) -> None:
    assert key_of(spelled(key)) == key


@pytest.mark.parametrize("shown", ["↑↓", "cancel", "143"])
def test_other_words_of_a_hint_are_no_key(shown: str) -> None:
    assert key_of(shown) == ""


async def test_click_on_the_hint_of_a_question_answers(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        receive(explorer, event("ask", kind="request", id=b"1"))
        await program.sees("ask waits for your answer")
        await click(program, "waits for your answer")
        assert not isinstance(program.app.screen, AnswerDialog)
        await click(program, "Enter answer")
        await program.on(AnswerDialog)
