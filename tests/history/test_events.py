"""Records of events: written in a thread, read only if they are wanted."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event as Signal
from typing import Any

import pytest
from msgspec.structs import replace

from rpcexplorer.history import events
from rpcexplorer.history.file import EVENTS, this_writer
from rpcexplorer.history.store import Journal
from rpcexplorer.model.event import Event
from rpcexplorer.model.exchange import Damaged, Exchange, ServerEvent
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.model.settings import HistorySettings
from tests.files.faults import full_disk
from tests.history.recording import START, contents, exchange

NODE = Profile("node", "ws://127.0.0.1:8545", path="/")
FILE = f"{this_writer()}{EVENTS}.toml"
WANTED = HistoryFilter(outcome="event")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return journal_in(tmp_path)


def journal_in(tmp_path: Path, secrets: Callable[[], Iterable[Secret]] = tuple, **settings: Any) -> Journal:
    return Journal(HistorySettings(**settings), tmp_path / "history", secrets)


def event(number: int = 0, text: str = "", **given: Any) -> Event:
    """Return a notification that came ``number`` seconds after ``START``."""
    text = text or f'{{"jsonrpc":"2.0","method":"tick","params":[{number}]}}'
    return replace(Event(START + timedelta(seconds=number), "notification", text.encode(), "tick"), **given)


def record(journal: Journal, *found: Event, profile: Profile = NODE) -> str:
    for one in found:
        journal.record_event(one, profile)
    return journal.flush_events()


def recorded(journal: Journal, profile: Profile = NODE) -> list[Exchange]:
    """Return the events that a program started later finds, the oldest first."""
    found = list(Journal(HistorySettings(), journal.of(profile).folder, tuple).of(None).search(WANTED))
    assert not [one for one in found if isinstance(one, Damaged)]
    return [one for one in found if isinstance(one, Exchange)][::-1]


def texts(journal: Journal) -> list[str]:
    return [one.response.body.decode() for one in recorded(journal)]


def waiting_for(go_on: Signal) -> Callable[[], list[Secret]]:
    """Return secrets that the thread has to wait for."""

    def secrets() -> list[Secret]:
        go_on.wait()
        return []

    return secrets


def test_record_of_an_event_reads_back(journal: Journal) -> None:
    answered = event(0, method="roots/list", kind="request", id=b"7", answer=b'"result":[]', of="1m7ypmkv7qa7kfj")
    unreadable = Event(START, "unreadable", b'\xff"\n', remark="this is not UTF-8")
    assert record(journal, answered, unreadable) == ""
    found, other = recorded(journal)
    assert (found.kind, found.method, found.profile, found.url) == ("event", "roots/list", "node", NODE.endpoint)
    assert (found.when, found.params, found.response.body) == (START, "", answered.text)
    assert found.response.size == len(answered.text)
    assert found.outcome == ServerEvent(answer='{"result":[]}', of="1m7ypmkv7qa7kfj")
    assert found.sent == len('{"jsonrpc":"2.0","id":7,"result":[]}')
    assert (other.response.body, other.outcome) == (b'\xff"\n', ServerEvent(("this is not UTF-8",)))
    assert found.id < other.id, "the order of events of the same millisecond"
    history = journal.of(NODE)
    assert history.find(found.id) == history.find(found.id[-6:]) == found


def test_calls_are_read_without_files_of_events(journal: Journal) -> None:
    call = exchange(0, profile="node", method="tick")
    journal.record(call, NODE)
    record(journal, event(1))
    history = journal.of(NODE)
    size = history.sizes()
    for name in (FILE, f"other@host{EVENTS}.toml", f"{FILE}.torn-1", FILE.replace(".", ".20250101T000000000Z.")):
        (history.folder / name).write_text("not a record")
    assert [one.id for one in history.all() if isinstance(one, Exchange)] == [call.id]
    assert len(list(history.all())) == len(history.recent("node", 9)) == len(size) == 1
    assert (history.methods(), history.sizes(), history.others()) == (["tick"], size, [])
    assert history.last_result("node", "tick") == next(history.all())
    assert history.prune(keep=0) == 1


def test_search_finds_words_of_events_and_their_answers(journal: Journal) -> None:
    record(journal, event(0), event(1, kind="request", id=b"1", answer=b'"result":"Yes"'), event(2, of="the-call"))
    journal.record(exchange(3, profile="node"), NODE)

    def found(typed: str) -> list[int]:
        wanted = HistoryFilter.of(typed, now=datetime.now())  # noqa: DTZ005 - as a user types it
        calls = (one for one in journal.of(NODE).search(wanted) if isinstance(one, Exchange))
        return [(one.when - START).seconds for one in calls]

    assert found("outcome:event") == [2, 1, 0]
    assert found("outcome:event yes") == [1]
    assert found("outcome:event the-call method:tick") == [2]
    assert found("outcome:event outcome:result") == [3, 2, 1, 0]


def test_events_are_annotated_and_deleted_like_calls(journal: Journal) -> None:
    record(journal, event(0), event(1))
    first, second = recorded(journal)
    assert journal.annotate(NODE, first.id, note="odd") == journal.delete(NODE, second.id) == ""
    assert recorded(journal) == [replace(first, note="odd")]


@pytest.mark.parametrize("settings", [{"record": False}, {"events": 0}])
def test_settings_can_switch_records_of_events_off(tmp_path: Path, settings: dict[str, Any]) -> None:
    journal = journal_in(tmp_path, **settings)
    assert record(journal, event()) == ""
    assert not (tmp_path / "history").exists()


def test_oldest_events_are_removed_for_new_ones(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, events=20_000)
    journal.record(exchange(0), NODE)
    calls = contents(tmp_path / "history")
    for number in range(0, 200, 5):
        assert record(journal, *map(event, range(number, number + 5))) == ""
        found = contents(tmp_path / "history")
        assert sum(len(text) for name, text in found.items() if EVENTS in name) <= 20_000
    numbers = [(one.when - START).seconds for one in recorded(journal)]
    assert numbers == list(range(numbers[0], 200))
    assert 0 < numbers[0] < 150
    assert calls.items() <= found.items()
    assert "larger than history.events" in record(journal, event(text=json.dumps("x" * 20_000)))


def test_file_that_is_not_a_history_is_kept(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, events=20_000)
    foreign = tmp_path / "history" / FILE.replace(".", ".20250101T000000000Z.")
    foreign.parent.mkdir()
    foreign.write_text("important " * 2_000)
    assert "1 event is not in the history: " in (problem := record(journal, event()))
    assert "is not an rpcexplorer history file" in problem
    assert foreign.read_text().startswith("important")


def test_full_queue_counts_the_events_it_misses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Signal()
    monkeypatch.setattr(events, "MAX_WAITING", 2)
    journal = journal_in(tmp_path, waiting_for(go_on))
    for number in range(5):
        journal.record_event(event(number), NODE)
    assert journal.events_missed == 3
    assert "5 events are not in the history: writing them takes longer than" in journal.flush_events(0)
    go_on.set()
    journal.events.problem = ""
    assert journal.flush_events() == "3 events are not in the history: they came faster than they can be written."
    record(journal, event(5), event(6))
    missed = [one.outcome.missed for one in recorded(journal) if isinstance(one.outcome, ServerEvent)]
    assert missed == [0, 0, 3, 0]


def test_large_events_fill_the_queue_earlier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = Signal()
    monkeypatch.setattr(events, "MAX_WAITING_BYTES", 100)
    journal = journal_in(tmp_path, waiting_for(go_on))
    for number in range(3):
        journal.record_event(event(number, "x" * 100), NODE)
    go_on.set()
    assert journal.flush_events().startswith("2 events are not in the history")
    assert len(recorded(journal)) == 1


def test_events_that_cannot_be_written_are_counted(journal: Journal) -> None:
    with full_disk(errno.ENOSPC, 100):
        problem = record(journal, event(0), event(1))
    assert problem.startswith("2 events are not in the history: ")
    assert "the disk is full" in problem
    record(journal, event(2))
    assert [one.outcome for one in recorded(journal)] == [ServerEvent(missed=2)]


def test_error_in_the_thread_is_reported(tmp_path: Path) -> None:
    known: list[object] = [None]
    journal = journal_in(tmp_path, lambda: known)  # type: ignore[arg-type,return-value]
    assert "an internal error, AttributeError" in record(journal, event(0))
    known.clear()
    record(journal, event(1))
    assert [one.outcome for one in recorded(journal)] == [ServerEvent(missed=1)]


def test_secrets_are_hidden_from_when_they_are_known(tmp_path: Path) -> None:
    known: list[Secret] = []
    journal = journal_in(tmp_path, lambda: known)
    record(journal, event(0, '{"to":"tok3n-abcdef"}'), event(1, '{"password":"x"}'))
    known.append(Secret("tok3n-abcdef", "node.token"))
    record(journal, event(2, '{"to":"tok3n-abcdef"}', method="of tok3n-abcdef"))
    assert texts(journal) == ['{"to":"tok3n-abcdef"}', '{"password":"«not recorded»"}', '{"to":"«node.token»"}']
    assert recorded(journal)[-1].method == "of «node.token»"


def test_secret_is_hidden_where_a_long_name_is_cut(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, lambda: [Secret("tok3n-abcdef", "node.token")])
    record(journal, event(method="x" * 195 + "tok3n-abcdef"), event(method="x" * 100_000))
    assert [one.method for one in recorded(journal)] == ["x" * 195 + "«node", "x" * 200]


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "response", "method": ""},
        {"kind": "unreadable", "method": ""},
        {"method": "session.login"},
        {"method": "hello"},
    ],
)
def test_message_that_may_be_a_session_is_hidden(journal: Journal, given: dict[str, Any]) -> None:
    profile = replace(NODE, login=replace(NODE.login, method="hello"))
    record(journal, event(0, '{"id":1,"result":"s3ss10n-of-ada"}', **given), profile=profile)
    assert texts(journal) == ['{"id":1,"result":"«not recorded»"}']


@pytest.mark.parametrize(
    ("method", "answer", "shown"),
    [
        ("ask.password", b'"result":"hunter2"', '{"result":"«not recorded»"}'),
        ("elicit", b'"result":{"password":"hunter2"}', '{"result":{"password":"«not recorded»"}}'),
        ("elicit", b'"error":{"code":-1,"message":"no"}', '{"error":{"code":-1,"message":"no"}}'),
    ],
)
def test_answer_is_recorded_without_a_password(journal: Journal, method: str, answer: bytes, shown: str) -> None:
    record(journal, event(method=method, kind="request", id=b"1", answer=answer))
    assert [getattr(one.outcome, "answer", None) for one in recorded(journal)] == [shown]


def test_long_message_is_cut_like_a_response(tmp_path: Path) -> None:
    journal = journal_in(tmp_path, body_limit=10)
    record(journal, event(text='"ää" and more'), event(text='"short"'))
    cut, whole = recorded(journal)
    assert (cut.response.body.decode(), cut.response.cut, cut.response.size) == ('"ää" and', True, 15)
    assert (whole.response.body, whole.response.cut) == (b'"short"', False)


def test_events_of_a_shared_history_name_their_writer(tmp_path: Path) -> None:
    profile = replace(NODE, history=str(tmp_path / "team"))
    journal = journal_in(tmp_path)
    record(journal, event(), profile=profile)
    file = tmp_path / "team" / FILE
    assert file.stat().st_mode & 0o077 == 0
    file.rename(file.with_name(f"ada@laptop{EVENTS}.toml"))
    (found,) = recorded(journal, profile)
    assert found.writer == "ada@laptop"
    assert "only ada@laptop can change it" in journal.delete(profile, found.id)


def test_record_of_an_event_is_safe_for_a_terminal(journal: Journal) -> None:
    record(journal, event(text='"\x1b[31m\u202e"', method="a\ud800\x1b", remark="\x9b"))
    assert (journal.of(NODE).folder / FILE).read_text().replace("\n", "").isprintable()
    assert [(one.method, one.outcome) for one in recorded(journal)] == [("a\ud800\x1b", ServerEvent(("\x9b",)))]


def test_event_files_reached_by_links_are_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "calls").symlink_to(tmp_path / "elsewhere")
    folders = {"history": str(tmp_path / "project" / "calls"), "history_inside": str(tmp_path / "project")}
    assert "is a symbolic link" in record(journal_in(tmp_path), event(), profile=replace(NODE, **folders))
    assert list((tmp_path / "elsewhere").iterdir()) == []
