from __future__ import annotations

import os
from pathlib import Path

import pytest

from rpcexplorer.files.io import FileError, changed_last, names, sizes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(("b.toml", "a.toml", "c.txt")):
        (tmp_path / name).write_text("x" * (number + 1))
        os.utime(tmp_path / name, (number, number))
    (tmp_path / "d.toml").mkdir()
    (tmp_path / "e.toml").symlink_to("a.toml")
    return tmp_path


def test_missing_folder_has_no_files(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    assert (names(missing), sizes(missing, str.isascii)) == ([], [])


def test_file_instead_of_a_folder_is_reported(folder: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*a\.toml: a part of the path is a file"):
        names(folder / "a.toml")


def test_only_regular_files_have_sizes(folder: Path) -> None:
    assert sorted(sizes(folder, lambda name: name.endswith(".toml"))) == [1, 2]
    assert sorted(names(folder)) == ["a.toml", "b.toml", "c.txt", "d.toml", "e.toml"]


def test_too_many_files_are_cut_to_the_newest(folder: Path) -> None:
    files = {"b.toml": "B", "a.toml": "A", "c.txt": "C", "gone": "?"}
    assert changed_last(folder, 9, files) == ["B", "A", "C", "?"]
    assert changed_last(folder, 2, files) == ["C", "A"]
