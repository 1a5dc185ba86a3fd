"""The first start without a profile: the demo, a form, and the files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from textual.widgets import Static

from rpcexplorer.cli.run import at_address
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import Help
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.profiles import ProfilesScreen, Ways, Welcome
from rpcexplorer.tui.widgets.rows import Sheet
from tests.history.recording import exchange
from tests.tui.program import open_program
from tests.tui.stage import Stage, text_of
from tests.tui.visiting import on, page, shown
from tests.tui.waiting import until

Make = Callable[..., Explorer]


def welcome(
    *keys: str, size: tuple[int, int] = (80, 24), problem: str = "", back: bool = False
) -> tuple[list[Any], str]:
    """Open the screen and press keys; return its answers and its text."""
    answers: list[Any] = []
    said: list[str] = []

    async def run() -> None:
        stage = Stage(Static("below"))
        async with stage.run_test(size=(80, 24)) as pilot:
            stage.push_screen(
                Welcome(
                    [problem] if problem else [],
                    lambda typed: Profile("url", typed) if typed.startswith("http") else Problem("", "must be right"),
                    back=back,
                ),
                answers.append,
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
    [
        (("down", "enter"), "demo"),
        (("ctrl+t",), "demo"),
        (("down", "down", "enter"), "add"),
        (("f7",), "add"),
        (("down", "end", "enter"), "quit"),
        (("down", "up", "down", "enter"), "demo"),
    ],
)
def test_each_choice_has_a_key(keys: tuple[str, ...], way: str) -> None:
    assert welcome(*keys)[0] == [way]


def test_screen_shows_choices_and_problems() -> None:
    _, said = welcome("ctrl+t", problem="sessions.toml:3: \x1b[31m [/] must be text")
    for words in ("Try the demo service", "Add a profile", "sessions.toml:3: ␛[31m [/]"):
        assert words in said


def test_typed_address_is_the_answer() -> None:
    assert welcome(*"http://a/b", "enter")[0] == [Profile("url", "http://a/b")]


def test_escape_returns_to_an_earlier_screen() -> None:
    assert welcome("escape", back=True)[0] == ["back"]


async def test_address_opens_the_explorer(make_explorer: Make) -> None:
    made = make_explorer("")

    async with open_program(made) as program:
        screen = await program.on(Welcome)
        await program.press("enter")
        assert "Type a URL first" in shown(screen)
        await program.press(*"localhost", "enter")
        assert "The URL must begin with http:// or https://." in shown(screen)
        await program.type_in("http://127.0.0.1:9/a b")
        await program.press("enter")
        assert 'The path of the URL must be text such as "/api/v2/", without spaces or #.' in shown(screen)
        await program.type_in("http://127.0.0.1:9")
        assert "Calls go to http://127.0.0.1:9/api/v2/" in shown(screen)
        await program.type_in("127.0.0.1:9/rpc")
        assert "Calls go to http://127.0.0.1:9/rpc" in shown(screen)
        await program.press("enter")
        await program.on(CallScreen)
    assert made.profile == at_address("http://127.0.0.1:9/rpc")


async def test_help_lists_the_history_without_a_profile(make_explorer: Make) -> None:
    async with open_program(make_explorer("")) as program:
        await program.on(Welcome)
        await program.press("f1")
        listed = "".join(text for line in (await program.on(Help)).query_one(Sheet).lines for text, _ in line)
        assert "Find and run any command" in listed
        assert "recorded calls" in listed


@pytest.mark.thorough
async def test_first_profile_is_added_used_and_kept(make_explorer: Make, tmp_path: Path) -> None:
    made = make_explorer("")

    async with open_program(made) as program:
        await program.on(Welcome)
        await program.press("f7")
        await program.on(ProfileForm)
        await program.type_in("first")
        await program.press("enter")
        await program.type_in("https://first.example.com")
        await program.press("ctrl+s")
        screen = await program.on(ProfilesScreen)
        await program.until(lambda: "https://first.example.com" in page(screen))
        await program.press("enter")
        await program.on(CallScreen)
    assert made.profile is not None
    assert made.profile.name == "first"
    assert "[profile.first]" in (tmp_path / "home" / "config" / "sessions.toml").read_text()


@pytest.mark.thorough
async def test_cancelled_form_returns_to_the_welcome_screen(make_explorer: Make) -> None:
    async with open_program(make_explorer("")) as program:
        await program.on(Welcome)
        await program.press("f7")
        await program.on(ProfileForm)
        await program.press("escape")
        await program.until(lambda: isinstance(program.app.screen, Welcome))


@pytest.mark.thorough
async def test_several_profiles_without_default_need_a_choice(make_explorer: Make) -> None:
    made = make_explorer('[profile.one]\nurl = "https://one"\n[profile.two]\nurl = "https://two"\n')

    async with open_program(made) as program:
        await program.on(ProfilesScreen)
        await program.press("escape", "down", "enter")
        await program.on(CallScreen)
    assert made.profile is not None
    assert made.profile.name == "two"


def recorded(make_explorer: Make, profile: str, profiles: str) -> Explorer:
    """Return an explorer that uses no profile, and has recorded a call of this one."""
    explorer = make_explorer(profiles)
    explorer.history.append(replace(exchange(1, method="report.run"), profile=profile))
    return explorer


async def test_history_without_a_profile_brings_profile_and_call(make_explorer: Make) -> None:
    two = "".join(f'[profile.{name}]\nurl = "http://127.0.0.1:9/{name}"\n' for name in ("one", "two"))
    explorer = recorded(make_explorer, "two", two)

    async with open_program(explorer) as program:
        await program.on(ProfilesScreen)
        await program.press("f6")
        await program.on(HistoryScreen)
        await program.until(lambda: "report.run" in program.text)
        await program.press("enter")
        calls: CallScreen = await program.on(CallScreen)
        await program.until(lambda: calls.method == "report.run")
        assert explorer.profile is not None
        assert explorer.profile.name == "two"


async def test_history_without_any_profile_names_the_missing_one(make_explorer: Make) -> None:
    explorer = recorded(make_explorer, "gone", "")

    async with open_program(explorer) as program:
        await program.on(Welcome)
        await program.press("f6")
        await program.on(HistoryScreen)
        await program.until(lambda: "report.run" in program.text)
        await program.press("enter")
        await program.on(Welcome)
        await program.until(lambda: bool(program.notices))
        assert program.notices == "! The profile gone cannot be used. Choose or add one, then load the call."
