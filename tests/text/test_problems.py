"""Tests of problems: the right line, and the caret under the right place."""

from __future__ import annotations

import pytest

from rpcexplorer.jsontext.params import Typo, parse
from rpcexplorer.model.problem import Checked, SchemaProblem
from rpcexplorer.text.printable import printable
from rpcexplorer.text.problems import MAX_SENTENCE_CHARACTERS, marked, path, result_remark, unchecked_words, warning

COUNT = SchemaProblem(("count",), "type", "count must be a number, not a string", line=2, column=12)
DEEP = SchemaProblem(("items", 0, "a/b~"), "enum", "must be one of \x1b[31m, b.", line=4, column=1)


def shown(text: str) -> list[str]:
    problem = parse(text)
    assert isinstance(problem, Typo)
    return marked(text, problem).split("\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_caret_is_under_the_first_wrong_character(end: str) -> None:
    assert shown(f"[1,{end} nul]{end}")[:2] == ["   nul]", "   ^"]


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_unicode_line_separators_do_not_break_lines(char: str) -> None:
    text = f'["{char}", nul]'
    assert shown(text)[0] == "  " + printable(text)


def test_caret_is_correct_after_wide_characters() -> None:
    assert shown('["漢字", nul]')[:2] == ['  ["漢字", nul]', "           ^"]


def test_problem_at_end_is_marked_after_last_character() -> None:
    assert shown("[1,\n2")[:2] == ["  2", "   ^"]


def test_long_line_shows_only_the_part_with_problem() -> None:
    line, caret, *_ = shown(f"[{'1, ' * 500}nul{', 2' * 500}]")
    assert len(line) <= 74
    assert line[caret.index("^") :].startswith("nul")


def test_control_characters_are_escaped() -> None:
    assert shown('["\u202e", "\x1b]52;c;aGk=\x07"]')[:2] == ['  ["\\u202e", "␛]52;c;aGk=␇"]', "              ^"]


def test_warning_shows_place_number_and_total() -> None:
    assert warning(COUNT) == "line 2, column 12: count must be a number, not a string."
    assert warning(DEEP, 1, 3) == "line 4, column 1: must be one of ␛[31m, b. (2 of 3)"


def test_summary_names_first_warning_and_counts_others() -> None:
    assert result_remark(()) == ""
    assert (
        result_remark([COUNT])
        == "the result does not match its schema. At /count: count must be a number, not a string."
    )
    both = result_remark([DEEP, COUNT])
    assert both.endswith(
        "At /items/0/a~1b~0: must be one of ␛[31m, b. At /count: count must be a number, not a string."
    )
    assert result_remark([DEEP, *[COUNT] * 4]) == result_remark([DEEP, COUNT, COUNT]) + " 2 more problems."
    whole = SchemaProblem((), "type", "it must be an object")
    assert result_remark([whole, whole]).endswith("schema. It must be an object. It must be an object.")


def test_long_text_of_a_service_is_cut() -> None:
    long = SchemaProblem(("x" * 500,), "type", "y" * 5 * MAX_SENTENCE_CHARACTERS)
    assert len(warning(long)) < MAX_SENTENCE_CHARACTERS + 40
    assert len(path(long.pointer)) < 80


def test_reason_for_unchecked_params_is_one_line() -> None:
    assert unchecked_words(Checked((COUNT,))) == ""
    assert (
        unchecked_words(Checked(why_not="the text is nested too deeply"))
        == "not checked: the text is nested too deeply"
    )
    partly = Checked((COUNT,), "\x1b[2J" + "x" * 999, in_part=True)
    assert unchecked_words(partly).startswith("only partly checked: ␛[2Jx")
    assert len(unchecked_words(Checked(why_not="x" * 999))) < MAX_SENTENCE_CHARACTERS + 20
