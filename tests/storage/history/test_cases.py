"""Cases: calls of a history as a file to hand on, read back as what somebody else has recorded."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rpcexplorer.explorer import Explorer
from rpcexplorer.model.complaint import Complaint
from rpcexplorer.model.exchange import Damaged, Exchange, Response, Result
from rpcexplorer.storage.history.cases import Case, TakenIn

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
CALL = """[[call]]
id = "abc"
time = 2026-11-20T10:00:00.000Z
profile = "prod"
url = "https://rpc.example.com/api/v2/"
method = "user.get"
kind = "call"
outcome = "result"
params = '{"id": 1}'
reply = '{"jsonrpc": "2.0", "id": "abc", "result": {"name": "Ada"}}'
"""


@pytest.fixture
def explorer(tmp_path: Path) -> Explorer:
    return Explorer.open(folder=tmp_path, environment={"RPCEXPLORER_HOME": str(tmp_path / "home")})


def read(explorer: Explorer, text: str | bytes) -> Case | Complaint:
    path = explorer.paths.state / "case.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return explorer.cases.read(path, NOW)


def case(explorer: Explorer, text: str | bytes) -> Case:
    found = read(explorer, text)
    assert isinstance(found, Case)
    return found


def call(id: str = "abc", params: str = '{"id":1}', result: str = '{"name":"Ada"}') -> Exchange:
    body = f'{{"jsonrpc":"2.0","id":"{id}","result":{result}}}'.encode()
    return Exchange(
        id=id,
        when=datetime(2026, 11, 20, 10, tzinfo=UTC),
        profile="prod",
        url="https://rpc.example.com/api/v2/",
        method="user.get",
        params=params,
        kind="call",
        outcome=Result(result.encode()),
        response=Response(status=200, body=body, size=len(body)),
    )


def made_of(explorer: Explorer, *calls: Exchange, hide: tuple[str, ...] = ()) -> str:
    made = explorer.cases.made_of(calls, hide=hide)
    assert not isinstance(made, str), made
    return made.text


def test_what_is_handed_on_is_read_back_as_what_somebody_else_has_recorded(explorer: Explorer) -> None:
    text = made_of(explorer, call("b"), call("a"))
    assert text.startswith("case = 1\n\n[[call]]\n")
    found = case(explorer, text)
    assert [each.id for each in found.exchanges] == ["b", "a"]
    assert all(each.foreign for each in found.exchanges)
    assert found.exchanges[0].outcome == Result(b'{"name":"Ada"}')
    assert found.addresses == ["https://rpc.example.com/api/v2/"]


def test_a_call_that_was_written_by_hand_is_read_with_stand_ins_and_what_is_wrong_is_told_with_its_line(
    explorer: Explorer,
) -> None:
    text = (
        'case = 1\nnote = "look"\n\n' + CALL + "\n" + CALL.replace('kind = "call"', "kind = 3") + "\n[[call]]\nx = \n"
    )
    bare = '\n[[call]]\nmethod = "m"\noutcome = "result"\nreply = \'{"jsonrpc": "2.0", "id": 1, "result": 2}\'\n'
    found = case(explorer, text + bare)
    assert found.note == "look"
    assert [each.method for each in found.exchanges] == ["user.get", "m"]
    assert found.exchanges[1].when == NOW
    assert found.exchanges[1].id.startswith("case-")
    where = f"{explorer.paths.state / 'case.toml'}"
    kind, syntax = found.damaged
    assert (kind.file, kind.reason) == (f"{where}:21", "its kind must be one of call, notification, batch")
    assert syntax.file == f"{where}:27"
    assert "(at line 27, column 5)" in syntax.reason


def test_a_case_is_taken_in_once_and_answers_for_no_call_of_this_person(explorer: Explorer) -> None:
    explorer.journal.of(None).append(call("abc"))
    found = case(explorer, "case = 1\n" + CALL)
    taken = explorer.cases.take_in(found)
    assert [each.foreign for each in taken.added] == [True]
    assert explorer.cases.take_in(found) == TakenIn(known=1)
    mine = explorer.history.find("abc")
    assert isinstance(mine, Exchange)
    assert not mine.foreign
    assert [each.id for each in explorer.history.recent("prod", 9) if isinstance(each, Exchange)] == ["abc"]


def test_what_is_foreign_teaches_nothing_of_a_profile_with_the_same_name(explorer: Explorer) -> None:
    explorer.cases.take_in(case(explorer, "case = 1\n" + CALL))
    history = explorer.history
    assert [each.foreign for each in history.all() if isinstance(each, Exchange)] == [True]
    assert (history.recent("prod", 9), history.methods("prod"), history.last_result("prod", "user.get")) == (
        [],
        [],
        None,
    )


def test_a_pipe_or_no_file_or_a_long_one_costs_a_sentence(explorer: Explorer, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "long").open("wb") as long:
        long.truncate(1024**3)
    for name, why in (("pipe", "named pipe"), ("none", "no such file"), ("long", "1,024 MiB")):
        said = explorer.cases.read(tmp_path / name)
        assert isinstance(said, Complaint)
        assert why in said.sentence
    assert isinstance(case(explorer, "case = 1\n[[call]]\n" + "a" + ".b" * 100_000 + " = 1\n").calls[0], Damaged)
