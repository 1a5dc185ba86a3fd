"""A problem shown in its line: the right line, the caret under the right character."""

from __future__ import annotations

import pytest

from rpcexplorer.jsontext.typed.params import Problem, parse
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.problems import marked


def shown(text: str) -> list[str]:
    problem = parse(text)
    assert isinstance(problem, Problem)
    return marked(text, problem).split("\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_caret_stands_under_the_first_wrong_character(end: str) -> None:
    assert shown(f"[1,{end} nul]{end}")[:2] == ["   nul]", "   ^"]


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_what_breaks_lines_elsewhere_breaks_none_here(char: str) -> None:
    text = f'["{char}", nul]'
    assert shown(text)[0] == "  " + printable(text)


def test_the_caret_stands_right_behind_wide_characters() -> None:
    assert shown('["漢字", nul]')[:2] == ['  ["漢字", nul]', "           ^"]


def test_a_problem_at_the_end_is_marked_behind_the_last_character() -> None:
    assert shown("[1,\n2")[:2] == ["  2", "   ^"]


def test_of_a_long_line_only_the_place_is_shown() -> None:
    line, caret, *_ = shown(f"[{'1, ' * 500}nul{', 2' * 500}]")
    assert len(line) <= 74
    assert line[caret.index("^") :].startswith("nul")


def test_nothing_that_a_terminal_would_obey_is_shown() -> None:
    assert shown('["\u202e", "\x1b]52;c;aGk=\x07"]')[:2] == ['  ["\\u202e", "␛]52;c;aGk=␇"]', "              ^"]
