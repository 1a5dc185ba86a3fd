"""Saving a response in a file, without losing another one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.demo import PASSWORD
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.copying import export_case, file_name
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.widgets.dialog import Ask, Confirm
from tests.fakes.wire import RawServer, http_reply
from tests.tui.visiting import Scene, notices, on, shown, type_in, visit
from tests.tui.waiting import until

REPLY = '{"b":1.10,"a":"x"}'


def with_reply(explorer: Explorer, scene: Scene, *, method: str = "demo.echo", profile: str = "demo") -> None:
    """Show a response with the focus on it."""

    async def story(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.drafts.choose(method)
        calls.params.replace(REPLY)
        await pilot.press("f5")
        await until(pilot, lambda: calls.exchange is not None and not calls.running)
        await pilot.press("f4")
        await scene(app, pilot, calls)

    visit(explorer, story, profile=profile)


async def save_in(pilot: Pilot[Any], path: object, *keys: str) -> str:
    """Save the response; return the text of the file dialog."""
    if not isinstance(pilot.app.screen, Ask):
        await pilot.press("S")
    asked = shown(await on(pilot, Ask))
    await type_in(pilot, str(path))
    await pilot.press("enter", *keys)
    return asked


@pytest.mark.thorough
def test_shown_response_is_saved_unchanged_and_private(explorer: Explorer, tmp_path: Path) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        asked = [await save_in(pilot, tmp_path / "result.json")]
        await until(pilot, lambda: "result.json" in notices(app))
        assert calls.exchange is not None
        whole = calls.exchange.response.body
        await pilot.press("right_square_bracket")
        asked.append(await save_in(pilot, tmp_path / "whole.json"))
        await until(pilot, lambda: "whole.json" in notices(app))
        await pilot.press("left_square_bracket", "f", *".b", "enter")
        await until(pilot, lambda: calls.response.body.made is not None and bool(calls.response.body.shown))
        asked.append(await save_in(pilot, tmp_path / "made.txt"))
        await until(pilot, lambda: "made.txt" in notices(app))
        assert [message.splitlines()[0] for message in asked] == [
            "Save the result in which file?",
            "Save the whole response in which file?",
            "Save the filtered response in which file?",
        ]
        assert (tmp_path / "result.json").read_text() == REPLY + "\n"
        assert (tmp_path / "whole.json").read_bytes() == whole
        assert (tmp_path / "made.txt").read_text() == "1.10\n"
        assert (tmp_path / "result.json").stat().st_mode & 0o777 == 0o600
        assert f"Saved the result, 19 B, in {tmp_path / 'result.json'}." in notices(app)

    with_reply(explorer, scene)


@pytest.mark.thorough
def test_malformed_response_is_saved_byte_for_byte(make_explorer: Callable[..., Explorer], tmp_path: Path) -> None:
    body = b'{"jsonrpc": "2.0", "result": '

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert calls.exchange is not None
        assert calls.exchange.outcome_name == "malformed"
        assert calls.response.body.tab == "Result"
        asked = await save_in(pilot, tmp_path / "odd.json")
        await until(pilot, lambda: "odd.json" in notices(app))
        assert asked.startswith("Save the response in")
        assert (tmp_path / "odd.json").read_bytes() == body

    with RawServer(http_reply(body)) as server:
        with_reply(make_explorer(f'[profile.shop]\nurl = "{server.origin}"\n'), scene, profile="shop")


@pytest.mark.thorough
def test_existing_file_is_replaced_only_after_confirmation(explorer: Explorer, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text("mine")
    file.chmod(0o644)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await save_in(pilot, file)
        await on(pilot, Confirm)
        await pilot.press("enter")  # the safe answer
        ask = await on(pilot, Ask)
        assert file.read_text() == "mine"
        assert ask.query_one("Entry").value == str(file), "the typed path is still there"
        await pilot.press("enter")
        await on(pilot, Confirm)
        await pilot.press("right", "enter")
        await until(pilot, lambda: "Saved the result" in notices(app))
        assert file.read_text() == REPLY + "\n"
        assert file.stat().st_mode & 0o777 == 0o644

    with_reply(explorer, scene)


@pytest.mark.thorough
def test_folder_and_home_are_accepted_as_paths(
    explorer: Explorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await save_in(pilot, "~")
        await until(pilot, lambda: "Saved" in notices(app))
        assert (tmp_path / "demo.echo.json").read_text() == REPLY + "\n"

    with_reply(explorer, scene)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/reply.json", "there is no folder"),
        ("x" * 300, "the name is too long"),
        ("/dev/full/x", "there is no folder /dev/full"),
    ],
    ids=["no folder", "too long", "a file on the way"],
)
def test_unwritable_path_shows_why_and_asks_again(
    explorer: Explorer, tmp_path: Path, path: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await save_in(pilot, path)
        await until(pilot, lambda: isinstance(app.screen, Ask) and message in " ".join(shown(app.screen).split()))
        await save_in(pilot, tmp_path / "here.json")
        await until(pilot, lambda: "Saved" in notices(app))

    with_reply(explorer, scene)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["here.json", "home", "work"]


def test_unreadable_case_is_not_saved(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert calls.exchange is not None
        calls.run_worker(export_case(calls, explorer, [calls.exchange]))
        await on(pilot, Ask)
        await pilot.press("enter")
        await until(pilot, lambda: "A case can hold at most 8 bytes, but the responses alone" in notices(app))
        assert app.screen is calls

    monkeypatch.setattr("rpcexplorer.history.export.MOST", 8)
    with_reply(explorer, scene)


@pytest.mark.thorough
def test_secret_in_a_response_is_not_saved(explorer: Explorer, tmp_path: Path) -> None:
    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        assert calls.exchange is not None
        assert calls.exchange.outcome_name == "result"
        await save_in(pilot, tmp_path / "echoed.json")
        await until(pilot, lambda: "Saved" in notices(app))
        assert PASSWORD not in (tmp_path / "echoed.json").read_text()

    with_reply(explorer, scene, profile="inline")


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("demo.echo", "demo.echo"),
        ("../../etc/passwd", "etc-passwd"),
        ("tools/list", "tools-list"),
        ("", "response"),
        ("x" * 99, "x" * 60),
    ],
)
def test_file_name_is_made_from_method_name(method: str, name: str) -> None:
    assert file_name(method, ".json") == f"{name}.json"
