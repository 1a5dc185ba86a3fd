"""Letters are commands in lists, but none of them sends, starts or deletes; one that is no command says so."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from msgspec.structs import replace

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.commands import COMMANDS, Command
from rpcexplorer.tui.history import HistoryScreen
from tests.history.recording import exchange
from tests.tui.program import open_program
from tests.tui.test_dead_keys import KEYS, screen_of


def one_letter_keys(command: Command) -> list[str]:
    return [key for key in command.keys.split(",") if len(key) == 1]


HARMLESS: Final = re.compile(
    r"Add|Answer (?:this|the) request|Close|Compare|Copy|Edit|Enter|Export|Fold|Give|Go|Load|Make|Mark"
    r"|Move|Open|Save|Search|Show|Sort|Stop|Switch|Unfold|Use|Wrap|Write|Filter|Cancel"
)
"""The first words of helps whose commands may have a letter; those to add, edit, enter and answer open a form."""
HARMFUL: Final = re.compile(r"\b(?:and|or) (?:resend|send|replay|start|delete|remove)\b")
LETTER_COMMANDS: Final = [command for command in COMMANDS if any(map(str.isalpha, one_letter_keys(command)))]


@pytest.mark.parametrize("command", LETTER_COMMANDS, ids=lambda command: command.id)
def test_letter_never_sends_starts_or_deletes(command: Command) -> None:
    assert HARMLESS.match(command.help), "name the first word above if it sends, starts and deletes nothing"
    assert not HARMFUL.search(command.help)


async def test_typed_word_in_history_sends_nothing(explorer: Explorer) -> None:
    record(explorer)
    async with open_program(explorer, profile="demo") as program:
        await program.press("f6")
        screen = await program.on(HistoryScreen)
        await program.press("r")
        assert program.notices == "Letters are commands here: press / to filter."
        await program.press(*"eRr")
        assert program.app.screen is screen
        assert program.calls.running is None
        assert len(explorer.history.newest(9)) == 1


@pytest.mark.parametrize(("key", "shown"), [("ctrl+f", "^F"), ("ctrl+s", "^S"), ("f11", "F11"), ("alt+z", "Alt+z")])
async def test_key_without_a_command_says_so_in_the_editor(key: str, shown: str, explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f3", key)
        await program.sees(f"{shown} is not a command here: press F1 to list the keys.")


async def test_letter_names_the_key_that_searches(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.calls.exchange = exchange(profile="demo")
        await program.press("f4", "x")
        assert program.notices == "Letters are commands here: press / to search."
        await program.press("f7", "x")
        assert program.notices == "Letters are commands here: press / to find."
        await program.press("escape", "alt+l", "x")
        assert program.notices == "Letters are commands here: press F1 to list them."


@pytest.mark.parametrize(
    "scope", ["history", "comparison", "replay", "checks", "statistics", "events", "profiles", "batch", "manual"]
)
async def test_q_leaves_the_screen(scope: Any, explorer: Explorer) -> None:
    record(explorer)
    async with open_program(explorer, profile="demo") as program:
        await program.press(*KEYS[scope])
        if not KEYS[scope]:
            program.app.push_screen(screen_of(scope, program.app))
        await program.rest()
        assert program.app.screen is not program.calls
        await program.until(lambda: not getattr(program.app.screen, "stop", None))
        await program.press("q")
        assert program.app.screen is program.calls


async def test_letter_of_the_keymap_resends(explorer: Explorer) -> None:
    explorer.settings = replace(explorer.settings, keymap={"history.again": "r"})
    record(explorer)
    async with open_program(explorer, profile="demo") as program:
        await program.press("f6")
        await program.on(HistoryScreen)
        await program.sent("r")
        assert len(explorer.history.newest(9)) == 2


async def test_letter_of_the_keymap_is_taken_from_the_list(explorer: Explorer) -> None:
    explorer.settings = replace(explorer.settings, keymap={"history.mark": "G"})
    record(explorer)
    async with open_program(explorer, profile="demo") as program:
        await program.press("f6")
        await program.on(HistoryScreen)
        await program.press("G")
        assert "1 marked" in program.words


def record(explorer: Explorer) -> None:
    explorer.use("demo")
    assert explorer.profile is not None
    explorer.journal.record(exchange(profile="demo", method="ping", params="[]"), explorer.profile)


@pytest.mark.parametrize(("key", "shown"), [("plus", "+"), ("colon", ":"), ("space", "Space")])
async def test_sign_without_a_command_says_so_in_a_list(key: str, shown: str, explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f7", key)
        await program.sees(f"{shown} is not a command here: press F1 to list the keys.")
