"""Tests of the rows of a document, and of the path and value of each."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext import layout, slices
from rpcexplorer.jsontext.layout import LEVELS, Layout, indented
from rpcexplorer.text import document as lines
from rpcexplorer.text.document import EVERYTHING, Document, matches
from rpcexplorer.text.document_rows import (
    DocumentRow,
    Rows,
    in_string,
    line_of_item,
    naming_values,
    path_at,
    pointer_at,
    value_at,
    value_start,
)
from rpcexplorer.text.printable import columns

BODY = b'{"items":[{"id":1,"tags":["a","b"]},{"id":2,"tags":[]}],"odd ] key":{"x":"[ {"},"n":null}'
values = st.recursive(
    st.none() | st.integers(0, 9) | st.text(st.sampled_from('[]{}",: a漢\t'), max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b]", "漢{"]), inner, max_size=3),
    max_leaves=12,
)
steps = st.lists(
    st.tuples(st.sampled_from(["toggle", "toggle", "reveal"]), st.integers(0, 99))
    | st.tuples(st.just("fold_to"), st.sampled_from([0, 1, 2, 3, EVERYTHING])),
    max_size=8,
)


def shown(rows: Rows) -> list[str]:
    return [f"{rows.row(at).line + 1:>2} {rows.row(at).text}" for at in range(rows.count)]


def rows_of(body: bytes) -> Rows:
    return Rows(Document.of_json(body))


class Model:
    """A simple model of rows: folded containers, and those of each line."""

    def __init__(self, document: Document) -> None:
        self.lines = document.text[:].decode().split("\n")
        self.depths = [(len(line) - len(line.lstrip(" "))) // 2 for line in self.lines]
        self.around: list[list[int]] = []
        self.ends: dict[int, int] = {}
        self.sizes: dict[int, int] = {}
        self.rule = EVERYTHING
        self.folded: set[int] = set()
        open_ones: list[int] = []
        for at, line in enumerate(self.lines):
            self.around.append(list(open_ones))
            closes = line.strip().rstrip(",") in {"]", "}"}
            if closes:
                self.ends[open_ones.pop()] = at
            elif open_ones:
                self.sizes[open_ones[-1]] += 1
            if line.endswith(("[", "{")):
                open_ones.append(at)
                self.sizes[at] = 0

    def fold_to(self, depth: int) -> None:
        self.rule = depth
        self.folded = {at for at in self.sizes if self.depths[at] >= depth}

    def put(self, opener: int, *, folded: bool) -> None:
        inner = {at for at in self.sizes if opener in self.around[at]}
        again = {at for at in inner if self.depths[at] >= max(self.rule, self.depths[opener] + 1)}
        self.folded = self.folded - inner - {opener} | again | ({opener} if folded else set())

    def toggle(self, line: int) -> None:
        for around in self.around[line]:
            if around in self.folded:
                line = around
                break
        opener = line if line in self.sizes else next(iter(self.around[line][::-1]), None)
        if opener is not None:
            self.put(opener, folded=opener not in self.folded)

    def reveal(self, line: int) -> None:
        for around in self.around[line]:
            if around in self.folded:
                self.put(around, folded=False)

    def rows(self) -> list[tuple[int, str, str]]:
        return [
            (at, self.text(at), ("folded" if at in self.folded else "open") if at in self.sizes else "")
            for at in range(len(self.lines))
            if not self.folded.intersection(self.around[at])
        ]

    def text(self, at: int) -> str:
        line = self.lines[at].replace("\t", "    ")
        if at not in self.folded:
            return line
        noun = "item" if line.endswith("[") else "member"
        plural = "" if self.sizes[at] == 1 else "s"
        return f"{line} {self.sizes[at]} {noun}{plural} {self.lines[self.ends[at]].strip()}"


def walk(value: Any, taken: list[tuple[str, int]]) -> tuple[Rows, Model]:
    rows = rows_of(json.dumps(value, ensure_ascii=False).encode())
    model = Model(rows.document)
    for name, number in taken:
        at = number if name == "fold_to" else number % rows.document.lines
        getattr(rows, name)(at)
        getattr(model, name)(at)
    return rows, model


@given(values, steps, st.sampled_from([5, 40, 16_384]))
def test_rows_match_a_simple_model(value: Any, taken: list[tuple[str, int]], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)
        rows, model = walk(value, taken)
        expected = model.rows()
        assert [(row.line, row.text, row.fold) for row in map(rows.row, range(rows.count))] == expected
        for line in range(rows.document.lines):
            hidden = [around for around in model.around[line] if around in model.folded]
            on_view = hidden[0] if hidden else line
            assert expected[rows.row_of(line)][0] == on_view


@given(values, steps, st.integers(2, 30), st.sampled_from([5, 16_384]))
def test_wrapped_rows_lose_nothing_and_fit(value: Any, taken: list[tuple[str, int]], width: int, block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)
        rows, model = walk(value, taken)
        rows.wrap(width)
        pieces: dict[int, list[DocumentRow]] = {}
        for at in range(rows.count):
            row = rows.row(at)
            pieces.setdefault(row.line, []).append(row)
            assert rows.row_of(row.line, row.start) == at
        assert [(line, "".join(row.text for row in found)) for line, found in pieces.items()] == [
            (line, text) for line, text, _ in model.rows()
        ]
        for line, found in pieces.items():
            assert [row.continued for row in found] == [False] + [True] * (len(found) - 1)
            assert [row.start for row in found] == [
                sum(len(each.text) for each in found[:at]) for at in range(len(found))
            ]
            if line not in model.folded:
                assert max(columns(row.text) for row in found) <= width
        rows.wrap(None)
        assert [(row.line, row.text, row.fold) for row in map(rows.row, range(rows.count))] == model.rows()


def test_folded_value_shows_size_and_keeps_line_numbers() -> None:
    rows = rows_of(BODY)
    rows.fold_to(1)
    assert shown(rows) == [
        " 1 {",
        ' 2   "items": [ 2 items ],',
        '15   "odd ] key": { 1 member },',
        '18   "n": null',
        "19 }",
    ]
    assert [rows.row(at).fold for at in range(5)] == ["open", "folded", "folded", "", ""]


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ("fold_to 0", [0]),
        ("fold_to 1", [0, 1, 14, 17, 18]),
        ("fold_to 2", [0, 1, 2, 9, 13, 14, 15, 16, 17, 18]),
        ("fold_to 2, fold_to 9", [*range(19)]),
        ("toggle 4", [0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
        ("toggle 5", [0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
        ("toggle 3", [0, 1, 2, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
        ("fold_to 1, toggle 1", [0, 1, 2, 9, 13, 14, 17, 18]),
        ("toggle 4, toggle 2, toggle 1", [0, 1, 14, 15, 16, 17, 18]),
        ("toggle 4, toggle 2, toggle 1, toggle 1", [*range(19)]),
        ("fold_to 1, toggle 1, toggle 2, toggle 1", [0, 1, 14, 17, 18]),
        ("fold_to 1, toggle 1, toggle 2, toggle 1, toggle 1", [0, 1, 2, 9, 13, 14, 17, 18]),
        ("fold_to 0, reveal 5", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14, 17, 18]),
    ],
)
def test_each_change_leaves_the_expected_lines(changes: str, lines: list[int]) -> None:
    rows = rows_of(BODY)
    for change in changes.split(", "):
        name, line = change.split()
        getattr(rows, name)(int(line))
    assert [rows.row(at).line for at in range(rows.count)] == lines


def test_toggle_without_container_changes_nothing() -> None:
    for document in (Document(b"{\n  plain\n}"), Document.of_json(b'"scalar"'), Document.raw(b"\xff" * 40)):
        rows = Rows(document)
        rows.fold_to(1)
        assert not rows.toggle(0)
        assert rows.count == document.lines
        assert {rows.row(at).fold for at in range(rows.count)} == {""}


def test_consecutive_values_fold_separately() -> None:
    rows = Rows(Document(b'{\n  "a": 1\n}\n[\n  2,\n  3\n]\n', is_json=True))
    rows.toggle(4)
    assert shown(rows) == [" 1 {", ' 2   "a": 1', " 3 }", " 4 [ 2 items ]"]
    rows.fold_to(0)
    assert shown(rows) == [" 1 { 1 member }", " 4 [ 2 items ]"]


def test_incomplete_text_folds_to_its_end() -> None:
    rows = Rows(Document(b'{\n  "a": [\n    1,\n    2', is_json=True))
    assert rows.toggle(2)
    assert rows.count == 2
    rows.reveal(3)
    assert rows.count == 4


def test_only_visible_characters_are_sliced() -> None:
    rows = rows_of(b'["' + b"0123456789" * 5000 + b'"]')
    row = rows.row(1, 13, 5)
    assert (row.text, row.start, row.in_string) == ("01234", 0, True)
    rows.wrap(10)
    assert rows.count == 2 + 5001
    row = rows.row(2, 4, 3)
    assert (row.text, row.start, row.continued, row.in_string) == ("123", 10, True, True)
    assert rows.row(2, 4).text == "123456"
    assert rows.row(2, 11, 3).text == ""
    assert not rows.row(1).in_string
    assert rows.row_of(1, 25) == 3
    assert rows.row_of(1, 10**9) == rows.count - 2


def test_rows_of_hex_stay_whole() -> None:
    rows = Rows(Document.raw(b"\xff" * 40), wrap=20)
    assert (rows.count, len(rows.row(0).text)) == (3, 76)


@pytest.mark.parametrize("index", [-1, 19, 1000])
def test_row_out_of_range_raises_index_error(index: int) -> None:
    with pytest.raises(IndexError, match="19 rows"):
        rows_of(BODY).row(index)


@pytest.mark.thorough
def test_million_lines_fold_and_wrap_quickly(soon: None) -> None:
    document = Document(b"[\n" + b'  {\n    "a": 1\n  },\n' * 400_000 + b"  0\n]", is_json=True)
    rows = Rows(document)
    rows.fold_to(1)
    assert rows.count == 400_003
    assert rows.row(200_000).text == "  { 1 member },"
    assert rows.toggle(rows.row(200_000).line)
    assert rows.count == 400_005
    rows.wrap(8)
    assert rows.row(rows.count - 1).line == document.lines - 1
    rows.toggle(0)
    assert rows.row(0).text == "[ 400,001 items ]"


def test_rows_change_only_after_folding_or_wrapping_finishes() -> None:
    document = Document(b"[\n" + b'  {\n    "a": 1\n  },\n' * 60_000 + b"  0\n]", is_json=True)
    rows, before = Rows(document), document.lines
    for steps in (rows.folding_to(1), rows.folding_to(EVERYTHING), rows.wrapping(8)):
        counts = [rows.count for _ in steps]
        assert set(counts) <= {before}
        before = rows.count
    assert (len(counts) > 1, before) == (True, document.lines + 60_000)


def test_folds_of_a_beginning_apply_to_whole_document() -> None:
    whole = Document(b"[\n" + b'  {\n    "a": [\n      1\n    ]\n  },\n' * 9 + b"  0\n]", is_json=True)
    beginning = Rows(Document(whole.text[:80], is_json=True))
    beginning.fold_to(2)
    beginning.toggle(1)
    rows, same = Rows(whole), Rows(whole)
    deque(rows.folding_like(beginning), maxlen=0)
    same.fold_to(2)
    same.toggle(1)
    assert [rows.row(at) for at in range(rows.count)] == [same.row(at) for at in range(same.count)]


ITEMS = [{"id": number, "tags": [number] * (number % 3)} for number in range(2000)]


@pytest.mark.parametrize(
    ("value", "path", "there"),
    [(ITEMS, ".", "$"), ({"n": [1], "items": ITEMS}, ".items", "$.items"), ({"a b": ITEMS}, '.["a b"]', '$["a b"]')],
)
@pytest.mark.parametrize("index", [0, 1, 1999])
def test_line_of_item_finds_list_item_by_index(value: object, path: str, there: str, index: int) -> None:
    document = Document.of_json(json.dumps(value).encode())
    line = line_of_item(document, path, index)
    assert path_at(document, line) == f"{there}[{index}]"
    assert json.loads(value_at(document, line)) == ITEMS[index]


def test_line_of_missing_item_is_line_of_list() -> None:
    document = Document.of_json(b'{"items": [1, 2]}')
    assert line_of_item(document, ".items", 7) == 1


@given(values, steps, st.sampled_from([3, 10, 40]), st.sampled_from([5, 16_384]), st.integers(2, 30) | st.none())
def test_lazy_document_equals_indented_document(
    value: Any, steps: list[tuple[str, int]], size: int, block: int, width: int | None
) -> None:
    body = json.dumps({"many": [value, "word " * 16] * 2}, ensure_ascii=False).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)
        eager = Document(indented(body), is_json=True)
        patch.setattr(slices, "SLICE", size)
        patch.setattr(layout, "MAX_RECENT", 2)
        lazy = Document.of_json(body)
        assert isinstance(lazy.text, Layout)
        rows = Rows(lazy, wrap=width), Rows(eager, wrap=width)
        for name, argument in steps:
            for each in rows:
                getattr(each, name)(min(argument, each.document.lines - 1) if name != "fold_to" else argument)
        assert [rows[0].row(at) for at in range(rows[0].count)] == [rows[1].row(at) for at in range(rows[1].count)]
        assert (lazy.lines, lazy.widest, lazy.measures.growth) == (eager.lines, eager.widest, eager.measures.growth)
        assert list(matches(lazy, "a")) == list(matches(eager, "a"))
        for line in range(lazy.lines):
            assert rows[0].row_of(line) == rows[1].row_of(line)
            assert [tell(lazy, line) for tell in (path_at, pointer_at, value_at)] == [
                tell(eager, line) for tell in (path_at, pointer_at, value_at)
            ]


PLACES = b'{"items":[{"id":1,"tags":["a","b"]},{"id":2.50,"tags":[]}],"odd key":{"x":"[ {"},"a/b~":"1"}'
names = st.text(st.sampled_from('ab1/~é"\\ :'), max_size=4)
pointed = st.recursive(
    st.none() | st.integers(0, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=3),
    max_leaves=25,
)


def along(value: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


@pytest.mark.parametrize(
    ("line", "path", "value"),
    [
        (0, "$", None),
        (18, "$", None),
        (1, "$.items", None),
        (2, "$.items[0]", None),
        (3, "$.items[0].id", "1"),
        (4, "$.items[0].tags", '[\n  "a",\n  "b"\n]'),
        (6, "$.items[0].tags[1]", '"b"'),
        (7, "$.items[0].tags", '[\n  "a",\n  "b"\n]'),
        (10, "$.items[1].id", "2.50"),
        (11, "$.items[1].tags", "[]"),
        (12, "$.items[1]", '{\n  "id": 2.50,\n  "tags": []\n}'),
        (14, '$["odd key"]', '{\n  "x": "[ {"\n}'),
        (15, '$["odd key"].x', '"[ {"'),
        (17, '$["a/b~"]', '"1"'),
    ],
)
def test_line_has_a_path_and_a_value(line: int, path: str, value: str | None) -> None:
    document = Document.of_json(PLACES)
    assert path_at(document, line) == path
    if value is None:
        found = json.loads(value_at(document, line))
        assert found == along(json.loads(PLACES), pointer_at(document, line))
    else:
        assert value_at(document, line).decode() == value


@given(pointed, st.sampled_from([6, 16_384]), st.booleans())
def test_pointer_resolves_to_the_value_of_its_line(value: Any, block: int, escaped: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "BLOCK", block)
        body = json.dumps(value, ensure_ascii=escaped).encode()
        document = Document.of_json(body)
        for line in range(document.lines):
            assert along(value, pointer_at(document, line)) == json.loads(value_at(document, line))


@pytest.mark.parametrize(
    ("key", "path", "pointer"),
    [
        ('""', '$[""]', "/"),
        ('"\\u0041"', '$["\\u0041"]', "/A"),
        ('"a\\"b"', '$["a\\"b"]', '/a"b'),
        ('"größe"', '$["größe"]', "/größe"),
        ('"a\u202eb"', '$["a\\u202eb"]', "/a\\u202eb"),
        ('"\\u001b[2J"', '$["\\u001b[2J"]', "/␛[2J"),
        ('"\\ud800"', '$["\\ud800"]', "/\\ud800"),
        ('"1st"', '$["1st"]', "/1st"),
        ('"_1"', "$._1", "/_1"),
    ],
)
def test_unusual_names_keep_the_spelling_of_the_server(key: str, path: str, pointer: str) -> None:
    document = Document.of_json(f"{{{key}: 1}}".encode())
    assert path_at(document, 1) == path
    assert pointer_at(document, 1) == pointer


def test_duplicate_members_have_their_own_values() -> None:
    document = Document.of_json(b'{"a":1,"a":2}')
    assert [value_at(document, line) for line in (1, 2)] == [b"1", b"2"]


def test_text_without_json_has_no_paths() -> None:
    document = Document.raw(b'{"a":\n  1,\n}')
    assert (path_at(document, 1), pointer_at(document, 1), value_at(document, 1)) == ("", "", b"  1,")


def test_values_below_deepest_level_share_path_and_value() -> None:
    document = Document.of_json(b'{"a":' * LEVELS + b'{"b":[1,{"c":2}]}' + b"}" * LEVELS)
    assert path_at(document, LEVELS) == "$" + ".a" * LEVELS
    assert json.loads(value_at(document, LEVELS)) == {"b": [1, {"c": 2}]}


def test_consecutive_values_are_separate_roots() -> None:
    document = Document(b'[\n  1,\n  2\n]\n{\n  "a": 3\n}\n', is_json=True)
    assert [path_at(document, line) for line in (0, 2, 3, 5, 6)] == ["$", "$[1]", "$", "$.a", "$"]
    assert value_at(document, 3) == b"[\n  1,\n  2\n]"
    assert value_at(document, 4) == b'{\n  "a": 3\n}'


def test_in_string_is_true_inside_names_and_strings() -> None:
    document = Document.of_json('{"größe":"a b","n":12345}'.encode())
    text = document.line(1)
    assert text == '  "größe": "a b",'
    inside = "".join("s" if in_string(document, 1, at) else "." for at in range(len(text) - 1))
    assert inside == "...ssssss...ssss"
    assert not any(in_string(document, 2, at) for at in range(8, 12))


def test_value_start_is_after_the_name() -> None:
    document = Document.of_json(b'{"a\\": ":["x\\": y"]}')
    starts = [document.text[value_start(document, line) :][:3] for line in range(4)]
    assert starts == [b"{\n ", b"[\n ", b'"x\\', b"]\n}"]


@pytest.mark.thorough
def test_path_near_line_million_is_found_quickly(soon: None) -> None:
    document = Document(b'{\n  "a": [\n' + b'    {\n      "b": 1\n    },\n' * 330_000 + b"    0\n  ]\n}", is_json=True)
    assert path_at(document, document.lines - 3) == "$.a[330000]"
    assert path_at(document, document.lines - 5) == "$.a[329999].b"
    assert value_at(document, 1).endswith(b"\n  },\n  0\n]")


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (b'{"id": 7, "name": "Ada Lovelace", "active": true}', ["7", "Ada Lovelace"]),
        (b'{"mail": "a@b.c", "tags": [{"id": 1}], "user_id": 12345678901234567890}', ["12345678901234567890", "a@b.c"]),
        (b'{"text": "' + b"x" * 25 + b'", "fullName": "Zo\\u00eb \\"Z\\""}', ['Zo\xeb "Z"']),
        (b'{"at": 1.50, "to": -2e400, "by": ""}', ["1.50", "-2e400"]),
        (rb'{"name": "\u202e\u001b[2J", "x": 1}', ["\\u202e␛[2J", "1"]),
        (b'{"a": null, "b": {"id": 1}}', []),
        (b'{"first": {"id": 1}, "id": 2}', ["2"]),
        (b'["id", 1]', []),
        (b'{"first": "' + b"x" * 3_000 + b'", "id": 2}', []),
    ],
)  # fmt: skip
def test_object_is_named_by_its_short_values(body: bytes, values: list[str]) -> None:
    assert naming_values(Document.of_json(body), 0) == values
