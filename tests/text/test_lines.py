"""Tests of numbered lines: the same as of a split, for any block size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text import document
from rpcexplorer.text.document import Lines, Measures


def lines_of(text: bytes) -> Lines:
    return Lines(text, Measures.of(text).newlines)


def plain_lines(text: bytes) -> list[bytes]:
    return text.removesuffix(b"\n").split(b"\n")


@given(st.binary(max_size=80) | st.lists(st.sampled_from([b"\n", b"abcdefgh"])).map(b"".join), st.integers(1, 9))
def test_lines_equal_those_of_a_split(text: bytes, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document, "BLOCK", block)
        patch.setattr(document, "STEP", 2 * block)
        lines = lines_of(text)
        spans = [(lines.start(line), lines.end(line)) for line in range(lines.count)]
        assert [text[start:end] for start, end in spans] == plain_lines(text)
        assert [lines.at(offset) for start, end in spans for offset in (start, end)] == [
            line for line in range(lines.count) for _ in "se"
        ]
        runs = list(lines.pieces(0, lines.count))
        assert [line for start, end in runs for line in range(start, end)] == list(range(lines.count))
        assert list(lines.pieces_before(lines.count)) == runs[::-1]
        assert Measures.of(text).longest == max(map(len, plain_lines(text)))


@pytest.mark.parametrize(("text", "count"), [(b"", 1), (b"\n", 1), (b"a", 1), (b"a\n", 1), (b"a\n\n", 2), (b"\na", 2)])
def test_final_newline_starts_no_line(text: bytes, count: int) -> None:
    assert lines_of(text).count == count


def test_run_boundaries_do_not_depend_on_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "BLOCK", 10)
    lines = lines_of(b"abc\n" * 20)
    cuts = [start for start, _ in lines.pieces(0, 20)]
    assert len(cuts) > 5
    for first in range(20):
        assert [start for start, _ in lines.pieces(first, 20)][1:] == [cut for cut in cuts if cut > first]
