"""Tests of paths, pointers and values of lines against a JSON parser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.layout import LEVELS
from rpcexplorer.text import document as lines
from rpcexplorer.text.document import Document
from rpcexplorer.text.document_rows import in_string, path_at, pointer_at, value_at, value_start

BODY = b'{"items":[{"id":1,"tags":["a","b"]},{"id":2.50,"tags":[]}],"odd key":{"x":"[ {"},"a/b~":"1"}'
names = st.text(st.sampled_from('ab1/~é"\\ :'), max_size=4)
values = st.recursive(
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
    document = Document.of_json(BODY)
    assert path_at(document, line) == path
    if value is None:
        found = json.loads(value_at(document, line))
        assert found == along(json.loads(BODY), pointer_at(document, line))
    else:
        assert value_at(document, line).decode() == value


@given(values, st.sampled_from([6, 16_384]), st.booleans())
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
