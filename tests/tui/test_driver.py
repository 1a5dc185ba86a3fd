"""The driver between Textual and a terminal."""

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

from rpcexplorer.drafts import Drafts
from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp, PersonOnScreen, open_screen
from rpcexplorer.tui.terminal import ReadingFailed, TerminalDriver, TerminalGone
from tests.tui.program import open_program


class Heard(TerminalDriver):
    """The reading part of the driver: it starts with a terminal and an app."""

    def __init__(self, fileno: int) -> None:
        self.fileno = fileno
        self.exit_event = Event()
        self.heard: list[Message] = []

    def process_message(self, message: Message) -> None:
        self.heard.append(message)


@pytest.fixture
def line() -> Iterator[tuple[Heard, int]]:
    """Yield a driver, and the file that types into it."""
    come, go = os.pipe()
    yield Heard(come), go
    os.close(come)


def test_end_of_input_is_reported_to_the_app(line: tuple[Heard, int]) -> None:
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


def test_failing_terminal_is_gone_and_silent_one_not(line: tuple[Heard, int]) -> None:
    driver, go = line
    os.set_blocking(driver.fileno, False)
    assert driver._read() is None
    os.write(go, b"x")
    assert driver._read() == b"x"
    os.close(go)
    broken = Heard(os.open(".", os.O_RDONLY))
    assert broken._read() == b""
    os.close(broken.fileno)


def test_reading_ends_when_terminal_is_needed_elsewhere(line: tuple[Heard, int]) -> None:
    driver, go = line
    reading = Thread(target=driver.run_input_thread, daemon=True)
    reading.start()
    driver.exit_event.set()
    reading.join(timeout=5)
    assert not reading.is_alive()
    assert driver.heard == []
    os.close(go)


def test_bug_while_reading_is_reported(line: tuple[Heard, int], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Any, data: bytes) -> list[Message]:
        raise KeyError

    monkeypatch.setattr("rpcexplorer.tui.terminal.TerminalInput.feed", fails)
    driver, go = line
    os.write(go, b"a")
    driver.run_input_thread()
    (failed,) = driver.heard
    assert isinstance(failed, ReadingFailed)
    assert isinstance(failed.error, KeyError)
    os.close(go)


def test_reading_of_textual_can_still_be_replaced() -> None:
    """The program in a real terminal notices other changes of Textual."""
    assert "run_input_thread" in vars(LinuxDriver)
    assert {"run_input_thread"} <= set(LinuxDriver._run_input_thread.__code__.co_names)
    used = LinuxDriver.run_input_thread.__code__.co_names
    assert {"fileno", "exit_event"} <= set(used)


async def test_app_without_terminal_saves_drafts_and_ends(explorer: Explorer) -> None:
    async with open_program(explorer) as program:
        assert program.app.calls is not None
        program.app.calls.params.replace("[1]")
        program.app.post_message(TerminalGone())
        await program.until(lambda: program.app._exit)
    assert Drafts(explorer.paths.drafts).find("demo", "ping") == "[1]"


@pytest.mark.parametrize("named", [None, "textual.drivers.headless_driver:HeadlessDriver"])
def test_app_uses_this_driver_by_default(
    named: str | None, explorer: Explorer, person: PersonOnScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("textual.constants.DRIVER", named)
    taken: type[Driver] = ExplorerApp(explorer, person).driver_class
    assert (taken is TerminalDriver) == (named is None)


def test_unexpectedly_closed_screen_is_a_bug(
    explorer: Explorer, person: PersonOnScreen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(App, "run", lambda self: None)
    monkeypatch.setattr("rpcexplorer.tui.app.outlive_terminal", lambda: None)
    with pytest.raises(RuntimeError, match="closed unexpectedly"):
        open_screen(explorer, person)
