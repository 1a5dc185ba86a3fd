"""One change of a JSON text: its meaning, and the unchanged characters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcexplorer.jsontext.edit import Path, added, changed, is_json, one_line, removed, span_of, string
from rpcexplorer.jsontext.scan import is_value

Tree: TypeAlias = Any
"""A scalar's token, or "{" or "[" with a list of (name or None, tree)."""
BLANKS = st.sampled_from(["", "", " ", "\n", "\n  ", "\t", " \r\n "])
SCALARS = st.sampled_from(
    ["null", "true", "0", "-0", "1.10", "1e400", "123456789012345678901", '"\\u0061b"', '"[,]:{"']
)
NAMES = st.sampled_from(['"a"', '"b"', '"\\u0061"', '"a/b"', '""', '"\u00e9"'])
VALUES = st.sampled_from(["null", "7.50", '"new"', "[]", "{}", '{"x": [1, {"y": 2}], "z": ","}', "[ 1,2 ]"])


def containers(inside: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    objects = st.lists(st.tuples(NAMES, inside), max_size=4).map(lambda members: ("{", members))
    return objects | st.lists(inside, max_size=4).map(lambda items: ("[", [(None, item) for item in items]))


TREES = containers(st.recursive(SCALARS, containers, max_leaves=8))


def spelled(tree: Tree, blank: Any) -> str:
    """Return a text for a tree; ``blank`` gives the text between two tokens."""
    if isinstance(tree, str):
        return tree
    opener, items = tree
    parts = [f"{f'{name}{blank()}:{blank()}' if name else ''}{spelled(item, blank)}" for name, item in items]
    joined = "".join(part + (f"{blank()},{blank()}" if at < len(parts) - 1 else "") for at, part in enumerate(parts))
    return f"{opener}{blank()}{joined}{blank() if parts else ''}{ {'{': '}', '[': ']'}[opener] }"


def meant(text: str) -> Any:
    """Return the value with members in order and numbers as they are spelled."""
    return json.loads(text, object_pairs_hook=lambda pairs: ("{", pairs), parse_int=Number, parse_float=Number)


class Number(str):
    """A number by its spelling."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def ways(value: Any, before: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each path with its value; of duplicate names, the last."""
    yield before, value
    if isinstance(value, tuple):
        for name, inside in dict(value[1]).items():
            yield from ways(inside, (*before, name))
    elif isinstance(value, list):
        for at, inside in enumerate(value):
            yield from ways(inside, (*before, at))


def with_change(value: Any, path: Path, change: Any) -> Any:
    """Return the value with the items at a path changed by ``change``."""
    first, *rest = path
    items = list(value[1]) if isinstance(value, tuple) else list(value)
    at = first if isinstance(first, int) else max(n for n, item in enumerate(items) if item[0] == first)
    if not rest:
        items = change(items, at)
    elif isinstance(value, tuple):
        items[at] = (items[at][0], with_change(items[at][1], tuple(rest), change))
    else:
        items[at] = with_change(items[at], tuple(rest), change)
    return ("{", items) if isinstance(value, tuple) else items


def is_one_slice_longer(longer: str, shorter: str) -> bool:
    """Return whether one text is the other with one insertion."""
    start = next((at for at, pair in enumerate(zip(longer, shorter, strict=False)) if len({*pair}) > 1), len(shorter))
    return len(longer) > len(shorter) and longer.endswith(shorter[start:])


@given(st.data())
def test_only_the_changed_value_differs(data: st.DataObject) -> None:
    text = data.draw(BLANKS) + spelled(data.draw(TREES), lambda: data.draw(BLANKS)) + data.draw(BLANKS)
    path, _ = data.draw(st.sampled_from(list(ways(meant(text)))))
    value = data.draw(VALUES)
    span = span_of(text, path)
    after = changed(text, path, value)
    assert span is not None
    assert after == text[: span[0]] + value + text[span[1] :]
    if path:
        new = (path[-1], meant(value)) if isinstance(path[-1], str) else meant(value)
        wanted = with_change(meant(text), path, lambda items, at: [*items[:at], new, *items[at + 1 :]])
        assert meant(after) == wanted


@given(st.data())
def test_removed_and_added_items_keep_commas_right(data: st.DataObject) -> None:
    text = spelled(data.draw(TREES), lambda: data.draw(BLANKS))
    before = meant(text)
    path, value = data.draw(st.sampled_from(list(ways(before))))
    if path:
        after = removed(text, path)
        assert meant(after) == with_change(before, path, lambda items, at: items[:at] + items[at + 1 :])
        assert is_one_slice_longer(text, after)
    if isinstance(value, tuple | list):
        name = "n\u00e9w" if isinstance(value, tuple) else None
        new = data.draw(VALUES)
        after = added(text, path, new, name)
        inside = [*(value[1] if isinstance(value, tuple) else value), (name, meant(new)) if name else meant(new)]
        wanted = ("{", inside) if name else inside
        was_empty = len(inside) == 1
        assert dict(ways(meant(after)))[path] == wanted
        assert is_one_slice_longer(after, text) or was_empty
        assert removed(after, (*path, name or len(inside) - 1)) == text or was_empty


@pytest.mark.parametrize(
    ("text", "path", "after"),
    [
        ('{"a": 1}', (), '{"a": 1, "n": [1, {"x": 2}]}'),
        ('{"a":1,"b":2}', (), '{"a":1,"b":2,"n":[1,{"x":2}]}'),
        ('{"a":1}', (), '{"a":1,"n":[1,{"x":2}]}'),
        ("{}", (), '{"n": [1, {"x": 2}]}'),
        ("", (), '{"n": [1, {"x": 2}]}'),
        ("[]", (), '{"n": [1, {"x": 2}]}'),
        (
            '{\n    "a": 1\n}',
            (),
            '{\n    "a": 1,\n    "n": [\n      1,\n      {\n        "x": 2\n      }\n    ]\n}',
        ),
        (
            '{\n\t"a": {}\n}',
            ("a",),
            '{\n\t"a": {\n\t\t"n": [\n\t\t  1,\n\t\t  {\n\t\t    "x": 2\n\t\t  }\n\t\t]\n\t}\n}',
        ),
        ('[ {"a": 1} , {"a": 2} ]', (1,), '[ {"a": 1} , {"a": 2, "n": [1, {"x": 2}]} ]'),
        ('\ufeff{"a": {"a": 1}, "a": {}}', ("a",), '\ufeff{"a": {"a": 1}, "a": {"n": [1, {"x": 2}]}}'),
    ],
)
def test_new_item_has_the_layout_of_its_neighbours(text: str, path: Path, after: str) -> None:
    assert added(text, path, '[1,{"x":2}]', "n") == after


def test_other_members_keep_their_lines_after_removal() -> None:
    text = '{\n  "a": 1,\n  "b": [1.0],\n  "c": 3\n}'
    assert removed(text, ("a",)) == '{\n  "b": [1.0],\n  "c": 3\n}'
    assert removed(text, ("b",)) == '{\n  "a": 1,\n  "c": 3\n}'
    assert removed(text, ("c",)) == '{\n  "a": 1,\n  "b": [1.0]\n}'
    assert removed(removed('{ "a": 1 , "b": 2 }', ("a",)), ("b",)) == "{}"


def test_string_has_minimal_escapes_and_keeps_surrogates() -> None:
    assert string('h\u00e9 "x"\n\u2028') == '"h\u00e9 \\"x\\"\\n\u2028"'
    assert string("\ud800x") == '"\\ud800x"'
    assert all(is_value(string(chr(code)), strict=True) for code in (*range(0x250), 0xD83D, 0xDFFF, 0x1F600))


def test_value_is_exactly_one_json_value() -> None:
    assert [is_json(text) for text in ("1.10", '"a"', " {} ", "NaN", "1 2", "", "tru", '"\n"')] == [
        *(True, True, True, False, False, False, False, False)
    ]
    assert one_line('{ "a" :[1,\n 2 ], "b:,": { } }') == '{"a": [1, 2], "b:,": {}}'
