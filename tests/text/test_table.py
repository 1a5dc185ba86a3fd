"""Tests of a list of objects as a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.text.printable import printable
from rpcexplorer.text.table import LONGEST, Cell, Column, Table

PEOPLE = b"""[
  {"id": 3, "name": "Ada", "tags": ["a"], "rate": 1.10, "active": true},
  {"id": 1, "tags": [], "name": null, "rate": 1e2, "active": false, "nickname": "Bo"},
  {"id": 2, "name": "null", "rate": 99, "active": true, "tags": [1, 2]}
]"""


def table_of(value: bytes | str) -> Table:
    table = Table.of(value.encode() if isinstance(value, str) else value)
    assert table is not None
    return table


def column(value: str, *, descending: bool | None = None) -> list[str]:
    """Return the cells of the first column, unsorted by default."""
    table = table_of(value)
    if descending is not None:
        table.sort(0, descending)
    return [table.cell(row, 0).text for row in range(table.rows)]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ('[{"a": 1}]', "."),
        (' [ {"a": 1}, null, {"b": 2} ] ', "."),
        ('{"page": 1, "items": [{"a": 1}], "tags": ["x"]}', ".items"),
        ('{"odd \\u001b name": [{"a": 1}]}', '.["odd ␛ name"]'),
        ('{"items": [{"a": NaN}], "page": Infinity}', ".items"),
        ('[{"a": ' + "[" * 1_100 + "]" * 1_100 + "}]", "."),
    ],
)
def test_list_of_objects_becomes_a_table(value: str, path: str) -> None:
    assert table_of(value).path == path


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"[]",
        b"[1, 2]",
        b"[null]",
        b'[{"a": 1}, 2]',
        b"[{}, {}]",
        b'{"a": 1}',
        b'{"a": [{"x": 1}], "b": [{"x": 1}]}',
        b'{"a": {"b": [{"x": 1}]}}',
        b'"text"',
        b'[{"a": 1}',
        b'[{"a": "\xff"}]',
        b"\xff\xfe",
    ],
)
def test_nothing_else_is_one(value: bytes) -> None:
    assert Table.of(value) is None


@given(st.binary(max_size=40) | st.text(st.sampled_from('[]{}",:a1 \\nulNI-\x00é'), max_size=30).map(str.encode))
def test_any_bytes_give_no_table_or_readable_one(value: bytes) -> None:
    table = Table.of(value)
    if table is not None:
        table.sort(0)
        cells = [table.cell(row, column) for row in range(table.rows) for column in range(len(table.columns))]
        assert all(cell.text == printable(cell.text) for cell in cells)


def test_columns_are_common_members_with_nested_ones_last() -> None:
    assert table_of(PEOPLE).columns == [
        Column("id", "id", "number", 2),
        Column("name", "name", "text", 4),
        Column("rate", "rate", "number", 4),
        Column("active", "active", "literal", 6),
        Column("tags", "tags", "nested", len("[ 2 items ]")),
    ]


def test_all_members_are_columns_if_none_is_common() -> None:
    assert [each.name for each in table_of('[{"a": 1}, {"b": 1}, {"c": 1}]').columns] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [("1, 2", "number"), ("1, null", "number"), ('1, "x"', "text"), ("true, null", "literal"), ("null", "text"),
     ("{}, []", "nested"), ("{}, 1", "text"), ("NaN", "literal")],
)  # fmt: skip
def test_column_kind_is_shared_by_its_values(values: str, kind: str) -> None:
    rows = ", ".join(f'{{"a": {value}}}' for value in values.split(", "))
    assert table_of(f"[{rows}]").columns[0].kind == kind


def test_hostile_name_is_escaped_and_still_found() -> None:
    table = table_of('[{"x\\u001b[2J\\u202e": 1, "\\ud800": 2}]')
    assert [each.name for each in table.columns] == ["x␛[2J\\u202e", "\\ud800"]
    assert [table.cell(0, 0).text, table.cell(0, 1).text] == ["1", "2"]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("null", Cell("null", "null")),
        ('"null"', Cell("null", "string")),
        ('""', Cell("", "string")),
        ("1.10", Cell("1.10", "number")),
        ("-0", Cell("-0", "number")),
        ("1e400", Cell("1e400", "number")),
        ("true", Cell("true", "literal")),
        ("NaN", Cell("NaN", "literal")),
        ("-Infinity", Cell("-Infinity", "literal")),
        ("{}", Cell("{ 0 members }", "nested")),
        ('{"x": [1, 2]}', Cell("{ 1 member }", "nested")),
        ("[1]", Cell("[ 1 item ]", "nested")),
        ('[1, "\\ud800"]', Cell("[ 2 items ]", "nested")),
        (r'"a\"b\\\u00e9"', Cell('a"b\\é', "string")),
        (r'"two\nlines\u001b]52;c\u202e"', Cell("two␊lines␛]52;c\\u202e", "string")),
        (r'"\ud800"', Cell("\\ud800", "string")),
        ('"' + "x" * 5_000 + '"', Cell("x" * (LONGEST - 1) + "…", "string")),
    ],
)
def test_cell_has_printable_text_and_a_kind(value: str, cell: Cell) -> None:
    assert table_of(f'[{{"a": {value}}}]').cell(0, 0) == cell


def test_missing_member_is_absent_instead_of_null() -> None:
    table = table_of('[{"a": 1}, {"b": 1}, null]')
    assert [table.cell(row, 0).kind for row in range(3)] == ["number", "absent", "absent"]


def test_last_duplicate_member_counts() -> None:
    assert column('[{"a": 1, "a": 2}, {"a": NaN, "a": 3}]') == ["2", "3"]


MIXED = '[{"a": "B"}, {"a": 10}, {"a": null}, {"c": 1}, {"a": 9}, {"a": "a"}, {"a": true}, {"a": [1]}, {"a": []}]'


def test_missing_values_sort_last_in_both_directions() -> None:
    assert column(MIXED, descending=True) == ["[ 1 item ]", "[ 0 items ]", "true", "B", "a", "10", "9", "null", ""]


@pytest.mark.parametrize(
    "ascending",
    [
        ["-1", "-0.5", "0", "1e-1", "0.11", "2", "10"],
        ["9007199254740992", "9007199254740993", "9007199254740993.5"],
        ["1" + "0" * 30, "1" + "0" * 29 + "1"],
        ["0.1", "0.10000000000000000001"],
        ["-1e99999999999999999999", "1e-99999999999999999999", "1e999999999999", "9" * 4_301 + "e999999999999999"],
        ["9" * 4_301, "1" + "0" * 4_301],
    ],
)
def test_numbers_of_any_size_are_compared_exactly(ascending: list[str]) -> None:
    mixed = ascending[::-1]
    table = table_of("[" + ",".join(f'{{"a": {text}}}' for text in mixed) + "]")
    table.sort(0)
    assert [mixed[table.original(row)] for row in range(table.rows)] == ascending


@pytest.mark.parametrize("descending", [False, True])
def test_equal_rows_keep_the_order_of_list(descending: bool) -> None:
    table = table_of('[{"a": 1.0, "b": 0}, {"a": 1, "b": 1}, {"a": 1.00, "b": 2}]')
    table.sort(0, descending)
    assert [table.original(row) for row in range(3)] == [0, 1, 2]


def test_row_knows_its_element_after_sorting() -> None:
    table = table_of(PEOPLE)
    table.sort(0)
    assert [table.original(row) for row in range(table.rows)] == [1, 2, 0]
    assert table.value(2).startswith(b'{"id": 3, "name": "Ada"')
    assert table.cell(2, 1) == Cell("Ada", "string")
    table.unsort()
    assert [table.original(row) for row in range(table.rows)] == [0, 1, 2]
    assert table.cell(2, 1) == Cell("null", "string")


@pytest.mark.parametrize(
    ("value", "path", "text"),
    [
        ('[{"a": 1}, {"a": 2.50}]', "$[1].a", b"2.50"),
        ('{"items": [{"a b": 1}, {"a b": [true]}]}', '$.items[1]["a b"]', b"[true]"),
        ('{"odd name": [{"a": 1}, {"b": 2, "a": null}]}', '$["odd name"][1].a', b"null"),
        ('[{"a": 1}, null]', "$[1].a", b""),
    ],
)
def test_cell_has_path_and_exact_text_of_server(value: str, path: str, text: bytes) -> None:
    table = table_of(value)
    assert (table.cell_path(1, 0), table.cell_value(1, 0)) == (path, text)
