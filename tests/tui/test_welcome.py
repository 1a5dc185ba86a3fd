"""The first start: somebody without a profile is offered the demo, a form, and where the files are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.profiles import ProfilesScreen, Ways, Welcome
from tests.tui.stage import Stage, text_of
from tests.tui.visiting import on, page, shown, tell, type_in
from tests.tui.waiting import until

Make = Callable[..., Explorer]


def welcome(*keys: str, size: tuple[int, int] = (80, 24), problem: str = "") -> tuple[list[Any], str]:
    """Open it, press keys; its answers, and what it said."""
    answers: list[Any] = []
    said: list[str] = []

    async def run() -> None:
        stage = Stage(Static("below"))
        async with stage.run_test(size=size) as pilot:
            stage.push_screen(
                Welcome([("settings", "/home/ada/settings.toml")], [problem] if problem else []), answers.append
            )
            screen = await on(pilot, Welcome)
            said.append(text_of(screen.query_one(Ways)) + shown(screen))
            assert "\x1b" not in stage.export_screenshot()
            await pilot.press(*keys)
            await until(pilot, lambda: bool(answers))

    asyncio.run(run())
    return answers, said[0]


@pytest.mark.parametrize(
    ("keys", "way"),
    [(("enter",), "demo"), (("d",), "demo"), (("down", "enter"), "add"), (("a",), "add"), (("end", "enter"), "quit")],
)
def test_each_way_has_a_key_and_can_be_chosen(keys: tuple[str, ...], way: str) -> None:
    assert welcome(*keys)[0] == [way]


def test_it_says_what_to_do_where_the_files_are_and_what_is_wrong_with_them() -> None:
    _, said = welcome("enter", problem="sessions.toml:3: \x1b[31m [/] must be text")
    for words in ("Try the demo service", "Add a profile", "/home/ada/settings.toml", "sessions.toml:3: ␛[31m [/]"):
        assert words in said


@pytest.mark.thorough
def test_the_first_profile_is_added_used_and_kept(make_explorer: Make, tmp_path: Path) -> None:
    made = make_explorer("")

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await on(pilot, Welcome)
        await pilot.press("a")
        await on(pilot, ProfileForm)
        await type_in(pilot, "first")
        await pilot.press("enter")
        await type_in(pilot, "https://first.example.com")
        await pilot.press("ctrl+s")
        screen = await on(pilot, ProfilesScreen)
        await until(pilot, lambda: "https://first.example.com" in page(screen))
        await pilot.press("enter")
        await on(pilot, CallScreen)

    tell(made, story)
    assert made.profile is not None
    assert made.profile.name == "first"
    assert "[profile.first]" in (tmp_path / "home" / "config" / "sessions.toml").read_text()


@pytest.mark.thorough
def test_who_leaves_the_form_is_back_at_the_welcome(make_explorer: Make) -> None:
    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await on(pilot, Welcome)
        await pilot.press("a")
        await on(pilot, ProfileForm)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, Welcome))

    tell(make_explorer(""), story)


@pytest.mark.thorough
def test_with_several_profiles_and_no_default_one_is_chosen_first(make_explorer: Make) -> None:
    made = make_explorer('[profile.one]\nurl = "https://one"\n[profile.two]\nurl = "https://two"\n')

    async def story(_: ExplorerApp, pilot: Pilot[str]) -> None:
        await on(pilot, ProfilesScreen)
        await pilot.press("escape", "down", "enter")
        await on(pilot, CallScreen)

    tell(made, story)
    assert made.profile is not None
    assert made.profile.name == "two"
