"""Tests of comparison lines: differences, their context and folds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rpcexplorer.client.replay import Replayed, replayed
from rpcexplorer.compare.compare import compared, compared_texts
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.jsontext.steps import at_once
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.text.compare import (
    ComparedLine,
    compared_lines,
    difference_lines,
    names_of,
    printed,
    reasons,
    replay_line,
    replay_row,
    replayed_words,
    side,
    stacked,
    summary,
    totals,
)
from rpcexplorer.text.printable import printable
from rpcexplorer.text.wrapping import text_of
from rpcexplorer.transport.port import Response
from tests.compare.test_compare import VALUES
from tests.history.recording import START, exchange
from tests.text.exchanges import exchange as call

ROWS = [{"id": at, "v": {"n": at}} for at in range(1, 31)]


def test_equal_values_around_difference_fold_and_unfold() -> None:
    changed = [*ROWS[:11], {"v": {"n": "X"}, "id": 12}, *ROWS[12:]]
    comparison = at_once(compared_texts(dumped({"rows": ROWS}), dumped({"rows": changed})))
    lines = compared_lines(comparison)
    assert [sides(line) for line in lines] == [
        ("equal", "{"),
        ("equal", '  "rows": ['),
        ("fold", "    ⋯ 9 equal elements"),
        ("fold", '    {"id":10,"v":{"n":10}}'),
        ("fold", '    {"id":11,"v":{"n":11}}'),
        ("equal", "    {"),
        ("equal", '      "id": 12'),
        ("equal", '      "v": {'),
        ("changed", '        "n": 12', '        "n": "X"'),
        ("equal", "      }"),
        ("equal", "    }"),
        ("fold", '    {"id":13,"v":{"n":13}}'),
        ("fold", '    {"id":14,"v":{"n":14}}'),
        ("fold", "    ⋯ 16 equal elements"),
        ("equal", "  ]"),
        ("equal", "}"),
    ]
    more = compared_lines(comparison, {lines[2].fold, lines[11].fold})
    assert [sides(line)[1] for line in more[2:4]] == ['    {"id":1,"v":{"n":1}}', '    {"id":2,"v":{"n":2}}']
    assert [sides(line)[1] for line in more[19:22]] == ["    {", '      "id": 13', '      "v": {']
    assert not any(line.fold for line in compared_lines(comparison, full=True))


def test_added_removed_and_respelled_values_are_shown() -> None:
    left = b'{"a":1.0,"gone":[1,{}],"long":"%sX%s","t":1}' % (b"a" * 200, b"b" * 200)
    right = b'{"a":1.00,"long":"%sY%s","t":2,"new":{"x":[]}}' % (b"a" * 200, b"b" * 200)
    lines = compared_lines(at_once(compared_texts(left, right, ["/t"])))
    assert [sides(line) for line in lines[1:-1]] == [
        ("spelling", '  "a": 1.0', '  "a": 1.00'),
        ("removed", '  "gone": [', None),
        ("removed", "    1", None),
        ("removed", "    {}", None),
        ("removed", "  ]", None),
        ("changed", f'  "long": …"{"a" * 40}X{"b" * 79}"…', f'  "long": …"{"a" * 40}Y{"b" * 79}"…'),
        ("ignored", '  "t": 1', '  "t": 2'),
        ("added", None, '  "new": {'),
        ("added", None, '    "x": []'),
        ("added", None, "  }"),
    ]
    assert [(line.difference, line.note) for line in lines if line.note] == [
        (0, "the same number"),
        (2, "first difference at character 201"),
    ]


def test_ignored_value_takes_one_line_until_unfolded() -> None:
    comparison = at_once(compared_texts(b'{"a":1,"t":{"x":[1]}}', b'{"a":2,"t":[2]}', ["/t"]))
    lines = compared_lines(comparison)
    assert sides(lines[2]) == ("ignored", '  "t": {"x":[1]}', '  "t": [2]')
    opened = compared_lines(comparison, {lines[2].fold})
    assert [line.left for line in opened[2:-1]] == ['  "t": {', '    "x": [', "      1", "    ]", "  }"]


def test_moved_values_stay_next_to_their_partner() -> None:
    left = [{"id": at, "t": at} for at in range(6)]
    right = [{"id": 9, "t": 9}, *({"id": at, "t": 0} for at in range(1, 6))]
    lines = compared_lines(at_once(compared_texts(dumped(left), dumped(right), ["/*/t"])), full=True)
    beside = [(line.left, line.right) for line in lines if line.kind == "equal" and '"id"' in (line.left or "")]
    assert all(one == two for one, two in beside)


@given(VALUES, VALUES, st.sampled_from(["", "/a", "/*/a", "/0", "/*/*"]))
def test_unfolded_sides_are_complete_and_in_order(left: Any, right: Any, ignore: str) -> None:
    """The right side has its members in the order of the left one."""
    comparison = at_once(compared_texts(written(left), written(right), [ignore]))
    lines = compared_lines(comparison, full=True)
    assert opened(line.left for line in lines) == laid_out(left)
    assert sorted(opened(line.right for line in lines)) == sorted(laid_out(right))
    differences = set(range(len(comparison.differences)))
    assert {line.difference for line in lines} - {None} == differences
    assert {line.difference for line in compared_lines(comparison)} - {None} == differences


def laid_out(value: Any) -> list[str]:
    lines = indented(written(value)).decode().split("\n")
    return opened(printable(line.removesuffix(",")) for line in lines)


def written(value: Any) -> bytes:
    """Return the value as JSON without escapes: names are shown unescaped."""
    return dumped(value).replace(b"\\u00e9", "é".encode())


def opened(lines: Iterable[str | None]) -> list[str]:
    """Return the lines with the ends of empty containers on separate lines.

    A container has separate ends if only the other side has members.
    """
    found = []
    for line in filter(None, lines):
        empty = line.endswith(("{}", "[]"))
        found += [line[:-1], " " * (len(line) - len(line.lstrip())) + line[-1]] if empty else [line]
    return found


@pytest.mark.parametrize("value", [list(range(500)), "x" * 50_000], ids=["items", "text"])
def test_long_value_is_cut_until_unfolded(value: object) -> None:
    comparison = at_once(compared_texts(dumped({}), dumped({"v": value})))
    lines = compared_lines(comparison)
    assert len(lines) <= 103
    assert all(len(line.right or "") < 10_100 for line in lines)
    if folded := [line.fold for line in lines if line.fold]:
        assert len(compared_lines(comparison, set(folded))) == 504


def test_many_differences_are_cut_until_unfolded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rpcexplorer.text.compare.MAX_DIFFERENCES", 20)
    left = [[at] for at in range(70)]
    comparison = at_once(compared_texts(dumped(left), dumped([[-1 - at] for [at] in left])))
    *lines, last = compared_lines(comparison)
    assert max(line.difference or 0 for line in lines) == 20 - 1
    assert (last.left, last.kind) == ("⋯ 50 more differences", "fold")
    *_, last = compared_lines(comparison, {last.fold})
    assert (last.left, last.fold) == ("]", "")


def test_stacked_lines_put_left_before_right_before_fold() -> None:
    comparison = at_once(
        compared_texts(b'{"a": 1, "b": 2, "c": [%s]}' % b",".join([b"1"] * 200), b'{"a": 3, "b": 2, "c": "x"}')
    )
    found = [(line.kind, line.left, line.right) for line in stacked(compared_lines(comparison)) if line.kind != "equal"]
    assert found[0] == ("changed", '  "a": 1', '  "a": 3'), "a line of each side stays a line"
    assert found[1:3] == [("changed", '  "c": [', None), ("changed", "    1", None)]
    assert found[-2] == ("changed", None, '  "c": "x"')
    assert found[-1][0] == "fold"
    assert [line for _, line, _ in found[1:-2]] == [text for _, text, _ in found[1:-2] if text is not None]


@pytest.mark.parametrize("depth", [190, 900])
@pytest.mark.parametrize(("opened", "closed"), [('{"a":', "}"), ("[NaN,", "]")])
@pytest.mark.everyday(1)
def test_lines_of_deep_values_show_the_difference(depth: int, opened: str, closed: str) -> None:
    left, right = ((opened * depth + leaf + closed * depth).encode() for leaf in "12")
    comparison = at_once(compared_texts(left, right))
    assert comparison.verdict == "differs"
    for full in (False, True):
        lines = compared_lines(comparison, full=full)
        assert "changed" in {line.kind for line in lines}


def test_compared_line_contains_no_control_characters() -> None:
    left = '{"\\u001b[2J":"\x1b[2J\u202e","same\x07":["\x1b"]}'.encode()
    lines = compared_lines(at_once(compared_texts(left, left.replace(b"2J\xe2", b"3J\xe2"))), full=True)
    assert all(text.isprintable() for line in lines for text in (line.left, line.right) if text)


def dumped(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def sides(line: ComparedLine) -> tuple[str | None, ...]:
    return (line.kind, line.left) if line.left == line.right else (line.kind, line.left, line.right)


PONG = exchange(1)
PANG = exchange(2, '{"jsonrpc":"2.0","id":"1","result":"pang"}')
GONE = exchange(3, outcome=Unreached("connect", "Nothing answers."), response=Response())
UNSENT = exchange(
    4, outcome=Refused("params", "That value was not recorded. Replace it with a value."), response=Response()
)


def words(one: Exchange) -> str:
    return text_of(side(one, START.date(), UTC))


def test_side_names_profile_time_outcome_and_import() -> None:
    assert words(PONG) == "staging  12:00:01  ✓ result  34 ms"
    assert words(replace(PONG, foreign=True)) == "staging (imported)  12:00:01  ✓ result  34 ms"


def test_side_names_its_method_if_methods_differ() -> None:
    told = text_of(side(replace(PONG, method="demo.slow"), START.date(), UTC, with_method=True))
    assert told == "demo.slow  staging  12:00:01  ✓ result  34 ms"


def test_reason_without_response_is_shown_once() -> None:
    assert words(UNSENT) == "staging  12:00:04  ! not sent  34 ms"
    assert words(GONE).endswith(" no response  34 ms")
    assert reasons(PONG, UNSENT) == reasons(UNSENT, UNSENT) == ["That value was not recorded. Replace it with a value."]
    assert reasons(GONE, UNSENT) == [
        "on the left: Nothing answers.",
        "on the right: That value was not recorded. Replace it with a value.",
    ]
    forbidden = exchange(5, outcome=Malformed("HTTP 403 Forbidden: the body is a page."))
    assert (words(forbidden)[-16:], reasons(forbidden, PONG)) == ("Forbidden  34 ms", ["The body is a page."])
    assert reasons(PONG, PANG) == reasons(exchange(6, outcome=Cancelled()), PONG) == []


@pytest.mark.parametrize(
    ("came", "told"),
    [
        (replayed(PONG, PONG, at_once(compared(PONG, PONG))), ("same", "result  42 B")),
        (replayed(PONG, PANG, at_once(compared(PONG, PANG))), ("differs", "the result differs")),
        (Replayed(PONG, GONE, None, "failed", "Nothing\nanswers."), ("failed", "Nothing answers.")),
        (Replayed(PONG, None, None, "skipped", "It is a login."), ("skipped", "It is a login.")),
    ],
)
def test_replayed_call_has_verdict_and_details(came: Replayed, told: tuple[str, str]) -> None:
    assert replayed_words(came) == told


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"a": [1, 2]}, {"a": {"b": 3}},
         ["  {", '-   "a": [', "-     1", "-     2", "-   ]", '+   "a": {', '+     "b": 3', "+   }", "  }"]),
        ({"a": "«x.token»", "b": "«x.token»"}, {"a": "«y.token»", "b": "«x.token»"},
         ["  {", '·   "a": "«x.token»"  (redacted, not compared)', '·   "a": "«y.token»"  (redacted, not compared)',
          '    "b": "«x.token»"', "  }"]),
        (["a" * 200], ["a" * 150], ["  [",
                                    f'-   …"{"a" * 90}"',
                                    f'+   …"{"a" * 40}"  (first difference at character 151)', "  ]"]),
    ],
)  # fmt: skip
def test_printed_difference_groups_lines_of_each_side(left: object, right: object, expected: list[str]) -> None:
    one, two = (json.dumps(side, ensure_ascii=False).encode() for side in (left, right))
    lines = compared_lines(at_once(compared_texts(one, two)))
    assert list(printed(lines)) == expected
    assert "\x1b[31m" not in "".join(printed(lines))
    assert "".join(printed(lines, colour=True)).count("\x1b[0m") >= 2


@pytest.mark.parametrize(
    ("left", "right", "ignore", "expected"),
    [
        ('{"a":1}', '{"a": 1}', (), "the same"),
        ('{"a":1,"b":2,"c":3}', '{"a":2,"b":3,"c":4,"d":1}', (), "3 members differ, 1 is new"),
        ('{"a":1,"b":2}', '{"a":2}', (), "1 member differs, 1 is gone"),
        ("[1,2]", "[1]", (), "1 element is gone"),
        ("{}", '{"a":1,"b":2}', (), "2 members are new"),
        ('{"a":1,"b":[1]}', '{"a":2,"b":[2]}', (), "2 values differ"),
        ('{"a":1.0}', '{"a":1.00}', (), "1 number is equal but written differently"),
        ("1", "2", (), "the result differs"),
        ('{"a":1,"b":"«x.token»"}', '{"a":2,"b":"t"}', ("/a",),
         "the same, 1 value was ignored, 1 redacted value was not compared"),
    ],
)  # fmt: skip
def test_summary_counts_differences_and_names_uncompared_parts(
    left: str, right: str, ignore: tuple[str, ...], expected: str
) -> None:
    assert summary(at_once(compared_texts(left.encode(), right.encode(), ignore))) == expected


def test_summary_of_two_profiles_uses_their_names() -> None:
    left, right = call(Result(b'{"a":1}'), profile="stag"), call(Result(b'{"b":1}'), profile="prod\x1b[2J")
    names = names_of(left, right)
    assert names == ("stag", "prod␛[2J")
    assert summary(at_once(compared(left, right)), names) == "1 member is only in prod␛[2J, 1 is only in stag"
    error = call(ErrorObject(-32602, "no", None, b"{}"), profile="prod")
    told = summary(at_once(compared(left, error)), names_of(left, error))
    assert told == "result in stag, error -32602 in prod"
    assert names_of(left, left) is None


def test_changed_outcomes_are_shown_before_and_now() -> None:
    result, error = call(Result(b"1")), call(ErrorObject(-32602, "no", None, b"{}"))
    assert summary(at_once(compared(result, error))) == "result before, error -32602 now"
    assert summary(at_once(compared(error, error))) == "the same error -32602"
    assert summary(at_once(compared(result, call(Cancelled())))) == (
        "not comparable: The call on the right was cancelled: there is no response to compare."
    )


def replayed_result(left: str, right: str, ignore: tuple[str, ...] = ()) -> Replayed:
    one, two = (call(Result(text.encode())) for text in (left, right))
    return replayed(one, replace(two, id="new"), at_once(compared(one, two, ignore)))


def test_line_shows_call_and_verdict() -> None:
    same, differs = replayed_result("1", "1"), replayed_result('{"a":1}', '{"a":2}')
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
    told = replayed_result('{"a":1.0,"b":"\x1b[2J","c":[1]}', '{"a":1.00,"c":[1,"' + "x" * 99 + '"]}').comparison
    assert told is not None
    lines = list(difference_lines(told))
    assert lines[:2] == ["~ /a: 1.0 → 1.00  (the same number, written differently)", '- /b: "␛[2J"']
    assert lines[2].startswith('+ /c/1: "xxx')
    assert len(lines[2]) < 80
    many = replayed_result("[" + ",".join("1" * 30) + "]", "[" + ",".join("2" * 30) + "]").comparison
    assert many is not None
    assert len(many.differences) == 30
    assert list(difference_lines(many))[20:] == ["… and 10 more differences"]
    assert list(difference_lines(replayed_result("1", "1").comparison or many)) == []


def test_json_output_keeps_the_spelling_of_values() -> None:
    row = replay_row(replayed_result('{"a":1.0,"t":1}', '{"a":1.00,"t":2}', ("/t",)))
    assert row["differences"] == [{"pointer": "/a", "kind": "spelling", "left": "1.0", "right": "1.00"}]
    assert (row["verdict"], row["live"], row["ignored"], row["hidden"]) == ("differs", "new", ["/t"], 0)
