"""The structure of laid-out JSON, told from its indentation alone."""

from __future__ import annotations

import pytest

from rpcexplorer.text import document
from rpcexplorer.text.document import EVERYTHING, Lines, Outline

TEXT = b"""{
  "items": [
    {
      "id": 1
    },
    [],
    "]"
  ],
  "x": {
    "y": "{"
  }
}"""
OPENERS = [None, 0, 1, 2, 2, 1, 1, 1, 0, 8, 8, 0]


@pytest.fixture(params=[4, 16_384])
def outline(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Outline:
    monkeypatch.setattr(document, "BLOCK", request.param)
    return Outline(Lines(TEXT))


def test_each_line_has_a_depth_and_some_open_or_close(outline: Outline) -> None:
    assert [outline.depth(line) for line in range(12)] == [0, 1, 2, 3, 2, 2, 2, 1, 1, 2, 1, 0]
    assert [line for line in range(12) if outline.opens(line)] == [0, 1, 2, 8]
    assert [line for line in range(12) if outline.closes(line)] == [4, 7, 10, 11]


def test_opening_and_closing_lines_find_each_other(outline: Outline) -> None:
    assert [outline.closer(line) for line in (0, 1, 2, 8)] == [11, 7, 4, 10]
    assert [outline.opener(line) for line in range(12)] == OPENERS


def test_items_are_counted_without_what_they_hold(outline: Outline) -> None:
    assert [outline.size(line) for line in (0, 1, 2, 8)] == [2, 3, 1, 1]
    assert [outline.index(1, line) for line in (2, 5, 6)] == [0, 1, 2]


@pytest.mark.parametrize(("level", "on_view"), [(0, 1), (1, 4), (2, 10), (3, 12), (EVERYTHING, 12)])
def test_a_level_is_what_stays_when_all_at_that_depth_is_folded(outline: Outline, level: int, on_view: int) -> None:
    pieces = list(outline._lines.pieces(0, 12))
    assert sum(outline.count(level, start, end) for start, end in pieces) == on_view
    assert sum(len(outline.newlines(level, start, end)) for start, end in pieces) == on_view - 1


def test_lines_of_some_length_are_picked_out(outline: Outline) -> None:
    assert len(outline.newlines(EVERYTHING, 0, 12, least=12)) == 3
    assert len(outline.newlines(2, 0, 12, least=13)) == 0


def test_of_a_text_that_breaks_off_the_last_line_closes_all() -> None:
    outline = Outline(Lines(b'{\n  "a": [\n    1'))
    assert (outline.closer(0), outline.closer(1)) == (2, 2)
