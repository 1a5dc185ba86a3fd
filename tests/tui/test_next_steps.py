"""Failures and empty views name the next step."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.client.report import Check, Report
from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.advice import Advice
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.connection_test import ConnectionTest
from rpcexplorer.tui.profiles import ProfilesScreen
from tests.tui.visiting import asked, names, notices, on, on_view, profiles, run_test, visit
from tests.tui.waiting import until


@pytest.mark.parametrize("has_hint", [True, False])
def test_failed_login_names_the_next_step(
    has_hint: bool, make_explorer: Callable[..., Explorer], service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = make_explorer(
        f'[profile.c]\nurl = "{service}"\nauth = {{ kind = "cookie", username = "demo" }}\n', RPCEXPLORER_C_PASSWORD="x"
    )
    if not has_hint:
        monkeypatch.setattr(Advice, "offer", lambda *_: None)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("f8")
        await until(pilot, lambda: calls.exchange is not None and not calls.running)
        await pilot.pause()
        hint = "".join(text for text, _ in (calls.offered.words if calls.offered else ()))
        if has_hint:
            source = "The password comes from the environment variable RPCEXPLORER_C_PASSWORD. Correct or unset it."
            assert hint == f"F8 enter the password of c and resend   The server rejected the password. {source}"
            assert notices(app) == ""
            await pilot.press("f8")
            await until(pilot, lambda: "Log in to c?" in on_view(app))
        else:
            assert "Login failed. To use other credentials, press ^P and type “switch user”." in notices(app)

    visit(explorer, scene, profile="c")


def test_discovery_without_methods_names_the_next_step(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def discover(*_: object, **__: object) -> Discovery:
        sentences = ("rpc.discover: not offered (-32601)", "The server does not list its methods.")
        return Discovery(datetime(2026, 1, 1, tzinfo=UTC), (), sentences)

    monkeypatch.setattr(Explorer, "discover", discover)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], _: CallScreen) -> None:
        await pilot.press("f9")
        first = "The server does not list its methods. To test the connection, press Alt+t."
        await until(pilot, lambda: notices(app) == f"{first}\nrpc.discover: not offered (-32601)")

    visit(explorer, scene)


@pytest.mark.parametrize(
    ("discovery", "notice"),
    [
        ('{ file = "api.json" }', "api.json: 0 methods (OpenRPC 1.3.2)."),
        ('"none"', 'Discovery is off: profile c has discovery = "none". You can still type and call any method.'),
    ],
)
def test_discovery_that_sends_nothing_suggests_no_test(
    make_explorer: Callable[..., Explorer], tmp_path: Path, discovery: str, notice: str
) -> None:
    made = make_explorer(f'[profile.c]\nurl = "http://127.0.0.1:9"\ndiscovery = {discovery}\n')
    (tmp_path / "work" / "api.json").write_text('{"openrpc": "1.3.2", "methods": []}')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], _: CallScreen) -> None:
        await pilot.press("f9")
        await until(pilot, lambda: bool(notices(app)))
        assert notices(app).removeprefix(f"{tmp_path / 'work'}/") == notice

    visit(made, scene, profile="c")


@pytest.mark.parametrize(
    ("check", "step"),
    [
        (
            Check("Name", "failed", "the host name was not resolved"),
            "Press Esc, check the URL and the server, then test again.",
        ),
        (Check("Start", "well", "The process runs."), "The profile needs no changes. Press Esc, then F5"),
    ],
)
def test_connection_test_without_proposal_names_the_next_step(
    explorer: Explorer, check: Check, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test(*_: object, **__: object) -> Report:
        return Report((check,))

    monkeypatch.setattr(Explorer, "test", test)

    async def scene(_: ExplorerApp, pilot: Pilot[Any], __: CallScreen) -> None:
        dialog: ConnectionTest = await run_test(pilot, "alt+t")
        assert step in asked(dialog)

    visit(explorer, scene)


def test_list_without_profiles_names_the_next_step(make_explorer: Callable[..., Explorer], service: str) -> None:
    explorer = make_explorer(f'[profile.c]\nurl = "{service}"\n')

    async def scene(app: ExplorerApp, pilot: Pilot[Any], _: CallScreen) -> None:
        screen: ProfilesScreen = await profiles(pilot, "c")
        await pilot.press("delete")
        await pilot.pause()
        await pilot.press("right", "enter")
        await until(pilot, lambda: names(screen) == [])
        await on(pilot, ProfilesScreen)
        assert "No profiles yet. Press a to add one." in on_view(app)

    visit(explorer, scene, profile="c")
