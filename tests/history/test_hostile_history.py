"""Tests of foreign files in a history folder: unchanged, and read quickly."""

from __future__ import annotations

import os
import resource
import tomllib
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from rpcexplorer.files.io import FileError
from rpcexplorer.history import folder
from rpcexplorer.history.file import LARGEST, STEP
from rpcexplorer.history.folder import History
from rpcexplorer.history.record import LEFT, to_block
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import HistoryFilter
from tests.files.reading import counted
from tests.history.recording import contents, damaged, exchange, id_of, sound

NEW = exchange(9)
BLOCK = to_block(exchange(1)).encode()
HOLE = 40 << 20
VICTIM = b"alias ll='ls -l'\nexport EDITOR=vi\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "bashrc"
    path.write_bytes(VICTIM)
    return path


def file_of(history: History) -> Path:
    return history.folder / "me@here.toml"


def reasons(history: History) -> list[str]:
    return [each.reason for each in damaged(history.all())]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (lambda path, victim: path.symlink_to(victim), "symbolic link"),
        (lambda path, victim: path.symlink_to(victim.with_name("none")), "symbolic link"),
        (lambda path, victim: os.link(victim, path), "second hard link"),
        (lambda path, victim: path.write_bytes(VICTIM), "it is not an rpcexplorer history file, so it was not changed"),
        (lambda path, _: os.mkfifo(path), "pipe"),
    ],
    ids=["link", "link to nowhere", "hard link", "text", "pipe"],
)
def test_foreign_file_at_history_path_stays_unchanged(
    place: Callable[[Path, Path], Any], words: str, one: History, victim: Path
) -> None:
    place(file_of(one), victim)
    before = file_of(one).lstat()
    for _ in range(2):
        with pytest.raises(FileError, match=words):
            one.append(NEW)
    assert one.unsaved == [NEW, NEW]
    assert file_of(one).lstat() == before  # Reading the victim changes its time of access.
    assert victim.read_bytes() == VICTIM
    assert {path.name for path in one.folder.iterdir()} <= {"me@here.toml", ".me@here.toml.lock"}
    assert not victim.with_name("none").exists()
    file_of(one).unlink()
    one.save_unsaved()
    assert sound(one.all()) == [NEW.id]


@pytest.mark.parametrize(
    "content",
    [
        b"[package]\nname = 'x'\n",
        b"# a comment\n\nkey = 1\n",
        b'end = "20240101"\n\n',
        b'x = 1\nend = "20240101"\n\n',
        b"\0\0ELF",
        b"[[calls]]\n",
        b"secret",
        b"\n" * (2 << 20),
    ],
    ids=lambda content: repr(content[:12]),
)
def test_file_without_call_is_not_ours(content: bytes, one: History) -> None:
    file_of(one).write_bytes(content)
    with pytest.raises(FileError, match="it is not an rpcexplorer history file"):
        one.append(NEW)
    assert contents(one.folder) == {"me@here.toml": content}


@pytest.mark.parametrize(
    "content",
    [b"", b"# mine\n", b"\xef\xbb\xbf# mine\n\n", b"[[ca", b"\n\n", b"\0" * 5000, BLOCK[:60]],
    ids=lambda content: repr(content[:12]),
)
def test_file_of_comments_or_torn_call_is_ours(content: bytes, one: History) -> None:
    file_of(one).write_bytes(content)
    one.append(NEW)
    assert sound(one.all()) == [NEW.id]
    tomllib.loads(file_of(one).read_text(encoding="utf-8-sig"))


def test_torn_call_is_saved_to_an_unused_name(one: History, victim: Path) -> None:
    for number, target in ((1, victim), (2, victim.with_name("none"))):
        (one.folder / f"me@here.toml.torn-{number}").symlink_to(target)
    file_of(one).write_bytes(BLOCK + BLOCK[:-40])
    one.append(NEW)
    assert (one.folder / "me@here.toml.torn-3").read_bytes() == BLOCK[:-40]
    assert victim.read_bytes() == VICTIM
    assert not victim.with_name("none").exists()


def test_full_file_does_not_replace_a_link(one: History, victim: Path) -> None:
    full = one.folder / "me@here.20250601T120009000Z.toml"
    full.symlink_to(victim.with_name("none"))
    file_of(one).write_bytes(BLOCK)
    History(one.folder, writer="me@here", rotate_at=10).append(NEW)
    assert full.is_symlink()
    assert file_of(one).read_bytes() == BLOCK + to_block(NEW).encode()


def test_linked_team_folder_is_not_used(tmp_path: Path) -> None:
    team, keys = tmp_path / "team", tmp_path / "ssh"
    team.mkdir()
    keys.mkdir()
    (team / "hist").symlink_to(keys)
    one = History(team / "hist", writer="me@here", inside=team)
    for deed in (
        lambda: one.append(NEW),
        lambda: list(one.all()),
        lambda: one.find("x"),
        one.methods,
        lambda: one.prune(keep=1),
        lambda: one.delete("x"),
    ):
        with pytest.raises(FileError, match="symbolic link"):
            deed()
    assert list(keys.iterdir()) == []
    assert one.unsaved == [NEW]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no owners here")
def test_calls_in_files_of_colleagues_are_read_only(one: History, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = one.folder / "me@there.toml"
    theirs.write_bytes(BLOCK)
    file_of(one).write_bytes(to_block(exchange(0)).encode() + to_block(NEW).encode())
    real = os.lstat

    def owned(path: Any, **more: Any) -> os.stat_result:
        found = real(path, **more)
        return os.stat_result((*found[:4], found.st_uid + (Path(path) == theirs), *found[5:])) if path else found

    monkeypatch.setattr(os, "lstat", owned)
    monkeypatch.setattr(Path, "lstat", owned)
    assert sound(one.all()) == [NEW.id, id_of(1), id_of(0)]
    deeds: list[Callable[[], object]] = [lambda: one.delete(id_of(1)), lambda: one.annotate(id_of(1), name="x")]
    for deed in deeds:
        with pytest.raises(FileError, match="it belongs to another user, and only that user can change it"):
            deed()
    assert one.prune(keep=1) == 1
    assert sound(one.all()) == [NEW.id, id_of(1)]
    assert theirs.read_bytes() == BLOCK


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "x@y.toml")


def sparse(folder: Path) -> None:
    with (folder / "x@y.toml").open("wb") as file:
        file.truncate(HOLE)


def one_block(folder: Path) -> None:
    """Write two lines with a hole between them, which uses no disk space."""
    with (folder / "x@y.toml").open("wb") as file:
        file.write(BLOCK[:-20] + b'reply = "')
        file.seek(HOLE, os.SEEK_CUR)
        file.write(b'"\n' + BLOCK[-20:])


def line_ends(folder: Path) -> None:
    (folder / "x@y.toml").write_bytes(b"\n" * (HOLE // 4))


def lines(folder: Path) -> None:
    (folder / "x@y.toml").write_bytes(b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n" * (HOLE >> 7))


def folder_of_that_name(folder: Path) -> None:
    (folder / "x@y.toml").mkdir()


def link(folder: Path) -> None:
    (folder / "x@y.toml").symlink_to("/dev/zero")


HOSTILE = pytest.mark.parametrize(
    ("put", "words"),
    [
        (pipe, "it is a named pipe"),
        (sparse, "or more of it contain no call"),
        (one_block, "or more of it contain no call"),
        (line_ends, "or more of it contain no call"),
        (lines, "or more of it contain no call"),
        (folder_of_that_name, "it is a folder"),
        (link, "symbolic link"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)


@pytest.fixture
def short_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up on a file without calls after 2 MiB."""
    monkeypatch.setattr(folder, "LARGEST", 2 << 20)
    monkeypatch.setattr(folder, "SPELLED", 0)


@HOSTILE
@pytest.mark.usefixtures("short_calls")
def test_file_without_calls_is_reported_once(put: Callable[[Path], None], words: str, one: History) -> None:
    put(one.folder)
    file_of(one).write_bytes(BLOCK + to_block(NEW).encode())
    one = History(one.folder, writer="me@here")
    unhurried = History(one.folder, writer="me@here", lock_seconds=0, clock=lambda: 0.0)
    tracemalloc.start()
    try:
        found = unhurried.recent("staging", 8)
        found_all = reasons(one)
        assert tracemalloc.get_traced_memory()[1] < HOLE // 4
    finally:
        tracemalloc.stop()
    assert sound(found) == [NEW.id, id_of(1)]
    assert [words in each.reason for each in damaged(found)] == [True]
    assert [words in each for each in found_all] == [True]
    assert unhurried.methods("staging") == ["ping"]


@HOSTILE
@pytest.mark.usefixtures("short_calls")
def test_calls_next_to_hostile_files_can_be_changed(put: Callable[[Path], None], words: str, one: History) -> None:
    assert words
    put(one.folder)
    one = History(one.folder, writer="me@here", lock_seconds=0)
    file_of(one).write_bytes(b"".join(to_block(exchange(number)).encode() for number in range(4)))
    assert one.annotate(id_of(2), name="x")
    assert one.delete(id_of(3))
    assert one.prune(keep=1) == 2
    assert sound(one.all()) == [id_of(2)]


def test_huge_file_without_calls_is_read_in_steps(one: History, monkeypatch: pytest.MonkeyPatch) -> None:
    with (one.folder / "x@y.toml").open("wb") as file:
        file.truncate(2 << 30)
    sizes = counted(monkeypatch)
    read = 0
    for found in one.search_in_steps(HistoryFilter(words=("nowhere",))):
        assert not isinstance(found, Exchange)
        assert sum(sizes) - read <= STEP
        read = sum(sizes)
    assert read < LARGEST + 16 * STEP


@pytest.mark.usefixtures("short_calls")
def test_real_calls_are_found_before_huge_hostile_files(one: History, monkeypatch: pytest.MonkeyPatch) -> None:
    sparse(one.folder)
    file_of(one).write_bytes(BLOCK)
    one = History(one.folder)
    sizes = counted(monkeypatch)
    assert sound([next(each for each in one.all() if isinstance(each, Exchange))]) == [id_of(1)]
    assert sum(sizes) < HOLE // 4


def test_slow_search_for_recent_calls_reports_missing_calls(one: History) -> None:
    sparse(one.folder)
    file_of(one).write_bytes(BLOCK)
    seconds = iter(range(10**6))
    hurried = History(one.folder, clock=lambda: float(next(seconds)))
    assert [each.reason for each in damaged(hurried.recent("staging", 8))] == [
        f"{one.folder} takes long to search: some recent calls may be missing"
    ]
    assert next(seconds) < 5
    assert hurried.methods("staging") == []


@pytest.mark.usefixtures("short_calls")
def test_call_too_long_to_read_is_rejected(one: History) -> None:
    one = History(one.folder, writer="me@here")
    with pytest.raises(FileError, match="the params are too large"):
        one.append(exchange(2, params='"' + "x" * 3_000_000 + '"'))
    assert one.unsaved == []
    one.append(NEW)
    assert sound(one.all()) == [NEW.id]


@pytest.mark.thorough
def test_huge_damaged_call_shows_only_its_beginning(one: History) -> None:
    file_of(one).write_bytes(BLOCK + b'[[call]]\nid = "x"\nreply = "' + b"x" * 1_000_000 + b"\n\n[[call]]\n")
    (shown,) = [each for each in damaged(one.all()) if each.id == "x"]
    assert shown.text.endswith("more bytes")
    assert len(shown.text) < LEFT + 50


def test_too_many_writers_reads_only_the_newest(one: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "WRITERS", 10)
    for at in range(30):
        path = one.folder / f"w{at}@h.toml"
        path.write_bytes(to_block(exchange(at)).encode())
        os.utime(path, (at, at))
    assert sound(one.all()) == [id_of(number) for number in range(29, 19, -1)]
    assert reasons(one) == [
        f"{one.folder} has files of 30 writers, but only the newest 10 are read. Move old files elsewhere"
    ]


OPEN_FILES: Final = 20
"""Files that the program has open without a history."""


def test_long_files_of_many_writers_are_read_with_256_open_files(
    one: History, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(folder, "CHUNK", 1)  # Every file is a long one.
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    request.addfinalizer(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, usual))
    of_tests = len(list(Path("/dev/fd").iterdir())) - OPEN_FILES  # A worker may have opened more than the program does.
    resource.setrlimit(resource.RLIMIT_NOFILE, (256 + max(of_tests, 0), usual[1]))
    for at in range(300):
        (one.folder / f"w{at}@h.toml").write_bytes(to_block(exchange(at)).encode())
    assert len(sound(one.all())) == folder.WRITERS


def test_file_that_rotates_during_search_is_not_missed(one: History) -> None:
    file_of(one).write_bytes(BLOCK)
    looking = one.search_in_steps(HistoryFilter())
    assert next(looking) is None, "the folder was listed, and no file opened"
    file_of(one).rename(one.folder / "me@here.20250601T120009000Z.toml")
    file_of(one).write_bytes(to_block(NEW).encode())
    assert sound(each for each in looking if isinstance(each, Exchange | Damaged)) == [NEW.id, id_of(1)]
