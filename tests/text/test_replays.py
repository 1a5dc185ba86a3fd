"""Tests of replay results, as text and as JSON."""

from __future__ import annotations

from msgspec.structs import replace

from rpcexplorer.client.replay import Replayed, replayed
from rpcexplorer.compare.compare import compared
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.exchange import Refused
from rpcexplorer.rpc.messages import Result
from rpcexplorer.text.compare import difference_lines, replay_line, replay_row, totals
from tests.text.exchanges import exchange


def result(left: str, right: str, ignore: tuple[str, ...] = ()) -> Replayed:
    one, two = (exchange(Result(text.encode())) for text in (left, right))
    return replayed(one, replace(two, id="new"), at_once(compared(one, two, ignore)))


def test_line_shows_call_and_verdict() -> None:
    same, differs = result("1", "1"), result('{"a":1}', '{"a":2}')
    record = same.recorded
    assert replay_line(same) == f"✓ {record.id} new  {record.method}  the same"
    assert replay_line(differs) == f"≠ {record.id} new  {record.method}  1 member differs"
    failed = Replayed(replace(record, method="a\x1b[2J"), None, None, "failed", "no \x1b]0;x")
    assert replay_line(failed) == f"✗ {record.id} -  a␛[2J  failed: no ␛]0;x"
    refused = replace(differs.live, outcome=Refused("credentials", "no password")) if differs.live else None
    unsent = Replayed(record, refused, None, "failed", "no password")
    assert replay_line(unsent) == f"✗ {record.id} -  {record.method}  failed: no password"
    assert (replay_row(unsent)["live"], replay_row(failed)["live"]) == (None, None)
    assert totals([same, differs, failed]) == "3 calls: 1 same, 1 differs, 1 failed"
    assert totals([same]) == "1 call: 1 same"


def test_differences_are_escaped_lines_and_many_are_counted() -> None:
    told = result('{"a":1.0,"b":"\x1b[2J","c":[1]}', '{"a":1.00,"c":[1,"' + "x" * 99 + '"]}').comparison
    assert told is not None
    lines = list(difference_lines(told))
    assert lines[:2] == ["~ /a: 1.0 → 1.00  (the same number, written differently)", '- /b: "␛[2J"']
    assert lines[2].startswith('+ /c/1: "xxx')
    assert len(lines[2]) < 80
    many = result("[" + ",".join("1" * 30) + "]", "[" + ",".join("2" * 30) + "]").comparison
    assert many is not None
    assert len(many.differences) == 30
    assert list(difference_lines(many))[20:] == ["… and 10 more differences"]
    assert list(difference_lines(result("1", "1").comparison or many)) == []


def test_json_output_keeps_the_spelling_of_values() -> None:
    row = replay_row(result('{"a":1.0,"t":1}', '{"a":1.00,"t":2}', ("/t",)))
    assert row["differences"] == [{"pointer": "/a", "kind": "spelling", "left": "1.0", "right": "1.00"}]
    assert (row["verdict"], row["live"], row["ignored"], row["hidden"]) == ("differs", "new", ["/t"], 0)
