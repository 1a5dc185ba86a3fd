"""What came of a check."""

from __future__ import annotations

from rpcexplorer.model.problem import Checked, SchemaProblem


def test_params_are_right_where_they_were_checked_and_nothing_was_found() -> None:
    assert Checked().is_right
    assert not Checked(why_not="no schema").is_right
    assert not Checked((SchemaProblem((), "type", "x"),)).is_right
