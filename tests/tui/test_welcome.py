"""The first start without a profile: the demo, a form, and the files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from rpcexplorer.cli.run import at_address
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import Profile
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.dialogs import Help
from rpcexplorer.tui.history import HistoryScreen
from rpcexplorer.tui.profile_form import ProfileForm
from rpcexplorer.tui.profiles import ProfilesScreen, Welcome
from tests.history.recording import exchange
from tests.tui.program import open_program
from tests.tui.stage import OneScreen, showing

Make = Callable[..., Explorer]


@asynccontextmanager
async def opened(problem: str = "", *, back: bool = False) -> AsyncIterator[OneScreen]:
    """Open the screen."""

    def profile(typed: str) -> Profile | Problem:
        return Profile("url", typed) if typed.startswith("http") else Problem("", "must be right")

    welcome = Welcome([problem] if problem else [], profile, back=back)
    async with showing(OneScreen, welcome, (80, 24)) as program:
        yield program


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (("down", "enter"), "demo"),
        (("ctrl+t",), "demo"),
        (("down", "down", "enter"), "add"),
        (("f7",), "add"),
        (("down", "down", "down", "enter"), "test"),
        ((*"http", "alt+t"), "test"),
        (("down", "end", "enter"), "quit"),
        (("down", "up", "down", "enter"), "demo"),
        (("escape",), "back"),
        ((*"http://a/b", "enter"), Profile("url", "http://a/b")),
    ],
)
async def test_each_choice_has_a_key(keys: tuple[str, ...], answer: object) -> None:
    async with opened(back=answer == "back") as program:
        await program.press(*keys)
        await program.until(lambda: program.answers == [answer])


async def test_screen_shows_choices_and_problems() -> None:
    async with opened("sessions.toml:3: \x1b[31m [/] must be text") as program:
        await program.sees("Try the demo service", "Add a profile", "sessions.toml:3: ␛[31m [/]")
        assert "\x1b" not in program.app.export_screenshot()


async def test_address_opens_the_explorer(make_explorer: Make) -> None:
    made = make_explorer("")
    async with open_program(made) as program:
        await program.on(Welcome)
        await program.press("enter")
        await program.sees("Type a URL first")
        await program.press(*"localhost", "enter")
        await program.sees("The URL must begin with http:// or https://.", "stdio:COMMAND")
        await program.type_in("http://127.0.0.1:9/a b")
        await program.press("enter")
        await program.sees('The path of the URL must be text such as "/api/v2/", without spaces or #.')
        await program.type_in("http://127.0.0.1:9")
        await program.sees("Calls go to http://127.0.0.1:9/api/v2/")
        await program.type_in("127.0.0.1:9/rpc")
        await program.sees("Calls go to http://127.0.0.1:9/rpc")
        await program.press("enter")
        await program.on(CallScreen)
    assert made.profile == at_address("http://127.0.0.1:9/rpc")


async def test_help_lists_the_history_without_a_profile(make_explorer: Make) -> None:
    async with open_program(make_explorer("")) as program:
        await program.on(Welcome)
        await program.press("f1")
        await program.on(Help)
        assert "Find and run any command" in program.page
        assert "recorded calls" in program.page


@pytest.mark.thorough
async def test_first_profile_is_added_used_and_kept(make_explorer: Make, tmp_path: Path) -> None:
    made = make_explorer("")
    async with open_program(made) as program:
        await program.on(Welcome)
        await program.press("f7")
        await program.on(ProfileForm)
        await program.type_in("https://first.example.com")
        await program.press("enter")
        await program.sees("Discover the methods of first?")
        await program.press("escape")
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
        await program.sees("report.run")
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
        await program.sees("report.run")
        await program.press("enter")
        await program.on(Welcome)
        await program.until(lambda: bool(program.notices))
        assert program.notices == "! The profile gone cannot be used. Choose or add one, then load the call."
