"""Tests of history under full disks, crashes, edits and parallel writers."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rpcexplorer.files.io import FileError, LockedError, lock
from rpcexplorer.history.folder import History
from rpcexplorer.history.record import to_block
from tests.files.faults import Fire
from tests.files.reading import counted
from tests.history.recording import contents, damaged, exchange, id_of, sound

BLOCKS = [to_block(exchange(number)).encode() for number in range(3)]
NEW = exchange(9)
TORN = BLOCKS[2][:-40]


def file_of(history: History) -> Path:
    return history.folder / "me@here.toml"


def load(history: History) -> list[str]:
    """Return the ids in the file of the writer, as a TOML parser reads them."""
    with file_of(history).open("rb") as file:
        return [call["id"] for call in tomllib.load(file)["call"]]


def scenes(history: History) -> dict[str, bytes | None]:
    """Return the possible contents of a file before an append."""
    assert history.folder.is_dir()
    whole, two = b"".join(BLOCKS), b"".join(BLOCKS[:2])
    return {"no file": None, "whole": whole, "torn": two + TORN, "no blank line": whole[:-1], "full": whole * 10}


@pytest.mark.thorough
def test_cut_file_loses_only_the_torn_block(one: History) -> None:
    whole = b"".join(BLOCKS[:2])
    ends = [0, len(BLOCKS[0]), len(whole)]
    for cut in range(len(whole) + 1):
        file_of(one).write_bytes(whole[:cut])
        one.append(NEW)
        complete = sum(cut >= end - 2 for end in ends[1:])  # a block is complete without its two last newlines
        assert load(one) == [*(id_of(number) for number in range(complete)), NEW.id], cut
        assert file_of(one).read_bytes() == whole[: ends[complete]] + to_block(NEW).encode()
        sides = contents(one.folder)
        del sides["me@here.toml"]
        torn = whole[ends[complete] : cut]
        nothing_lost = torn.strip() in to_block(NEW).encode()  # only bytes that every block begins with
        assert list(sides.values()) == ([] if nothing_lost else [torn]), cut
        for name in sides:
            (one.folder / name).unlink()


def test_incomplete_new_block_is_not_shown(one: History) -> None:
    for cut in range(1, len(BLOCKS[1]) - 3):
        file_of(one).write_bytes(BLOCKS[0] + BLOCKS[1][:cut])
        assert [type(found).__name__ for found in one.all()] == ["Exchange"], cut


def test_huge_torn_block_is_moved_aside(one: History) -> None:
    torn = b'[[call]]\nreply = "' + b"x" * 3_000_000
    file_of(one).write_bytes(BLOCKS[0] + torn)
    one.append(NEW)
    assert load(one) == [id_of(0), NEW.id]
    assert (one.folder / "me@here.toml.torn-1").read_bytes() == torn


@pytest.mark.parametrize(
    "tail",
    [b"\0" * 5000, b"<<<<<<< HEAD\n", b'[[call]]\nid = "x', b'end = "12345678', b"\xff\xfe", b"x = 1\n\n\n"],
    ids=lambda tail: repr(tail[:9]),
)
def test_append_makes_a_damaged_end_valid_toml(tail: bytes, one: History) -> None:
    file_of(one).write_bytes(BLOCKS[0] + tail)
    assert sound(one.all()) == [id_of(0)]
    one.append(NEW)
    assert load(one) == [id_of(0), NEW.id]
    assert (one.folder / "me@here.toml.torn-1").read_bytes() == tail


@pytest.mark.parametrize("blank", [b"", b"\n", b"\n\n\n\n", b"\r\n\r\n", b" \n"])
def test_blank_lines_at_end_are_not_damage(blank: bytes, one: History) -> None:
    file_of(one).write_bytes(BLOCKS[0].rstrip(b"\n") + blank)
    assert sound(one.all()) == [id_of(0)]
    one.append(NEW)
    assert load(one) == [id_of(0), NEW.id]
    assert list(contents(one.folder)) == ["me@here.toml"]


def test_full_file_is_repaired_before_it_is_moved(one: History) -> None:
    file_of(one).write_bytes(b"".join(BLOCKS)[:-30])
    History(one.folder, writer="me@here", rotate_at=10).append(NEW)
    assert sound(one.all()) == [NEW.id, id_of(1), id_of(0)]
    for path in one.folder.glob("*.toml"):
        tomllib.loads(path.read_text())


@pytest.mark.thorough
def test_wrong_byte_damages_at_most_one_block(one: History) -> None:
    whole = b"".join(BLOCKS)
    for position in range(len(whole)):
        wrong = b'X\n\0\xff"['[position % 6 : position % 6 + 1]
        file_of(one).write_bytes(whole[:position] + wrong + whole[position + 1 :])
        found = list(one.all())
        assert sum(exchange(number) in found for number in range(3)) >= 2, (position, wrong)
        assert len(damaged(found)) <= 2, "the broken block and, where its frame is broken, a stray line"


def test_conflict_markers_cost_no_record(one: History) -> None:
    lines = [b"<<<<<<< HEAD\n", BLOCKS[0], b"=======\n", BLOCKS[1], b">>>>>>> theirs\n", BLOCKS[2]]
    file_of(one).write_bytes(b"".join(lines))
    assert sound(one.all()) == [id_of(2), id_of(1), id_of(0)]
    assert [each.reason.partition(":")[0] for each in damaged(one.all())] == ["it is not TOML"] * 3


@pytest.mark.parametrize("for_good", [False, True])
@pytest.mark.parametrize("scene", ["no file", "whole", "torn", "no blank line", "full"])
def test_whichever_call_fails_an_append_loses_nothing(scene: str, for_good: bool, tmp_path: Path) -> None:
    for number in range(1, 200):
        history = History(tmp_path / str(number), writer="me@here", lock_seconds=0, rotate_at=9 * sum(map(len, BLOCKS)))
        history.folder.mkdir()
        before = scenes(history)[scene]
        if before is not None:
            file_of(history).write_bytes(before)
        known = set(sound(history.all()))
        fire = Fire(number, for_good=for_good)
        with fire.lit(), suppress(FileError):
            history.append(NEW)
        if not fire.struck:
            break
        assert history.unsaved in ([], [NEW])
        assert known <= set(sound(history.all())), number
        was_saved = not history.unsaved
        history.save_unsaved()
        history.append(exchange(10))
        assert {*known, NEW.id, exchange(10).id} == set(sound(history.all())), (number, was_saved)
        assert [each.text for each in damaged(history.all())] == ([TORN.decode()] if scene == "torn" else [])
        for path in history.folder.glob("*.toml"):
            tomllib.loads(path.read_text())
    else:
        pytest.fail("the fire never went out")


@pytest.mark.parametrize(
    "deed",
    [
        lambda history: history.delete(id_of(1)),
        lambda history: history.prune(keep=2),
        lambda history: history.annotate(id_of(1), name="x"),
    ],
    ids=["delete", "prune", "annotate"],
)
def test_change_is_atomic_if_a_system_call_fails(deed: Callable[[History], Any], one: History) -> None:
    before = b"".join(BLOCKS)
    file_of(one).write_bytes(before)
    deed(one)
    after = file_of(one).read_bytes()
    assert after != before
    for number in range(1, 200):
        file_of(one).write_bytes(before)
        fire = Fire(number)
        with fire.lit(), suppress(FileError):
            deed(one)
        assert contents(one.folder) in ({"me@here.toml": before}, {"me@here.toml": after}), number
        if not fire.struck:
            break
    else:
        pytest.fail("the fire never went out")


def test_busy_lock_keeps_the_call_in_memory(one: History) -> None:
    with lock(file_of(one)), pytest.raises(LockedError, match="another process has been writing "):
        one.append(NEW)
    assert one.unsaved == [NEW]
    assert not file_of(one).exists()
    one.save_unsaved()
    assert load(one) == [NEW.id]


CROWD = """
import os, sys
from pathlib import Path
from rpcexplorer.history.folder import History
from tests.files.faults import Fire
from tests.files.reading import counted
from tests.history.recording import exchange

folder, rotate_at, prune = Path(sys.argv[1]), int(sys.argv[2]), "prune" in sys.argv
ready, go = os.pipe()
children = []
for child in range(8):
    if (pid := os.fork()) == 0:
        os.close(go)
        os.read(ready, 1)  # returns for all of them at once, when the parent lets go
        history = History(folder, writer="me@here", rotate_at=rotate_at, lock_seconds=60)
        for number in range(50):
            history.append(exchange(number * 8 + child))
        os._exit(len(history.unsaved))
    children.append(pid)
os.close(go)
history = History(folder, writer="me@here", lock_seconds=60)
pruned, codes = 0, []
while children:
    pid, status = os.waitpid(children[0], os.WNOHANG if prune else 0)
    if pid:
        codes.append(os.waitstatus_to_exitcode(status))
        children.pop(0)
    if prune:
        pruned += history.prune(keep=30)
print(pruned, *codes)
"""


def crowd(folder: Path, rotate_at: int, *words: str) -> int:
    """Run eight appending processes and one that waits or prunes.

    Return how many calls it removed.
    """
    command = [sys.executable, "-c", CROWD, str(folder), str(rotate_at), *words]
    pruned, *codes = map(int, subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())
    assert codes == [0] * 8
    return pruned


def test_eight_writers_at_once_lose_and_tear_nothing(one: History) -> None:
    assert crowd(one.folder, 10**9) == 0
    assert sorted(load(one)) == [id_of(number) for number in range(400)]
    assert list(contents(one.folder)) == ["me@here.toml"]


@pytest.mark.thorough
def test_eight_parallel_writers_lose_no_call(one: History) -> None:
    crowd(one.folder, 10_000)
    assert sorted(sound(one.all())) == [id_of(number) for number in range(400)]
    assert len(contents(one.folder)) > 10
    assert damaged(one.all()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("rotate_at", [10**9, 10_000])
def test_pruning_during_appends_removes_only_counted_calls(rotate_at: int, one: History) -> None:
    pruned = crowd(one.folder, rotate_at, "prune")
    left = list(one.all())
    assert damaged(left) == []
    assert len(set(sound(left))) == len(left) == 30
    assert pruned == 370
    assert not [name for name in contents(one.folder) if "torn" in name]


def test_append_reads_the_same_amount_for_large_files(one: History, monkeypatch: pytest.MonkeyPatch) -> None:
    file_of(one).write_bytes(b"".join(BLOCKS) * 1000)
    sizes = counted(monkeypatch)
    one.append(NEW)
    assert sum(sizes) < 500


def test_append_is_one_write(one: History, monkeypatch: pytest.MonkeyPatch) -> None:
    one.append(exchange(0))
    write, written = os.write, []

    def writing(descriptor: int, content: bytes) -> int:
        written.append(bytes(content))
        return write(descriptor, content)

    monkeypatch.setattr(os, "write", writing)
    one.append(NEW)
    assert written == [to_block(NEW).encode()]
