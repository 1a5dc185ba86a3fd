"""A part of a result is taken to other params: as a reference where the history has it, else as itself."""

from __future__ import annotations

import pytest

from rpcexplorer.variables.resolve import LastResult, TakenValue

LAST = LastResult('{"key":"abc","n":1.10,"a/b":[null]}')


@pytest.mark.parametrize(
    ("pointer", "text", "spelled"),
    [
        ("/key", '"abc"', '"{{last.user.login#/key}}"'),
        ("/n", "1.10", '"{{last.user.login#/n:json}}"'),
        ("/a~1b/0", "null", '"{{last.user.login#/a~1b/0:json}}"'),
        ("", "{\n  }", '"{{last.user.login#:json}}"'),
    ],
)
def test_it_is_a_reference_to_the_newest_result(pointer: str, text: str, spelled: str) -> None:
    assert TakenValue("user.login", pointer, text).spelled(LAST) == (spelled, "")


def test_another_value_in_the_newest_result_is_told() -> None:
    spelled, remark = TakenValue("user.login", "/n", "1.1").spelled(LAST)
    assert spelled == '"{{last.user.login#/n:json}}"'
    assert remark == "The newest result of user.login has another value there: 1.10."


@pytest.mark.parametrize("last", [LastResult(why="there is no result of m"), LAST])
def test_without_a_result_on_record_it_is_the_value_in_which_no_secret_is_opened(last: LastResult) -> None:
    spelled, remark = TakenValue("m", "/x", '"«staging.token»"').spelled(last)
    assert spelled == '"\\u00abstaging.token»"'
    assert (last.why or "has none there") in remark


@pytest.mark.parametrize(("pointer", "name"), [("/items/0/id", "id"), ("/items/0", ""), ("", ""), ("/a~1b", "a/b")])
def test_the_last_step_is_the_name_it_is_looked_for_by(pointer: str, name: str) -> None:
    assert TakenValue("m", pointer, "1").name == name
