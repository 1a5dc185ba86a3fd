"""Tests of calls that are still not recorded when a run ends."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from rpcexplorer.files.io import FileError
from rpcexplorer.history.folder import History
from rpcexplorer.history.store import Journal, Rescue
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.settings import HistorySettings
from tests.history.recording import exchange


@pytest.fixture
def blocked(tmp_path: Path) -> Journal:
    """Return a journal that cannot write: its folder is a file."""
    (tmp_path / "history").write_text("in the way")
    journal = Journal(HistorySettings(), tmp_path / "history", tuple)
    history = journal.of(None)
    for number in range(2):
        with pytest.raises(Exception, match="cannot"):
            history.append(exchange(number))
    return journal


def calls(folder: Path) -> list[str]:
    return [each.id for each in History(folder).all() if isinstance(each, Exchange)]


@pytest.mark.thorough
def test_unsaved_calls_are_rescued_for_the_next_run(blocked: Journal, tmp_path: Path) -> None:
    unsaved = tmp_path / "unsaved"
    told = Rescue(blocked, unsaved).put_aside()
    assert told.startswith("2 calls are not in the history: cannot")
    assert str(unsaved) in told

    (tmp_path / "history").unlink()
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    rescue = Rescue(later, unsaved)
    assert rescue.take_back(lambda _: None) == "Wrote 2 calls to the history that could not be recorded earlier."
    assert calls(tmp_path / "history") == [exchange(1).id, exchange(0).id]
    assert rescue.take_back(lambda _: None) == ""
    assert len(calls(tmp_path / "history")) == 2


def test_unsaved_calls_of_two_runs_stay_separate(
    blocked: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise FileError("cannot write: the disk is full")

    unsaved = tmp_path / "unsaved"
    Rescue(blocked, unsaved).put_aside()
    (tmp_path / "history").unlink()
    monkeypatch.setattr("rpcexplorer.history.folder.append", full)
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    with pytest.raises(Exception, match="cannot"):
        later.of(None).append(exchange(7))
    assert Rescue(later, unsaved).take_back(lambda _: None) == ""
    assert [each.id for each in later.unsaved] == [exchange(7).id]


def test_failed_restores_do_not_duplicate_calls(blocked: Journal, tmp_path: Path) -> None:
    unsaved = tmp_path / "unsaved"
    Rescue(blocked, unsaved).put_aside()
    for _ in range(2):
        later = Journal(HistorySettings(), tmp_path / "history", tuple)
        rescue = Rescue(later, unsaved)
        assert rescue.take_back(lambda _: None) == ""
        assert rescue.put_aside() == ""
    (tmp_path / "history").unlink()
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    later.of(None).append(exchange(0))  # an earlier start was killed after this call
    told = Rescue(later, unsaved).take_back(lambda _: None)
    assert told == "Wrote 1 call to the history that could not be recorded earlier."
    assert len(calls(tmp_path / "history")) == 2


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the temporary folder of the system."""
    folder = tmp_path / "tmp"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def test_rescue_uses_a_temporary_folder_if_needed(blocked: Journal, tmp_path: Path, temporary: Path) -> None:
    unsaved = tmp_path / "unsaved"
    unsaved.write_text("in the way as well")
    told = Rescue(blocked, unsaved).put_aside()
    (folder,) = temporary.iterdir()
    assert f"rpcexplorer tries again at its next start, from {folder}" in told
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    (tmp_path / "history").unlink()
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    elsewhere = Rescue(later, tmp_path / "another home" / "unsaved")
    assert elsewhere.take_back(lambda _: None) == "", "they are not this home's"
    rescue = Rescue(later, unsaved)
    assert rescue.take_back(lambda _: None) == "Wrote 2 calls to the history that could not be recorded earlier."
    assert len(calls(tmp_path / "history")) == 2
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("how", ["full", "anybody's", "the working folder"])
def test_rescue_without_usable_folder_reports_it(
    blocked: Journal, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    unsaved = tmp_path / "unsaved"
    unsaved.write_text("in the way as well")
    rescue = Rescue(blocked, unsaved)
    if how == "full":
        monkeypatch.setattr("tempfile.gettempdir", full)
    elif how == "anybody's":
        temporary.chmod(0o777)
    else:  # Python uses the working folder if there is no other
        monkeypatch.delenv("TMPDIR")
        monkeypatch.setattr("tempfile.gettempdir", lambda: str(temporary))
    assert rescue.put_aside().endswith("Saving to another folder also failed.")
    assert rescue.take_back(lambda _: None) == ""
    assert list(temporary.iterdir()) == []


def full() -> str:
    raise FileNotFoundError("No usable temporary directory found")


@pytest.mark.parametrize("how", ["somebody else's", "open", "a link", "a link inside", "somebody else's inside"])
def test_rescue_ignores_files_another_user_could_write(
    blocked: Journal, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    unsaved = tmp_path / "unsaved"
    unsaved.write_text("in the way as well")
    Rescue(blocked, unsaved).put_aside()
    (tmp_path / "history").unlink()
    (folder,) = temporary.iterdir()
    inside = next(each for each in folder.rglob("*.toml") if each.is_file())
    if how == "somebody else's":
        monkeypatch.setattr("os.geteuid", lambda: 4321)
    elif how == "open":
        folder.chmod(0o755)
    elif how == "a link":
        folder.rename(tmp_path / "moved")
        folder.symlink_to(tmp_path / "moved")
    elif how == "a link inside":
        inside.rename(tmp_path / "moved")
        inside.symlink_to(tmp_path / "moved")
    else:
        monkeypatch.setattr(Path, "lstat", of_somebody_else(inside))
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    assert Rescue(later, unsaved).take_back(lambda _: None) == ""
    assert not (tmp_path / "history").exists()


def of_somebody_else(file: Path) -> Callable[[Path], os.stat_result]:
    def found(self: Path) -> os.stat_result:
        values = list(os.lstat(self))
        if self == file:
            values[stat.ST_UID] += 1
        return os.stat_result(values)

    return found


def test_run_without_unsaved_calls_rescues_nothing(tmp_path: Path) -> None:
    journal = Journal(HistorySettings(), tmp_path / "history", tuple)
    journal.of(None).append(exchange(0))
    assert Rescue(journal, tmp_path / "unsaved").put_aside() == ""
    assert not (tmp_path / "unsaved").exists()
