"""How a file is opened: what lies in its place may be anything, and was perhaps put there by somebody else."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.files import io
from rpcexplorer.files.io import (
    FileTrouble,
    is_private,
    lock,
    opened,
    read_bytes,
    read_span,
    refuse_links,
    telling,
    write_atomic,
)
from tests.storage.kinds import KINDS, Kind

VICTIM = b"alias ll='ls -l'\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the person that nobody was to touch."""
    path = tmp_path / "bashrc"
    path.write_bytes(VICTIM)
    return path


PLACED: dict[str, tuple[Callable[[Path, Path], Any], str]] = {
    "link": (lambda path, victim: path.symlink_to(victim), "symbolic link"),
    "link to nowhere": (lambda path, victim: path.symlink_to(victim.with_name("none")), "symbolic link"),
    "link to a device": (lambda path, _: path.symlink_to("/dev/zero"), "symbolic link"),
    "pipe": (lambda path, _: os.mkfifo(path), "pipe"),
    "folder": (lambda path, _: path.mkdir(), "it is a folder"),
}
whatever_lies_there = pytest.mark.parametrize(("place", "words"), PLACED.values(), ids=PLACED)


@whatever_lies_there
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREAT | os.O_APPEND, os.O_WRONLY])
def test_what_is_no_ordinary_file_is_told_and_not_waited_for(
    flags: int, place: Callable[[Path, Path], Any], words: str, victim: Path, tmp_path: Path
) -> None:
    place(tmp_path / "a", victim)
    with pytest.raises(FileTrouble, match=words), telling("open", tmp_path / "a"), opened(tmp_path / "a", flags):
        pass
    assert victim.read_bytes() == VICTIM


def test_a_file_with_a_second_name_is_read_and_not_written_to(victim: Path, tmp_path: Path) -> None:
    os.link(victim, tmp_path / "a")
    assert read_bytes(tmp_path / "a") == VICTIM
    with pytest.raises(FileTrouble, match="second name"), telling("open", victim), opened(victim, os.O_RDWR):
        pass


@pytest.mark.parametrize("user", [os.getuid(), os.getuid() + 1])
def test_a_file_of_somebody_else_is_read_only_where_others_write_too(
    user: int, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user or 1)
    mine = os.getuid() == (user or 1)
    assert read_bytes(victim, others=True) == VICTIM
    for deed in (lambda: read_bytes(victim), lambda: is_private(victim)):
        if mine:
            deed()
        else:
            with pytest.raises(FileTrouble, match="it belongs to somebody else"):
                deed()


def test_root_writes_to_nobody_elses_file(victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = victim.stat()
    theirs = os.stat_result((found.st_mode, found.st_ino, found.st_dev, 1, 1234, 1234, found.st_size, 0, 0, 0))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert io.is_ours(theirs, writing=False)
    assert not io.is_ours(theirs, writing=True)


# --- what is read has a limit


def test_a_file_that_is_too_long_is_not_read_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(2 << 30)
    monkeypatch.setattr(os, "read", lambda *_: pytest.fail("it was read"))
    with pytest.raises(FileTrouble, match=r"it has 2,048 MiB, and no more than 64 MiB are read; make it smaller"):
        read_bytes(tmp_path / "a")


def test_a_device_is_not_opened_where_a_link_to_a_file_would_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").symlink_to("/dev/zero")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(FileTrouble, match="it is a device; name an ordinary file"):
        read_bytes(tmp_path / "a", links=True)


def test_a_file_that_says_it_is_empty_and_never_ends_is_left_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"")
    given: list[int] = []

    def reading(_: int, length: int) -> bytes:
        given.append(length)
        return bytes(length)

    monkeypatch.setattr(os, "read", reading)
    with pytest.raises(FileTrouble, match="no more than 10,000 bytes of it are read"):
        read_bytes(tmp_path / "a", 10_000)
    assert sum(given) == 10_001


# --- every kind of file that the program keeps

PRIVATE = {"secrets", "allowed"}
"""What this person owns alone and mends by hand."""


@whatever_lies_there
@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if not kind.by_hand or kind.name in PRIVATE], ids=lambda kind: kind.name
)
def test_in_the_place_of_a_file_that_we_keep_nothing_is_followed_read_or_changed(
    kind: Kind, place: Callable[[Path, Path], Any], words: str, victim: Path, tmp_path: Path
) -> None:
    root = tmp_path / "home"
    kind.begin(root)
    kind.path(root).unlink()
    place(kind.path(root), victim)
    before = kind.path(root).lstat().st_mode
    found, told = kind.read(root)
    assert (found, words in told) == (set(), True), told
    changed = kind.change(root, "c")
    if kind.name != "catalogue":  # which is only a copy: a new file takes the place of whatever lies there
        assert words in changed, changed
        assert stat.S_IFMT(kind.path(root).lstat().st_mode) == stat.S_IFMT(before)
    assert victim.read_bytes() == VICTIM
    assert not victim.with_name("none").exists()


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.by_hand and kind.name not in PRIVATE], ids=lambda kind: kind.name
)
@pytest.mark.parametrize("target", ["/dev/zero", "pipe", "folder", "long"])
def test_what_people_write_may_be_a_link_to_a_file_and_to_nothing_else(kind: Kind, target: str, tmp_path: Path) -> None:
    root, aside = tmp_path / "home", tmp_path / "aside"
    aside.mkdir()
    kind.begin(root)
    kind.path(root).rename(aside / "dotfile")
    kind.path(root).symlink_to(aside / "dotfile")
    assert kind.read(root) == (kind.things(), "")
    kind.path(root).unlink()
    (aside / "folder").mkdir()
    os.mkfifo(aside / "pipe")
    with (aside / "long").open("wb") as file:
        file.truncate(300 << 20)
    kind.path(root).symlink_to(aside / target)
    found, told = kind.read(root)
    assert found == set()
    assert any(words in told for words in ("a device", "a named pipe", "it is a folder", "no more than 1 MiB are read"))
    assert kind.change(root, "c") != ""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name.endswith("profiles")], ids=lambda kind: kind.name)
def test_what_a_link_of_a_team_leads_to_is_read_and_not_changed(kind: Kind, tmp_path: Path) -> None:
    root, real = tmp_path / "home", tmp_path / "elsewhere.toml"
    kind.begin(root)
    kind.path(root).rename(real)
    kind.path(root).symlink_to(real)
    before = real.read_bytes()
    assert kind.read(root) == (kind.things(), "")
    assert "symbolic link" in kind.change(root, "c")
    assert real.read_bytes() == before


def test_a_lock_is_not_waited_for_where_a_pipe_lies(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".a.lock")
    with pytest.raises(FileTrouble, match="pipe"), lock(tmp_path / "a"):
        pass


def test_a_device_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a").symlink_to(tmp_path / "pipe")
    with pytest.raises(FileTrouble, match="it is a named pipe"):
        write_atomic(tmp_path / "a", "x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


# --- folders


def test_a_folder_inside_another_is_reached_without_a_link(tmp_path: Path) -> None:
    team, keys = tmp_path / "team", tmp_path / "ssh"
    (team / "deep" / "er").mkdir(parents=True)
    keys.mkdir()
    (team / "hist").symlink_to(keys)
    (team / "deep" / "hist").symlink_to(keys)
    for fine in (team / "deep", team / "deep" / "er", team / "new" / "er", team):
        refuse_links(fine, team)
    for link in (team / "hist", team / "hist" / "deep", team / "deep" / "hist"):
        with pytest.raises(FileTrouble, match="is a symbolic link, which is not followed here"):
            refuse_links(link, team)
    for outside in (keys, tmp_path, Path("/")):
        with pytest.raises(FileTrouble, match="it does not lie inside"):
            refuse_links(outside, team)


def test_links_above_the_folder_are_the_persons_own_business(tmp_path: Path) -> None:
    (tmp_path / "real" / "team" / "hist").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    refuse_links(tmp_path / "link" / "team" / "hist", tmp_path / "link" / "team")


def test_what_is_asked_for_beyond_the_end_of_a_file_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    descriptor = os.open(tmp_path / "file", os.O_RDONLY)
    assert (read_span(descriptor, 4, 10**15), read_span(descriptor, 12, 10**15)) == (b"456789", b"")
    os.close(descriptor)
