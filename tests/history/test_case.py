"""Tests of cases: calls that are exported to a file and imported again."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rpcexplorer.auth.basic import InlineAuth
from rpcexplorer.explorer import Explorer
from rpcexplorer.history.case import MOST_BY_HAND, TakenIn, case_of
from rpcexplorer.history.record import BY_HAND_LINES
from rpcexplorer.model.exchange import MOST_CALLS, Case, Damaged, Exchange
from rpcexplorer.model.problem import Problem
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import Result
from rpcexplorer.transport.port import Response
from tests.fakes.explorer import open_explorer

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
SECRET, MARK = "hunter2-hunter2", "«mine.password»"


def read(explorer: Explorer, text: str | bytes) -> Case | Problem:
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


def test_exported_case_is_read_as_imported_calls(explorer: Explorer) -> None:
    text = made_of(explorer, call("b"), call("a"))
    assert text.startswith("case = 1\n\n[[call]]\n")
    found = case(explorer, text)
    assert [each.id for each in found.exchanges] == ["b", "a"]
    assert all(each.foreign for each in found.exchanges)
    assert found.exchanges[0].outcome == Result(b'{"name":"Ada"}')
    assert found.addresses == ["https://rpc.example.com/api/v2/"]


def test_event_in_a_case_is_not_a_call(explorer: Explorer) -> None:
    found = case(explorer, 'case = 1\n\n[[call]]\nid = "a"\nkind = "event"\noutcome = "event"\nmethod = "m"\n')
    assert found.exchanges == []
    assert [one.reason for one in found.damaged] == ["it is an event, and a case contains only calls"]


def test_handwritten_call_gets_defaults_and_problems_with_lines(
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
    assert (kind.file, kind.reason) == (
        f"{where}:21",
        "its kind must be one of call, notification, batch, opening, event",
    )
    assert syntax.file == f"{where}:27"
    assert "(at line 27, column 5)" in syntax.reason


def test_case_is_imported_once_and_replaces_no_call(explorer: Explorer) -> None:
    explorer.journal.of(None).append(call("abc"))
    found = case(explorer, "case = 1\n" + CALL)
    taken = explorer.cases.take_in(found)
    assert [each.foreign for each in taken.added] == [True]
    assert explorer.cases.take_in(found) == TakenIn(known=1)
    mine = explorer.history.find("abc")
    assert isinstance(mine, Exchange)
    assert not mine.foreign
    assert [each.id for each in explorer.history.recent("prod", 9) if isinstance(each, Exchange)] == ["abc"]


@pytest.mark.parametrize(
    ("was", "put"),
    [
        ('{"id": 1}', '{"id": 2}'),
        ('{"name": "Ada"}', '{"name": "Bob"}'),
        ('kind = "call"', 'kind = "call"\nstatus = 500'),
    ],
    ids=["params", "reply", "status"],
)
def test_different_call_with_a_used_id_is_renamed(explorer: Explorer, was: str, put: str) -> None:
    explorer.cases.take_in(case(explorer, "case = 1\n" + CALL))
    other = case(explorer, "case = 1\n" + CALL.replace(was, put))
    taken = explorer.cases.take_in(other)
    assert (len(taken.added), taken.known, taken.renamed) == (1, 0, 1)
    assert taken.added[0].id != "abc"
    assert explorer.cases.take_in(other) == TakenIn(known=1)
    explorer.journal.annotate(None, "abc", name="here", note="of mine")
    assert explorer.cases.take_in(case(explorer, "case = 1\n" + CALL)) == TakenIn(known=1)


def test_call_with_two_used_ids_is_added(explorer: Explorer) -> None:
    found = case(explorer, "case = 1\n" + CALL)
    explorer.cases.take_in(found)
    other = case(explorer, "case = 1\n" + CALL.replace('{"id": 1}', '{"id": 2}'))
    (added,) = explorer.cases.take_in(other).added
    explorer.journal.delete(None, added.id)
    explorer.cases.take_in(case(explorer, "case = 1\n" + CALL.replace('"abc"', f'"{added.id}"')))
    taken = explorer.cases.take_in(other)
    assert (len(taken.added), taken.renamed) == (1, 1)
    assert len(list(explorer.history.all())) == 3


def test_long_undated_call_is_imported_only_once(tmp_path: Path) -> None:
    (tmp_path / "home" / "config").mkdir(parents=True)
    (tmp_path / "home" / "config" / "settings.toml").write_text("[history]\nbody_limit = 20\n")
    explorer = open_explorer(tmp_path)
    text = "case = 1\n" + re.sub("(id|time) = .*\n", "", CALL)
    assert len(explorer.cases.take_in(case(explorer, text)).added) == 1
    later = case_of(Path("case.toml"), text.encode(), datetime(2026, 11, 23, tzinfo=UTC))
    assert isinstance(later, Case)
    assert explorer.cases.take_in(later) == TakenIn(known=1)


def test_imported_calls_do_not_count_for_a_profile(explorer: Explorer) -> None:
    explorer.cases.take_in(case(explorer, "case = 1\n" + CALL))
    history = explorer.history
    assert [each.foreign for each in history.all() if isinstance(each, Exchange)] == [True]
    assert (history.recent("prod", 9), history.methods("prod"), history.last_result("prod", "user.get")) == (
        [],
        [],
        None,
    )


def damage(text: bytes) -> Case | Problem:
    return case_of(Path("case.toml"), text, NOW)


def whole(explorer: Explorer) -> bytes:
    return made_of(explorer, *(call(id) for id in "abc")).encode()


@pytest.mark.parametrize(
    "broken",
    [
        lambda text: text.replace(b"\n", b"\r\n"),
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b'id = "b"', b'id = "b\xff"'),
        lambda text: text.replace(b'id = "b"', b'<<<<<<< HEAD\nid = "b"'),
        lambda text: text.replace(b'id = "b"', b"a" + b".b" * 100_000 + b' = 1\nid = "b"'),
        lambda text: text.replace(b'id = "b"', b'id = "b"\nid = "b"'),
        lambda text: text.replace(b'id = "b"', b'id = "b"\n' + b"# x\n" * BY_HAND_LINES),
        lambda text: text.replace(b'id = "b"', b'id = "b"\nx = "' + b"x" * MOST_BY_HAND + b'"'),
        lambda text: text.replace(b"\nend = ", b"\n# a comment\nend = ", 1),
        lambda text: text[:-30],
    ],
    ids=["CRLF", "BOM", "not UTF-8", "conflict", "dotted", "twice", "long", "large", "comment", "torn"],
)
@pytest.mark.everyday(4)
def test_damage_stays_local(explorer: Explorer, broken: Callable[[bytes], bytes]) -> None:
    text = broken(whole(explorer))
    found = damage(text)
    assert isinstance(found, Case), found
    ids = [each.id for each in found.exchanges]
    assert len(found.calls) == 3
    assert ids in (["a", "b", "c"], ["a", "c"], ["a", "b"])
    assert all(each.foreign for each in found.exchanges)
    assert all(each.file.startswith("case.toml:") for each in found.damaged)


@pytest.mark.thorough
def test_cut_case_has_the_calls_before_the_cut(explorer: Explorer) -> None:
    text = whole(explorer)
    for cut in range(len(text)):
        found = damage(text[:cut])
        ended = len(re.findall(rb'\nend = "[0-9a-f]{8}"', text[:cut]))
        if isinstance(found, Problem):
            assert cut < text.index(b"[[call]]") + len("[[call]]"), found
        else:
            assert [each.id for each in found.exchanges][:ended] == ["a", "b", "c"][:ended]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "this is not a case"),
        (CALL, "this is not a case"),
        ("case = 2\n" + CALL, "case: must be 1. Later versions need a newer rpcexplorer"),
        ("case = true\n", "case: must be 1"),
        ("case = 1\nnote = \n" + CALL, "this is not TOML"),
        ("case = 1\n" + "[[call]]\n" * (MOST_CALLS + 1), "more than 1,000 calls"),
        ("case" + ".x" * 50_000 + " = 1\n", "levels deep"),
        ("\ufffe\x00", "not TOML"),
    ],
)
def test_invalid_case_is_reported(text: str, sentence: str) -> None:
    found = damage(text.encode())
    assert isinstance(found, Problem)
    assert sentence in str(found)


def test_unknown_key_of_case_keeps_its_calls() -> None:
    found = damage(f'case = 1\nnot = "x"\nprofile = "prod"\n{CALL}'.encode())
    assert isinstance(found, Case)
    assert [(each.line, each.key) for each in found.problems] == [(2, "not"), (3, "profile")]
    assert "Did you mean `note`?" in found.problems[0].sentence
    assert [each.id for each in found.exchanges] == ["abc"]


def test_pipe_missing_and_huge_case_files_are_reported(explorer: Explorer, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "long").open("wb") as long:
        long.truncate(1024**3)
    for name, why in (("pipe", "named pipe"), ("none", "There is no file"), ("long", "1,024 MiB")):
        said = explorer.cases.read(tmp_path / name)
        assert isinstance(said, Problem)
        assert why in said.sentence
    assert isinstance(case(explorer, "case = 1\n[[call]]\n" + "a" + ".b" * 100_000 + " = 1\n").calls[0], Damaged)


def test_secrets_of_this_user_are_redacted_in_imports(explorer: Explorer) -> None:
    """The author of the case may know the same secret."""
    explorer.credentials.hold(
        Profile("mine", "https://x.example", auth=InlineAuth("ada")), "password", SECRET, keep=False
    )
    named = CALL.replace("[[call]]", f'[[call]]\nname = "{SECRET}"\nnote = "of {SECRET}"')
    found = case(explorer, f'case = 1\nnote = "{SECRET}"\n{named}\n[[call]]\nid = "{SECRET}"\nmethod = 1\n')
    taken = explorer.cases.take_in(found)
    assert (found.note, [(each.name, each.note) for each in taken.added]) == (MARK, [(MARK, f"of {MARK}")])
    assert len(found.damaged) == 1
    assert SECRET not in repr((found.calls, taken))
