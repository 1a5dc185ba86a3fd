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
    file_errors,
    is_private,
    lock,
    opened,
    private_folder,
    read_bytes,
    read_span,
    refuse_links,
    refuse_unwritable,
    save_as,
    write_atomic,
    write_new,
    write_output,
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
    """A clock that moves only during a sleep."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_file_that_is_not_utf8_names_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with pytest.raises(FileError) as problem:
        decoded(path, b"a = '\xe9'")
    assert problem.value.sentence == f"cannot read {path}: byte 5 is not UTF-8. Save the file as UTF-8"


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_invalid_file_name_is_reported(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot write"):
        write_private(tmp_path / name, "")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errno.ENOSPC, "the disk is full. Free some space"),
        (errno.EROFS, "the file system is read-only. Choose another folder"),
        (errno.EACCES, "permission denied. Check the owner and mode"),
        (errno.EXDEV, "invalid cross-device link. Check the path and the disk"),
    ],
)
def test_error_names_file_reason_and_advice(
    error: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.toml"
    monkeypatch.setattr(os, "fsync", failing(error))
    with pytest.raises(FileError) as problem:
        write_private(path, "a = 1")
    assert problem.value.sentence.startswith(f"cannot write {path}: {words}")


def test_private_file_is_private_from_its_first_byte(tmp_path: Path) -> None:
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


def test_private_write_removes_permissions_of_others(tmp_path: Path) -> None:
    path = tmp_path / "secrets.toml"
    path.write_text("old")
    path.chmod(0o644)
    assert not is_private(path)
    write_private(path, "new")
    assert is_private(path)
    assert path.read_text() == "new"


def test_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    private_folder(tmp_path)
    assert mode_of(tmp_path) == 0o755


def test_file_of_the_user_keeps_mode_and_link(tmp_path: Path) -> None:
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


def test_new_file_of_the_user_follows_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write_atomic(tmp_path / "new" / "sessions.toml", "a = 1")
    finally:
        os.umask(old)
    assert mode_of(tmp_path / "new" / "sessions.toml") == 0o640


def test_new_file_never_replaces_another(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("a", "dangling"):
        with pytest.raises(FileError, match=r"it already exists\. Choose another name"):
            write_new(tmp_path / name, "other")
    assert (tmp_path / "a").read_text() == "mine"


@pytest.mark.parametrize("name", ["link", "folder/a", "dangling", "folder/../a"])
def test_output_through_link_out_of_folder_is_refused(name: str, tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    for folder in (work, outside / "deep"):
        folder.mkdir(parents=True)
    (outside / "a").write_text("mine")
    (work / "link").symlink_to(outside / "a")
    (work / "dangling").symlink_to(outside / "none")
    (work / "folder").symlink_to(outside / "deep" if ".." in name else outside)
    refused = pytest.raises(FileError, match=r"a link there leads out of .*, to .*outside")
    with refused:
        refuse_unwritable(work / name, work)
    with refused:
        write_output(work / name, work, b"x")
    assert [path.name for path in outside.iterdir() if path.is_file()] == ["a"]
    assert (outside / "a").read_text() == "mine"


def test_output_in_a_missing_folder_is_refused_early(tmp_path: Path) -> None:
    refuse_unwritable(tmp_path / "new", tmp_path)
    with pytest.raises(FileError, match="cannot write"):
        refuse_unwritable(tmp_path / "none" / "new", tmp_path)
    with pytest.raises(FileError, match="cannot write"):
        refuse_unwritable(tmp_path, tmp_path)


def test_output_elsewhere_follows_links_in_its_folder_only(tmp_path: Path) -> None:
    for name in ("inside", "outside"):
        (tmp_path / name).touch()
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "bad").symlink_to(tmp_path / "outside")
    (tmp_path / "good").symlink_to("inside")
    write_output(tmp_path / "good", tmp_path / "work", b"x")
    assert (tmp_path / "inside").read_text() == "x"
    with pytest.raises(FileError, match="outside"):
        write_output(tmp_path / "there" / "bad", tmp_path / "work", b"x")


def test_saved_file_is_private_if_new(tmp_path: Path) -> None:
    file = tmp_path / "reply.json"
    assert save_as(file, tmp_path, b"1", replacing=False) == ""
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "it already exists" in save_as(file, tmp_path, b"2", replacing=False)
    file.chmod(0o644)
    assert save_as(file, tmp_path, b"3", replacing=True) == ""
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"3", 0o644)


def test_save_creates_no_folder(tmp_path: Path) -> None:
    error = save_as(tmp_path / "typo" / "response.json", tmp_path, b"1", replacing=False)
    advice = f"there is no folder {tmp_path}/typo. Choose another path"
    assert error == f"cannot write {tmp_path}/typo/response.json: {advice}"
    assert list(tmp_path.iterdir()) == []


def test_write_continues_after_single_bytes(tmp_path: Path) -> None:
    write = os.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:1]))
        write_private(tmp_path / "a", "größer")
    assert (tmp_path / "a").read_text(encoding="utf-8") == "größer"


def test_lone_surrogate_is_rejected_before_writing(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="lone surrogate"):
        write_private(tmp_path / "a", "\ud800")
    assert list(tmp_path.iterdir()) == []


HOLDER = """
import sys
from pathlib import Path
from rpcexplorer.files.io import lock
with lock(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def test_lock_of_another_process_times_out(tmp_path: Path) -> None:
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
    assert busy.value.sentence == f"cannot lock {path}: another process has been writing for 2 s. Try again"
    with lock(path, 0):
        pass


def test_lock_that_is_released_while_waiting_is_acquired(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    first = lock(path)
    first.__enter__()
    time = FakeTime()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        first.__exit__(None, None, None)

    with lock(path, 2.0, clock=time.clock, sleep=sleep):
        assert time.now == io.LOCK_PAUSE


def test_lock_is_private_file_next_to_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with lock(path):
        assert not path.exists()
        assert mode_of(tmp_path / ".a.toml.lock") == 0o600


def test_lock_is_never_created_through_a_link(tmp_path: Path) -> None:
    (tmp_path / ".a.toml.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileError, match="symbolic link"), lock(tmp_path / "a.toml"):
        pass
    assert not (tmp_path / "elsewhere").exists()


VICTIM = b"alias ll='ls -l'\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Return a file of the user that must not change."""
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
every_other_kind = pytest.mark.parametrize(("place", "words"), PLACED.values(), ids=PLACED)


@every_other_kind
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREAT | os.O_APPEND, os.O_WRONLY])
def test_other_kinds_of_files_are_rejected_without_waiting(
    flags: int, place: Callable[[Path, Path], Any], words: str, victim: Path, tmp_path: Path
) -> None:
    place(tmp_path / "a", victim)
    with (
        pytest.raises(FileError, match=words),
        file_errors("open", tmp_path / "a"),
        opened(tmp_path / "a", flags),
    ):
        pass
    assert victim.read_bytes() == VICTIM


def test_file_with_two_hard_links_is_read_only(victim: Path, tmp_path: Path) -> None:
    os.link(victim, tmp_path / "a")
    assert read_bytes(tmp_path / "a") == VICTIM
    with (
        pytest.raises(FileError, match="second hard link"),
        file_errors("open", victim),
        opened(victim, os.O_RDWR),
    ):
        pass


@pytest.mark.parametrize("user", [os.getuid(), os.getuid() + 1])
def test_file_of_another_user_is_only_read(user: int, victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user or 1)
    mine = os.getuid() == (user or 1)
    assert read_bytes(victim, others=True) == VICTIM
    for deed in (lambda: read_bytes(victim), lambda: is_private(victim)):
        if mine:
            deed()
        else:
            with pytest.raises(FileError, match="it belongs to another user"):
                deed()


def test_root_does_not_write_to_files_of_others(victim: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = victim.stat()
    theirs = os.stat_result((found.st_mode, found.st_ino, found.st_dev, 1, 1234, 1234, found.st_size, 0, 0, 0))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert io.is_ours(theirs, writing=False)
    assert not io.is_ours(theirs, writing=True)


def test_file_that_is_too_long_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "a").open("wb") as file:
        file.truncate(2 << 30)
    monkeypatch.setattr(os, "read", lambda *_: pytest.fail("it was read"))
    with pytest.raises(FileError, match=r"it is too large, 2,048 MiB \(limit 64 MiB\). Shorten it"):
        read_bytes(tmp_path / "a")


def test_device_is_not_opened_through_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").symlink_to("/dev/zero")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(FileError, match=r"it is a device\. Name a regular file"):
        read_bytes(tmp_path / "a", links=True)


def test_endless_file_of_size_zero_stops_at_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"")
    given: list[int] = []

    def reading(_: int, length: int) -> bytes:
        given.append(length)
        return bytes(length)

    monkeypatch.setattr(os, "read", reading)
    with pytest.raises(FileError, match=r"it is too large \(limit 10,000 bytes\)"):
        read_bytes(tmp_path / "a", 10_000)
    assert sum(given) == 10_001


PRIVATE = {"secrets", "allowed"}
"""Files that only the user owns and repairs by hand."""


@every_other_kind
@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if not kind.by_hand or kind.name in PRIVATE], ids=lambda kind: kind.name
)
def test_foreign_file_at_our_path_is_not_used(
    kind: Kind, place: Callable[[Path, Path], Any], words: str, victim: Path, tmp_path: Path
) -> None:
    root = tmp_path / "home"
    kind.begin(root)
    kind.path(root).unlink()
    place(kind.path(root), victim)
    before = kind.path(root).lstat().st_mode
    found, message = kind.read(root)
    assert (found, words in message) == (set(), True), message
    changed = kind.change(root, "c")
    if kind.name != "method list":  # It is only a copy, so a new file replaces whatever is there.
        assert words in changed, changed
        assert stat.S_IFMT(kind.path(root).lstat().st_mode) == stat.S_IFMT(before)
    assert victim.read_bytes() == VICTIM
    assert not victim.with_name("none").exists()


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.by_hand and kind.name not in PRIVATE], ids=lambda kind: kind.name
)
@pytest.mark.parametrize("target", ["/dev/zero", "pipe", "folder", "long"])
def test_edited_file_may_only_be_link_to_file(kind: Kind, target: str, tmp_path: Path) -> None:
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
    found, message = kind.read(root)
    assert found == set()
    assert any(words in message for words in ("a device", "a named pipe", "it is a folder", "(limit 1 MiB)"))
    assert kind.change(root, "c") != ""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name.endswith("profiles")], ids=lambda kind: kind.name)
def test_link_in_project_is_read_and_not_changed(kind: Kind, tmp_path: Path) -> None:
    root, real = tmp_path / "home", tmp_path / "elsewhere.toml"
    kind.begin(root)
    kind.path(root).rename(real)
    kind.path(root).symlink_to(real)
    before = real.read_bytes()
    assert kind.read(root) == (kind.things(), "")
    assert "symbolic link" in kind.change(root, "c")
    assert real.read_bytes() == before


def test_device_is_never_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a").symlink_to(tmp_path / "pipe")
    with pytest.raises(FileError, match="it is a named pipe"):
        write_atomic(tmp_path / "a", "x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_inner_folder_is_rejected_behind_a_link(tmp_path: Path) -> None:
    team, keys = tmp_path / "team", tmp_path / "ssh"
    (team / "deep" / "er").mkdir(parents=True)
    keys.mkdir()
    (team / "hist").symlink_to(keys)
    (team / "deep" / "hist").symlink_to(keys)
    for fine in (team / "deep", team / "deep" / "er", team / "new" / "er", team):
        refuse_links(fine, team)
    for link in (team / "hist", team / "hist" / "deep", team / "deep" / "hist"):
        with pytest.raises(FileError, match="is a symbolic link, which rpcexplorer does not follow here"):
            refuse_links(link, team)
    for outside in (keys, tmp_path, Path("/")):
        with pytest.raises(FileError, match="it is not inside"):
            refuse_links(outside, team)


def test_links_above_the_folder_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "real" / "team" / "hist").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    refuse_links(tmp_path / "link" / "team" / "hist", tmp_path / "link" / "team")


def test_read_beyond_the_end_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    descriptor = os.open(tmp_path / "file", os.O_RDONLY)
    assert (read_span(descriptor, 4, 10**15), read_span(descriptor, 12, 10**15)) == (b"456789", b"")
    os.close(descriptor)


def left(path: Path, letters: str, age: float) -> Path:
    """Write the file that a killed writer leaves."""
    temporary = path.with_name(f".{path.name}.{letters}.tmp")
    temporary.write_text("half of a secret")
    then = time.time() - age
    os.utime(temporary, (then, then))
    return temporary


def test_leftover_of_a_killed_writer_is_removed_later(tmp_path: Path) -> None:
    path = tmp_path / "secrets.toml"
    old, young = left(path, "00000000", ABANDONED + 60), left(path, "ffffffff", ABANDONED - 60)
    write_private(path, "x = 1")
    assert not old.exists()
    assert young.exists(), "its writer may only be slow"


@pytest.mark.parametrize("name", [".a.toml.tmp", ".a.toml.0000000.tmp", ".aXtoml.00000000.tmp", ".b.toml.00000000.tmp"])
def test_other_files_are_not_removed(name: str, tmp_path: Path) -> None:
    other = tmp_path / name
    other.write_text("mine")
    os.utime(other, (0, 0))
    write_atomic(tmp_path / "a.toml", "x = 1")
    assert other.read_text() == "mine"


def test_leftover_that_cannot_be_removed_stops_no_write(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.with_name(".a.toml.00000000.tmp").mkdir()
    os.utime(path.with_name(".a.toml.00000000.tmp"), (0, 0))
    write_private(path, "x = 1")
    assert path.read_text() == "x = 1"


@pytest.mark.parametrize("write", [write_private, write_atomic])
def test_file_protected_by_its_owner_is_not_replaced(write: object, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("mine")
    path.chmod(0o444)
    for place in (path, tmp_path / "link"):
        if place != path:
            place.symlink_to(path)
        if place == path or write is write_atomic:  # ``write_atomic`` follows links.
            with pytest.raises(FileError, match=r"permission denied\. Check the owner and mode"):
                write(place, "theirs")  # type: ignore[operator]
    assert path.read_text() == "mine"
    assert path.stat().st_mode & 0o777 == 0o444
