"""Tests of search: it finds the same places as a plain search."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text import document as search
from rpcexplorer.text.document import Document, matches


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
def test_lower_case_search_ignores_case(text: str, needle: str, places: list[str]) -> None:
    assert found(text, needle) == places


texts = st.text(st.sampled_from("aabAB\né漢"), max_size=60)
needles = st.text(st.sampled_from("abBé漢"), min_size=1, max_size=3)


@given(texts, needles, st.integers(1, 9))
def test_sliced_search_finds_the_same_as_one_search(text: str, needle: str, size: int) -> None:
    flags = re.IGNORECASE if needle == needle.lower() else 0
    expected = [
        (len(text[: hit.start()].encode()), len(text[: hit.end()].encode()))
        for hit in re.finditer(re.escape(needle), text, flags)
    ]
    document = Document(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "SLICE", size)
        assert list(matches(document, needle)) == expected


def test_search_stays_between_its_offsets() -> None:
    document = Document(b"abc abc abc")
    assert list(matches(document, "abc", 1, 10)) == [(4, 7)]


def test_binary_documents_are_searched_by_byte() -> None:
    document = Document.raw(b"\xff" * 20 + b"Word" + b"\xfe")
    assert list(matches(document, "word")) == [(20, 24)]
    assert document.line_at(20) == 1


@pytest.mark.thorough
def test_twenty_megabytes_are_searched_at_once(soon: None) -> None:
    document = Document(b'    "name": "Ada Lovelace",\n' * 700_000 + b"End")
    assert sum(1 for _ in matches(document, "lovelace")) == 700_000
    assert list(matches(document, "end")) == [(len(document.text) - 3, len(document.text))]
    assert list(matches(document, "nowhere")) == []
