"""What is copied reaches whatever there is here, and no more is said of it than is known."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.app import ExplorerApp
from rpcexplorer.tui.call.screen import CallScreen
from rpcexplorer.tui.processes import OSC_LIMIT, OSC_MOST, copy, edited, filtered, piped, tools, transform
from tests.tui.visiting import said, visit
from tests.tui.waiting import until

TEXT = "Zoë's text"
TAKES = 'echo "$0 $*" >>"$(dirname "$0")/asked"; cat >"$(dirname "$0")/$(basename "$0").took"'
"""A tool that takes what it is given."""
UNKNOWN = "through the terminal (not confirmed)."
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
        await copy(calls, text, "the response")
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
    assert copied(explorer) == "Copied the response, 11 B."
    assert (folder / f"{tool}.took").read_text() == TEXT
    asked = (folder / "asked").read_text()
    assert options in asked
    assert "text" not in asked, "a text is never an argument, which others can read"


def test_in_tmux_it_is_in_the_buffer_of_tmux_and_nobody_says_that_it_is_on_the_clipboard(
    explorer: Explorer, with_tools: Tools
) -> None:
    folder = with_tools("TMUX", tmux=TAKES)
    told = "Copied the response, 11 B, to the tmux buffer (clipboard not confirmed)."
    assert copied(explorer) == told
    assert (folder / "tmux.took").read_text() == TEXT
    assert "load-buffer -w -" in (folder / "asked").read_text()


@pytest.mark.thorough
def test_a_tmux_that_cannot_send_it_on_takes_it_for_itself(explorer: Explorer, with_tools: Tools) -> None:
    folder = with_tools("TMUX", tmux=f'[ "$2" = -w ] && exit 1\n{TAKES}')
    assert "to the tmux buffer" in copied(explorer)
    assert (folder / "tmux.took").read_text() == TEXT


@pytest.mark.thorough
def test_with_a_tool_of_the_system_tmux_has_it_too(explorer: Explorer, with_tools: Tools) -> None:
    folder = with_tools("TMUX", "DISPLAY", tmux=TAKES, xclip=TAKES)
    assert copied(explorer) == "Copied the response, 11 B."
    assert [(folder / f"{name}.took").read_text() for name in ("tmux", "xclip")] == [TEXT, TEXT]


def test_where_the_terminal_is_the_only_way_it_is_sent_there_and_not_said_to_be_copied(
    explorer: Explorer, with_tools: Tools
) -> None:
    with_tools()
    assert copied(explorer) == f"Copied the response, 11 B, {UNKNOWN}"
    long = copied(explorer, "x" * (OSC_LIMIT + 1))
    assert long.endswith(f"{UNKNOWN} Some terminals accept at most 74 kB.")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 3", "exit code 3"),
        ("exec sleep 60", "stopped, because it read nothing for 0.5 s"),
        ("kill -9 $$", "ended by SIGKILL"),
    ],
)
def test_a_tool_that_fails_or_hangs_is_named_and_holds_up_nothing(
    explorer: Explorer, with_tools: Tools, script: str, why: str
) -> None:
    with_tools("WAYLAND_DISPLAY", wl_copy=script)
    assert copied(explorer, "x" * 70_000) == f"Copied the response, 70 kB, {UNKNOWN} wl-copy: {why}."


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


MUCH = 1_000_000_000


def test_a_filter_yields_json_and_a_mistake_in_it_a_line() -> None:
    came = asyncio.run(filtered(".a", b'{"a": [1.10]}', MUCH))
    assert (came.text.split(), came.problem, came.code) == ([b"[", b"1.10", b"]"], "", 0)
    wrong = asyncio.run(filtered(".a[", b"{}", MUCH))
    assert wrong.code == 1
    assert wrong.problem.startswith("jq: ")


def test_a_module_in_the_working_folder_does_not_pass_for_jq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jq.py").write_text("raise SystemExit('taken over')")
    monkeypatch.chdir(tmp_path)
    assert asyncio.run(filtered(".", b"1", MUCH)).text.strip() == b"1"


def test_an_endless_filter_ends_when_nobody_waits_for_it_any_more() -> None:
    async def story() -> None:
        task = asyncio.ensure_future(filtered("def f: f; f", b"1", MUCH))
        done, _ = await asyncio.wait([task], timeout=0.2)
        assert not done
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())


def test_a_command_gets_the_reply_and_its_problem_is_kept() -> None:
    assert asyncio.run(piped("tr a-z A-Z", b'"x"', MUCH)).text == b'"X"'
    lost = asyncio.run(piped("no-such-command-here", b"1", MUCH))
    assert lost.code == 127
    assert "no-such-command-here" in lost.problem


@pytest.mark.parametrize(
    ("command", "remark"),
    [
        ("wc -c", "output of the command; exit code 0"),
        ("echo no such luck >&2; exit 4", "no such luck; exit code 4"),
        ("kill -9 $$", "ended by SIGKILL"),
    ],
)
def test_command_remark_names_how_it_ended(command: str, remark: str) -> None:
    assert asyncio.run(transform("pipe", command, b"1", MUCH))[1] == remark


def test_a_command_that_does_not_read_its_input_is_no_failure() -> None:
    assert asyncio.run(piped("echo done", b"x" * 5_000_000, MUCH)).text == b"done\n"


def test_a_command_that_writes_for_ever_is_ended_and_its_beginning_kept() -> None:
    came = asyncio.run(piped("yes", b"1", 100_000))
    assert came.text == b"y\n" * 50_000
    assert came.problem == "only the first 100 kB are kept"


def test_a_command_that_complains_a_lot_does_not_fill_the_memory() -> None:
    came = asyncio.run(piped("yes no | head -c 5000000 >&2", b"1", MUCH))
    assert (came.text, came.code) == (b"", 0)
    assert len(came.problem) <= 300


@pytest.mark.parametrize("command", ["a\0b", "true " + "x" * 3_000_000], ids=["NUL", "long"])
def test_what_no_system_starts_is_said_in_a_sentence(command: str) -> None:
    came = asyncio.run(piped(command, b"1", MUCH))
    assert (came.text, came.code) == (b"", 127)
    assert "put it into a script" in came.problem


def test_everything_that_a_command_started_ends_with_it(tmp_path: Path) -> None:
    async def story() -> None:
        came = tmp_path / "came"
        os.mkfifo(came)
        task = asyncio.ensure_future(piped(f"(echo up > {came}; sleep 1000) & wait", b"1", MUCH))
        assert await asyncio.to_thread(came.read_text) == "up\n"  # the one behind the shell is at work
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert str(tmp_path / "came") not in left.stdout


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script = tmp_path / "editor.sh"
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"sh {script}")
    return script


def test_the_editor_gets_the_text_in_a_file_of_ones_own(editor: Path, tmp_path: Path) -> None:
    editor.write_text(f'ls -l "$1" > {tmp_path}/mode; sed -i s/1/2/ "$1"')
    assert edited('{"é": 1}', "user.get") == ('{"é": 2}', "")
    assert (tmp_path / "mode").read_text().split()[-1].endswith("user-get.json")
    assert stat.S_IMODE(tmp_path.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("command", ["false", "/no/such/editor", "vi 'unfinished"])
def test_an_editor_that_fails_leaves_the_text_as_it_was(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", command)
    text, problem = edited("[1]", "ping")
    assert text == "[1]"
    assert "Params unchanged" in problem


def test_an_interrupt_is_the_editors_alone_and_an_end_is_heard_afterwards(editor: Path) -> None:
    heard: list[str] = []
    editor.write_text(f"kill -INT {os.getpid()}; kill -TERM {os.getpid()}")

    async def story() -> tuple[str, str]:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_signal_handler(signal.SIGINT, heard.append, "SIGINT")
        loop.add_signal_handler(signal.SIGTERM, ended.set)
        came = edited("[1]", "ping")
        await ended.wait()
        return came

    assert asyncio.run(story()) == ("[1]", "")
    assert heard == []


def test_an_editor_that_removes_the_file_leaves_the_text_as_it_was(editor: Path) -> None:
    editor.write_text('rm "$1"')
    text, problem = edited("[1]", "ping")
    assert text == "[1]"
    assert "Params unchanged" in problem


def test_a_command_does_not_see_the_variables_that_hold_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RPCEXPLORER_SHOP_PASSWORD", "correct-horse")
    monkeypatch.setenv("SOMETHING_ELSE", "is-there")
    text = asyncio.run(piped("env", b"", MUCH)).text
    assert b"is-there" in text
    assert b"correct-horse" not in text
