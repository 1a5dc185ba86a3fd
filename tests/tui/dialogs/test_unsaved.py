"""What is typed is written while somebody types, and what cannot be written does not go without a word."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.drafts import Drafts
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call import draft_writer
from rpcexplorer.tui.widgets.dialog import Answer, Ask, Confirm
from rpcexplorer.tui.widgets.inputs import Entry
from tests.fakes.terminal import Terminal
from tests.tui.visiting import Story, on, said, shown, tell
from tests.tui.waiting import until


def block(explorer: Explorer) -> None:
    """Let nothing be written where drafts belong."""
    explorer.paths.drafts.parent.mkdir(parents=True, exist_ok=True)
    explorer.paths.drafts.write_text("a file where the folder should be")


async def typed(app: ExplorerApp, pilot: Pilot[Any], text: str = '["typed"]') -> None:
    assert app.calls is not None
    app.calls.params.replace(text)
    await until(pilot, lambda: bool(app.explorer.drafts.unsaved))


async def answer(pilot: Pilot[Any], id: str) -> None:
    question = await on(pilot, Confirm)
    question.query_one(f"#{id}", Answer).focus()
    await pilot.press("enter")


def tell_blocked(explorer: Explorer, story: Story) -> None:
    block(explorer)
    tell(explorer, story)


# --- at the end


@pytest.mark.thorough
def test_a_draft_that_cannot_be_written_does_not_go_without_a_word_and_an_offer(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        await pilot.press("ctrl+q")
        question = await on(pilot, Confirm)
        assert "What you typed is not written" in shown(question)
        assert "ping on demo" in shown(question)
        assert "a part of the path is a file" in shown(question)
        await answer(pilot, "again")
        await on(pilot, Confirm)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.calls)
        assert not app._exit

        await pilot.press("ctrl+q")
        await on(pilot, Confirm)
        explorer.paths.drafts.unlink()
        await answer(pilot, "again")
        await until(pilot, lambda: app._exit)
        assert Drafts(explorer.paths.drafts).find("demo", "ping") == '["typed"]'

    tell_blocked(explorer, story)


@pytest.mark.thorough
@pytest.mark.parametrize("methods", [1, 2])
def test_it_can_be_saved_in_another_place(explorer: Explorer, tmp_path: Path, methods: int) -> None:
    file = tmp_path / "elsewhere" / "params.txt"

    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        if methods == 2:
            assert app.calls is not None
            app.calls.choose("demo.echo")
            app.calls.params.replace("[2")
        await pilot.press("ctrl+q")
        for path in (tmp_path, file):  # the first is there already
            await answer(pilot, "elsewhere")
            asked = await on(pilot, Ask)
            asked.query_one(Entry).value = str(path)
            await pilot.press("enter")
            if path == tmp_path:
                await until(pilot, lambda: "it exists already" in said(app))
        await until(pilot, lambda: app._exit)

    tell_blocked(explorer, story)
    one, two = '["typed"]', 'ping on demo:\n["typed"]\n\ndemo.echo on demo:\n[2\n'
    assert file.read_text() == (one if methods == 1 else two)
    assert file.stat().st_mode & 0o077 == 0
    assert explorer.drafts.unsaved, "it belongs elsewhere still"


@pytest.mark.thorough
def test_whoever_leaves_the_place_open_is_asked_again(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        await pilot.press("ctrl+q")
        await answer(pilot, "elsewhere")
        await on(pilot, Ask)
        await pilot.press("escape")
        await answer(pilot, "end")
        await until(pilot, lambda: app._exit)

    tell_blocked(explorer, story)


@pytest.mark.thorough
def test_an_impatient_person_is_told_once_and_then_gone(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        app._leave(asking=True)
        app._leave(asking=True)
        await on(pilot, Confirm)
        assert not app._exit
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)

    tell_blocked(explorer, story)


@pytest.mark.thorough
def test_a_signal_asks_nobody(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        await typed(app, pilot)
        os.kill(os.getpid(), signal.SIGTERM)
        await until(pilot, lambda: app._exit)

    tell_blocked(explorer, story)


# --- while somebody types


def test_a_slow_disk_holds_up_no_key_and_the_last_text_is_the_one_that_stays(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_writer, "SETTLE", 0)
    goes_on, begun, in_time = Event(), Event(), list[bool]()
    kept = explorer.drafts.keep_typed

    def slow(*given: Any) -> str:
        begun.set()
        in_time.append(goes_on.wait(5))
        return kept(*given)

    monkeypatch.setattr(explorer.drafts, "keep_typed", slow)

    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        assert app.calls is not None
        app.calls.params.replace("[1]")
        await until(pilot, begun.is_set)
        app.calls.params.replace("[12]")
        await pilot.pause()
        goes_on.set()
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)

    tell(explorer, story)
    assert all(in_time), "the screen waited for the disk"
    assert Drafts(explorer.paths.drafts).find("demo", "ping") == "[12]"


@pytest.mark.thorough
def test_whoever_has_the_same_draft_on_two_screens_is_told_and_both_texts_are_kept(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        there = Drafts(explorer.paths.drafts)
        there.keep("demo", "ping", "[2]")
        assert app.calls is not None
        app.calls.params.replace("[1]")
        await until(pilot, lambda: "changed elsewhere as well" in said(app))
        (beside,) = explorer.paths.drafts.rglob("*.other-1")
        assert beside.read_text().endswith("[2]")
        assert str(beside) in said(app)
        assert Drafts(explorer.paths.drafts).find("demo", "ping") == "[1]"

    tell(explorer, story)


# --- the real program


def started(tmp_path: Path, **more: str) -> Terminal:
    (tmp_path / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    return Terminal([], {"RPCEXPLORER_HOME": str(tmp_path / "home"), **more}, tmp_path, (100, 30))


@pytest.mark.thorough
def test_whoever_types_without_a_pause_loses_at_most_two_seconds_of_it_to_a_kill(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "state" / "drafts"
    with started(tmp_path) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.press("ctrl+a", "ctrl+k")
        many, until = 0, time.monotonic() + 2
        while not any(folder.rglob("*.draft")) and time.monotonic() < until:
            terminal.type("1")
            many += 1
            terminal.sees("1" * min(many, 50))
        os.kill(terminal.pid, signal.SIGKILL)
    found = Drafts(folder).find("here", "ping")
    assert found, f"{many} letters were typed"
    assert set(found) == {"1"}


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["hangs up", "quits"])
def test_what_cannot_be_written_is_put_aside_and_there_at_the_next_start(tmp_path: Path, how: str) -> None:
    state, temporary = tmp_path / "home" / "state", tmp_path / "tmp"
    state.mkdir(parents=True)
    temporary.mkdir(mode=0o700)
    for name in ("drafts", "unsaved"):
        (state / name).write_text("a file where the folder should be")
    with started(tmp_path, TMPDIR=str(temporary)) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.press("ctrl+a", "ctrl+k")
        terminal.type('{"kept": true')
        terminal.sees("draft not kept")
        if how == "hangs up":
            terminal.hangs_up()
        else:
            terminal.press("ctrl+q")
            terminal.sees("What you typed is not written", "Quit all the same")
            terminal.press("right", "right", "enter")
            assert terminal.ends() == 0
            assert b"1 draft could not be written" in terminal.written
            assert str(temporary).encode() in terminal.written.replace(b"\r\n  ", b"")
    for name in ("drafts", "unsaved"):
        (state / name).unlink()
    with started(tmp_path, TMPDIR=str(temporary)) as terminal:
        terminal.sees('"kept": true', "1 draft of an earlier run could be written")
        assert list(temporary.iterdir()) == []
        terminal.press("ctrl+q")
        assert terminal.ends() == 0
