"""Search: the same places as a plain search finds, in any case, in slices, forwards and backwards."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.views import finding
from rpcexplorer.views.document import Document
from rpcexplorer.views.finding import counts, matches, next_match


def found(text: str, needle: str) -> list[str]:
    document = Document(text.encode())
    return [document.text[start:end].decode() for start, end in matches(document, needle)]


@pytest.mark.parametrize(
    ("text", "needle", "places"),
    [
        ("Ada ada ADA", "ada", ["Ada", "ada", "ADA"]),
        ("Ada ada ADA", "Ada", ["Ada"]),
        ("Größe GRÖSSE größe", "größe", ["Größe", "GRÖSSE", "größe"]),
        ("ÉTÉ été", "été", ["ÉTÉ", "été"]),
        ("ÉTÉ été", "Été", []),
        ("Ωμέγα ωΜΈΓΑ", "ωμέγα", ["Ωμέγα", "ωΜΈΓΑ"]),
        ("漢字かな漢字", "漢字", ["漢字", "漢字"]),
        ("a.c abc [a.c]", "a.c", ["a.c", "a.c"]),
        ('"id": 1, "ID": 2', '"id":', ['"id":', '"ID":']),
        ("aaaa", "aa", ["aa", "aa"]),
        ("anything", "", []),
        ("anything", "\ud800", []),
    ],
)
def test_a_needle_without_upper_case_finds_any_case(text: str, needle: str, places: list[str]) -> None:
    assert found(text, needle) == places


texts = st.text(st.sampled_from("aabAB\né漢"), max_size=60)
needles = st.text(st.sampled_from("abBé漢"), min_size=1, max_size=3)


@given(texts, needles, st.integers(1, 9))
def test_slices_find_what_one_search_of_the_whole_finds(text: str, needle: str, size: int) -> None:
    flags = re.IGNORECASE if needle == needle.lower() else 0
    expected = [
        (len(text[: hit.start()].encode()), len(text[: hit.end()].encode()))
        for hit in re.finditer(re.escape(needle), text, flags)
    ]
    document = Document(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "SLICE", size)
        assert list(matches(document, needle)) == expected
        assert [0, *counts(document, needle)][-1] == len(expected)


@given(texts, st.sampled_from(["a", "ab", "Ab", "é漢"]), st.integers(1, 9), st.integers(0, 80))
def test_the_next_match_is_the_nearest_and_goes_round_the_end(text: str, needle: str, size: int, offset: int) -> None:
    document = Document(text.encode())
    everywhere = list(matches(document, needle))
    after = [span for span in everywhere if span[0] >= offset]
    before = [span for span in everywhere if span[0] < offset]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "SLICE", size)
        assert next_match(document, needle, offset) == next(iter(after + before), None)
        assert next_match(document, needle, offset, backwards=True) == next(iter((after + before)[::-1]), None)


def test_a_search_between_offsets_stays_between_them() -> None:
    document = Document(b"abc abc abc")
    assert list(matches(document, "abc", 1, 10)) == [(4, 7)]


def test_counting_pauses_after_each_slice() -> None:
    document = Document(b"needle " + b"-" * 3 * finding.SLICE + b" needle")
    totals = list(counts(document, "needle"))
    assert totals[0] == 1
    assert totals[-1] == 2
    assert len(totals) >= 3


def test_the_bytes_of_what_is_no_text_are_searched() -> None:
    document = Document.raw(b"\xff" * 20 + b"Word" + b"\xfe")
    assert list(matches(document, "word")) == [(20, 24)]
    assert document.line_at(20) == 1


def test_twenty_megabytes_are_searched_at_once() -> None:
    document = Document(b'    "name": "Ada Lovelace",\n' * 700_000 + b"End")
    started = time.process_time()
    assert list(counts(document, "lovelace"))[-1] == 700_000
    assert next_match(document, "end", 0) == (len(document.text) - 3, len(document.text))
    assert next_match(document, "nowhere", 0, backwards=True) is None
    assert time.process_time() - started < 3
