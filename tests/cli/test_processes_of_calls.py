"""Calls to a process: its stderr and its end."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.cli.events import MAX_PASSED_ON
from rpcexplorer.cli.main import run
from rpcexplorer.cli.world import World
from rpcexplorer.client import server_messages
from rpcexplorer.redaction.redactor import Redactor
from rpcexplorer.transport import process
from tests.fakes.shell import Shell
from tests.transport.test_processes import ALIVE, FOREVER, IGNORING_TERM, Lives

ANSWERING = """
import json, os, sys, time
def answer():
    call = json.loads(sys.stdin.readline())
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": "pong"}), flush=True)
"""
NAME = Path(sys.executable).name


@pytest.fixture
def lives(tmp_path: Path) -> Iterator[Lives]:
    pipe = Lives(tmp_path / "alive")
    yield pipe
    pipe.close()


def words(shell: Shell, code: str, *more: object) -> str:
    file = shell.folder / "server.py"
    file.write_text(ANSWERING + code)
    return shlex.join([sys.executable, str(file), *map(str, more)])


class Stdout(io.BytesIO):
    """Notes which of the processes lives when something is written."""

    def __init__(self, lives: Lives) -> None:
        super().__init__()
        self.lives, self.alive = lives, list[bool]()

    def write(self, data: object) -> int:
        self.alive.append(self.lives.is_alive())
        return super().write(data)  # type: ignore[arg-type]


def test_result_is_printed_before_the_process_ends(
    shell: Shell,
    lives: Lives,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.1)
    out, err = Stdout(lives), io.StringIO()
    world = World(io.BytesIO(), out, err, shell.environment, shell.folder)
    stubborn = words(shell, IGNORING_TERM + ALIVE.replace("print('[]', flush=True)", "answer()") + FOREVER, lives.path)
    assert run(["call", "ping", "--stdio", stubborn], world) == 0
    assert (out.getvalue(), out.alive[-1]) == (b'"pong"\n', True)
    lives.wait_for_end()


def test_stderr_of_a_process_has_its_name(shell: Shell) -> None:
    code = "os.write(2, b'one\\x1b[1m\\n\\xff two\\n'); answer(); os.write(2, b'three')"
    ran = shell.run("call", "ping", "--stdio", words(shell, code))
    assert (ran.code, ran.out) == (0, b'"pong"\n')
    assert ran.err == f"{NAME}: one␛[1m\n{NAME}: \ufffd two\n{NAME}: three\n"


def test_data_that_is_not_a_message_is_printed_once(shell: Shell) -> None:
    ran = shell.run("call", "ping", "--stdio", words(shell, "print('hello world\\nhello again'); answer()"))
    assert (ran.out, ran.err) == (b'"pong"\n', "rpcexplorer: The server sent hello world: this is not a JSON object\n")


def test_secrets_are_sought_only_in_what_is_printed(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a flood of lines takes minutes, because the secrets are read each time."""
    made, make = 0, Redactor.__init__

    def noted(*args: Any, **more: Any) -> None:
        nonlocal made
        made += 1
        make(*args, **more)

    monkeypatch.setattr(Redactor, "__init__", noted)
    code = f"""
print("junk\\n" * 1000, end="")
os.write(2, b"x" * {MAX_PASSED_ON - 1} + b"\\n" + b"x\\n" * 1000)
answer()
"""
    ran = shell.run("call", "ping", "--stdio", words(shell, code), "--no-history")
    assert ran.err.endswith("only the first 64 kB are printed\n")
    assert made < 20


def test_unanswered_requests_of_a_call_are_counted(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_messages, "MAX_ANSWER_BYTES", 0)
    ran = shell.run("call", "ping", "--stdio", words(shell, 'print(\'{"id": 1, "method": "x"}\'); answer()'))
    assert ran.err == "rpcexplorer: 1 request of the server got no answer: the server does not read its answers\n"


@pytest.mark.parametrize("command", ["call", "listen"])
def test_refusal_of_a_request_is_explained_once(command: str, shell: Shell) -> None:
    code = 'ask = \'{"id": 1, "method": "me"}\'; print(f\'{ask}\\n{ask}\'); answer()'
    shell.run("profiles", "add", "p", "--stdio", words(shell, code))
    shell.run("profiles", "set", "p", "answer.me.ask=true")
    ran = shell.run(command, "-p", "p", "ping")
    assert ran.err.count("The server sent the request me. It got the error -32601, because you can only answer") == 1
    assert "  rpcexplorer profiles set p answer.me.ask= answer.me.result_json=JSON\n" in ran.err


def test_stderr_without_end_is_counted(shell: Shell) -> None:
    code = "os.write(2, b'x' * 99 + b'\\n'); sys.stderr.write(('y' * 99 + '\\n') * 10_000); answer()"
    ran = shell.run("call", "ping", "--stdio", words(shell, code))
    assert ran.out == b'"pong"\n'
    *lines, last = ran.err.splitlines()
    assert len(lines) == MAX_PASSED_ON // 100
    assert (
        last == f"rpcexplorer: {10_001 - len(lines):,} more lines of {NAME} on stderr: only the first 64 kB are printed"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("is_printing", [False, True])
@pytest.mark.everyday(2)
def test_signal_ends_command_and_process(
    number: signal.Signals,
    is_printing: bool,
    shell: Shell,
    lives: Lives,
) -> None:
    """The pipe that stdout goes to is full while the result is printed."""
    result = "print(json.dumps({'jsonrpc': '2.0', 'id': 'x', 'result': 'y' * 1_000_000}), flush=True)"
    code = ALIVE.replace("print('[]', flush=True)", result if is_printing else "") + "sys.stderr.write('ready\\n')\n"
    command = [sys.executable, "-m", "rpcexplorer", "call", "m", "--id", "x", "--stdio"]
    with subprocess.Popen(
        [*command, words(shell, code + "sys.stdin.read()", lives.path)],
        cwd=shell.folder,
        env={**os.environ, **shell.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        if is_printing:
            assert program.stdout.read(1) == b'"'
        else:
            assert program.stderr.readline().endswith(b"ready\n")
        program.send_signal(number)
        if not is_printing:
            program.stdout.read()
        assert program.wait(20) == (128 + number if is_printing else 130)
    lives.wait_for_end()


def test_impatient_ctrl_c_prints_no_traceback(shell: Shell, lives: Lives) -> None:
    """The process outlives the end of its stdin and SIGTERM, and Ctrl+C is pressed at each."""
    code = """
import signal
def interrupt(*_):
    os.kill(os.getppid(), signal.SIGINT)
signal.signal(signal.SIGTERM, interrupt)
answer()
sys.stdin.read()
interrupt()
"""
    ran = subprocess.run(
        [sys.executable, "-m", "rpcexplorer", "call", "m", "--stdio", words(shell, ALIVE + code + FOREVER, lives.path)],
        cwd=shell.folder,
        env={**os.environ, **shell.environment},
        capture_output=True,
        check=False,
        timeout=20,
    )
    assert (ran.returncode, ran.stdout) == (130, b'"pong"\n')
    assert b"Traceback" not in ran.stderr
    lives.wait_for_end()


SESSION = "sess-of-one-connection-4711"
SPEAKING = """
import json, sys
SESSION = "sess-of-one-connection-4711"
for line in sys.stdin:
    call = json.loads(line)
    answer = {"result": {"sessionId": SESSION}}
    if call["method"] != "begin":
        assert SESSION in line
        print("working in", SESSION, file=sys.stderr, flush=True)
        print(json.dumps({"jsonrpc": "2.0", "method": "update", "params": [SESSION]}), flush=True)
        answer = {"error": {"code": -1, "message": f"{SESSION} is busy", "data": SESSION}}
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], **answer}), flush=True)
"""


@pytest.mark.parametrize("command", ["call", "listen"])
def test_secret_of_an_opening_result_is_printed_and_recorded_nowhere(shell: Shell, command: str) -> None:
    """A program of its own also writes the events at its end."""
    server = shell.folder / "server.py"
    server.write_text(SPEAKING)
    shell.own(
        f'[profile.p]\nurl = "stdio:"\ncommand = ["{sys.executable}", "{server}"]\n'
        '[[profile.p.open]]\nname = "session"\nmethod = "begin"\n'
    )
    ran = subprocess.run(
        [sys.executable, "-m", "rpcexplorer", command, "-p", "p", "work", '["{{open.session#/sessionId}}"]'],
        check=False,
        capture_output=True,
        text=True,
        cwd=shell.folder,
        env={**os.environ, **shell.environment},
    )
    server.unlink()
    assert ran.returncode == 1
    assert "working in «not recorded»" in ran.stderr
    assert "«not recorded» is busy" in ran.stderr
    assert "update" in shell.run("history", "list", "--outcome", "event").text
    assert SESSION not in f"{ran.stdout} {ran.stderr} {shell.files()}"
