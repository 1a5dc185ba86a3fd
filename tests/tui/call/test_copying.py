"""Copying a shown call in a format, onto the clipboard or into a file."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.rpc.messages import Result
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.copying import CopyPicker, _call_form, copy_comparison_report
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.widgets.dialog import Ask
from tests.text.exchanges import exchange
from tests.tui.call.test_saving import with_reply
from tests.tui.visiting import burst, notices, on, type_in
from tests.tui.waiting import until


async def copied(pilot: Pilot[Any], *pressed: str) -> str:
    """Return the clipboard after these keys."""
    pilot.app.copy_to_clipboard("")
    await pilot.press(*pressed)
    await until(pilot, lambda: bool(pilot.app.clipboard))
    return pilot.app.clipboard


@pytest.mark.thorough
def test_key_copies_the_report_and_choice_saves_it(explorer: Explorer, tmp_path: Path) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert calls.exchange is not None
        ticket = await copied(pilot, "M")
        assert ticket.startswith("## `demo.echo`: result\n")
        assert f"- Id: `{calls.exchange.id}`" in ticket
        assert PASSWORD not in ticket
        await until(pilot, lambda: "the report of demo.echo" in notices(app))
        assert "1 secret replaced" in notices(app)
        await copied(pilot, "M")
        await pilot.pause()
        assert notices(app).count("the report") == 1, "a repeated notice replaces the first"
        await burst(pilot, "y", *"request", "ctrl+s")  # the keys wait for the menu
        await on(pilot, Ask)
        await type_in(pilot, str(tmp_path / "request.http"))
        await pilot.press("enter")
        await until(pilot, lambda: "Saved the request" in notices(app))
        assert (tmp_path / "request.http").read_text().startswith("POST /api/v2/ HTTP/1.1\nHost: ")
        assert (tmp_path / "request.http").read_text().endswith("}")
        assert (tmp_path / "request.http").stat().st_mode & 0o777 == 0o600

    with_reply(explorer, scene, profile="inline")


def test_save_without_a_choice_still_copies_later(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await pilot.press("y")
        await on(pilot, CopyPicker)
        await pilot.press(*"zz", "ctrl+s", "backspace", "backspace", *"curl")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Ask) or bool(app.clipboard))
        assert app.clipboard.startswith("curl ")

    with_reply(explorer, scene)


@pytest.mark.thorough
def test_report_of_two_calls_hides_ignored_values(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        left = calls.exchange
        calls.params.replace('{"b": 1.10, "a": "y", "c": 1}')
        await pilot.press("f5")
        await until(pilot, lambda: calls.exchange is not left and not calls.running)
        assert left is not None
        app.copy_to_clipboard("")
        assert calls.exchange is not None
        calls.run_worker(copy_comparison_report(calls, app.explorer, left, calls.exchange, ("/c",)))
        await until(pilot, lambda: bool(app.clipboard))
        assert (
            "\n- Compared: `1 member differs, 1 value was ignored, 1 redacted value was not compared`\n"
            in app.clipboard
        )
        assert PASSWORD not in app.clipboard
        await until(pilot, lambda: "the report of both calls" in notices(app))
        assert "1 secret replaced" in notices(app)

    with_reply(explorer, scene, profile="inline")


@pytest.mark.thorough
def test_copied_call_of_another_user_names_no_credential(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert calls.exchange is not None
        for theirs in (
            replace(calls.exchange, foreign=True, url="http://theirs.example.com/rpc"),
            replace(calls.exchange, writer="eve@host", url="http://theirs.example.com/rpc"),
        ):
            calls.exchange = theirs
            for key, form in (
                ("f10", "curl"),
                ("y", "Python"),
                ("f10", "HTTPie"),
                ("y", "an rpcexplorer"),
                ("f10", "the req"),
            ):
                text = await copied(pilot, key, *form.replace(" ", ""), "enter")
                assert "theirs.example.com" in text
                assert "RPCEXPLORER_" not in text
                assert "--auth" not in text
                assert "-p inline" not in text
            await until(pilot, lambda: "Someone else recorded this call" in notices(app))

    with_reply(explorer, scene, profile="inline")


@pytest.mark.thorough
def test_copied_draft_names_no_variable_bound_elsewhere(explorer: Explorer) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        profile = explorer.profiles.profiles["inline"]
        explorer.use(replace(profile, path="/log"))
        calls.exchange = None
        await burst(pilot, "f10", *"curl", "enter")
        await until(pilot, lambda: "rpcexplorer profiles allow inline" in notices(app))
        assert pilot.app.clipboard == ""
        explorer.use(profile)
        assert "RPCEXPLORER_INLINE_PASSWORD" in await copied(pilot, "f10", *"curl", "enter")

    with_reply(explorer, scene, profile="inline")


def test_refused_copy_announces_no_default_settings(explorer: Explorer) -> None:
    sentences: list[str] = []
    screen: Any = SimpleNamespace(notify=lambda sentence, **_: sentences.append(sentence))
    call = exchange(Result(b"1"), status=None, profile="gone", url="ws://h:1/")
    assert "cannot be copied as curl" in str(_call_form(screen, explorer, Draft("m", ""), call, "curl"))
    assert sentences == []
