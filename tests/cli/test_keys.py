"""The table of keys on the command line: all of them, with those that somebody has changed."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rpcexplorer.tui.commands import COMMANDS, SCOPES
from tests.fakes.shell import Shell


def keymap(shell: Shell, text: str) -> Path:
    file = shell.home / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f"[keymap]\n{text}")
    return file


def test_every_command_is_listed_with_its_keys_below_its_pane(shell: Shell) -> None:
    ran = shell.run("keys")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.text.splitlines()
    assert [line for line in lines if line and line[0] != " "] == list(SCOPES.values())
    listed = [line.split()[-1] for line in lines if line.startswith("  ")]
    assert sorted(listed) == sorted(command.id for command in COMMANDS)
    assert re.search(r"^  F5 \^Enter +Send the call that stands in the editor\. +send$", ran.text, re.MULTILINE)
    helps = {command.id: command.help for command in COMMANDS}
    assert len({line.index(helps[line.split()[-1]]) for line in lines if line.startswith("  ")}) == 1, "in one column"


def test_the_keys_of_the_settings_are_the_ones_that_are_printed(shell: Shell) -> None:
    keymap(shell, 'send = "ctrl+s,f5"\ntheme = "f12"\ndiscover = ""\n')
    rows = {row["command"]: row for row in json.loads(shell.run("keys", "--json").text)}
    assert rows["send"]["keys"] == ["ctrl+s", "f5"]
    assert rows["send"]["shown"] == "^S F5"
    assert rows["theme"] == {
        "command": "theme",
        "keys": ["f12"],
        "shown": "F12",
        "does": "See each theme at once, keep the one you like.",
        "where": "Everywhere",
    }
    assert (rows["discover"]["keys"], rows["discover"]["shown"]) == ([], "")
    assert rows["profiles"]["keys"] == ["f7"]
    text = shell.run("keys").text
    assert "^S F5" in text
    assert re.search(r"^  palette +Ask the service which methods it has\. +discover$", text, re.MULTILINE)


def test_a_key_that_was_given_to_a_command_is_taken_from_those_that_hear_it_too(shell: Shell) -> None:
    keymap(shell, 'send = "f12"\n"params.fix" = "f4"\n"response.search" = "f6,x"\n"history.close" = "n"\n')
    keys = {row["command"]: row["keys"] for row in json.loads(shell.run("keys", "--json").text)}
    assert (keys["send"], keys["params.problem-next"]) == (["f12"], [])
    assert (keys["focus.response"], keys["history"]) == ([], [])
    assert "n" in keys["response.next"], "a key of another screen is no matter"
    assert keys["quit"] == ["ctrl+q"]


def test_what_is_wrong_with_the_keymap_is_told_beside_it(shell: Shell) -> None:
    file = keymap(shell, 'sned = "f5"\nsend = "\\u001b[2Jx"\n')
    ran = shell.run("keys")
    assert ran.code == 0
    assert f"{file}: keymap: there is no command `sned`; did you mean `send`?" in ran.err
    assert "\x1b" not in ran.text + ran.err
