from __future__ import annotations

from rpcexplorer.text.docs import MAX_INLINE_CHARACTERS, MAX_VALUE_ROWS, json_rows, short, spelled
from rpcexplorer.text.markdown import PageRows


def shown(value: object, width: int | None = 80) -> list[str]:
    rows = PageRows(width)
    json_rows(value, rows, 4)
    return ["".join(part for part, _ in row) for row in rows.made]


def test_short_value_takes_one_row_long_several() -> None:
    assert shown({"a": [1, 2]}) == ['    {"a":[1,2]}']
    assert shown({"a": "x" * 60})[:2] == ["    {", f'      "a": "{"x" * 60}"']
    assert shown({"a": "x" * 20}, 20)[0] == "    {"


def test_long_value_is_cut_and_counted() -> None:
    assert shown([*range(1_000)])[-1] == f"    … and {1_002 - MAX_VALUE_ROWS} more lines"
    assert len(short("x" * 1_000)) == MAX_INLINE_CHARACTERS


def test_value_without_json_spelling_is_named() -> None:
    assert spelled("\ud800") == "(cannot be written as JSON)"
