from __future__ import annotations

import os
from pathlib import Path

import pytest

from rpcexplorer.files.io import FileError, changed_last, inodes, names, sizes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, name in enumerate(("b.toml", "a.toml", "c.txt")):
        (tmp_path / name).write_text("x" * (number + 1))
        os.utime(tmp_path / name, (number, number))
    (tmp_path / "d.toml").mkdir()
    (tmp_path / "e.toml").symlink_to("a.toml")
    return tmp_path


def test_nothing_lies_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "none"
    assert (names(missing), inodes(missing), sizes(missing, "")) == ([], {}, [])


def test_a_file_in_the_place_of_a_folder_is_told(folder: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*a\.toml: a part of the path is a file"):
        names(folder / "a.toml")


def test_only_ordinary_files_of_an_ending_have_sizes(folder: Path) -> None:
    assert sorted(sizes(folder, ".toml")) == [1, 2]
    assert sorted(names(folder)) == ["a.toml", "b.toml", "c.txt", "d.toml", "e.toml"]


def test_what_is_renamed_is_known_again(folder: Path) -> None:
    before = inodes(folder)["a.toml"]
    (folder / "a.toml").rename(folder / "z.toml")
    assert inodes(folder)["z.toml"] == before


def test_of_too_many_those_that_were_changed_last_are_taken(folder: Path) -> None:
    files = {"b.toml": "B", "a.toml": "A", "c.txt": "C", "gone": "?"}
    assert changed_last(folder, 9, files) == ["B", "A", "C", "?"]
    assert changed_last(folder, 2, files) == ["C", "A"]
