"""What is copied reaches whatever there is here, and no more is said of it than is known."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.processes import OSC_LIMIT, OSC_MOST, copy, tools
from tests.tui.visiting import said, visit
from tests.tui.waiting import until

TEXT = "Zoë's text"
TAKES = 'echo "$0 $*" >>"$(dirname "$0")/asked"; cat >"$(dirname "$0")/$(basename "$0").took"'
"""A tool that takes what it is given."""
UNKNOWN = "Whether the clipboard has it cannot be known."
Tools = Callable[..., Path]


@pytest.fixture
def with_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """Puts tools onto the path, as shell scripts by their names, and says which variables are set."""
    monkeypatch.setattr("rpcexplorer.tui.processes.tools", tools)
    monkeypatch.setattr("rpcexplorer.tui.processes.PATIENCE", 0.5)
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")

    def put(*variables: str, **scripts: str) -> Path:
        for variable in variables:
            monkeypatch.setenv(variable, "here")
        for name, script in scripts.items():
            tool = folder / name.replace("_", "-")
            tool.write_text(f"#!/bin/sh\n{script}\n")
            tool.chmod(0o755)
        return folder

    return put


def copied(explorer: Explorer, text: str = TEXT) -> str:
    """Copy a text; what is said of it."""
    sentences: list[str] = []

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        await copy(calls, text, "the reply")
        await until(pilot, lambda: bool(said(app)))
        sentences.append(said(app))
        assert app.clipboard == (text if len(text) <= OSC_MOST else "")

    visit(explorer, scene)
    return sentences[0]


@pytest.mark.parametrize(
    ("variable", "tool", "options"),
    [("WAYLAND_DISPLAY", "wl-copy", ""), ("DISPLAY", "xclip", "-selection clipboard"), ("DISPLAY", "xsel", "--clipb")],
)
def test_what_a_tool_of_the_system_took_is_copied(
    explorer: Explorer, with_tools: Tools, variable: str, tool: str, options: str
) -> None:
    scripts = {"xclip": "exit 1"} if tool == "xsel" else {}
    folder = with_tools(variable, **{**scripts, tool.replace("-", "_"): TAKES})
    assert copied(explorer) == "Copied the reply, 11 B."
    assert (folder / f"{tool}.took").read_text() == TEXT
    asked = (folder / "asked").read_text()
    assert options in asked
    assert "text" not in asked, "a text is never an argument, which others can read"


def test_in_tmux_it_is_in_the_buffer_of_tmux_and_nobody_says_that_it_is_on_the_clipboard(
    explorer: Explorer, with_tools: Tools
) -> None:
    folder = with_tools("TMUX", tmux=TAKES)
    told = "Copied the reply, 11 B, into tmux's buffer. Whether the clipboard has it cannot be known."
    assert copied(explorer) == told
    assert (folder / "tmux.took").read_text() == TEXT
    assert "load-buffer -w -" in (folder / "asked").read_text()


@pytest.mark.thorough
def test_a_tmux_that_cannot_send_it_on_takes_it_for_itself(explorer: Explorer, with_tools: Tools) -> None:
    folder = with_tools("TMUX", tmux=f'[ "$2" = -w ] && exit 1\n{TAKES}')
    assert "into tmux's buffer" in copied(explorer)
    assert (folder / "tmux.took").read_text() == TEXT


@pytest.mark.thorough
def test_with_a_tool_of_the_system_tmux_has_it_too(explorer: Explorer, with_tools: Tools) -> None:
    folder = with_tools("TMUX", "DISPLAY", tmux=TAKES, xclip=TAKES)
    assert copied(explorer) == "Copied the reply, 11 B."
    assert [(folder / f"{name}.took").read_text() for name in ("tmux", "xclip")] == [TEXT, TEXT]


def test_where_the_terminal_is_the_only_way_it_is_sent_there_and_not_said_to_be_copied(
    explorer: Explorer, with_tools: Tools
) -> None:
    with_tools()
    assert copied(explorer) == f"Sent the reply, 11 B, to the terminal. {UNKNOWN}"
    long = copied(explorer, "x" * (OSC_LIMIT + 1))
    assert long.endswith(f"{UNKNOWN} Some terminals take no more than 74 kB at a time.")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 3", "exit code 3"),
        ("exec sleep 60", "it took nothing for 0.5 s, and was ended"),
        ("kill -9 $$", "ended by SIGKILL"),
    ],
)
def test_a_tool_that_fails_or_hangs_is_named_and_holds_up_nothing(
    explorer: Explorer, with_tools: Tools, script: str, why: str
) -> None:
    with_tools("WAYLAND_DISPLAY", wl_copy=script)
    assert copied(explorer, "x" * 70_000) == f"Sent the reply, 70 kB, to the terminal. {UNKNOWN} wl-copy: {why}."


@pytest.mark.thorough
def test_what_is_too_much_for_a_terminal_is_said_not_to_be_copied(explorer: Explorer, with_tools: Tools) -> None:
    with_tools()
    assert copied(explorer, "x" * (OSC_MOST + 1)).startswith("Not copied: 8")


@pytest.mark.thorough
def test_keys_go_on_while_a_tool_takes_its_time(
    explorer: Explorer, with_tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = with_tools("WAYLAND_DISPLAY", wl_copy=f'read go <"$(dirname "$0")/gate"\n{TAKES}')
    monkeypatch.setattr("rpcexplorer.tui.processes.PATIENCE", 60)
    os.mkfifo(folder / "gate")

    async def scene(app: ExplorerApp, pilot: Pilot[Any], calls: CallScreen) -> None:
        calls.params.replace("[1]")
        await pilot.press("alt+a", "ctrl+c", "right", "x", "f2", "y")
        await until(pilot, lambda: calls.params.text == "[1]x" and calls.methods.typed == "y")
        assert said(app) == ""
        (folder / "gate").write_text("go\n")
        await until(pilot, lambda: said(app) == "Copied the selection, 3 B.")

    visit(explorer, scene)
    assert (folder / "wl-copy.took").read_text() == "[1]"
