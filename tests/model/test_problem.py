"""Results of a check, and words for problems."""

from __future__ import annotations

from rpcexplorer.model.problem import Checked, SchemaProblem, capitalised, counted, nearest


def test_params_are_right_if_checked_without_problems() -> None:
    assert Checked().is_right
    assert not Checked(why_not="no schema").is_right
    assert not Checked((SchemaProblem((), "type", "x"),)).is_right


def test_counted_noun_has_plural_and_thousands() -> None:
    assert [counted(count, "call") for count in (0, 1, 1000)] == ["0 calls", "1 call", "1,000 calls"]


def test_capitalised_text_keeps_its_other_letters() -> None:
    assert [capitalised(text) for text in ("", "no ID", "`url`")] == ["", "No ID", "`url`"]


def test_nearest_word_is_suggested_for_a_short_one() -> None:
    assert nearest("paht", ["path", "url"]) == "path"
    assert nearest("x" * 10_000, ["x" * 9_999]) is None
