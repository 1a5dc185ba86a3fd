"""Copying, filters, commands and the editor, by other programs."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.tui.processes import OSC_LIMIT, OSC_MOST, copy, edit_in_editor, run_command, run_jq, tools, transform
from tests.tui.program import open_program

TEXT = "Zoë's text"
TAKES = 'echo "$0 $*" >>"$(dirname "$0")/asked"; cat >"$(dirname "$0")/$(basename "$0").took"'
"""A tool that stores its input."""
UNKNOWN = "through the terminal (not confirmed)."
Tools = Callable[..., Path]


@pytest.fixture
def with_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    """Return a function that puts scripts onto the path and sets variables."""
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


async def copied(explorer: Explorer, text: str = TEXT) -> str:
    """Copy a text; return the message."""
    async with open_program(explorer, profile="demo") as program:
        await copy(program.calls, text, "the response")
        await program.until(lambda: bool(program.notices))
        assert program.app.clipboard == (text if len(text) <= OSC_MOST else "")
        return program.notices


@pytest.mark.parametrize(
    ("variable", "tool", "options"),
    [("WAYLAND_DISPLAY", "wl-copy", ""), ("DISPLAY", "xclip", "-selection clipboard"), ("DISPLAY", "xsel", "--clipb")],
)
async def test_system_tool_copies_the_text(
    explorer: Explorer, with_tools: Tools, variable: str, tool: str, options: str
) -> None:
    scripts = {"xclip": "exit 1"} if tool == "xsel" else {}
    folder = with_tools(variable, **{**scripts, tool.replace("-", "_"): TAKES})
    assert await copied(explorer) == "Copied the response, 11 B."
    assert (folder / f"{tool}.took").read_text() == TEXT
    asked = (folder / "asked").read_text()
    assert options in asked
    assert "text" not in asked, "a text is never an argument: others can read arguments"


async def test_tmux_gets_the_text_into_its_buffer(explorer: Explorer, with_tools: Tools) -> None:
    folder = with_tools("TMUX", tmux=TAKES)
    message = "Copied the response, 11 B, to the tmux buffer (clipboard not confirmed)."
    assert await copied(explorer) == message
    assert (folder / "tmux.took").read_text() == TEXT
    assert "load-buffer -w -" in (folder / "asked").read_text()


@pytest.mark.thorough
async def test_tmux_without_forwarding_keeps_the_text(explorer: Explorer, with_tools: Tools) -> None:
    folder = with_tools("TMUX", tmux=f'[ "$2" = -w ] && exit 1\n{TAKES}')
    assert "to the tmux buffer" in await copied(explorer)
    assert (folder / "tmux.took").read_text() == TEXT


@pytest.mark.thorough
async def test_tmux_and_system_tool_both_get_the_text(explorer: Explorer, with_tools: Tools) -> None:
    folder = with_tools("TMUX", "DISPLAY", tmux=TAKES, xclip=TAKES)
    assert await copied(explorer) == "Copied the response, 11 B."
    assert [(folder / f"{name}.took").read_text() for name in ("tmux", "xclip")] == [TEXT, TEXT]


async def test_text_sent_to_terminal_is_not_called_copied(explorer: Explorer, with_tools: Tools) -> None:
    with_tools()
    assert await copied(explorer) == f"Copied the response, 11 B, {UNKNOWN}"
    long = await copied(explorer, "x" * (OSC_LIMIT + 1))
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
async def test_failing_or_hanging_tool_is_named(explorer: Explorer, with_tools: Tools, script: str, why: str) -> None:
    with_tools("WAYLAND_DISPLAY", wl_copy=script)
    assert await copied(explorer, "x" * 70_000) == f"Copied the response, 70 kB, {UNKNOWN} wl-copy: {why}."


@pytest.mark.thorough
async def test_text_too_long_for_terminal_is_not_copied(explorer: Explorer, with_tools: Tools) -> None:
    with_tools()
    assert (await copied(explorer, "x" * (OSC_MOST + 1))).startswith("Not copied: 8")


@pytest.mark.thorough
async def test_slow_tool_does_not_delay_keys(
    explorer: Explorer, with_tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = with_tools("WAYLAND_DISPLAY", wl_copy=f'read go <"$(dirname "$0")/gate"\n{TAKES}')
    monkeypatch.setattr("rpcexplorer.tui.processes.PATIENCE", 60)
    os.mkfifo(folder / "gate")
    async with open_program(explorer, profile="demo") as program:
        calls = program.calls
        calls.params.replace("[1]")
        await program.press("alt+a", "ctrl+c", "right", "x", "f2", "y")
        await program.until(lambda: calls.params.text == "[1]x" and calls.methods.typed == "y")
        assert program.notices == ""
        (folder / "gate").write_text("go\n")
        await program.until(lambda: program.notices == "Copied the selection, 3 B.")
    assert (folder / "wl-copy.took").read_text() == "[1]"


MUCH = 1_000_000_000


async def test_filter_yields_json_or_a_problem() -> None:
    result = await run_jq(".a", b'{"a": [1.10]}', MUCH)
    assert (result.text.split(), result.problem, result.code) == ([b"[", b"1.10", b"]"], "", 0)
    wrong = await run_jq(".a[", b"{}", MUCH)
    assert wrong.code == 1
    assert wrong.problem.startswith("jq: ")


async def test_module_of_working_folder_does_not_replace_jq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jq.py").write_text("raise SystemExit('taken over')")
    monkeypatch.chdir(tmp_path)
    assert (await run_jq(".", b"1", MUCH)).text.strip() == b"1"


async def test_endless_filter_ends_when_cancelled() -> None:
    task = asyncio.ensure_future(run_jq("def f: f; f", b"1", MUCH))
    done, _ = await asyncio.wait([task], timeout=0.2)
    assert not done
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_command_gets_the_response_and_reports_its_problem() -> None:
    assert (await run_command("tr a-z A-Z", b'"x"', MUCH)).text == b'"X"'
    lost = await run_command("no-such-command-here", b"1", MUCH)
    assert lost.code == 127
    assert "no-such-command-here" in lost.problem


@pytest.mark.parametrize(
    ("command", "remark"),
    [
        ("wc -c", "output of the command, exit code 0"),
        ("echo no such luck >&2; exit 4", "no such luck, exit code 4"),
        ("kill -9 $$", "ended by SIGKILL"),
    ],
)
async def test_command_remark_names_how_it_ended(command: str, remark: str) -> None:
    assert (await transform("pipe", command, b"1", MUCH))[1] == remark


async def test_command_can_ignore_its_input() -> None:
    assert (await run_command("echo done", b"x" * 5_000_000, MUCH)).text == b"done\n"


async def test_endless_output_of_a_command_is_cut() -> None:
    result = await run_command("yes", b"1", 100_000)
    assert result.text == b"y\n" * 50_000
    assert result.problem == "cut after 100 kB"


async def test_long_stderr_of_a_command_is_cut() -> None:
    result = await run_command("yes no | head -c 5000000 >&2", b"1", MUCH)
    assert (result.text, result.code) == (b"", 0)
    assert len(result.problem) <= 300


@pytest.mark.parametrize("command", ["a\0b", "true " + "x" * 3_000_000], ids=["NUL", "long"])
async def test_command_that_cannot_start_is_explained(command: str) -> None:
    result = await run_command(command, b"1", MUCH)
    assert (result.text, result.code) == (b"", 127)
    assert "put it into a script" in result.problem


async def test_all_processes_of_a_command_end_with_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    task = asyncio.ensure_future(run_command(f"(echo up > {pipe}; sleep 1000) & wait", b"1", MUCH))
    assert await asyncio.to_thread(pipe.read_text) == "up\n"  # the process behind the shell runs
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert str(tmp_path / "result") not in left.stdout


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script = tmp_path / "editor.sh"
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"sh {script}")
    return script


def test_editor_gets_the_text_in_a_private_file(editor: Path, tmp_path: Path) -> None:
    editor.write_text(f'ls -l "$1" > {tmp_path}/mode; sed -i s/1/2/ "$1"')
    assert edit_in_editor('{"é": 1}', "user.get") == ('{"é": 2}', "")
    assert (tmp_path / "mode").read_text().split()[-1].endswith("user-get.json")
    assert stat.S_IMODE(tmp_path.stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("command", ["false", "/no/such/editor", "vi 'unfinished"])
def test_failing_editor_leaves_the_text_unchanged(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", command)
    text, problem = edit_in_editor("[1]", "ping")
    assert text == "[1]"
    assert "Params unchanged" in problem


async def test_editor_gets_interrupt_and_program_ends_later(editor: Path) -> None:
    heard: list[str] = []
    editor.write_text(f"kill -INT {os.getpid()}; kill -TERM {os.getpid()}")

    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, heard.append, "SIGINT")
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    assert edit_in_editor("[1]", "ping") == ("[1]", "")
    await ended.wait()
    assert heard == []


def test_removed_editor_file_leaves_the_text_unchanged(editor: Path) -> None:
    editor.write_text('rm "$1"')
    text, problem = edit_in_editor("[1]", "ping")
    assert text == "[1]"
    assert "Params unchanged" in problem


async def test_command_does_not_get_the_variables_with_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RPCEXPLORER_SHOP_PASSWORD", "correct-horse")
    monkeypatch.setenv("SOMETHING_ELSE", "is-there")
    text = (await run_command("env", b"", MUCH)).text
    assert b"is-there" in text
    assert b"correct-horse" not in text
