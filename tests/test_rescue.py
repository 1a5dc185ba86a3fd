"""Calls that could not be written by the end of a run, and what is written down of a mistake of ours."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rpcexplorer.__main__ import MAX_CRASHES, write_crash
from rpcexplorer.drafts import Drafts
from rpcexplorer.files.io import FileError
from rpcexplorer.history import folder as store
from rpcexplorer.history.folder import History
from rpcexplorer.history.store import Journal
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.secret import Secret
from rpcexplorer.model.settings import MIB, HistorySettings
from rpcexplorer.rescue import Rescue
from tests.history.recording import exchange

WHEN = datetime(2026, 11, 21, 10, 41, tzinfo=UTC)


@pytest.fixture
def blocked(tmp_path: Path) -> Journal:
    """A journal whose history cannot be written: a file stands where its folder should be."""
    (tmp_path / "history").write_text("in the way")
    journal = Journal(HistorySettings(), tmp_path / "history", tuple)
    history = journal.of(None)
    for number in range(2):
        with pytest.raises(Exception, match="cannot"):
            history.append(exchange(number))
    return journal


def nothing_typed(folder: Path) -> Drafts:
    return Drafts(folder / "drafts")


def calls(folder: Path) -> list[str]:
    return [each.id for each in History(folder).all() if isinstance(each, Exchange)]


@pytest.mark.thorough
def test_what_cannot_be_written_is_put_aside_and_the_next_run_takes_it_back(blocked: Journal, tmp_path: Path) -> None:
    unsaved = tmp_path / "unsaved"
    told = Rescue(blocked, nothing_typed(tmp_path), unsaved, 1_000).put_aside()
    assert told.startswith("2 calls could not be written to the history: cannot")
    assert str(unsaved) in told

    (tmp_path / "history").unlink()
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    rescue = Rescue(later, nothing_typed(tmp_path), unsaved, 1_000)
    assert rescue.take_back(lambda _: None) == "2 calls of an earlier run could be written to the history now."
    assert calls(tmp_path / "history") == [exchange(1).id, exchange(0).id]
    assert rescue.take_back(lambda _: None) == ""
    assert len(calls(tmp_path / "history")) == 2


@pytest.mark.thorough
def test_a_reply_as_long_as_the_settings_allow_is_taken_back_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LARGEST", 0)
    settings = HistorySettings(body_limit=9 * MIB)
    (tmp_path / "history").write_text("in the way")
    journal = Journal(settings, tmp_path / "history", tuple)
    with pytest.raises(FileError):
        journal.of(None).append(exchange(0, reply=f'{{"result": "{"x" * 8 * MIB}"}}'))
    Rescue(journal, nothing_typed(tmp_path), tmp_path / "unsaved", settings.body_limit).put_aside()

    (tmp_path / "history").unlink()
    later = Journal(settings, tmp_path / "history", tuple)
    rescue = Rescue(later, nothing_typed(tmp_path), tmp_path / "unsaved", settings.body_limit)
    assert rescue.take_back(lambda _: None) == "1 call of an earlier run could be written to the history now."


def test_while_the_history_still_cannot_be_written_they_stay_where_they_are(blocked: Journal, tmp_path: Path) -> None:
    unsaved = tmp_path / "unsaved"
    Rescue(blocked, nothing_typed(tmp_path), unsaved, 1_000).put_aside()
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    assert Rescue(later, nothing_typed(tmp_path), unsaved, 1_000).take_back(lambda _: None) == ""
    assert [len(calls(each)) for each in unsaved.iterdir() if each.is_dir()] == [2]


def test_what_this_run_could_not_write_is_no_part_of_what_an_earlier_one_could_not(
    blocked: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise FileError("cannot write: the disk is full")

    unsaved = tmp_path / "unsaved"
    Rescue(blocked, nothing_typed(tmp_path), unsaved, 1_000).put_aside()
    (tmp_path / "history").unlink()
    monkeypatch.setattr("rpcexplorer.history.folder.append", full)
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    with pytest.raises(Exception, match="cannot"):
        later.of(None).append(exchange(7))
    assert Rescue(later, nothing_typed(tmp_path), unsaved, 1_000).take_back(lambda _: None) == ""
    assert [each.id for each in later.unsaved] == [exchange(7).id]


def test_starts_that_fail_to_take_them_back_do_not_multiply_them(blocked: Journal, tmp_path: Path) -> None:
    unsaved = tmp_path / "unsaved"
    Rescue(blocked, nothing_typed(tmp_path), unsaved, 1_000).put_aside()
    for _ in range(2):
        later = Journal(HistorySettings(), tmp_path / "history", tuple)
        rescue = Rescue(later, nothing_typed(tmp_path), unsaved, 1_000)
        assert rescue.take_back(lambda _: None) == ""
        assert rescue.put_aside() == ""
    (tmp_path / "history").unlink()
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    later.of(None).append(exchange(0))  # a start that was killed had got so far
    told = Rescue(later, nothing_typed(tmp_path), unsaved, 1_000).take_back(lambda _: None)
    assert told == "1 call of an earlier run could be written to the history now."
    assert len(calls(tmp_path / "history")) == 2


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for what does not last."""
    folder = tmp_path / "tmp"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def test_where_the_first_folder_takes_nothing_another_does_and_the_next_run_finds_it(
    blocked: Journal, tmp_path: Path, temporary: Path
) -> None:
    unsaved = tmp_path / "unsaved"
    unsaved.write_text("in the way as well")
    told = Rescue(blocked, nothing_typed(tmp_path), unsaved, 1_000).put_aside()
    (folder,) = temporary.iterdir()
    assert f"They are kept in {folder}" in told
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    (tmp_path / "history").unlink()
    later = Journal(HistorySettings(), tmp_path / "history", tuple)
    elsewhere = Rescue(later, nothing_typed(tmp_path), tmp_path / "another home" / "unsaved", 1_000)
    assert elsewhere.take_back(lambda _: None) == "", "they are not this home's"
    rescue = Rescue(later, nothing_typed(tmp_path), unsaved, 1_000)
    assert rescue.take_back(lambda _: None) == "2 calls of an earlier run could be written to the history now."
    assert len(calls(tmp_path / "history")) == 2
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("how", ["full", "anybody's", "the working folder"])
def test_where_no_folder_is_fit_for_it_that_is_said(
    blocked: Journal, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    unsaved = tmp_path / "unsaved"
    unsaved.write_text("in the way as well")
    rescue = Rescue(blocked, nothing_typed(tmp_path), unsaved, 1_000)
    if how == "full":
        monkeypatch.setattr("rpcexplorer.rescue.gettempdir", full)
    elif how == "anybody's":
        temporary.chmod(0o777)
    else:  # what Python takes where there is no other
        monkeypatch.delenv("TMPDIR")
        monkeypatch.setattr("rpcexplorer.rescue.gettempdir", lambda: str(temporary))
    assert rescue.put_aside().endswith("There was no other place for them.")
    assert rescue.take_back(lambda _: None) == ""
    assert list(temporary.iterdir()) == []


def full() -> str:
    raise FileNotFoundError("No usable temporary directory found")


def test_a_folder_for_everyone_will_do_where_nobody_can_move_what_is_others(
    blocked: Journal, tmp_path: Path, temporary: Path
) -> None:
    (tmp_path / "unsaved").write_text("in the way as well")
    temporary.chmod(0o1777)
    assert str(temporary) in Rescue(blocked, nothing_typed(tmp_path), tmp_path / "unsaved", 1_000).put_aside()


@pytest.mark.parametrize("how", ["somebody else's", "open", "a link", "a link inside", "somebody else's inside"])
def test_nothing_is_taken_back_that_another_user_can_have_put_there(
    blocked: Journal, tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    unsaved = tmp_path / "unsaved"
    unsaved.write_text("in the way as well")
    Rescue(blocked, nothing_typed(tmp_path), unsaved, 1_000).put_aside()
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
    assert Rescue(later, nothing_typed(tmp_path), unsaved, 1_000).take_back(lambda _: None) == ""
    assert not (tmp_path / "history").exists()


def of_somebody_else(file: Path) -> Callable[[Path], os.stat_result]:
    def found(self: Path) -> os.stat_result:
        values = list(os.lstat(self))
        if self == file:
            values[stat.ST_UID] += 1
        return os.stat_result(values)

    return found


def blocked_drafts(folder: Path) -> Drafts:
    """Drafts that cannot be written: a file stands where their folder should be."""
    (folder / "drafts").write_text("in the way")
    drafts = nothing_typed(folder)
    assert "for this run only" in drafts.keep("shop", "get", "[1]")
    assert "for this run only" in drafts.keep("shop", "put", '{"a"', written='{"b"')
    return drafts


@pytest.mark.parametrize("where", ["unsaved", "tmp"])
def test_drafts_that_cannot_be_written_are_there_at_the_next_start(tmp_path: Path, temporary: Path, where: str) -> None:
    unsaved = tmp_path / "unsaved"
    if where == "tmp":
        unsaved.write_text("in the way as well")
    journal = Journal(HistorySettings(), tmp_path / "history", tuple)
    told = Rescue(journal, blocked_drafts(tmp_path), unsaved, 1_000).put_aside()
    assert told.startswith("2 drafts could not be written: cannot")
    assert f"They are kept in {tmp_path / where}" in told

    still = nothing_typed(tmp_path)
    assert Rescue(journal, still, unsaved, 1_000).take_back(lambda _: None) == ""
    assert still.find("shop", "get") == "[1]", "it can be seen, though it cannot be written yet"

    (tmp_path / "drafts").unlink()
    drafts = nothing_typed(tmp_path)
    rescue = Rescue(journal, drafts, unsaved, 1_000)
    assert rescue.take_back(lambda _: None) == "2 drafts of an earlier run could be written now."
    assert rescue.take_back(lambda _: None) == ""
    assert nothing_typed(tmp_path).all("shop") == drafts.all("shop") == {"get": "[1]", "put": '{"b"'}
    assert list(temporary.iterdir()) == []
    assert rescue.put_aside() == ""


def test_what_was_typed_since_stays_and_the_older_text_is_kept_beside_it(tmp_path: Path, temporary: Path) -> None:
    journal = Journal(HistorySettings(), tmp_path / "history", tuple)
    unsaved = tmp_path / "unsaved"
    Rescue(journal, blocked_drafts(tmp_path), unsaved, 1_000).put_aside()
    (tmp_path / "drafts").unlink()
    for file in unsaved.rglob("*.draft"):
        os.utime(file, (1, 1))
    nothing_typed(tmp_path).keep("shop", "get", "[2]")
    drafts = nothing_typed(tmp_path)
    Rescue(journal, drafts, unsaved, 1_000).take_back(lambda _: None)
    assert drafts.all("shop") == {"get": "[2]", "put": '{"b"'}
    (beside,) = (tmp_path / "drafts").rglob("*.other-1")
    assert beside.read_text().endswith("\n[1]")
    assert str(beside) in drafts.other


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_of_two_texts_that_were_put_aside_the_later_one_counts(tmp_path: Path, temporary: Path, order: str) -> None:
    journal = Journal(HistorySettings(), tmp_path / "history", tuple)
    (tmp_path / "drafts").write_text("in the way")
    (tmp_path / "unsaved").write_text("in the way as well")
    for text in ("[1]", "[2]"):
        drafts = nothing_typed(tmp_path)
        drafts.keep("shop", "get", text)
        Rescue(journal, drafts, tmp_path / "unsaved", 1_000).put_aside()
    first, second = sorted(temporary.rglob("*.draft"), key=lambda file: file.read_bytes()[-2:])
    for file, letter, when in zip((first, second), order, (1, 2), strict=True):
        os.utime(file, (when, when))
        place = file.parents[2]
        place.rename(place.with_name(place.name[:-8] + letter))  # in whichever order they are found
    (tmp_path / "drafts").unlink()
    Rescue(journal, nothing_typed(tmp_path), tmp_path / "unsaved", 1_000).take_back(lambda _: None)
    assert nothing_typed(tmp_path).all("shop") == {"get": "[2]"}


def test_a_folder_that_was_made_for_nothing_is_gone_again(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise FileError("cannot write: the disk is full")

    monkeypatch.setattr("rpcexplorer.drafts.write_private", fails)
    journal = Journal(HistorySettings(), tmp_path / "history", tuple)
    rescue = Rescue(journal, blocked_drafts(tmp_path), tmp_path / "unsaved", 1_000)
    assert rescue.put_aside().endswith("There was no other place for them.")
    assert list(temporary.iterdir()) == []


def test_a_run_that_ends_well_puts_nothing_aside(tmp_path: Path) -> None:
    journal = Journal(HistorySettings(), tmp_path / "history", tuple)
    journal.of(None).append(exchange(0))
    assert Rescue(journal, nothing_typed(tmp_path), tmp_path / "unsaved", 1_000).put_aside() == ""
    assert not (tmp_path / "unsaved").exists()


def failed(message: str) -> ValueError:
    secret_variable = "never written"
    try:
        try:
            raise KeyError(message, len(secret_variable))
        except KeyError as error:
            raise ValueError(message) from error
    except ValueError as error:
        return error


def test_a_crash_is_written_down_with_its_causes_and_without_secrets(tmp_path: Path) -> None:
    error = failed('login {"password": "short"} with correct-horse failed\x1b[2J')
    file = write_crash(tmp_path, error, [Secret("correct-horse", "shop.password")], WHEN)
    assert isinstance(file, Path)
    text = file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "builtins.ValueError: login" in text
    assert "builtins.KeyError" in text
    assert "test_rescue.py:" in text
    assert "in failed: raise ValueError(message) from error" in text
    assert "failed\\x1b[2J" in text
    for hidden in ("correct-horse", "short", "\x1b", "never written", str(tmp_path)):
        assert hidden not in text
    assert "«shop.password»" in text


def test_an_error_without_words_and_a_folder_that_takes_nothing_are_no_further_mistake(tmp_path: Path) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    file = write_crash(tmp_path, MuteError(), [], WHEN)
    assert isinstance(file, Path)
    assert "MuteError: it has no words" in file.read_text()
    (tmp_path / "file").write_text("")
    assert "cannot" in str(write_crash(tmp_path / "file", MuteError(), [], WHEN))


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    files = [write_crash(tmp_path, failed("x"), [], WHEN.replace(minute=minute)) for minute in range(MAX_CRASHES + 3)]
    assert sorted(tmp_path.iterdir()) == files[3:]


def test_of_what_lies_beside_the_crashes_nothing_is_removed(tmp_path: Path) -> None:
    for name in ("notes.txt", "2020-01-01.txt"):
        (tmp_path / name).write_text("mine")
    for minute in range(MAX_CRASHES + 3):
        write_crash(tmp_path, failed("x"), [], WHEN.replace(minute=minute))
    assert len(list(tmp_path.iterdir())) == MAX_CRASHES + 2
