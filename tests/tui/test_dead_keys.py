"""A key whose command is not possible says why, once; text that is typed never does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import pytest
from textual.screen import Screen

from rpcexplorer.checks.run import Check
from rpcexplorer.client.replay import Replayed
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.expectation import Expectation
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.method import SavedCall
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.checks import ChecksScreen
from rpcexplorer.tui.commands import COMMANDS, WHY_NOT, Commanded, Scope, commands_of, spelled
from rpcexplorer.tui.compare import ComparisonScreen
from rpcexplorer.tui.events import EventsScreen
from rpcexplorer.tui.replay import ReplayScreen
from rpcexplorer.tui.statistics import StatisticsScreen
from rpcexplorer.tui.widgets.inputs import InOrder
from tests.history.recording import exchange
from tests.tui.program import open_program

KEYS: Final[dict[Scope, tuple[str, ...]]] = {
    "everywhere": ("f4",),
    "call": ("f4",),
    "methods": ("f2",),
    "recent": ("f2", "tab"),
    "params": ("f3",),
    "docs": ("alt+m",),
    "response": ("f4",),
    "table": ("f4",),
    "history": ("f6",),
    "profiles": ("f7",),
    "batch": ("alt+l",),
    "form": ("alt+e",),
    "manual": ("f1", "m"),
    "comparison": (),
    "replay": (),
    "checks": (),
    "statistics": (),
    "events": (),
    "lists": ("f4",),
}
"""The keys from the call screen to each scope; without keys, its screen is pushed."""
TAKEN_BY_FIELD: Final = frozenset({"params.undo", "params.redo", "params.form-next"})
"""The editor does these itself."""


def screen_of(scope: Scope, app: ExplorerApp) -> Screen[Any]:
    explorer, pending, frame = app.explorer, app.pending, app.navigation._frame()
    profile, one = explorer.profile, exchange(profile="demo")
    assert profile is not None

    async def replay(_: Stop) -> AsyncIterator[Replayed]:
        yield Replayed(one, one, None, "same")

    match scope:
        case "comparison":
            return ComparisonScreen(explorer, one, one, pending, frame)
        case "replay":
            return ReplayScreen(explorer, "Replay", replay, pending, frame, names=["ping"])
        case "checks":
            check = Check(SavedCall("ping", "ping"), Expectation(), profile)
            return ChecksScreen(explorer, [check], pending, frame)
        case "statistics":
            return StatisticsScreen(explorer, HistoryFilter(), pending, frame)
    assert app.calls is not None
    return EventsScreen(explorer, profile, app.calls.connections, pending, frame, connect=lambda: None)


@pytest.mark.everyday(5)
@pytest.mark.parametrize("scope", KEYS)
async def test_dead_key_says_once_why(scope: Scope, explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.exchange = exchange(profile="demo")
        calls.methods.recent = [exchange(profile="demo")]
        calls.drafts.choose("ping")
        await program.pause()
        await program.press(*KEYS[scope])
        if not KEYS[scope]:
            program.app.push_screen(screen_of(scope, program.app))
        await program.pause()
        owner = program.app._scoped()[scope]
        assert isinstance(owner, Commanded)
        for command in commands_of(scope):
            for state in command.needs.split():
                owner.has(state)  # Every state is known.
                if not command.keys or command.id in TAKEN_BY_FIELD:
                    continue
                screen = program.app.screen
                program.app.clear_notifications()
                with monkeypatch.context() as patched:
                    patched.setattr(owner, "has", lambda asked, state=state: asked != state)
                    await program.press(command.keys.partition(",")[0])
                    await program.pause()
                assert program.notices == WHY_NOT[state], command.id
                assert program.app.screen is screen


LETTERS: Final = [
    key
    for command in COMMANDS
    for key in command.keys.split(",")
    if (len(spelled(key)) == 1 and key not in {"up", "down"}) or key == "space"
]
"""The keys of all commands that are text in a field."""


@pytest.mark.parametrize(
    "keys",
    [("f2",), ("f3",), ("f4", "slash"), ("f6", "slash"), ("alt+e", "plus", "enter"), ("ctrl+p",), ("f1", "m", "slash")],
    ids=["methods", "params", "search", "history", "form", "palette", "manual"],
)
async def test_typed_text_makes_no_notice(keys: tuple[str, ...], explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        program.calls.drafts.choose("ping")
        program.calls.exchange = exchange(profile="demo")
        await program.press(*keys)
        await program.pause()
        await program.press(*dict.fromkeys(LETTERS))
        await program.pause()
        assert isinstance(program.app.focused, InOrder)
        assert program.notices == ""


async def test_reason_replaces_that_of_the_key_before(explorer: Explorer) -> None:
    async with open_program(explorer, profile="demo") as program:
        await program.press("f4", "d", "u", "o")
        await program.pause()
        assert program.notices == WHY_NOT["filtered"]
