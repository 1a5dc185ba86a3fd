"""Sentences beside an outcome, in as many lines as there are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rpcexplorer.text.printable import columns
from rpcexplorer.tui.widgets.bars import BETWEEN, LONGEST, RemarkWord, lines_of

TWO = [("it was cut, redirect.", "text"), ("through the proxy", "middle")]


def texts(lines: Sequence[Sequence[RemarkWord]]) -> list[str]:
    return ["".join(text for word in line for text, _ in word) for line in lines]


def told(*sentences: str, width: int, most: int = 3, between: str = BETWEEN) -> list[str]:
    return texts(lines_of([(each, "text") for each in sentences], width, most, between))


def test_no_line_ends_with_a_separator_and_no_cut_is_without_a_sign() -> None:
    sentences = [text for text, _ in TWO]
    for width in range(4, 60):
        for most in (1, 2, 3, 12):
            lines = told(*sentences, width=width, most=most)
            assert len(lines) <= most
            assert not [line for line in lines if columns(line) > width or line.rstrip(" …").endswith("·")]
            whole = " ".join(" ".join(lines).split())
            assert whole.replace(" ", "") == "itwascut,redirect.·throughtheproxy" or lines[-1].endswith("…")


@pytest.mark.parametrize(
    ("width", "most", "lines"),
    [
        (60, 3, ["it was cut, redirect.  ·  through the proxy"]),
        (26, 3, ["it was cut, redirect.", "·  through the proxy"]),
        (26, 1, ["it was cut, redirect. …"]),
        (22, 1, ["it was cut, …"]),
        (12, 2, ["it was cut,", "redirect. …"]),
    ],
)
def test_a_sentence_goes_on_in_the_next_line(width: int, most: int, lines: list[str]) -> None:
    assert texts(lines_of(TWO, width, most, BETWEEN)) == lines


def test_what_is_too_long_for_a_line_is_broken_and_what_has_no_space_before_it_is_not() -> None:
    assert told("see https://example.com", width=10) == ["see", "https://ex", "ample.com"]
    assert told("見" * 5, width=5, most=2) == ["見見", "見見…"]
    assert told("one ", "o", ". two", width=7, between="") == ["one o.", "two"]
    assert told("   a   b", width=20, between="") == ["   a   b"]
    assert told("", width=5) == []
    assert told("x " * LONGEST, width=9, most=1) == ["x x x x …"]
