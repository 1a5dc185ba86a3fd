from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.files.paths import Paths
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.settings import HistorySettings, Settings
from rpcexplorer.settings import load_settings, save_setting


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    paths = Paths.of({"RPCEXPLORER_HOME": str(tmp_path)})
    paths.config.mkdir()
    return paths


def test_every_setting_is_read(paths: Paths) -> None:
    paths.settings.write_text(
        """
theme = "dawn"
[keymap]
"call.send" = "f5,ctrl+s"
quit = ""
[history]
record = false
folder = "calls"
body_limit = 0
[secrets]
store = "keyring"
[reply]
limit = "64 MiB"
"""
    )
    settings, problems = load_settings(paths)
    assert problems == []
    assert settings == Settings(
        "dawn",
        {"call.send": "f5,ctrl+s", "quit": ""},
        HistorySettings(False, str(paths.config / "calls"), 0),
        "keyring",
        64 * 1024 * 1024,
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ('"1 B"', 1), ('"2kB"', 2_000), ('"2 KiB"', None), ('"2 kiB"', 2_048), ('"3 MB"', 3_000_000),
     ('"1 GiB"', 1024**3), ('"-1 B"', None), ('"many"', None), ("0", None), ("-1", None), ("1.5", None), ("true", None),
     ('"999999999 GiB"', None)],
)  # fmt: skip
def test_size_is_a_number_with_an_optional_unit(paths: Paths, text: str, size: int | None) -> None:
    paths.settings.write_text(f"[reply]\nlimit = {text}\n")
    settings, problems = load_settings(paths)
    assert settings.reply_limit == (size or Settings().reply_limit)
    assert [problem.key for problem in problems] == ([] if size else ["reply.limit"])


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ('teme = "x"', 1, "teme", "Did you mean `theme`?"),
        ("theme = 1", 1, "theme", "text, in quotes"),
        ("theme = '../../secrets'", 1, "theme", "a file name without a folder"),
        ("theme = '/etc/passwd'", 1, "theme", "a file name without a folder"),
        ("theme = '..'", 1, "theme", "a file name without a folder"),
        ("[history]\nrecrod = true", 2, "history.recrod", "Did you mean `record`?"),
        ("[history]\nrecord = 1", 2, "history.record", "true or false"),
        ('[secrets]\nstore = "keychain"', 2, "secrets.store", 'one of "file", "keyring"'),
        ("[keymap]\nquit = 1", 2, "keymap.quit", "text, in quotes"),
        ("keymap = 1", 1, "keymap", "must be a table"),
        ("theme = [", 1, "", "not TOML"),
    ],
)
def test_wrong_setting_is_reported_and_the_rest_used(paths: Paths, text: str, line: int, key: str, words: str) -> None:
    paths.settings.write_text(text)
    settings, (problem,) = load_settings(paths)
    assert settings == Settings()
    assert (problem.file, problem.line, problem.key) == (str(paths.settings), line, key)
    assert words in problem.sentence


@pytest.mark.parametrize(
    ("text", "key", "value", "expected"),
    [
        ("", "theme", "dawn", 'theme = "dawn"\n'),
        ("# mine\ntheme = 'x' # old\n", "theme", "dawn", "# mine\ntheme = \"dawn\" # old\n"),
        ("# mine\n", "history.record", False, "# mine\n\n[history]\nrecord = false\n"),
        ("[keymap]\n# go\n", ("keymap", "call.send"), "f5", '[keymap]\n"call.send" = "f5"\n# go\n'),
        ("[keymap]\nquit = 'q'\n", "keymap.quit", None, "[keymap]\n"),
    ],
)  # fmt: skip
def test_saving_one_setting_keeps_the_rest_of_file(
    paths: Paths, text: str, key: Any, value: Any, expected: str
) -> None:
    paths.settings.write_text(text)
    assert save_setting(paths, key, value) is None
    assert paths.settings.read_text() == expected


def test_first_setting_creates_the_file_and_its_folder(tmp_path: Path) -> None:
    paths = Paths.of({"RPCEXPLORER_HOME": str(tmp_path / "new")})
    assert save_setting(paths, "theme", "dawn") is None
    assert load_settings(paths)[0].theme == "dawn"


@pytest.mark.parametrize(
    ("text", "key", "value"), [("theme = [\n", "theme", "x"), ("", "teme", "x"), ("", "reply.limit", "lots")]
)
def test_damaged_file_or_wrong_value_is_not_written(paths: Paths, text: str, key: str, value: str) -> None:
    paths.settings.write_text(text)
    assert isinstance(save_setting(paths, key, value), Problem)
    assert paths.settings.read_text() == text
