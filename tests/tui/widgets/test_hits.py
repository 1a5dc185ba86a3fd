"""A search in steps."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rpcexplorer.text.document import Document
from rpcexplorer.tui.widgets import reader
from rpcexplorer.tui.widgets.reader import Hits


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the steps so small that matches cross them."""
    monkeypatch.setattr(reader, "NEAR", 2)
    monkeypatch.setattr(reader, "STEP", 3)


def run(steps: Iterator[None]) -> int:
    return sum(1 for _ in steps)


def hits_in(text: str, needle: str) -> Hits:
    return Hits(Document.raw(text.encode()), needle)


def places(text: str, needle: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(re.escape(needle), text)]


@given(st.text("ab\n", max_size=40), st.text("ab", min_size=1, max_size=3), st.integers(0, 40))
def test_seek_finds_next_match_and_wraps_around(text: str, needle: str, offset: int) -> None:
    hits = hits_in(text, needle)
    offset = min(offset, len(text))
    run(hits.seek(offset))
    found = re.compile(needle).search(text, offset) or re.compile(needle).search(text)
    assert hits.current == (found.span() if found else None)


@example("aaaaa", "aa")
@given(st.text("ab\n", max_size=40), st.text("ab", min_size=1, max_size=3))
def test_count_includes_matches_across_steps(text: str, needle: str) -> None:
    hits = hits_in(text, needle)
    run(hits.count())
    assert (hits.total, hits.counted) == (len(places(text, needle)), True)


def test_next_and_previous_visit_all_matches() -> None:
    text = "ab..ab......ab.."
    hits = hits_in(text, "ab")
    run(hits.seek(3))
    seen = [hits.current]
    for _ in range(3):
        run(hits.forwards())
        seen.append(hits.current)
    assert seen == [(4, 6), (12, 14), (0, 2), (4, 6)]
    back = []
    for _ in range(4):
        run(hits.backwards())
        back.append(hits.current)
    assert back == [(0, 2), (12, 14), (4, 6), (0, 2)]


def test_match_has_its_number_once_it_is_counted() -> None:
    hits = hits_in("ab..ab......ab..", "ab")
    run(hits.seek(11))
    steps = hits.count()
    known = [hits.index for _ in steps]
    assert known[0] is None
    assert known[-1] == hits.index == 2
    run(hits.backwards())
    assert hits.index == 1
    run(hits.backwards())
    assert hits.index == 0


def test_count_grows_step_by_step() -> None:
    hits = hits_in("ab..ab......ab..", "ab")
    totals = [hits.total for _ in hits.count()]
    assert totals == sorted(totals)
    assert (totals[0], totals[-1]) == (1, 3)


def test_search_without_matches_counts_zero() -> None:
    hits = hits_in("abc", "x")
    run(hits.seek(1))
    run(hits.backwards())
    run(hits.count())
    assert (hits.current, hits.total, hits.counted, hits.index) == (None, 0, True, None)


def test_matches_on_a_line_are_counted_in_characters() -> None:
    hits = hits_in("x\nää ab\tab 日ab\n", "ab")
    run(hits.seek(0))
    assert list(hits.on(1, 0, 99)) == [(3, 5, True), (9, 11, False), (13, 15, False)]
    assert list(hits.on(1, 4, 10)) == [(3, 5, True), (9, 11, False)]
    assert list(hits.on(1, 5, 9)) == []
    assert list(hits.on(0, 0, 99)) == []


@pytest.mark.parametrize("before", ["日", "\t", "\u202e", "a"])
def test_matches_far_along_a_line_are_found(before: str) -> None:
    hits = hits_in(before * 500 + "needle" + before * 500, "needle")
    run(hits.seek(0))
    assert hits.current is not None
    first, last = hits.document.place(0, *hits.current)
    assert list(hits.on(0, first - 20, last + 20)) == [(first, last, True)]
    assert list(hits.on(0, first + 3, last + 20)) == [(first, last, True)]
    assert list(hits.on(0, last, last + 20)) == []
