"""The programs that a reply is sent through, and the editor: what comes back, and what ends them."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from rpcexplorer.tui.processes import edited, filtered, piped

MUCH = 1_000_000_000


def test_a_filter_yields_json_and_a_mistake_in_it_a_line() -> None:
    came = asyncio.run(filtered(".a", b'{"a": [1.10]}', MUCH))
    assert (came.text.split(), came.complaint, came.code) == ([b"[", b"1.10", b"]"], "", 0)
    wrong = asyncio.run(filtered(".a[", b"{}", MUCH))
    assert wrong.code == 1
    assert wrong.complaint.startswith("jq: ")


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


def test_a_command_gets_the_reply_and_its_complaint_is_kept() -> None:
    assert asyncio.run(piped("tr a-z A-Z", b'"x"', MUCH)).text == b'"X"'
    lost = asyncio.run(piped("no-such-command-here", b"1", MUCH))
    assert lost.code == 127
    assert "no-such-command-here" in lost.complaint


def test_a_command_that_does_not_read_its_input_is_no_failure() -> None:
    assert asyncio.run(piped("echo done", b"x" * 5_000_000, MUCH)).text == b"done\n"


def test_a_command_that_writes_for_ever_is_ended_and_its_beginning_kept() -> None:
    came = asyncio.run(piped("yes", b"1", 100_000))
    assert came.text == b"y\n" * 50_000
    assert came.complaint == "only its first 100 kB are kept"


def test_a_command_that_complains_a_lot_does_not_fill_the_memory() -> None:
    came = asyncio.run(piped("yes no | head -c 5000000 >&2", b"1", MUCH))
    assert (came.text, came.code) == (b"", 0)
    assert len(came.complaint) <= 300


@pytest.mark.parametrize("command", ["a\0b", "true " + "x" * 3_000_000], ids=["NUL", "long"])
def test_what_no_system_starts_is_said_in_a_sentence(command: str) -> None:
    came = asyncio.run(piped(command, b"1", MUCH))
    assert (came.text, came.code) == (b"", 127)
    assert "put it into a script" in came.complaint


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
    text, trouble = edited("[1]", "ping")
    assert text == "[1]"
    assert "the params stay as they were" in trouble


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
    text, trouble = edited("[1]", "ping")
    assert text == "[1]"
    assert "the params stay as they were" in trouble


def test_a_command_does_not_see_the_variables_that_hold_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RPCEXPLORER_SHOP_PASSWORD", "correct-horse")
    monkeypatch.setenv("SOMETHING_ELSE", "is-there")
    text = asyncio.run(piped("env", b"", MUCH)).text
    assert b"is-there" in text
    assert b"correct-horse" not in text
