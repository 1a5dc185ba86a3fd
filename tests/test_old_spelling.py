"""Words of earlier versions still work in scripts and files, without help."""

from __future__ import annotations

import pytest

from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.tui.commands import COMMANDS
from tests.fakes.shell import Shell
from tests.fakes.wire import RawServer, http_reply

PONG = http_reply(b'{"jsonrpc": "2.0", "id": 1, "result": "pong"}')


@pytest.mark.parametrize(("old", "new"), [("markdown", "report"), ("reply", "response")])
def test_copy_accepts_old_formats(shell: Shell, old: str, new: str) -> None:
    with RawServer(PONG) as server:
        shell.run("call", "ping", "--url", server.origin)
    assert shell.run("copy", "--as", old).out == shell.run("copy", "--as", new).out != b""


def help_page(shell: Shell, capsys: pytest.CaptureFixture[str], *command: str) -> str:
    """Return the help, which click prints to the real stdout."""
    shell.run(*command, "--help")
    page = capsys.readouterr().out
    assert "Usage:" in page
    return page


@pytest.mark.parametrize("form", ["markdown", "reply"])
def test_copy_help_hides_old_formats(shell: Shell, capsys: pytest.CaptureFixture[str], form: str) -> None:
    listed = help_page(shell, capsys, "copy").partition("--as ")[2].partition("]")[0]
    assert "curl" in listed
    assert form not in listed.strip("[").split("|")


def test_history_export_hide_redacts_values(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    with RawServer(PONG) as server:
        shell.run("call", "ping", "--url", server.origin)
    old, new = (shell.run("history", "export", "--last", "1", option, "/result") for option in ("--hide", "--redact"))
    assert old.out == new.out
    assert b"pong" not in old.out != b""
    assert "--hide" not in help_page(shell, capsys, "history", "export")


@pytest.mark.parametrize("word", ["unreached", "unr", "no-response"])
def test_filter_outcome_unreached_means_no_response(word: str) -> None:
    wanted = HistoryFilter(outcome=word)
    assert (wanted.outcomes, wanted.wrong) == (("unreached",), ())


@pytest.mark.parametrize("words", [("--outcome", "unreached"), ("outcome:unreached",), ("outcome:no-response",)])
def test_history_list_accepts_outcome_unreached(shell: Shell, words: tuple[str, ...]) -> None:
    shell.run("call", "ping", "--url", "http://127.0.0.1:9")
    listed = shell.run("history", "list", *words)
    assert listed.code == 0
    assert "no response: " in listed.text
    assert "unreached" not in listed.text


def test_history_help_hides_outcome_unreached(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    page = help_page(shell, capsys, "history", "list")
    assert "no-response" in page
    assert "unreached" not in page


def test_history_json_keeps_outcome_unreached(shell: Shell) -> None:
    shell.run("call", "ping", "--url", "http://127.0.0.1:9")
    listed, counted = (shell.run("history", *words, "--json").text for words in (["list"], ["stats", "--by", "code"]))
    assert '"outcome":"unreached"' in listed.replace(": ", ":")
    assert '"code":"unreached"' in counted.replace(": ", ":")
    assert "no response  " in shell.run("history", "stats", "--by", "code").text


@pytest.mark.parametrize(("id", "old_label"), [("test", "test the address")])
def test_palette_finds_commands_by_old_labels(id: str, old_label: str) -> None:
    (command,) = (command for command in COMMANDS if command.id == id)
    assert old_label not in command.words
    assert old_label in command.synonyms


def test_call_envelope_prints_the_whole_response(shell: Shell) -> None:
    with RawServer(PONG, PONG) as server:
        old, new = (shell.run("call", "ping", "--url", server.origin, name) for name in ("--envelope", "--response"))
    assert old.code == new.code == 0
    assert old.out == new.out == b'{"jsonrpc": "2.0", "id": 1, "result": "pong"}\n'


@pytest.mark.parametrize("command", ["call", "batch"])
def test_call_help_shows_response_not_envelope(shell: Shell, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = help_page(shell, capsys, command)
    assert "--response" in page
    assert "--envelope" not in page
