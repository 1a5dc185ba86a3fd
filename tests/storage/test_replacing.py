"""Files replaced in one step, and what is left beside them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from rpcexplorer.files.io import ABANDONED, FileTrouble, write_atomic, write_private


def left(path: Path, letters: str, age: float) -> Path:
    """What a writer leaves that is killed in the middle."""
    beside = path.with_name(f".{path.name}.{letters}.tmp")
    beside.write_text("half of a secret")
    then = time.time() - age
    os.utime(beside, (then, then))
    return beside


def test_what_a_killed_writer_left_is_removed_by_a_later_one(tmp_path: Path) -> None:
    path = tmp_path / "secrets.toml"
    old, young = left(path, "00000000", ABANDONED + 60), left(path, "ffffffff", ABANDONED - 60)
    write_private(path, "x = 1")
    assert not old.exists()
    assert young.exists(), "its writer may only be slow"


@pytest.mark.parametrize("name", [".a.toml.tmp", ".a.toml.0000000.tmp", ".aXtoml.00000000.tmp", ".b.toml.00000000.tmp"])
def test_nothing_else_is_removed(name: str, tmp_path: Path) -> None:
    other = tmp_path / name
    other.write_text("mine")
    os.utime(other, (0, 0))
    write_atomic(tmp_path / "a.toml", "x = 1")
    assert other.read_text() == "mine"


def test_what_cannot_be_removed_stops_no_write(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.with_name(".a.toml.00000000.tmp").mkdir()
    os.utime(path.with_name(".a.toml.00000000.tmp"), (0, 0))
    write_private(path, "x = 1")
    assert path.read_text() == "x = 1"


@pytest.mark.parametrize("write", [write_private, write_atomic])
def test_a_file_that_its_owner_has_protected_is_left_alone(write: object, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("mine")
    path.chmod(0o444)
    for place in (path, tmp_path / "link"):
        if place != path:
            place.symlink_to(path)
        if place == path or write is write_atomic:  # which follows links
            with pytest.raises(FileTrouble, match="permission denied; check its owner and mode"):
                write(place, "theirs")  # type: ignore[operator]
    assert path.read_text() == "mine"
    assert path.stat().st_mode & 0o777 == 0o444
