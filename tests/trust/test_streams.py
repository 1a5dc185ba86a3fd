"""The real program with closed, full or unread streams."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from rpcexplorer.history.folder import History
from rpcexplorer.model.exchange import Exchange
from tests.fakes.shell import Shell
from tests.fakes.terminal import Terminal
from tests.fakes.wire import RawServer, http_reply

PROGRAM = f"{shlex.quote(sys.executable)} -m rpcexplorer"
CLOSED = "rpcexplorer: Cannot write to standard output: it is closed. If you do not need it, use /dev/null.\n"
ALIKE = ["", "--version", "themes", "demo", "call ping --url http://127.0.0.1:9"]
"""Commands that print something, and nothing on stderr before."""


def run(
    shell: Shell, command: str, stdout: int = subprocess.PIPE, stderr: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Run a line of sh with an empty stdin."""
    environment = {"PATH": os.environ["PATH"], **shell.environment}
    return subprocess.run(
        ["/bin/sh", "-c", command],
        env=environment, cwd=shell.folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
        text=True, check=False, timeout=30,
    )  # fmt: skip


def broken() -> int:
    """Return the writing end of a pipe without a reader."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.everyday(1)
@pytest.mark.parametrize("command", ALIKE)
def test_closed_output_is_reported_with_exit_2(shell: Shell, command: str) -> None:
    ran = run(shell, f"{PROGRAM} {command} >&-")
    assert (ran.returncode, ran.stderr) == (2, CLOSED)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("<&-", 0, ""),
        ("2>&-", 0, ""),
        ("<&- >&- 2>&-", 2, ""),
        ("profiles remove shop <&-", 2, "Add --yes"),
        ("call ping --url http://127.0.0.1:9 <&- 2>&-", 4, ""),
        ("call ping - --url http://127.0.0.1:9 <&-", 2, "rpcexplorer: Cannot read standard input: it is closed. "),
        ("profiles secret shop password --stdin <&-", 2, "Cannot read standard input"),
        ("profiles add new --url http://127.0.0.1:9 >&-", 0, "added profile new"),
        ("--help >/dev/full", 2, "Cannot write to standard output: no space left on device"),
        ("--help >&- 2>/dev/full", 2, ""),
    ],
)
def test_closed_or_full_stream_causes_no_crash_report(shell: Shell, command: str, code: int, message: str) -> None:
    shell.sessions('[profile.shop]\nurl = "http://127.0.0.1:9"\nauth = { kind = "inline", username = "ada" }\n')
    ran = run(shell, f"{PROGRAM} {command}")
    assert ran.returncode == code, ran.stderr
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Internal error" not in ran.stderr


@pytest.mark.thorough
def test_output_to_closed_stream_reaches_no_other_file(shell: Shell) -> None:
    with RawServer(http_reply(b"", 204), http_reply(b'{"jsonrpc":"2.0","id":"1","result":"pong"}')) as server:
        where = f"--url {server.origin} --id 1"
        assert run(shell, f"{PROGRAM} call ping {where} <&- >&-").returncode == 2
        assert not server.requests, "a call is not sent if its result cannot be printed"
        assert run(shell, f"{PROGRAM} notify ping --url {server.origin} <&- >&- 2>&-").returncode == 0
        assert run(shell, f"{PROGRAM} call ping {where} <&- 2>&-").stdout == '"pong"\n'
    recorded = list(History(shell.home / "state" / "history").all())
    assert [type(record) for record in recorded] == [Exchange, Exchange]
    assert [str(path) for path in shell.folder.iterdir()] == []


@pytest.mark.thorough
@pytest.mark.parametrize("command", ["", "--help 2>&-", "themes", "demo", "demo 2>&1", "no-such-command 2>&1"])
def test_broken_pipe_ends_the_program_quietly(shell: Shell, command: str) -> None:
    pipe = broken()
    ran = run(shell, f"{PROGRAM} {command}", stdout=pipe)
    os.close(pipe)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_call_with_unread_result_is_recorded(shell: Shell) -> None:
    with RawServer(http_reply(b'{"jsonrpc":"2.0","id":"1","result":"pong"}')) as server:
        pipe = broken()
        ran = run(shell, f"{PROGRAM} call ping --url {server.origin} --id 1", stdout=pipe)
        os.close(pipe)
    assert (ran.returncode, ran.stderr) == (141, "")
    assert len(list(History(shell.home / "state" / "history").all())) == 1


@pytest.mark.thorough
def test_broken_pipe_on_stderr_ends_the_program_quietly(shell: Shell) -> None:
    pipe = broken()
    assert run(shell, f"{PROGRAM} call ping --url http://127.0.0.1:9", stderr=pipe).returncode == 141
    os.close(pipe)


@pytest.mark.thorough
@pytest.mark.parametrize("redirected", ["2>&-", "2>errors"])
def test_screen_works_without_stderr(tmp_path: Path, redirected: str) -> None:
    start = f"import os; os.execv('/bin/sh', ['sh', '-c', {f'exec {PROGRAM} demo {redirected}'!r}])"
    with Terminal([], {"RPCEXPLORER_HOME": str(tmp_path)}, tmp_path, (80, 24), start=("-c", start)) as terminal:
        terminal.sees("demo-cookie", "F5 send")
        terminal.press("ctrl+q")
        assert terminal.ends() == 0
    assert (tmp_path / "errors").read_bytes() == b"" if "errors" in redirected else not (tmp_path / "errors").exists()


@pytest.mark.thorough
def test_removed_working_folder_causes_no_crash_report(shell: Shell) -> None:
    ran = run(shell, f'rmdir "$PWD"; {PROGRAM} profiles list')
    assert (ran.returncode, ran.stdout) == (0, "")
    assert ran.stderr.startswith("rpcexplorer: No profiles yet")
