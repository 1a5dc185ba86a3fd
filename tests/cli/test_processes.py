"""A process whose words are typed is the server of any command."""

from __future__ import annotations

import shlex

import pytest

from rpcexplorer.cli.main import run
from rpcexplorer.cli.world import World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Person
from tests.fakes.shell import Keyboard, Screen, Shell

SERVE = """#!/bin/sh
printf '%s|' "$@" >>ran
while read -r line
do
    echo "$line" >>lines
    id="${line#*\\"id\\":\\"}"
    echo '{"jsonrpc":"2.0","id":"'"${id%%\\"*}"'","result":"pong"}'
done
"""


@pytest.fixture
def served(shell: Shell) -> Shell:
    """Return a shell in a folder with a server that answers each message of a line."""
    (shell.folder / "serve").write_text(SERVE)
    (shell.folder / "serve").chmod(0o755)
    return shell


@pytest.mark.parametrize(
    ("before", "after"),
    [((), ("--stdio", "./serve 'a b' $HOME")), (("--stdio", "./serve 'a b' $HOME"), ())],
)
def test_call_to_typed_process_runs_its_words(served: Shell, before: tuple[str, ...], after: tuple[str, ...]) -> None:
    ran = served.run(*before, "call", "ping", "--id", "x", *after)
    assert (ran.code, ran.out) == (0, b'"pong"\n')
    assert (served.folder / "ran").read_text() == "a b|$HOME|"


@pytest.mark.parametrize(("command", "stdin"), [("notify ping", ""), ("batch", '[{"method": "ping", "id": null}]')])
def test_other_calls_start_a_typed_process(served: Shell, command: str, stdin: str) -> None:
    assert served.run(*command.split(), "--stdio", "./serve", stdin=stdin.encode()).code == 0
    assert b'"method":"ping"' in (served.folder / "lines").read_bytes()


def test_dry_run_prints_message_and_starts_nothing(served: Shell) -> None:
    ran = served.run("call", "ping", "--id", "x", "--stdio", "./serve 'a b'", "--framing", "length", "--dry-run")
    assert (ran.code, ran.out) == (0, b'Content-Length: 54\n\n{"jsonrpc":"2.0","id":"x","method":"ping","params":[]}\n')
    assert ran.err == f"rpcexplorer: process: ./serve 'a b'\nrpcexplorer: folder: {served.folder}\n"
    assert not (served.folder / "ran").exists()


def test_replay_of_a_process_needs_its_words(served: Shell) -> None:
    served.run("call", "ping", "--id", "x", "--stdio", "./serve")
    ran = served.run("replay", "x")
    assert (ran.code, ran.err) == (
        2,
        "rpcexplorer: x was sent to a process. Add --stdio WORDS, or name a profile with -p.\n",
    )
    assert (served.folder / "ran").read_text() == "|"
    assert served.run("replay", "x", "--stdio", "./serve").code == 0


@pytest.mark.parametrize("words", [("--stdio", "./serve", "--preset", "lsp"), ("case.toml", "--stdio", "./serve")])
def test_screen_opens_on_a_typed_process(
    served: Shell, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, str]] = []

    def screen(explorer: Explorer, _: Person, *__: object) -> tuple[int, str]:
        assert explorer.profile is not None
        opened.append((explorer.profile.endpoint, explorer.profile.preset))
        return 0, ""

    monkeypatch.setattr("rpcexplorer.tui.app.open_screen", screen)
    (served.folder / "case.toml").write_text("case = 1\n")
    assert run(words, World(Screen(), Screen(), Keyboard(), served.environment, served.folder)) == 0
    assert opened == [("stdio:./serve", words[3] if words[2] == "--preset" else "")]
    assert not (served.folder / "ran").exists()


def test_copy_of_a_call_names_the_process(served: Shell) -> None:
    served.run("call", "ping", "--stdio", "./serve 'a b'")
    ran = served.run("copy")
    assert (ran.code, ran.out) == (2, b"")
    assert "cannot be copied as curl" in ran.err
    assert "default ones" not in ran.err
    words = shlex.split(served.run("copy", "--as", "command").text)
    assert words == ["rpcexplorer", "call", "ping", "--stdio", "./serve 'a b'"]
