"""Tests of damaged and edited history files: all other records are read."""

from __future__ import annotations

import errno
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.files.io import FileError
from rpcexplorer.history.folder import History
from rpcexplorer.history.record import to_block
from rpcexplorer.model.exchange import Damaged
from tests.files.faults import LINES
from tests.history.recording import contents, damaged, exchange, id_of, sound

BLOCKS = [to_block(exchange(number)).encode() for number in range(3)]
WHOLE = b"".join(BLOCKS)
NEW = exchange(9)
LONG_AGO = 1_000_000_000


def write(history: History, content: bytes, name: str = "me@here.toml") -> Path:
    """Write a history file with an old modification time."""
    path = history.folder / name
    path.write_bytes(content)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


@pytest.mark.parametrize("place", range(3), ids=["first", "middle", "last"])
@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_damage_to_one_record_loses_only_that_record(line: bytes, place: int, one: History, soon: None) -> None:
    harmed = [*BLOCKS]
    harmed[place] = harmed[place].replace(b"\nend = ", b"\n" + line + b"\nend = ")
    write(one, b"".join(harmed))
    others = {id_of(number) for number in range(3) if number != place}
    assert set(sound(one.all())) == others
    (told,) = damaged(one.all())
    assert told.reason
    assert told.id == id_of(place)
    one.append(NEW)
    assert set(sound(one.all())) == others | {NEW.id}
    assert one.delete(id_of(place))
    assert damaged(one.all()) == []
    assert len(tomllib.loads((one.folder / "me@here.toml").read_text())["call"]) == 3


HAND_EDITS: dict[str, Callable[[bytes], bytes]] = {
    "ends without spaces": lambda whole: whole.replace(b'end = "', b'end="'),
    "all without spaces": lambda whole: whole.replace(b" = ", b"="),
    "aligned": lambda whole: whole.replace(b"\nend =", b"\nend     =").replace(b"\nid =", b"\nid      ="),
    "other quotes": lambda whole: whole.replace(b'\nend = "', b"\nend = '").replace(b'"\n\n', b"'\n\n"),
    "comments behind": lambda whole: whole.replace(b'"\n\n', b'" # sealed\n\n'),
    "comments between": lambda whole: whole.replace(b"[[call]]", b"# mine\n[[call]]"),
    "another header": lambda whole: whole.replace(b"[[call]]", b"[[ call ]]"),
    "indented": lambda whole: whole.replace(b"\n", b"\n  "),
    "comments at the end": lambda whole: whole + b"# mine\n\n  # and this",
    "no blank lines": lambda whole: whole.replace(b"\n\n", b"\n"),
    "a name by hand": lambda whole: whole.replace(b"\nend =", b'\nname = "mine"\nend ='),
    "other order": lambda whole: b"".join(reversed(BLOCKS)),
}


@pytest.mark.parametrize("edit", HAND_EDITS.values(), ids=HAND_EDITS)
def test_edited_history_is_readable_before_and_after_appending(edit: Callable[[bytes], bytes], one: History) -> None:
    path = write(one, edit(WHOLE))
    every = {id_of(number) for number in range(3)}
    assert set(sound(one.all())) == every
    one.append(NEW)
    assert set(sound(one.all())) == every | {NEW.id}
    assert damaged(one.all()) == []
    assert len(tomllib.loads(path.read_text())["call"]) == 4
    assert list(contents(one.folder)) == ["me@here.toml"]


def test_joined_records_are_reported_as_damaged(one: History) -> None:
    write(one, WHOLE.replace(b"[[call]]", b'[["call"]]').replace(b'end = "', b'end="'))
    (told,) = one.all()
    assert isinstance(told, Damaged)
    assert "several calls" in told.reason


@pytest.mark.parametrize("cut", [1, 30, 100, 200, 300])
def test_torn_record_is_shown_until_deleted(cut: int, one: History) -> None:
    torn = BLOCKS[2][:-cut]
    write(one, BLOCKS[0] + BLOCKS[1] + torn)
    one.append(NEW)
    for history in (one, History(one.folder, writer="other@here")):
        left = [] if cut < 3 else [torn.decode()]
        assert [each.text for each in damaged(history.all())] == left
        assert all("interrupted" in each.reason for each in damaged(history.all()))
    assert not left or not one.annotate(id_of(2), name="x")
    if left and cut < 300:
        assert one.delete(id_of(2))
        assert damaged(one.all()) == []
        assert list(contents(one.folder)) == ["me@here.toml"]


def test_torn_end_is_damage_only_after_a_moment(one: History) -> None:
    path = write(one, BLOCKS[0] + BLOCKS[1][:-40])
    (told,) = damaged(one.all())
    assert (told.id, told.reason, told.file) == (id_of(1), "it is incomplete: writing it was interrupted", str(path))
    os.utime(path)
    assert damaged(one.all()) == []
    assert sound(one.all()) == [id_of(0)]


def test_torn_record_that_is_written_again_is_ignored(one: History) -> None:
    write(one, BLOCKS[0] + to_block(NEW).encode()[:-40])
    one.append(NEW)
    assert sound(one.all()) == [NEW.id, id_of(0)]
    assert damaged(one.all()) == []


@pytest.fixture
def shared(one: History, monkeypatch: pytest.MonkeyPatch) -> History:
    """Return a history with one unreadable file of three."""
    for number, writer in enumerate(["me@there", "bob@here", "me@here"]):
        write(one, BLOCKS[number], f"{writer}.toml")
    real = os.open

    def opening(path: Any, *arguments: Any, **keywords: Any) -> int:
        if Path(path).name == "bob@here.toml":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path, *arguments, **keywords)

    monkeypatch.setattr(os, "open", opening)
    return one


def test_unreadable_file_is_reported_and_others_are_read(shared: History) -> None:
    assert sound(shared.all()) == [id_of(2), id_of(0)]
    (shared.folder / "carl@here.toml").mkdir()
    told = {Path(each.file).stem: each.reason for each in damaged(shared.all())}
    assert told.keys() == {"bob@here", "carl@here"}
    assert "cannot read" in told["bob@here"]
    assert "permission denied" in told["bob@here"]
    assert "it is a folder" in told["carl@here"]


def test_unreadable_file_blocks_no_operation(shared: History) -> None:
    assert shared.newest(1) == [exchange(2)]
    assert shared.find(id_of(0)) == exchange(0, writer="me@there")
    assert shared.methods() == ["ping"]
    assert shared.annotate(id_of(0), name="x")
    shared.append(NEW)
    assert shared.prune(keep=1) == 2
    assert sound(shared.all()) == [NEW.id]
    assert shared.delete(NEW.id)


def test_unreadable_folder_raises_file_error(one: History, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: object) -> list[str]:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, refuse)
    for read in (lambda: list(one.all()), lambda: one.find("x"), lambda: one.prune(keep=1), one.methods):
        with pytest.raises(FileError, match=r"cannot read .*the disk reports an error"):
            read()
