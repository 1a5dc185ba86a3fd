"""The driver between Textual and a terminal: what it tells the app, and that it is the one which the app takes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

import pytest
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste
from textual.message import Message
from textual.pilot import Pilot

from rpcexplorer.drafts import Drafts
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen, open_screen
from rpcexplorer.tui.terminal import ReadingFailed, TerminalDriver, TerminalGone
from tests.tui.visiting import tell
from tests.tui.waiting import until


class Heard(TerminalDriver):
    """The driver's way to read without the rest of it: it begins with a terminal and an app."""

    def __init__(self, fileno: int) -> None:
        self.fileno = fileno
        self.exit_event = Event()
        self.heard: list[Message] = []

    def process_message(self, message: Message) -> None:
        self.heard.append(message)


@pytest.fixture
def line() -> Iterator[tuple[Heard, int]]:
    """A driver, and where one types."""
    come, go = os.pipe()
    yield Heard(come), go
    os.close(come)


def test_where_nothing_will_come_any_more_the_app_is_told(line: tuple[Heard, int]) -> None:
    driver, go = line
    os.write(go, b"a\x1b[200~b")
    os.close(go)
    driver.run_input_thread()
    key, paste, gone = driver.heard
    assert isinstance(key, Key)
    assert key.key == "a"
    assert isinstance(paste, Paste)
    assert paste.text == "b"
    assert isinstance(gone, TerminalGone)


def test_a_terminal_that_fails_is_one_that_is_gone_and_one_that_has_nothing_is_not(line: tuple[Heard, int]) -> None:
    driver, go = line
    os.set_blocking(driver.fileno, False)
    assert driver._read() is None
    os.write(go, b"x")
    assert driver._read() == b"x"
    os.close(go)
    broken = Heard(os.open(".", os.O_RDONLY))
    assert broken._read() == b""
    os.close(broken.fileno)


def test_it_ends_when_the_terminal_is_wanted_for_something_else(line: tuple[Heard, int]) -> None:
    driver, go = line
    reading = Thread(target=driver.run_input_thread, daemon=True)
    reading.start()
    driver.exit_event.set()
    reading.join(timeout=5)
    assert not reading.is_alive()
    assert driver.heard == []
    os.close(go)


def test_a_mistake_while_reading_is_told_and_not_lost_with_the_thread(
    line: tuple[Heard, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Any, came: bytes) -> list[Message]:
        raise KeyError

    monkeypatch.setattr("rpcexplorer.tui.terminal.TerminalInput.feed", fails)
    driver, go = line
    os.write(go, b"a")
    driver.run_input_thread()
    (failed,) = driver.heard
    assert isinstance(failed, ReadingFailed)
    assert isinstance(failed.error, KeyError)
    os.close(go)


def test_textual_still_reads_in_a_way_that_ours_can_stand_for() -> None:
    """A change of Textual's that this does not notice is noticed by the program in a real terminal."""
    assert "run_input_thread" in vars(LinuxDriver)
    assert {"run_input_thread"} <= set(LinuxDriver._run_input_thread.__code__.co_names)
    used = LinuxDriver.run_input_thread.__code__.co_names
    assert {"fileno", "exit_event"} <= set(used)


def test_without_a_terminal_the_app_writes_down_what_was_typed_and_ends(explorer: Explorer) -> None:
    async def story(app: ExplorerApp, pilot: Pilot[Any]) -> None:
        assert app.calls is not None
        app.calls.params.replace("[1]")
        app.post_message(TerminalGone())
        await until(pilot, lambda: app._exit)

    tell(explorer, story)
    assert Drafts(explorer.paths.drafts).find("demo", "ping") == "[1]"


@pytest.mark.parametrize("named", [None, "textual.drivers.headless_driver:HeadlessDriver"])
def test_the_app_takes_it_unless_another_one_is_named(
    named: str | None, explorer: Explorer, person: PersonOnScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textual.constants.DRIVER", named)
    taken: type[Driver] = ExplorerApp(explorer, person).driver_class
    assert (taken is TerminalDriver) == (named is None)


def test_a_screen_that_closes_though_nobody_wanted_it_to_is_a_mistake(
    explorer: Explorer, person: PersonOnScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(App, "run", lambda self: None)
    monkeypatch.setattr("rpcexplorer.tui.app.outlive_terminal", lambda: None)
    with pytest.raises(RuntimeError, match="closed unexpectedly"):
        open_screen(explorer, person)
