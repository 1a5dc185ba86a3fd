"""Presets on the command line: which there are, what one holds, and what a shell is offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.cli.world import COMPLETING
from rpcexplorer.profiles.layers import SHIPPED
from tests.fakes.shell import Shell


def own(shell: Shell, name: str, text: str) -> Path:
    path = shell.home / "config" / "presets" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_presets_are_listed_a_line_each(shell: Shell) -> None:
    own(shell, "mine", 'description = "What I know\\u001b[31m of \\u202eit"\n')
    ran = shell.run("presets")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.text.splitlines()
    assert [line.split()[0] for line in lines] == sorted({*(file.stem for file in SHIPPED.glob("*.toml")), "mine"})
    assert next(line for line in lines if line.startswith("mine")).endswith("  What I know␛[31m of \\u202eit")


def test_a_damaged_preset_is_told_and_the_others_are_listed(shell: Shell) -> None:
    path = own(shell, "mine", 'pth = "/"\n')
    ran = shell.run("presets")
    assert ran.code == 0
    assert {"mine", "bitcoin"} <= {line.split()[0] for line in ran.text.splitlines()}
    assert f"{path}:1: pth: `pth` is not a key of a preset; did you mean `path`?" in ran.err


def test_a_preset_is_printed_as_it_stands_in_its_file(shell: Shell) -> None:
    ran = shell.run("presets", "show", "bitcoin")
    assert (ran.code, ran.text) == (0, (SHIPPED / "bitcoin.toml").read_text())
    assert f"it stands in {SHIPPED / 'bitcoin.toml'}" in ran.err
    own(shell, "bitcoin", '# mine \x9b31m \u202e\npath = "/x"\n')
    assert shell.run("presets", "show", "bitcoin").text == '# mine \\u009b31m \\u202e\npath = "/x"\n'


def test_a_damaged_preset_is_printed_with_what_is_wrong(shell: Shell) -> None:
    path = own(shell, "mine", 'pth = "/"\n')
    ran = shell.run("presets", "show", "mine")
    assert (ran.code, ran.text) == (2, 'pth = "/"\n')
    assert f"{path}:1: pth:" in ran.err


def test_an_unknown_preset_is_answered_with_the_nearest(shell: Shell) -> None:
    ran = shell.run("presets", "show", "bitcion")
    assert (ran.code, ran.out) == (2, b"")
    assert "there is no preset `bitcion`; did you mean `bitcoin`?" in ran.err
    assert shell.run("presets", "show", "../sessions").code == 2
    assert "to see a preset: rpcexplorer presets show NAME" in shell.run("presets", "bitcoin").err


def test_profiles_show_says_which_values_come_from_the_preset(shell: Shell) -> None:
    file = shell.sessions('[profile.node]\nurl = "http://127.0.0.1:8332"\npreset = "bitcoin"\ntimeout = 5\n')
    ran = shell.run("profiles", "show", "node")
    rows = {line.split()[0]: line for line in ran.text.splitlines()[1:]}
    assert rows["preset"].split()[1:] == ["bitcoin", f"{file}:3"]
    assert f"  preset bitcoin, {SHIPPED / 'bitcoin.toml'}:" in rows["auth.kind"]
    assert rows["timeout"].endswith(f"{file}:4")
    assert rows["badge"].endswith("default")


def test_a_shell_is_offered_the_names_of_presets(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    own(shell, "bitter", "")
    own(shell, "bit$(x)", "")
    asked = {COMPLETING: "fish_complete", "COMP_WORDS": "rpcexplorer presets show bit", "COMP_CWORD": "bit"}
    for name, value in asked.items():  # click reads them from there
        monkeypatch.setenv(name, value)
    shell.environment |= asked
    assert shell.run().text.splitlines() == ["plain,bitcoin", "plain,bitter"]
