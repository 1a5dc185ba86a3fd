from __future__ import annotations

from rpcexplorer.variables.references import MADE, Offered, names, reference


def test_variables_come_first_and_whatever_is_offered_is_read_as_what_it_says() -> None:
    found = names({"page": "2", "a": ""}, ["user.list", "a#/b"])
    assert [each.inside for each in found] == ["a", "page", *MADE, "last.user.list#", "last.a\\u0023/b#"]
    assert found[1] == Offered("page", "2")
    assert [reference(each.inside).method for each in found[-2:]] == ["user.list", "a#/b"]
