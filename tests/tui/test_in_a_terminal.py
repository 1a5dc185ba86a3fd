"""The real program in a real pseudo-terminal, by keyboard alone."""

from __future__ import annotations

import json
import os
import re
import signal
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.terminal import Terminal
from tests.fakes.wire import HOLD, RawServer

SIZES = [(80, 24), (120, 40)]


@pytest.fixture(params=SIZES, ids=["80x24", "120x40"])
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    with Terminal(["demo"], {"RPCEXPLORER_HOME": str(tmp_path)}, tmp_path, request.param) as opened:
        yield opened


@pytest.mark.everyday(1)
def test_visit_from_first_to_last_screen(terminal: Terminal) -> None:
    terminal.sees("demo-cookie", "F5 send", "✓ valid")
    terminal.press("f9")
    terminal.sees("rpc.discover")

    terminal.press("f2")
    terminal.sees("▌Methods", "demo")
    terminal.type("echo")
    terminal.press("enter")
    terminal.sees("▌demo.echo")

    terminal.press("ctrl+a", "ctrl+k")
    terminal.type('{"page": [1, 2')
    terminal.sees("object with 1 member")  # the editor closes the brackets
    terminal.press("f5")
    terminal.sees("✓ result", '"page"')

    terminal.press("f4")
    terminal.type("/page")
    terminal.press("enter")
    terminal.sees("1 of 1")

    terminal.press("f6")
    terminal.sees("History", "demo.echo", "today")
    terminal.press("escape")
    terminal.sees("F5 send")

    terminal.press("f7")
    terminal.sees("Profiles", "demo-inline")
    terminal.press("down", "enter")
    terminal.sees("demo-inline", "F5 send")

    terminal.press("ctrl+q")
    assert terminal.ends() == 0
    assert b"\x1b[?1049l" in terminal.written, "the terminal was not restored"


def test_keys_before_the_first_frame_are_not_lost(tmp_path: Path) -> None:
    with Terminal(["demo"], {"RPCEXPLORER_HOME": str(tmp_path)}, tmp_path, (120, 40)) as terminal:
        terminal.press("f2")
        terminal.type("ping")
        terminal.sees("› ping", "1 of 3")  # noqa: RUF001 - the sign is meant
        terminal.press("ctrl+q")
        assert terminal.ends() == 0


def colours(written: bytes) -> set[bytes]:
    """Return the codes of all colours that were sent."""
    styles = re.findall(rb"\x1b\[([0-9;]+)m", written)
    return {code for style in styles for code in style.split(b";") if len(code) > 1}


@pytest.mark.parametrize(("environment", "other_than_default"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_theme_terminal_sends_only_its_colours_from_the_start(
    environment: dict[str, str], other_than_default: bool, tmp_path: Path
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/settings.toml").write_text('version = 1\ntheme = "terminal"\n')
    (tmp_path / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    with Terminal([], {"RPCEXPLORER_HOME": str(tmp_path)} | environment, tmp_path, (120, 40)) as terminal:
        terminal.sees("here", "✓ valid")
        sent = colours(terminal.written)
        assert {b"39", b"49"} <= sent
        assert not sent & {b"38", b"48"}, "a colour of 24 bits"
        assert bool(sent - {b"39", b"49"}) is other_than_default


@pytest.mark.thorough
def test_terminal_can_be_resized_at_any_moment(tmp_path: Path) -> None:
    with Terminal(["demo"], {"RPCEXPLORER_HOME": str(tmp_path)}, tmp_path, (120, 40)) as terminal:
        terminal.sees("Methods", "F5 send")
        terminal.resize(60, 15)
        terminal.sees_no("Methods")
        terminal.resize(200, 60)
        terminal.sees("Methods", "F5 send")
        terminal.press("ctrl+q")
        assert terminal.ends() == 0


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_signal_ends_the_program_and_saves_drafts(number: signal.Signals, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    home = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
    with Terminal([], home, folder, (100, 30)) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.press("ctrl+a", "ctrl+k")
        terminal.type('{"kept": true')
        terminal.sees('"kept": true}')
        os.kill(terminal.pid, number)
        assert terminal.ends() == 0
        assert b"\x1b[?1049l" in terminal.written
    with Terminal([], home, folder, (100, 30)) as terminal:
        terminal.sees('"kept": true')


@pytest.mark.thorough
def test_closed_terminal_ends_the_program_and_saves_drafts(tmp_path: Path) -> None:
    home = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
    with RawServer([HOLD]) as server:
        (tmp_path / "sessions.toml").write_text(f'version = 1\n[profile.here]\nurl = "{server.origin}"\n')
        with Terminal([], home, tmp_path, (100, 30)) as terminal:
            terminal.sees("here", "✓ valid")
            terminal.press("ctrl+a", "ctrl+k")
            terminal.type('{"kept": true')
            terminal.sees('"kept": true}')
            terminal.press("f5")
            terminal.sees("Esc cancel", "waiting for the response")
            assert terminal.hangs_up() != -signal.SIGKILL, "it had to be killed"
    with Terminal([], home, tmp_path, (100, 30)) as terminal:
        terminal.sees('"kept": true', "cancelled")


BROKEN = """
import sys
from rpcexplorer import __main__
from rpcexplorer.tui.call.screen import CallScreen

def fails(self):
    password = "correct-horse-battery"
    raise ValueError(password)

CallScreen.action_discover = fails
sys.exit(__main__.main())
"""


@pytest.mark.thorough
def test_bug_restores_the_terminal_and_prints_no_value(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    home = {"RPCEXPLORER_HOME": str(tmp_path / "home"), "PYTHONPATH": str(Path(__file__).parents[2])}
    with Terminal([], home, tmp_path, (100, 30), start=["broken.py"]) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.press("f9")
        assert terminal.ends() == 70
        assert b"\x1b[?1049l" in terminal.written
        assert b"broken.py:8 (ValueError)" in terminal.written
        assert b"correct-horse" not in terminal.written


TWO_KINDS = """\
version = 1
[profile.open]
url = "http://127.0.0.1:9"
auth = { kind = "none" }
[profile.a]
url = "http://127.0.0.1:9"
auth = { kind = "cookie", username = "demo" }
"""


@pytest.mark.thorough
def test_keys_of_one_write_use_the_chosen_rows(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "sessions.toml").write_text(TWO_KINDS)
    home = {"RPCEXPLORER_HOME": str(tmp_path / "home")}
    with Terminal(["--profile", "open"], home, folder, (120, 40)) as terminal:
        terminal.sees("F5 send")
        terminal.burst("f7", "up", "s", "down")  # the row below has no secrets to ask for
        terminal.sees("Save secrets for a?")
        terminal.burst("escape", "down", "s", "up", "delete", "down")
        terminal.sees("Remove a?")
        terminal.burst("escape", "up", "e", "down")
        terminal.sees("Edit a")
        terminal.burst("escape", "escape", "f2", "one", "enter", "f5")
        terminal.sees("▌one", " one  []")
        terminal.burst("f2", "two", "enter", "f5")
        terminal.sees("▌two", " two  []")
        terminal.burst("f6", "delete", "down")
        terminal.sees("Delete this call from the history?", "two")
        terminal.burst("escape", "down", "enter", "up")
        terminal.sees("▌one")
        terminal.burst("f2", "two", "enter", "f10", "down", "enter")
        terminal.sees("Copied Python with httpx")
        terminal.press("ctrl+q")
        assert terminal.ends() == 0


@pytest.mark.thorough
def test_invalid_bytes_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    with Terminal([], {"RPCEXPLORER_HOME": str(tmp_path / "home")}, tmp_path, (100, 30)) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.press("ctrl+a", "ctrl+k")
        for data, shown in [
            (b"\xff\xfe\xe2\x82a", "1   a"),
            (b"\x1b[1:2;3u\x1b[99999999999;1ub", "ab"),
            (b"\x1b[200~c\x1b[201~d", "abcd"),
        ]:
            terminal.send(data)
            terminal.sees(shown)
        terminal.send(b"\x1b[200~e")
        terminal.press("ctrl+q")  # inside the paste
        terminal.sees("abcde")
        terminal.press("backspace", "backspace")
        terminal.sees_no("abcde")
        terminal.press("ctrl+q")
        assert terminal.ends() == 0
    assert b"Traceback" not in terminal.written


@pytest.mark.thorough
def test_unmarked_paste_is_typed_and_keeps_its_value(tmp_path: Path) -> None:
    (tmp_path / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    rows = [f'  {{"id": {number}, "name": "somebody"}}' for number in range(20)]
    with Terminal([], {"RPCEXPLORER_HOME": str(tmp_path / "home")}, tmp_path, (100, 30)) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.press("ctrl+a", "ctrl+k")
        text = "[\r" + ",\r".join(rows) + "\r]"
        terminal.send(text.encode())
        terminal.sees("array with 20 elements")
        terminal.send(b"\x1b[15~")
        terminal.sees("no response")
        terminal.press("ctrl+q")
        assert terminal.ends() == 0
    (history,) = (tmp_path / "home").rglob("history/*.toml")
    (call,) = tomllib.loads(history.read_text())["call"]
    assert json.loads(call["params"]) == json.loads(text)


DEAF = """
import sys
from rpcexplorer import __main__
from rpcexplorer.tui.terminal import TerminalInput

def fails(self, came):
    raise KeyError("correct-horse-battery")

TerminalInput.feed = fails
sys.exit(__main__.main())
"""


@pytest.mark.thorough
def test_unreadable_input_ends_the_program_with_crash_report(tmp_path: Path) -> None:
    (tmp_path / "deaf.py").write_text(DEAF)
    (tmp_path / "sessions.toml").write_text('version = 1\n[profile.here]\nurl = "http://127.0.0.1:9"\n')
    home = {"RPCEXPLORER_HOME": str(tmp_path / "home"), "PYTHONPATH": str(Path(__file__).parents[2])}
    with Terminal([], home, tmp_path, (100, 30), start=["deaf.py"]) as terminal:
        terminal.sees("here", "✓ valid")
        terminal.type("x")
        assert terminal.ends() == 70
        assert b"\x1b[?1049l" in terminal.written
        assert b"deaf.py:7 (KeyError)" in terminal.written
        assert b"correct-horse" not in terminal.written


@pytest.mark.thorough
@pytest.mark.parametrize("words", [["http://127.0.0.1:9/rpc"], ["--url", "http://127.0.0.1:9/rpc"]])
def test_program_opens_on_an_address(tmp_path: Path, words: list[str]) -> None:
    with Terminal(words, {"RPCEXPLORER_HOME": str(tmp_path / "home")}, tmp_path, (120, 40)) as terminal:
        terminal.sees(" http://127.0.0.1:9/rpc", "✓ valid", "No method")
        terminal.press("f2")
        terminal.type("ping")
        terminal.press("enter")
        terminal.press("f5")
        terminal.sees("no response", "called http://127.0.0.1:9/rpc")
        terminal.press("ctrl+q")
        assert terminal.ends() == 0
