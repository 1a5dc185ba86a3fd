"""``demo``: ports, and problems of the machine."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

import rpcexplorer
from rpcexplorer.__main__ import main
from tests.fakes.shell import Shell

ROOT = str(Path(rpcexplorer.__file__).parent.parent)


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


def test_used_port_is_reported(shell: Shell, taken: int) -> None:
    environment = {**os.environ, **shell.environment, "PYTHONPATH": ROOT}
    command = [sys.executable, "-m", "rpcexplorer", "demo", "--serve", "--port", str(taken)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=shell.folder)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"rpcexplorer: Another program uses port {taken} of 127.0.0.1. Choose another port. "
        "Without --port, any free port is used.\n"
    )


@pytest.mark.parametrize("port", ["70000", "-1", "http", "8000.5"])
def test_invalid_port_is_reported(shell: Shell, port: str) -> None:
    ran = shell.run("demo", "--serve", "--port", port)
    assert ran.code == 2
    assert f"--port: {port} is not valid. Write a whole number from 0 to 65535. Without --port" in ran.err
    assert "0<=x" not in ran.err


def unlistening(number: int) -> object:
    async def start(*_: object, **__: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    return start


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EACCES, "Port 80 of 127.0.0.1 needs administrator rights. Choose 1024 or a larger port."),
        (errno.EMFILE, "The demo service cannot listen on 127.0.0.1: too many open files"),
    ],
)
def test_listen_error_names_the_reason(shell: Shell, monkeypatch: pytest.MonkeyPatch, number: int, words: str) -> None:
    monkeypatch.setattr("rpcexplorer.demo.http.asyncio.start_server", unlistening(number))
    ran = shell.run("demo", "--serve", "--port", "80")
    assert ran.code == 2
    assert words in ran.err


def test_listen_error_opens_no_screen(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rpcexplorer.demo.http.asyncio.start_server", unlistening(errno.EACCES))
    ran = shell.run("demo")
    assert (ran.code, ran.out) == (2, b"")
    assert "The demo service cannot listen on 127.0.0.1: permission denied" in ran.err


def test_full_disk_is_reported(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tempfile.TemporaryDirectory", full)
    ran = shell.run("demo")
    assert (ran.code, ran.out) == (2, b"")
    assert "the disk is full. Free some space" in ran.err


def test_crash_report_of_the_demo_outlives_it(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def crash(*_: object, **__: object) -> NoReturn:
        raise RuntimeError("somewhere in the tour")

    monkeypatch.setattr("rpcexplorer.explorer.Explorer.call", crash)
    monkeypatch.setattr(sys, "argv", ["rpcexplorer", "demo"])
    monkeypatch.setenv("RPCEXPLORER_HOME", str(shell.home))
    assert main() == 70
    [log] = shell.home.rglob("crashes/*.txt")
    assert f"Please report it with {log}" in capfd.readouterr().err
    assert "somewhere in the tour" in log.read_text()
