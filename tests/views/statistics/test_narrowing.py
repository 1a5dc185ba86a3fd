"""A row leads to its calls by words that find them."""

from __future__ import annotations

import pytest

from rpcexplorer.history.statistics import GROUPINGS, Statistics
from rpcexplorer.model.exchange import Outcome
from rpcexplorer.model.filter import HistoryFilter
from rpcexplorer.rpc.messages import ErrorObject, Result
from rpcexplorer.text.history import words_for
from tests.views.exchanges import WHEN, exchange


@pytest.mark.parametrize("name", ["user.get", "Two Words", 'with "quotes" in it', "日本", "a:b"])
@pytest.mark.everyday(5)
def test_the_words_for_a_row_find_its_calls(name: str) -> None:
    outcomes: list[Outcome] = [Result(b"1"), ErrorObject(-32602, "no", None, b""), ErrorObject(None, "odd", None, b"")]
    for call in (exchange(outcome, method=name, profile="my shop") for outcome in outcomes):
        for by in GROUPINGS:
            found = Statistics(by)
            found.add(call)
            (row,) = found.rows()
            for of_one in (True, False):
                wanted = HistoryFilter.of(words_for(row, by, of_one=of_one), now=WHEN)
                assert wanted.matches(call), (by, of_one)
                longer = exchange(call.outcome, method=f"{name}.more", profile="my shop too")
                assert by == "code" or '"' in name or of_one > (by == "method") or not wanted.matches(longer)
                assert wanted != HistoryFilter() or (of_one and by == "profile")
