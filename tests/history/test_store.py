"""Tests of calls that cannot be written: kept, reported, tried again."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.history import folder
from rpcexplorer.history.file import append
from rpcexplorer.history.folder import History
from rpcexplorer.history.store import Journal
from rpcexplorer.model.exchange import Cancelled, Exchange
from rpcexplorer.model.profile import Profile, ad_hoc
from rpcexplorer.model.settings import HistorySettings
from rpcexplorer.rpc.messages import Result
from rpcexplorer.variables.resolve import LastResult
from tests.files.faults import full_disk, read_only
from tests.history.recording import exchange, sound

STAGING = Profile("staging", "https://staging.example.com")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(HistorySettings(), tmp_path / "history", tuple)


def elsewhere(tmp_path: Path) -> Profile:
    """Return a profile with a separate history folder."""
    return replace(STAGING, name="prod", history=str(tmp_path / "other"))


def recorded(journal: Journal, profile: Profile = STAGING) -> list[str]:
    """Return the ids that a program started later finds."""
    return sound(History(journal.of(profile).folder).all())


def of(profile: Profile, number: int) -> Exchange:
    return exchange(number, profile=profile.name)


@pytest.mark.parametrize("error", [errno.EROFS, errno.EACCES])
def test_unsaved_calls_are_reported_and_kept_in_memory(error: int, journal: Journal) -> None:
    journal.record(exchange(0), STAGING)
    assert journal.problem == ""
    with read_only(error):
        for number in (1, 2):
            journal.record(exchange(number), STAGING)
            assert journal.problem.startswith("cannot ")
            assert [each.id for each in journal.recent(STAGING, 9)] == [exchange(n).id for n in range(number, -1, -1)]
        assert [each.id for each in journal.unsaved] == [exchange(1).id, exchange(2).id]
        assert journal.save_unsaved().startswith("cannot ")
    assert recorded(journal) == [exchange(0).id]


def test_unsaved_call_is_written_before_the_next(journal: Journal) -> None:
    with full_disk(errno.ENOSPC, 100):
        journal.record(exchange(0), STAGING)
        assert "the disk is full" in journal.problem
    journal.record(exchange(1), STAGING)
    assert (journal.problem, journal.unsaved) == ("", [])
    assert recorded(journal) == [exchange(1).id, exchange(0).id]


def test_call_of_another_profile_retries_the_unsaved(journal: Journal, tmp_path: Path) -> None:
    prod = elsewhere(tmp_path)
    (tmp_path / "other").write_text("a file in the place of the folder")
    journal.record(of(prod, 0), prod)
    assert "cannot create" in journal.problem
    journal.record(exchange(1), STAGING)
    assert "cannot create" in journal.problem, "the first one is still only in memory"
    assert [each.id for each in journal.unsaved] == [exchange(0).id]
    (tmp_path / "other").unlink()
    journal.record(exchange(2), STAGING)
    assert (journal.problem, journal.unsaved) == ("", [])
    assert recorded(journal, prod) == [exchange(0).id]
    assert recorded(journal) == [exchange(2).id, exchange(1).id]


def test_unreadable_folder_is_reported(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: object) -> list[str]:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    journal.record(exchange(0), STAGING)
    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, refuse)
    assert journal.recent(STAGING, 9) == []
    assert journal.methods(STAGING) == []
    assert "the disk reports an error" in journal.problem
    assert "the disk reports an error" in journal.annotate(STAGING, exchange(0).id, name="x", note=None)


def test_calls_of_two_threads_are_both_recorded(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    other = threading.Thread(target=journal.record, args=(exchange(1), STAGING))
    first_is_written = threading.Event()
    save = History.save_unsaved

    def append_slowly(*args: Any, **kwargs: Any) -> None:
        if not other.ident:
            other.start()
            other.join(0.05)  # it has to wait; otherwise its call is already among the unsaved
        append(*args, **kwargs)

    def save_later(history: History) -> None:
        if threading.current_thread() is other:
            first_is_written.wait()
        save(history)

    monkeypatch.setattr(folder, "append", append_slowly)
    monkeypatch.setattr(History, "save_unsaved", save_later)
    journal.record(exchange(0), STAGING)
    first_is_written.set()
    other.join()
    assert recorded(journal) == [exchange(1).id, exchange(0).id]


def test_only_record_that_others_cannot_write_is_ours(journal: Journal, tmp_path: Path) -> None:
    shared = elsewhere(tmp_path)
    theirs = replace(of(shared, 1), params='{"text": "«prod.password»"}')
    assert journal.is_ours(theirs, STAGING)
    assert not journal.is_ours(replace(theirs, foreign=True), STAGING), "it came as a case"
    assert not journal.is_ours(theirs, shared)
    journal.record(replace(theirs, id="mine"), shared)
    assert journal.is_ours(theirs, shared), "it says what was sent in this run"
    assert not journal.is_ours(replace(theirs, method="note.add"), shared)


def test_record_with_other_sent_params_is_not_ours(journal: Journal, tmp_path: Path) -> None:
    profile = elsewhere(tmp_path)
    call = replace(of(profile, 0), params='["{{a}}"]', params_sent='["«prod.password»"]')
    journal.record(call, profile)
    assert journal.is_ours(call, profile)
    assert not journal.is_ours(replace(call, params_sent='["«prod.password»", "and to me"]'), profile)


def result(number: int, text: str, **more: Any) -> Exchange:
    """Return a call with this result."""
    body = f'{{"jsonrpc": "2.0", "id": "{number:015}", "result": {text}}}'.encode()
    made = exchange(number, profile="staging", method="user.list", **more)
    return replace(made, outcome=Result(text.encode()), response=replace(made.response, body=body, size=len(body)))


def test_last_value_is_newest_result_as_spelled(journal: Journal) -> None:
    assert "there is no result of user.list on staging" in journal.last_value(STAGING, "user.list").why
    typed = ad_hoc("http://127.0.0.1:8000/rpc")
    assert "there is no result of user.list on 127.0.0.1:8000" in journal.last_value(typed, "user.list").why
    journal.record(result(0, "[1.0]"), STAGING)
    journal.record(result(1, '{"a": 1.10}'), STAGING)
    journal.record(replace(result(2, "[3]"), outcome=Cancelled()), STAGING)
    assert journal.last_value(STAGING, "user.list") == LastResult('{"a": 1.10}')
    assert journal.last_value(STAGING, "user.get").why
    assert journal.last_value(replace(STAGING, name="prod"), "user.list").why
    moved = replace(STAGING, url="https://elsewhere.example.com")
    assert "came from another URL: https://staging.example.com" in journal.last_value(moved, "user.list").why


def test_last_value_refuses_redacted_cut_and_foreign_results(journal: Journal, tmp_path: Path) -> None:
    journal.record(result(0, '{"id": 1, "x": "«not recorded»"}'), STAGING)
    assert "contains a redacted value" in journal.last_value(STAGING, "user.list").why
    long = result(1, f'"{"x" * (1 << 20)}"')
    journal.record(long, STAGING)
    assert "is too large: only its start was recorded" in journal.last_value(STAGING, "user.list").why
    theirs = replace(STAGING, history=str(tmp_path / "other"))
    journal.record(result(2, "[1]"), theirs)
    assert "is in a folder that others can write to" in journal.last_value(theirs, "user.list").why
    fresh = Journal(HistorySettings(), tmp_path / "new", tuple)
    fresh.record(replace(result(3, "[1]"), foreign=True), STAGING)
    assert "there is no result" in fresh.last_value(STAGING, "user.list").why


def test_last_params_are_absent_if_redacted(journal: Journal, tmp_path: Path) -> None:
    assert journal.last_params(STAGING, "ping") is None
    journal.record(exchange(0, params='{"n": 1.10}'), STAGING)
    assert journal.last_params(STAGING, "ping") == '{"n": 1.10}'
    journal.record(exchange(1, params='{"password": "hunter2hunter2"}'), STAGING)
    assert journal.last_params(STAGING, "ping") is None
    journal.recording = False
    assert journal.last_params(STAGING, "ping") is None


def test_last_params_of_others_contain_no_references(journal: Journal, tmp_path: Path) -> None:
    shared = elsewhere(tmp_path)
    History(tmp_path / "other").append(replace(of(shared, 0), params='["«prod.password»"]'))
    assert journal.last_params(shared, "ping") is None
    History(tmp_path / "other").append(replace(of(shared, 1), params='["{{last.user.get#/ssn}}"]'))
    assert journal.last_params(shared, "ping") == '["{{{{last.user.get#/ssn}}"]'
    journal.record(exchange(0, params='["«staging.password»"]'), STAGING)
    assert journal.last_params(STAGING, "ping") == '["«staging.password»"]'


def test_typed_urls_have_separate_histories(journal: Journal) -> None:
    one, other = ad_hoc("http://127.0.0.1:1/rpc"), ad_hoc("http://127.0.0.1:2/rpc")
    journal.record(exchange(0, profile="url", url=one.endpoint, params="[1]"), one)
    assert [each.url for each in journal.recent(one, 9)] == [one.endpoint]
    assert journal.recent(other, 9) == []
    assert journal.last_params(one, "ping") == "[1]"
    assert journal.last_params(other, "ping") is None
    assert journal.methods(one) == journal.methods(other) == []


def test_previous_call_is_the_newest_equal_one(journal: Journal) -> None:
    calls = [
        exchange(0),
        exchange(1, params="[1]"),
        exchange(2, params='["{{n}}"]', params_sent="[1]"),
        exchange(3, profile="prod"),
        exchange(4, kind="notification"),
        exchange(5),
    ]
    for call in calls:
        journal.of(STAGING).append(call)

    def before(call: Exchange) -> str:
        found = journal.before(STAGING, call)
        return found.id if found else ""

    assert before(calls[5]) == calls[0].id
    assert before(calls[2]) == calls[1].id  # the sent params are compared
    assert before(calls[0]) == ""
    assert before(exchange(9, params="[2]")) == ""
    stranger = replace(exchange(0), id="case-1", foreign=True, profile="theirs")
    assert before(stranger) == calls[5].id  # calls of any time and any profile count


def test_previous_call_may_still_be_unsaved(journal: Journal) -> None:
    calls = [exchange(0), exchange(1, params="[1]"), exchange(2, method="log"), exchange(3)]
    with read_only(errno.EROFS):
        for call in calls:
            journal.record(call, STAGING)
        assert journal.before(STAGING, calls[3]) == calls[0]


def test_unreadable_history_has_no_previous_call(journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "history").write_text("no folder")
    assert journal.before(STAGING, exchange(1)) is None
    assert journal.problem
