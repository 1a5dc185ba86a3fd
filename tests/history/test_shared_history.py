"""Tests of a shared history: merged on reading, own files changed only."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from rpcexplorer.files.io import FileError
from rpcexplorer.history.folder import History
from rpcexplorer.history.record import to_block
from rpcexplorer.history.store import Journal
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.filter import Bounds, HistoryFilter
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.settings import HistorySettings
from tests.history.recording import START, contents, exchange, id_of, sound


def writing(folder: Path, writer: str, *, shared: bool = True) -> History:
    return History(folder, writer=writer, rotate_at=1_500, lock_seconds=0, shared=shared)


@pytest.fixture
def ada(tmp_path: Path) -> History:
    """Return a history that Ada and Eva write to in turn.

    One call of Eva is incomplete.
    """
    one, other = writing(tmp_path, "ada@lab"), writing(tmp_path, "eva@desk")
    for number in range(10):
        (other if number % 2 else one).append(exchange(number))
    torn = to_block(exchange(20)).encode()[:-30]
    (tmp_path / "eva@desk.toml").write_bytes((tmp_path / "eva@desk.toml").read_bytes() + torn)
    other.append(exchange(11))
    return one


def test_calls_of_all_writers_are_merged_and_labelled(ada: History) -> None:
    found = [one for one in ada.all() if isinstance(one, Exchange)]
    assert [one.id for one in found] == [id_of(number) for number in (11, *reversed(range(10)))]
    assert [one.writer for one in found] == ["eva@desk", *["eva@desk", ""] * 5]
    assert ada.others() == ["eva@desk"]
    assert getattr(ada.find(id_of(3)), "writer", "") == "eva@desk"


DEEDS: list[Callable[[History], object]] = [
    lambda ada: ada.annotate(id_of(3), name="x"),
    lambda ada: ada.annotate(id_of(1), note="in a full file"),
    lambda ada: ada.delete(id_of(3)),
    lambda ada: ada.delete(id_of(20)),
]


@pytest.mark.everyday(4)
@pytest.mark.parametrize("deed", DEEDS, ids=["name", "note", "delete", "torn"])
def test_calls_of_another_writer_are_not_changed(deed: Callable[[History], object], ada: History) -> None:
    before = contents(ada.folder)
    listed = sorted(path.name for path in ada.folder.iterdir())
    with pytest.raises(FileError, match="it was recorded by eva@desk, and only eva@desk can change it"):
        deed(ada)
    assert contents(ada.folder) == before
    assert sorted(path.name for path in ada.folder.iterdir()) == listed, "not even a lock is left there"


def test_pruning_removes_and_counts_only_own_calls(ada: History) -> None:
    theirs = {name: content for name, content in contents(ada.folder).items() if name.startswith("eva")}
    assert ada.prune(keep=2) == 3
    left = contents(ada.folder)
    assert {name: content for name, content in left.items() if name.startswith("eva")} == theirs
    assert sound(ada.all()) == [id_of(number) for number in (11, 9, 8, 7, 6, 5, 3, 1)]
    assert ada.prune(before=START + timedelta(days=1)) == 2
    assert len(theirs) > 2, "there are full ones among them"


def test_renamed_machine_keeps_its_calls_in_unshared_folder(tmp_path: Path) -> None:
    writing(tmp_path, "ada@before").append(exchange(0))
    assert writing(tmp_path, "ada@lab", shared=False).annotate(id_of(0), name="mine")
    with pytest.raises(FileError, match="it was recorded by ada@before"):
        writing(tmp_path, "ada@lab").delete(id_of(0))
    with pytest.raises(FileError, match="it was recorded by ada@before"):
        writing(tmp_path, "eva@lab", shared=False).delete(id_of(0))


def test_copied_call_still_belongs_to_its_writer(tmp_path: Path) -> None:
    one = writing(tmp_path, "me@lab")
    one.append(exchange(0))
    (tmp_path / "eva@desk.toml").write_bytes((tmp_path / "me@lab.toml").read_bytes())
    assert one.newest(9) == [exchange(0)]
    assert one.delete(id_of(0))
    assert one.newest(9) == [exchange(0, writer="eva@desk")]


@pytest.mark.skipif(os.name != "posix", reason="there are no groups here")
def test_group_that_may_write_may_read(tmp_path: Path) -> None:
    for mode, shared, files in ((0o770, True, 0o640), (0o755, True, 0o600), (0o770, False, 0o600)):
        folder = tmp_path / f"{mode:o}-{shared}"
        folder.mkdir()
        folder.chmod(mode)
        one = writing(folder, "ada@lab", shared=shared)
        for number in range(6):
            one.append(exchange(number))
        assert one.annotate(id_of(0), name="x")
        assert one.annotate(id_of(5), name="x")
        written = list(folder.glob("*.toml"))
        assert len(written) > 1
        assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {files}


def test_wrong_clock_affects_only_calls_of_that_machine(tmp_path: Path) -> None:
    ahead = timedelta(days=400)
    one, other = writing(tmp_path, "ada@lab"), writing(tmp_path, "eva@desk")
    for number in range(6):
        call = exchange(number)
        (other if number % 2 else one).append(replace(call, when=call.when + ahead) if number % 2 else call)
    assert sound(one.all()) == [id_of(number) for number in (5, 3, 1, 4, 2, 0)]
    soon = HistoryFilter(bounds=Bounds(since=START + timedelta(days=1)))
    assert sound(one.search(soon)) == [id_of(number) for number in (5, 3, 1)]
    assert one.prune(keep=3) == 0, "what is ahead of its time pushes none of one's own out"


def test_file_truncated_during_reading_does_not_break_others(tmp_path: Path) -> None:
    one = History(tmp_path, writer="ada@lab", lock_seconds=0, shared=True)
    theirs = tmp_path / "eva@desk.toml"
    theirs.write_text("".join(to_block(exchange(number, note="x" * 600)) for number in range(400)))
    one.append(exchange(500))
    reading = one.all()
    assert sound(next(reading) for _ in range(3)) == [id_of(500), id_of(399), id_of(398)]
    with theirs.open("r+b") as file:
        file.truncate(10_000)
    rest = sound(reading)
    assert id_of(0) in rest
    assert rest == sorted(set(rest), reverse=True)


def test_only_calls_of_this_writer_are_ours(tmp_path: Path) -> None:
    journal = Journal(HistorySettings(), tmp_path / "own", tuple)
    profile = Profile("staging", "https://staging.example.com", history=str(tmp_path / "team"))
    writing(tmp_path / "team", "eva@desk").append(exchange(1))
    writing(tmp_path / "own", "eva@desk").append(exchange(2))
    journal.record(exchange(3), profile)
    mine, hers = journal.recent(profile, 9)
    assert (mine.writer, hers.writer) == ("", "eva@desk")
    assert not journal.is_ours(hers, profile)
    assert (journal.refusal(profile, mine), journal.annotate(profile, mine.id, name="x")) == ("", "")
    for refused in (journal.refusal(profile, hers), journal.annotate(profile, hers.id, name="x")):
        assert refused == "it was recorded by eva@desk, and only eva@desk can change it"
    (brought,) = journal.recent(replace(profile, history=""), 9)
    assert not journal.is_ours(brought, None), "it lies in one's own folder, and somebody else has written it"
