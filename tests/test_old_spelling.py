"""Words of earlier versions that scripts and files still use: they work, and no help shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.tui.commands import COMMANDS
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply

PONG = http_reply(b'{"jsonrpc": "2.0", "id": 1, "result": "pong"}')


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize(("old", "new"), [("markdown", "report"), ("reply", "response")])
def test_copy_accepts_old_formats(shell: Shell, old: str, new: str) -> None:
    with RawServer(PONG) as server:
        shell.run("call", "ping", "--url", server.origin)
    assert shell.run("copy", "--as", old).out == shell.run("copy", "--as", new).out != b""


@pytest.mark.parametrize("form", ["markdown", "reply"])
def test_copy_help_hides_old_formats(shell: Shell, form: str) -> None:
    listed = shell.run("copy", "--help").text.partition("--as ")[2].partition("]")[0]
    assert form not in listed.strip("[").split("|")


def test_history_export_hide_redacts_values(shell: Shell) -> None:
    with RawServer(PONG) as server:
        shell.run("call", "ping", "--url", server.origin)
    old, new = (shell.run("history", "export", "--last", "1", option, "/result") for option in ("--hide", "--redact"))
    assert old.out == new.out
    assert b"pong" not in old.out != b""
    assert "--hide" not in shell.run("history", "export", "--help").text


@pytest.mark.parametrize(("id", "old_label"), [("test", "test the address")])
def test_palette_finds_commands_by_old_labels(id: str, old_label: str) -> None:
    (command,) = (command for command in COMMANDS if command.id == id)
    assert old_label not in command.words
    assert old_label in command.synonyms
