"""``--output FILE``: the bytes of stdout, in a complete file."""

from __future__ import annotations

import errno
import os
from typing import NoReturn

import pytest

from tests.cli.test_call import NO, PONG, answering
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply

ODD = answering('"result":{"b": 1.10,  "a":1e400, "é":"\\u202e"}')
BATCH = b'[{"jsonrpc":"2.0","id":"x.1","result":1.10},{"jsonrpc":"2.0","id":"x.2","result":"b"}]'


@pytest.mark.parametrize("more", [[], ["--response"], ["--body"], ["--include"], ["--dry-run"]])
@pytest.mark.parametrize("terminal", [False, True])
def test_file_gets_the_bytes_of_a_pipe(shell: Shell, more: list[str], terminal: bool) -> None:
    words = ["call", "m", "--id", "x", *more]
    with RawServer(ODD) as server:
        words += ["--url", server.origin]
        piped = shell.run(*words)
        ran = shell.run(*words, "--output", "out.json", terminal=terminal)
    assert (ran.code, ran.out) == (0, b"")
    assert (shell.folder / "out.json").read_bytes() == piped.out != b""


def test_dash_is_stdout(shell: Shell) -> None:
    with RawServer(PONG) as server:
        assert shell.run("call", "m", "--url", server.origin, "-o", "-").out == b'"pong"\n'
    assert list(shell.folder.iterdir()) == []


def test_new_file_is_private(shell: Shell) -> None:
    with RawServer(PONG) as server:
        assert shell.run("call", "m", "--url", server.origin, "-o", "out.json").code == 0
    assert (shell.folder / "out.json").stat().st_mode & 0o777 == 0o600


def test_existing_file_keeps_its_mode_and_link(shell: Shell) -> None:
    target = shell.folder / "real.json"
    target.write_text("old, and a good deal longer than what comes")
    target.chmod(0o640)
    (shell.folder / "out.json").symlink_to("real.json")
    with RawServer(PONG) as server:
        assert shell.run("call", "m", "--url", server.origin, "-o", "out.json").code == 0
    assert target.read_bytes() == b'"pong"\n'
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in shell.folder.iterdir()) == ["out.json", "real.json"]


@pytest.mark.parametrize(
    ("script", "more", "code", "message"),
    [
        (NO, [], 1, "there is nothing to write"),
        (http_reply(b"<html>", status=502), [], 5, "there is nothing to write"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[1,", ["--body"], 4, "there is no complete response"),
    ],
)
def test_incomplete_response_leaves_the_file_unchanged(
    shell: Shell, script: bytes, more: list[str], code: int, message: str
) -> None:
    (shell.folder / "out.json").write_text("from yesterday")
    with RawServer(script) as server:
        ran = shell.run("call", "m", *more, "--url", server.origin, "-o", "out.json")
    assert (ran.code, ran.out) == (code, b"")
    assert f"{shell.folder / 'out.json'} was not changed: {message}" in ran.err
    assert (shell.folder / "out.json").read_text() == "from yesterday"


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("missing/out.json", "there is no folder"),
        (".", "it is a folder. Name a file"),
        ("protected.json", "permission denied"),
        ("pipe", "it is a named pipe. Name a regular file"),
    ],
)
def test_unwritable_file_is_reported_before_sending(shell: Shell, file: str, message: str) -> None:
    (shell.folder / "protected.json").write_text("mine")
    (shell.folder / "protected.json").chmod(0o444)
    os.mkfifo(shell.folder / "pipe")
    with RawServer(PONG) as server:
        ran = shell.run("call", "m", "--url", server.origin, "-o", file)
    assert (ran.code, ran.out) == (2, b"")
    assert "cannot write" in ran.err
    assert message in ran.err
    assert server.requests == []
    assert (shell.folder / "protected.json").read_text() == "mine"


def test_full_disk_names_the_recorded_response(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (shell.folder / "out.json").write_text("from yesterday")
    monkeypatch.setattr("rpcexplorer.files.io.replace", full)
    with RawServer(PONG) as server:
        ran = shell.run("call", "m", "--url", server.origin, "--id", "x", "-o", "out.json")
        alone = shell.run("call", "m", "--url", server.origin, "--no-history", "-o", "out.json")
    assert (ran.code, alone.code) == (2, 2)
    assert "the disk is full. Free some space. The response is in the history. To print it, run:\n" in ran.err
    assert "history show" not in alone.err
    monkeypatch.undo()
    assert '"pong"' in shell.run("history", "show", "x", "--body").text
    assert (shell.folder / "out.json").read_text() == "from yesterday"


@pytest.mark.parametrize("name", ["@locked.json", "@.", "@~nobody-of-that-name/x.json"])
def test_unreadable_params_file_is_reported(shell: Shell, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    if "locked" in name:
        monkeypatch.setattr("rpcexplorer.files.io.opened", refuse)
    ran = shell.run("call", "m", name, "--url", "http://127.0.0.1:9")
    assert ran.code == 2
    assert any(message in ran.err for message in ("permission denied", "it is a folder", "There is no file"))
