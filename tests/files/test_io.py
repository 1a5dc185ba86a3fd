from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.files import io
from rpcexplorer.files.io import (
    ABANDONED,
    FileError,
    LockedError,
    decoded,
    is_private,
    lock,
    opened,
    private_folder,
    read_bytes,
    read_span,
    refuse_links,
    save_as,
    telling,
    write_atomic,
    write_new,
    write_private,
)
from tests.files.every_file import KINDS, Kind


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def failing(error: int) -> Any:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(error, os.strerror(error))

    return fail


class FakeTime:
    """A clock that moves only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


# --- reading


def test_a_file_that_is_not_utf8_is_told_with_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with pytest.raises(FileError) as problem:
        decoded(path, b"a = '\xe9'")
    assert problem.value.sentence == f"cannot read {path}: byte 5 is not UTF-8; save the file as UTF-8"


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_that_no_file_can_have_is_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot write"):
        write_private(tmp_path / name, "")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errno.ENOSPC, "the disk is full; free some space"),
        (errno.EROFS, "the file system is read-only; choose another folder"),
        (errno.EACCES, "permission denied; check its owner and mode"),
        (errno.EXDEV, "invalid cross-device link; check the path and the disk"),
    ],
)
def test_a_trouble_says_which_file_why_and_what_to_do(
    error: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.toml"
    monkeypatch.setattr(os, "fsync", failing(error))
    with pytest.raises(FileError) as problem:
        write_private(path, "a = 1")
    assert problem.value.sentence.startswith(f"cannot write {path}: {words}")


# --- writing


def test_a_private_file_is_private_from_its_first_byte(tmp_path: Path) -> None:
    seen: list[int] = []
    write = os.write

    def looking(descriptor: int, content: Any) -> int:
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return write(descriptor, content)

    old = os.umask(0)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "write", looking)
            write_private(tmp_path / "a" / "b" / "secrets.toml", "x = 1")
    finally:
        os.umask(old)
    assert seen == [0o600]
    assert mode_of(tmp_path / "a" / "b" / "secrets.toml") == 0o600
    assert [mode_of(tmp_path / "a"), mode_of(tmp_path / "a" / "b")] == [0o700, 0o700]


def test_writing_privately_takes_back_what_others_could_read(tmp_path: Path) -> None:
    path = tmp_path / "secrets.toml"
    path.write_text("old")
    path.chmod(0o644)
    assert not is_private(path)
    write_private(path, "new")
    assert is_private(path)
    assert path.read_text() == "new"


def test_a_folder_that_exists_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    private_folder(tmp_path)
    assert mode_of(tmp_path) == 0o755


def test_a_file_of_the_persons_own_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "sessions.toml"
    real.parent.mkdir()
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "sessions.toml"
    link.symlink_to(real)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert mode_of(real) == 0o640


def test_a_new_file_of_the_persons_own_follows_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_atomic(tmp_path / "new" / "sessions.toml", "a = 1")
    finally:
        os.umask(old)
    assert mode_of(tmp_path / "new" / "sessions.toml") == 0o640


def test_writing_anew_never_replaces_anything(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("a", "dangling"):
        with pytest.raises(FileError, match="it exists already; choose another name"):
            write_new(tmp_path / name, "other")
    assert (tmp_path / "a").read_text() == "mine"


def test_a_file_of_the_persons_choice_is_private_where_it_is_new_and_keeps_its_mode_where_not(tmp_path: Path) -> None:
    file = tmp_path / "reply.json"
    assert save_as(file, b"1", replacing=False) == ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "it exists already" in save_as(file, b"2", replacing=False)
    file.chmod(0o644)
    assert save_as(file, b"3", replacing=True) == ""
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"3", 0o644)


def test_no_folder_is_made_for_a_file_of_the_persons_choice(tmp_path: Path) -> None:
    told = save_as(tmp_path / "slip" / "reply.json", b"1", replacing=False)
    assert told == f"cannot write {tmp_path}/slip/reply.json: there is no folder {tmp_path}/slip; choose another path"
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_takes_one_byte_at_a_time_gets_them_all(tmp_path: Path) -> None:
    write = os.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:1]))
        write_private(tmp_path / "a", "größer")
    assert (tmp_path / "a").read_text(encoding="utf-8") == "größer"


def test_a_lone_surrogate_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="lone surrogate"):
        write_private(tmp_path / "a", "\ud800")
    assert list(tmp_path.iterdir()) == []


# --- locks

HOLDER = """
import sys
from pathlib import Path
from rpcexplorer.files.io import lock
with lock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_a_lock_held_by_another_process_ends_in_busy_after_the_time_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    time = FakeTime()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout
        assert holder.stdin
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(LockedError) as busy, lock(path, 2.0, clock=time.clock, sleep=time.sleep):
            pytest.fail("two were in at once")
        holder.stdin.close()
    assert 2.0 <= time.now < 2.1
    assert busy.value.sentence == f"cannot lock {path}: another process has been writing for 2 s; try again"
    with lock(path, 0):
        pass


def test_a_lock_that_is_freed_while_waiting_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    first = lock(path)
    first.__enter__()
    time = FakeTime()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        first.__exit__(None, None, None)

    with lock(path, 2.0, clock=time.clock, sleep=sleep):
        assert time.now == io.LOCK_PAUSE


def test_the_lock_is_a_private_file_beside_the_one_that_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with lock(path):
        assert not path.exists()
        assert mode_of(tmp_path / ".a.toml.lock") == 0o600


def test_a_lock_is_never_made_through_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / ".a.toml.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileError, match="symbolic link"), lock(tmp_path / "a.toml"):
        pass
    assert not (tmp_path / "elsewhere").exists()


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
    with pytest.raises(FileError, match=words), telling("open", tmp_path / "a"), opened(tmp_path / "a", flags):
        pass
    assert victim.read_bytes() == VICTIM


def test_a_file_with_a_second_name_is_read_and_not_written_to(victim: Path, tmp_path: Path) -> None:
    os.link(victim, tmp_path / "a")
    assert read_bytes(tmp_path / "a") == VICTIM
    with pytest.raises(FileError, match="second name"), telling("open", victim), opened(victim, os.O_RDWR):
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
            with pytest.raises(FileError, match="it belongs to another user"):
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
    with pytest.raises(FileError, match=r"it is too large, 2,048 MiB \(limit 64 MiB\); shorten it"):
        read_bytes(tmp_path / "a")


def test_a_device_is_not_opened_where_a_link_to_a_file_would_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").symlink_to("/dev/zero")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(FileError, match="it is a device; name an ordinary file"):
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
    with pytest.raises(FileError, match=r"it is too large \(limit 10,000 bytes\)"):
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
    assert any(words in told for words in ("a device", "a named pipe", "it is a folder", "(limit 1 MiB)"))
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


def test_a_device_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a").symlink_to(tmp_path / "pipe")
    with pytest.raises(FileError, match="it is a named pipe"):
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
        with pytest.raises(FileError, match="is a symbolic link, which is not followed here"):
            refuse_links(link, team)
    for outside in (keys, tmp_path, Path("/")):
        with pytest.raises(FileError, match="it does not lie inside"):
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
            with pytest.raises(FileError, match="permission denied; check its owner and mode"):
                write(place, "theirs")  # type: ignore[operator]
    assert path.read_text() == "mine"
    assert path.stat().st_mode & 0o777 == 0o444
