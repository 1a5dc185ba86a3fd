"""The commands that list: keys, presets, paths, pages of the manual."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rpcexplorer.cli.world import COMPLETING
from rpcexplorer.files.paths import Paths
from rpcexplorer.manual import FOLDER, PAGES
from rpcexplorer.profiles.layers import SHIPPED
from rpcexplorer.tui.commands import COMMANDS, SCOPES
from tests.fakes.shell import Shell
from tests.fakes.terminal import Terminal


def keymap(shell: Shell, text: str) -> Path:
    file = shell.home / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f"[keymap]\n{text}")
    return file


def test_keys_lists_every_command_below_its_pane(shell: Shell) -> None:
    ran = shell.run("keys")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.text.splitlines()
    assert [line for line in lines if line and line[0] != " "] == list(SCOPES.values())
    listed = [line.split()[-1] for line in lines if line.startswith("  ")]
    assert sorted(listed) == sorted(command.id for command in COMMANDS)
    assert re.search(r"^  F5 \^Enter +Send the call in the editor\. +send$", ran.text, re.MULTILINE)
    helps = {command.id: command.help for command in COMMANDS}
    assert len({line.index(helps[line.split()[-1]]) for line in lines if line.startswith("  ")}) == 1, "in one column"


def test_keys_prints_the_keys_of_the_settings(shell: Shell) -> None:
    keymap(shell, 'send = "ctrl+s,f5"\ntheme = "f12"\ndiscover = ""\n')
    rows = {row["command"]: row for row in json.loads(shell.run("keys", "--json").text)}
    assert rows["send"]["keys"] == ["ctrl+s", "f5"]
    assert rows["send"]["shown"] == "^S F5"
    assert rows["theme"] == {
        "command": "theme",
        "keys": ["f12"],
        "shown": "F12",
        "does": "Preview the themes and choose one.",
        "where": "Everywhere",
    }
    assert (rows["discover"]["keys"], rows["discover"]["shown"]) == ([], "")
    assert rows["profiles"]["keys"] == ["f7"]
    text = shell.run("keys").text
    assert "^S F5" in text
    assert re.search(r"^  \(in palette\) +Discover the methods of the server\. +discover$", text, re.MULTILINE)


def test_key_of_keymap_is_removed_from_other_commands(shell: Shell) -> None:
    keymap(shell, 'send = "f12"\n"params.fix" = "f4"\n"response.search" = "f6,x"\n"history.close" = "n"\n')
    keys = {row["command"]: row["keys"] for row in json.loads(shell.run("keys", "--json").text)}
    assert (keys["send"], keys["params.problem-next"]) == (["f12"], [])
    assert (keys["focus.response"], keys["history"]) == ([], [])
    assert "n" in keys["response.next"], "a key of another screen is no matter"
    assert keys["quit"] == ["ctrl+q"]


def test_keymap_problem_is_printed_with_the_list(shell: Shell) -> None:
    file = keymap(shell, 'sned = "f5"\nsend = "\\u001b[2Jx"\n')
    ran = shell.run("keys")
    assert ran.code == 0
    assert f"{file}:2: keymap.sned: unknown command `sned`. Did you mean `send`?" in ran.err
    assert "\x1b" not in ran.text + ran.err


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("ctrl+zz", "ctrl+z"),
        ("f55", "f5"),
        ("F5", "f5"),
        ("Ctrl+G", "ctrl+g"),
        ("ctrl+S", "ctrl+s"),
        ("^g", "ctrl+g"),
        ("ctrl-g", "ctrl+g"),
        ("shift+ctrl+left", "ctrl+shift+left"),
        ("/", "slash"),
        ("Esc", "escape"),
        ("esc", "escape"),
        ("alt+→", "alt+right"),
        ("return", "enter"),
    ],
)
def test_unknown_key_names_nearest_and_keeps_default(shell: Shell, written: str, nearest: str) -> None:
    file = keymap(shell, f'send = "{written}"\n')
    ran = shell.run("keys", "--json")
    rows = {row["command"]: row["keys"] for row in json.loads(ran.text)}
    assert rows["send"] == ["f5", "ctrl+enter"]
    assert (
        f"{file}:2: keymap.send: unknown key `{written}`. Did you mean `{nearest}`? The default key stays." in ran.err
    )


def test_key_like_no_other_lists_examples(shell: Shell) -> None:
    keymap(shell, 'send = "plover"\n')
    assert "unknown key `plover`. Use names such as `f5`, `ctrl+g`" in shell.run("keys").err


@pytest.mark.parametrize("key", ["ctrl+banana", "banana", "alt+snowman"])
def test_picture_of_unicode_is_no_key(shell: Shell, key: str) -> None:
    keymap(shell, f'send = "{key}"\n')
    ran = shell.run("keys", "--json")
    assert f"unknown key `{key}`." in ran.err
    assert {row["command"]: row["keys"] for row in json.loads(ran.text)}["send"] == ["f5", "ctrl+enter"]


@pytest.mark.parametrize("key", ["euro_sign", "plus", "ctrl+backslash", "alt+question_mark"])
def test_sign_of_a_keyboard_can_be_a_key(shell: Shell, key: str) -> None:
    keymap(shell, f'send = "{key}"\n')
    assert shell.run("keys").err == ""


def test_check_reports_theme_and_keymap_with_lines(shell: Shell) -> None:
    file = keymap(shell, 'send = "ctrl+banana"\n"response.fold-to" = "f55"\n')
    file.write_text('theme = "nite"\n' + file.read_text())
    for names in ((), (str(file),)):
        ran = shell.run("profiles", "check", *names)
        assert ran.code == 2
        assert f"{file}:1: theme: there is no theme `nite`. Did you mean `night`?" in ran.err
        assert f"{file}:3: keymap.send: unknown key `ctrl+banana`." in ran.err
        assert f'{file}:4: keymap."response.fold-to": unknown key `f55`.' in ran.err
    file.write_text('theme = "tide"\n[keymap]\nsend = "f12"\n')
    assert shell.run("profiles", "check").code == 0


@pytest.mark.parametrize(
    ("text", "keys", "warning"),
    [
        ('send = "ctrl+zz,f12"', ["f12"], "unknown key `ctrl+zz`. Did you mean `ctrl+z`? The key is ignored."),
        ('send = "f12, ,f12,"', ["f12"], ""),
        ('send = ""', [], ""),
        ('send = ","', [], ""),
        ('history = "f12"\nsend = "f12"', ["f5", "ctrl+enter"],
         "`f12` is already the key of `history`. Choose another key. The default key stays."),
        ('history = "f12"\nsend = "f12,f11"', ["f11"],
         "`f12` is already the key of `history`. Choose another key. The key is ignored."),
        ('sned = "f5"', ["f5", "ctrl+enter"], "unknown command `sned`. Did you mean `send`?"),
        ('history = "f55"\nsend = "f6"', ["f6"], "unknown key `f55`. Did you mean `f5`? The default key stays."),
    ],
)  # fmt: skip
def test_keymap_uses_only_valid_keys(shell: Shell, text: str, keys: list[str], warning: str) -> None:
    keymap(shell, text + "\n")
    ran = shell.run("keys", "--json")
    assert {row["command"]: row["keys"] for row in json.loads(ran.text)}["send"] == keys
    assert warning in ran.err
    assert bool(warning) == bool(ran.err)


def own(shell: Shell, name: str, text: str) -> Path:
    path = shell.home / "config" / "presets" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_presets_prints_one_per_line(shell: Shell) -> None:
    own(shell, "mine", 'description = "What I know\\u001b[31m of \\u202eit"\n')
    ran = shell.run("presets")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.text.splitlines()
    assert [line.split()[0] for line in lines] == sorted({*(file.stem for file in SHIPPED.glob("*.toml")), "mine"})
    assert next(line for line in lines if line.startswith("mine")).endswith("  What I know␛[31m of \\u202eit")


def test_damaged_preset_is_reported_and_others_listed(shell: Shell) -> None:
    path = own(shell, "mine", 'pth = "/"\n')
    ran = shell.run("presets")
    assert ran.code == 0
    assert {"mine", "bitcoin"} <= {line.split()[0] for line in ran.text.splitlines()}
    assert f"{path}:1: pth: `pth` is not a key of a preset. Did you mean `path`?" in ran.err


def test_presets_show_prints_the_file(shell: Shell) -> None:
    ran = shell.run("presets", "show", "bitcoin")
    assert (ran.code, ran.text) == (0, (SHIPPED / "bitcoin.toml").read_text())
    assert f"file: {SHIPPED / 'bitcoin.toml'}" in ran.err
    own(shell, "bitcoin", '# mine \x9b31m \u202e\npath = "/x"\n')
    assert shell.run("presets", "show", "bitcoin").text == '# mine \\u009b31m \\u202e\npath = "/x"\n'


def test_damaged_preset_is_printed_with_its_problems(shell: Shell) -> None:
    path = own(shell, "mine", 'pth = "/"\n')
    ran = shell.run("presets", "show", "mine")
    assert (ran.code, ran.text) == (2, 'pth = "/"\n')
    assert f"{path}:1: pth:" in ran.err


def test_unknown_preset_names_the_nearest(shell: Shell) -> None:
    ran = shell.run("presets", "show", "bitcion")
    assert (ran.code, ran.out) == (2, b"")
    assert "there is no preset `bitcion`. Did you mean `bitcoin`?" in ran.err
    assert shell.run("presets", "show", "../sessions").code == 2
    assert "To print a preset, run:\n  rpcexplorer presets show NAME" in shell.run("presets", "bitcoin").err


def test_profiles_show_marks_values_of_the_preset(shell: Shell) -> None:
    file = shell.sessions('[profile.node]\nurl = "http://127.0.0.1:8332"\npreset = "bitcoin"\ntimeout = 5\n')
    ran = shell.run("profiles", "show", "node")
    rows = {line.split()[0]: line for line in ran.text.splitlines()[1:]}
    assert rows["preset"].split()[1:] == ["bitcoin", f"{file}:3"]
    assert f"  preset bitcoin, {SHIPPED / 'bitcoin.toml'}:" in rows["auth.kind"]
    assert rows["timeout"].endswith(f"{file}:4")
    assert rows["badge"].endswith("default")


def test_shell_completes_presets(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    own(shell, "bitter", "")
    own(shell, "bit$(x)", "")
    asked = {COMPLETING: "fish_complete", "COMP_WORDS": "rpcexplorer presets show bit", "COMP_CWORD": "bit"}
    for name, value in asked.items():  # Click reads them from os.environ.
        monkeypatch.setenv(name, value)
    shell.environment |= asked
    assert shell.run().text.splitlines() == ["plain,bitcoin", "plain,bitter"]


def test_manual_lists_pages_with_their_first_sentence(shell: Shell) -> None:
    ran = shell.run("manual")
    assert ran.code == 0
    assert ran.text.startswith("tutorial      Tutorial: ten minutes\n              Make a first call, ")


def test_manual_page_in_a_pipe_is_markdown(shell: Shell) -> None:
    assert shell.run("manual", "calls").out == (FOLDER / "calls.md").read_bytes()


@pytest.mark.parametrize("width", [80, 120])
def test_manual_page_on_a_terminal_fits_it(shell: Shell, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    shown = shell.run("manual", "calls", terminal=True, TERM="xterm").text
    assert shown.startswith("\x1b[1;4mCalls, params and responses\x1b[0m\n\n")
    assert "\x1b[36mF2\x1b[0m" in shown
    text = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert max(map(len, text.splitlines())) <= width
    assert " \n" not in text
    assert "Saved calls (saved-calls), Share a problem (share), Keys." in " ".join(text.split())


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_manual_page_without_colours(shell: Shell, name: str, value: str) -> None:
    shell.environment[name] = value
    shown = shell.run("manual", "calls", terminal=True).text
    assert "\x1b" not in shown
    assert "  In short:" in shown


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("secret", "There is no page secret. Did you mean secrets?"),
        (
            "x",
            (
                f"There is no page x. The pages are {', '.join(PAGES)}. To read the help, run:\n"
                "  rpcexplorer manual --help"
            ),
        ),
    ],
)
def test_unknown_page_names_the_nearest(shell: Shell, page: str, sentence: str) -> None:
    ran = shell.run("manual", page)
    assert (ran.code, ran.text, ran.err) == (2, "", f"rpcexplorer: {sentence}\n")


def test_shell_completes_pages(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", "rpcexplorer manual s")
    monkeypatch.setenv("COMP_CWORD", "2")
    shell.environment[COMPLETING] = "zsh_complete"
    assert shell.run().text.split()[1::3] == ["secrets", "saved-calls", "share", "scripts", "settings", "speed"]


@pytest.mark.parametrize(
    ("words", "page"),
    [
        (["call"], " calls"),
        (["profiles"], " profiles"),
        (["profiles", "add"], " profiles"),
        (["profiles", "secret"], " secrets"),
        (["presets", "show"], " profiles"),
        ([], ""),
    ],
)
def test_help_ends_with_a_page_of_the_manual(
    shell: Shell, words: list[str], page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.run(*words, "--help")
    assert capsys.readouterr().out.endswith(f"\n\n  Manual: rpcexplorer manual{page}\n")


def test_pager_shows_a_page_on_a_terminal(tmp_path: Path) -> None:
    pager = tmp_path / "pager"
    pager.write_text('#!/bin/sh\necho "pager $1 $LESS"; head -n 1\n')
    pager.chmod(0o755)
    environment = {"PAGER": f"{pager} 'an option'", "RPCEXPLORER_HOME": str(tmp_path), "NO_COLOR": "1"}
    with Terminal(["manual", "calls"], environment, tmp_path, (80, 24)) as terminal:
        assert terminal.ends() == 0
        assert "pager an option FRX\nCalls, params and responses\n" in terminal.text
        assert "In short" not in terminal.text


def test_paths_are_listed_with_missing_ones_marked(shell: Shell) -> None:
    shell.sessions('[profile.x]\nurl = "http://127.0.0.1:9"\n')
    ran = shell.run("paths")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.text.splitlines()
    assert lines[0] == f"project file   {shell.folder / 'sessions.toml'}"
    assert lines[3] == f"settings       {shell.home / 'config' / 'settings.toml'}  (does not exist)"
    rows = json.loads(shell.run("paths", "--json").text)
    assert rows[0] == {"name": "project file", "path": str(shell.folder / "sessions.toml"), "exists": True}
    paths = Paths.of(shell.environment)
    assert {getattr(paths, name) for name in dir(Paths) if isinstance(getattr(Paths, name), property)} <= {
        Path(row["path"]) for row in rows
    }


def test_history_path_is_that_of_the_profile(shell: Shell) -> None:
    own = shell.own(
        '[profile.x]\nurl = "http://127.0.0.1:9"\nhistory = "calls"\n[profile.y]\nurl = "http://127.0.0.1:9"\n'
    )
    assert f"history        {own.parent / 'calls'}  (does not exist)\n" in shell.run("-p", "x", "paths").text
    assert f"history        {shell.home / 'state' / 'history'}" in shell.run("paths").text
    assert shell.run("-p", "z", "paths").code == 2
