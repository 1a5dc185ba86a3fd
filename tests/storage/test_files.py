from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.files import io
from rpcexplorer.files.io import (
    Busy,
    FileTrouble,
    decoded,
    is_private,
    lock,
    meanwhile,
    names,
    private_folder,
    read_bytes,
    save_as,
    write_atomic,
    write_new,
    write_private,
)


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


def test_a_missing_file_is_no_trouble(tmp_path: Path) -> None:
    assert read_bytes(tmp_path / "none.toml") is None
    assert read_bytes(tmp_path / "no folder" / "none.toml") is None
    assert names(tmp_path / "none") == []


def test_text_comes_without_its_byte_order_mark_and_with_its_line_ends() -> None:
    assert decoded(Path("a.toml"), b"\xef\xbb\xbfa = 1\r\n") == "a = 1\r\n"


def test_a_file_that_is_not_utf8_is_told_with_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with pytest.raises(FileTrouble) as trouble:
        decoded(path, b"a = '\xe9'")
    assert trouble.value.sentence == f"cannot read {path}: byte 5 is not UTF-8; save the file as UTF-8"


def test_a_folder_in_place_of_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="it is a folder; name a file"):
        read_bytes(tmp_path)


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_name_that_no_file_can_have_is_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="cannot write"):
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
    with pytest.raises(FileTrouble) as trouble:
        write_private(path, "a = 1")
    assert trouble.value.sentence.startswith(f"cannot write {path}: {words}")


def test_what_happens_meanwhile_is_added_and_the_kind_of_trouble_stays() -> None:
    with pytest.raises(Busy) as trouble, meanwhile("it is kept"):
        raise Busy("cannot")
    assert trouble.value.sentence == "cannot; it is kept"


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


def test_a_file_in_the_place_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(FileTrouble, match="a part of the path is a file"):
        private_folder(tmp_path / "a")


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
        with pytest.raises(FileTrouble, match="it exists already; choose another name"):
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


@pytest.mark.parametrize("write", [write_private, write_atomic])
@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    call: str, write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.toml"
    path.write_text("old")
    monkeypatch.setattr(os, call, failing(errno.ENOSPC))
    with pytest.raises(FileTrouble, match="the disk is full"):
        write(path, "new")
    monkeypatch.undo()
    assert [each.name for each in tmp_path.iterdir()] == ["a.toml"]
    assert path.read_text() == "old"


def test_a_system_that_takes_one_byte_at_a_time_gets_them_all(tmp_path: Path) -> None:
    write = os.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, content: write(descriptor, content[:1]))
        write_private(tmp_path / "a", "größer")
    assert (tmp_path / "a").read_text(encoding="utf-8") == "größer"


def test_a_lone_surrogate_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(FileTrouble, match="lone surrogate"):
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
        with pytest.raises(Busy) as busy, lock(path, 2.0, clock=time.clock, sleep=time.sleep):
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


def test_a_lock_is_let_go_when_its_holder_fails(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with pytest.raises(ZeroDivisionError), lock(path):
        raise ZeroDivisionError
    with lock(path, 0):
        pass


def test_the_lock_is_a_private_file_beside_the_one_that_may_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    with lock(path):
        assert not path.exists()
        assert mode_of(tmp_path / ".a.toml.lock") == 0o600


def test_a_lock_is_never_made_through_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / ".a.toml.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileTrouble, match="symbolic link"), lock(tmp_path / "a.toml"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_cannot_be_written_to_is_told_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "open", failing(errno.EROFS))
    with pytest.raises(FileTrouble) as trouble, lock(tmp_path / "a.toml"):
        pass
    assert not isinstance(trouble.value, Busy)
    assert "read-only" in trouble.value.sentence
