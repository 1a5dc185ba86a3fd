from __future__ import annotations

import stat
import tomllib
from datetime import timedelta
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest

from rpcexplorer.history.file import this_writer
from rpcexplorer.history.folder import History
from rpcexplorer.history.record import to_block
from rpcexplorer.model.exchange import Refused, Unreached
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.model.problem import Problem
from rpcexplorer.transport.port import Response
from tests.history.recording import START, contents, damaged, exchange, id_of, sound


def history(folder: Path, writer: str = "ada@lab", body_limit: int = 1000, rotate_at: int = 1_000_000) -> History:
    return History(folder / "history", writer=writer, body_limit=body_limit, rotate_at=rotate_at, lock_seconds=0)


@pytest.fixture
def ten(tmp_path: Path) -> History:
    filled = history(tmp_path)
    for number in range(10):
        filled.append(exchange(number, profile="prod" if number % 2 else "staging"))
    return filled


def own_file(of: History) -> Path:
    return of.folder / f"{of.writer}.toml"


def test_appended_calls_are_read_newest_first(ten: History) -> None:
    assert sound(ten.all()) == [id_of(number) for number in reversed(range(10))]
    assert ten.newest(1) == [exchange(9, profile="prod")]
    assert ten.newest(0) == []


def test_files_are_private_and_valid_toml(ten: History) -> None:
    assert stat.S_IMODE(ten.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(own_file(ten).stat().st_mode) == 0o600
    assert len(tomllib.loads(own_file(ten).read_text())["call"]) == 10


def test_missing_folder_is_an_empty_history(tmp_path: Path) -> None:
    empty = history(tmp_path)
    assert empty.newest(10) == []
    assert empty.find("1") is None
    assert empty.methods() == []
    assert empty.prune(keep=0) == 0
    assert not empty.delete("1")
    assert not empty.folder.exists()


def test_call_that_was_not_sent_is_not_recorded(tmp_path: Path) -> None:
    one = history(tmp_path)
    one.append(exchange(outcome=Refused("params", "no")))
    assert one.newest(1) == []


def test_unusual_user_and_host_make_a_safe_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "../Zoë\n.x")
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(nodename=""))
    assert this_writer() == "---Zo---x@-"


def test_user_without_a_name_gets_a_writer_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr("getpass.getuser", unknown)
    assert this_writer().startswith("somebody@")


def test_name_of_full_file_sorts_by_time(tmp_path: Path) -> None:
    size = len(to_block(exchange()).encode())
    one = history(tmp_path, rotate_at=3 * size)
    for number in range(8):
        one.append(exchange(number))
    assert list(contents(one.folder)) == [
        "ada@lab.20250601T120003000Z.toml",
        "ada@lab.20250601T120006000Z.toml",
        "ada@lab.toml",
    ]
    assert all(len(content) <= 3 * size for content in contents(one.folder).values())
    assert sound(one.all()) == [id_of(number) for number in reversed(range(8))]


def test_full_file_never_replaces_another(tmp_path: Path) -> None:
    one = history(tmp_path, rotate_at=10)
    for number in range(4):
        one.append(exchange(number, when=START))  # the same time gives all full files the same name
    assert len(sound(one.all())) == 4


def test_copied_file_shows_each_call_once(ten: History) -> None:
    (ten.folder / "ada@lab.sync-conflict.toml").write_bytes(own_file(ten).read_bytes())
    assert len(sound(ten.all())) == 10


def test_files_with_other_names_are_ignored(ten: History) -> None:
    for name in ("notes.txt", ".hidden.toml", "ada@lab.toml.bak", ".ada@lab.toml.0123abcd.tmp"):
        (ten.folder / name).write_text(to_block(exchange(99)))
    assert len(list(ten.all())) == 10


def test_file_that_rotates_during_reading_is_read_once(tmp_path: Path) -> None:
    one = history(tmp_path)
    for number in range(300):
        one.append(exchange(number))
    reading = one.all()
    first = sound(islice(reading, 1))
    full = history(tmp_path, rotate_at=10)
    full.append(exchange(300))
    assert [*first, *sound(reading)] == [id_of(number) for number in reversed(range(300))]


def test_call_is_found_by_id_or_unique_part(ten: History) -> None:
    wanted = exchange(7, profile="prod")
    assert ten.find(wanted.id) == wanted
    assert ten.find(wanted.id[-6:]) == wanted
    assert ten.find("") is None
    assert ten.find("nothing") is None


@pytest.mark.parametrize("id", ['a"\\\x1b', "a\udcff"])
def test_unusual_id_is_found_named_and_deleted(id: str, tmp_path: Path) -> None:
    one = history(tmp_path)
    one.append(exchange(id=id))
    assert one.find(id) == exchange(id=id)
    assert one.annotate(id, name="odd")
    assert one.delete(id)
    assert one.newest(5) == []


def test_ambiguous_part_of_id_lists_the_matches(ten: History) -> None:
    found = ten.find(id_of(0)[:5])
    assert isinstance(found, Problem)
    assert found.sentence.startswith(f"{id_of(0)[:5]} matches 10 calls: {id_of(9)}, {id_of(8)}")
    assert found.sentence.endswith("…. Type more characters of the id")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [3, 2, 1, 0]),
        ("PING", [0]),
        ("straße", [1]),
        ("STRASSE", [1]),
        ("reset by peer", [2]),
        ('"q": "a\\n"', [1]),
        ("\r\n", [3]),
        ("\\r", []),
        ("\ud800", [3]),
        ("demo", [2, 1]),
        ("example.com", [3, 2, 1, 0]),
        ("error", []),
        ("outcome", []),
    ],
)
def test_text_is_found_anywhere_in_any_case(text: str, found: list[int], tmp_path: Path) -> None:
    one = history(tmp_path)
    one.append(exchange(0))
    one.append(exchange(1, method="demo.a", params='{"q": "a\\n"}', name="Straße"))
    one.append(exchange(2, method="demo.b", outcome=Unreached("wait", "Reset by peer."), response=Response()))
    one.append(exchange(3, method="c", params="[\r\n]", note="\ud800", reply='{"result": "\U000e0041"}'))
    assert sound(one.search(HistoryFilter(text))) == [id_of(number) for number in found]


def test_edited_record_is_found_by_its_meaning(ten: History) -> None:
    path = own_file(ten)
    path.write_text(path.read_text().replace('"prod"', '"pr\\u006fd" ', 1))
    assert sound(ten.search(HistoryFilter("prod", profile="prod"))) == [id_of(number) for number in (9, 7, 5, 3, 1)]


def test_damaged_record_is_found_only_by_text(ten: History) -> None:
    path = own_file(ten)
    path.write_text(path.read_text().replace('id = "' + id_of(4), "id = broken", 1))
    assert len(damaged(ten.search(HistoryFilter("BROKEN")))) == 1
    assert len(damaged(ten.search(HistoryFilter()))) == 1
    assert damaged(ten.search(HistoryFilter(profile="staging"))) == []


def test_methods_are_unique_and_newest_first(tmp_path: Path) -> None:
    one = history(tmp_path)
    for number, name in enumerate(["a", "b", "a", "c\x1b", "\ud800"]):
        one.append(exchange(number, method=name))
    one.append(exchange(6, method="a, b", kind="batch"))
    one.append(exchange(7, method="d", profile="prod"))
    assert one.methods("staging") == ["\ud800", "c\x1b", "a", "b"]
    assert one.methods() == ["d", "\ud800", "c\x1b", "a", "b"]


def test_method_last_reported_as_unknown_is_not_listed(tmp_path: Path) -> None:
    one = history(tmp_path)
    gone = '{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"no"}}'
    in_words = gone.replace("-32601", "1").replace("no", "No such method: d")
    calls = [("a", gone), ("b", gone), ("a", None), ("c", None), ("c", gone), ("d", in_words)]
    for number, (name, reply) in enumerate(calls):
        one.append(exchange(number, method=name, **({"reply": reply} if reply else {})))
    assert one.methods("staging") == ["a"]


def test_last_result_is_found_despite_later_failures(tmp_path: Path) -> None:
    one = history(tmp_path)
    wrong = '{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"no"}}'
    one.append(exchange(0, method="a", params="[0]"))
    one.append(exchange(1, method="a", params="[1]"))
    one.append(exchange(2, method="a", params="[2]", reply=wrong))
    one.append(exchange(3, method="a", params="[3]", profile="prod"))
    one.append(exchange(4, method="ab", params="[4]"))
    last = one.last_result("staging", "a")
    assert last is not None
    assert last.params == "[1]"
    assert one.last_result("staging", "b") is None


@pytest.mark.everyday(1)
def test_durations_of_results_are_read_and_kept(tmp_path: Path) -> None:
    history = History(tmp_path, writer="me@here")
    for number in range(3):
        history.append(exchange(number, seconds=number + 1.0))
    history.append(exchange(3, outcome=Unreached("connect", "refused"), seconds=9.0))
    assert history.times is None
    again = History(tmp_path, writer="me@here")
    again.read_times()
    assert again.times
    again.append(exchange(4, seconds=4.0))
    assert again.times.last("staging", "ping") == [1.0, 2.0, 3.0, 4.0]
    other = History(tmp_path, writer="ada@laptop")
    other.read_times()
    assert other.times
    assert other.times.last("staging", "ping") == []


def test_name_and_note_are_added_and_removed(ten: History) -> None:
    assert ten.annotate(id_of(4), name="slow", note="see \x1b[31m")
    assert ten.find(id_of(4)) == exchange(4, name="slow", note="see \x1b[31m")
    assert ten.annotate(id_of(4), name="")
    assert ten.find(id_of(4)) == exchange(4, note="see \x1b[31m")
    assert not ten.annotate("nothing", name="x")
    assert len(tomllib.loads(own_file(ten).read_text())["call"]) == 10


def test_naming_keeps_manual_edits_of_the_record(ten: History) -> None:
    path = own_file(ten)
    path.write_text(path.read_text().replace("sent = 60", "sent = 60\nticket = 'A-7'", 1))
    assert ten.annotate(id_of(0), name="first")
    assert tomllib.loads(path.read_text())["call"][0]["ticket"] == "A-7"


def test_delete_removes_only_that_record(ten: History) -> None:
    assert ten.delete(id_of(4))
    assert not ten.delete(id_of(4))
    assert sound(ten.all()) == [id_of(number) for number in (9, 8, 7, 6, 5, 3, 2, 1, 0)]
    assert id_of(4).encode() not in own_file(ten).read_bytes()


def test_damaged_record_can_be_deleted_but_not_named(ten: History) -> None:
    path = own_file(ten)
    path.write_text(path.read_text().replace('kind = "call"', "kind = ", 1))
    assert not ten.annotate(id_of(0), name="x")
    assert ten.delete(id_of(0))
    assert damaged(ten.all()) == []


def test_duplicate_id_means_the_newest_call(tmp_path: Path) -> None:
    one = history(tmp_path)
    for number in range(3):
        one.append(exchange(number, id="1"))
    assert one.delete("1")
    assert one.newest(9) == [exchange(1, id="1"), exchange(0, id="1")]


@pytest.mark.parametrize(
    ("keep", "hours", "profile", "left"),
    [
        (3, None, None, [9, 8, 7]),
        (0, None, None, []),
        (99, None, None, range(9, -1, -1)),
        (None, 7, None, [9, 8, 7]),
        (2, 7, None, [9, 8]),
        (9, 7, None, [9, 8, 7]),
        (1, None, "prod", [9, 8, 6, 4, 2, 0]),
        (None, None, None, range(9, -1, -1)),
    ],
)
def test_pruning_keeps_the_newest(
    keep: int | None, hours: int | None, profile: str | None, left: list[int], tmp_path: Path
) -> None:
    one = history(tmp_path, rotate_at=1500)
    for number in range(10):
        one.append(exchange(number, profile="prod" if number % 2 else "staging"))
    before = START + timedelta(seconds=hours) if hours else None
    untouched = contents(one.folder)
    assert one.prune(keep, before, profile, dry=True) == 10 - len(left)
    assert contents(one.folder) == untouched
    assert one.prune(keep, before, profile) == 10 - len(left)
    assert sound(one.all()) == [id_of(number) for number in left]


def test_pruning_keeps_damaged_records(ten: History) -> None:
    path = own_file(ten)
    path.write_text(path.read_text().replace('kind = "call"', "kind = ", 1))
    assert ten.prune(keep=0) == 9
    assert [one.id for one in damaged(ten.all())] == [id_of(0)]
