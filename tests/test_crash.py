"""The crash report of a bug."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

from rpcexplorer.__main__ import MAX_CRASHES, write_crash
from rpcexplorer.model.secret import Secret

WHEN = datetime(2026, 11, 21, 10, 41, tzinfo=UTC)


def failed(message: str) -> ValueError:
    secret_variable = "never written"
    try:
        try:
            raise KeyError(message, len(secret_variable))
        except KeyError as error:
            raise ValueError(message) from error
    except ValueError as error:
        return error


def test_crash_report_has_causes_and_no_secrets(tmp_path: Path) -> None:
    error = failed('login {"password": "short"} with correct-horse failed\x1b[2J')
    file = write_crash(tmp_path, error, [Secret("correct-horse", "shop.password")], WHEN)
    assert isinstance(file, Path)
    text = file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "builtins.ValueError: login" in text
    assert "builtins.KeyError" in text
    assert "test_crash.py:" in text
    assert "in failed: raise ValueError(message) from error" in text
    assert "failed\\x1b[2J" in text
    for hidden in ("correct-horse", "short", "\x1b", "never written", str(tmp_path)):
        assert hidden not in text
    assert "«shop.password»" in text


def test_empty_error_or_unwritable_folder_is_survived(tmp_path: Path) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    file = write_crash(tmp_path, MuteError(), [], WHEN)
    assert isinstance(file, Path)
    assert "MuteError: (no message)" in file.read_text()
    (tmp_path / "file").write_text("")
    assert "cannot" in str(write_crash(tmp_path / "file", MuteError(), [], WHEN))


def test_only_the_newest_reports_are_kept(tmp_path: Path) -> None:
    files = [write_crash(tmp_path, failed("x"), [], WHEN.replace(minute=minute)) for minute in range(MAX_CRASHES + 3)]
    assert sorted(tmp_path.iterdir()) == files[3:]


def test_other_files_in_the_folder_are_not_removed(tmp_path: Path) -> None:
    for name in ("notes.txt", "2020-01-01.txt"):
        (tmp_path / name).write_text("mine")
    for minute in range(MAX_CRASHES + 3):
        write_crash(tmp_path, failed("x"), [], WHEN.replace(minute=minute))
    assert len(list(tmp_path.iterdir())) == MAX_CRASHES + 2
