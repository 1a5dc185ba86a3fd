"""Figures as rows: aligned, cut where there is no room, and printable whatever a method is called."""

from __future__ import annotations

from datetime import UTC

import pytest

from rpcexplorer.history.statistics import Statistics
from rpcexplorer.model.exchange import Damaged
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.history import TableColumns, left_out_words, total_lines, total_words
from rpcexplorer.text.printable import columns, printable
from tests.views.exchanges import WHEN, exchange


def found() -> Statistics:
    one = Statistics("method", UTC)
    for number in range(1200):
        one.add(exchange(Result(b"1") if number % 100 else ErrorObject(1, "no", None, b"")))
    one.add(exchange(Result(b"1"), method="日本\x1b]52;c;?\x07" + "x" * 9000, seconds=125.0))
    one.add(Damaged("f", "torn", "x"))
    return one


def test_a_row_has_names_on_the_left_and_numbers_on_the_right() -> None:
    table = TableColumns("method", [row := found().rows()[0]], 100)
    heading, line = table.heading, table.line(row, WHEN.date(), UTC)
    assert heading.split() == ["method", "profile", "calls", "failed", "median", "95", "%", "worst", "last"]
    assert line.split() == ["user.get", "staging", "1,200", "12", "34", "ms", "34", "ms", "34", "ms", "10:40:12"]
    assert len(heading) == len(line)
    assert line.index("1,200") + 5 == heading.index("calls") + 5


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_row_is_wider_than_there_is_room(width: int) -> None:
    rows = found().rows()
    table = TableColumns("method", rows, width)
    for line in (table.heading, *(table.line(row, WHEN.date(), UTC) for row in rows)):
        assert columns(line) <= width
        assert printable(line) == line


def test_all_calls_are_one_line() -> None:
    assert total_words(found()) == "1,201 calls · 12 failed: 12 errors · median 34 ms, 95 % 34 ms, worst 2 min 5 s"
    assert left_out_words(found()) == "1 damaged record is not counted"
    assert total_lines(found(), columns(total_words(found())) - 1) == [
        "1,201 calls · 12 failed: 12 errors",
        "median 34 ms, 95 % 34 ms, worst 2 min 5 s",
    ]
    assert total_lines(found(), columns(total_words(found()))) == [total_words(found())]
    nothing = Statistics()
    assert (total_lines(nothing, 1), left_out_words(nothing)) == (["0 calls"], "")
    nothing.add(exchange(Result(b"1")))
    assert total_words(nothing).startswith("1 call · none failed · median 34 ms")
