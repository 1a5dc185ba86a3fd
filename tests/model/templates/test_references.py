from __future__ import annotations

import pytest

from rpcexplorer.variables.references import MADE, REFERENCE, Reference, can_be_named, reference, to_last


@pytest.mark.parametrize(
    ("inside", "read"),
    [
        ("page", Reference("page")),
        (" page ", Reference("page")),
        ("page:json", Reference("page", as_json=True)),
        ("a.b-c_1", Reference("a.b-c_1")),
        ("last.user.list#/items/0/id", Reference("last.user.list#/items/0/id", False, "user.list", "/items/0/id")),
        ("last.user#list#/a#b:json", Reference("last.user#list#/a#b", True, "user#list", "/a#b")),
        ("last.ping#", Reference("last.ping#", False, "ping", "")),
        ("last.ping", Reference("last.ping", False, "ping", "")),
        (r"last.a\u0023/b#/c", Reference("last.a#/b#/c", False, "a#/b", "/c")),
        (r"last.a#/b\u003ajson", Reference("last.a#/b:json", False, "a", "/b:json")),
        (r"last.say \"hi\"#/\u007b", Reference('last.say "hi"#/{', False, 'say "hi"', "/{")),
    ],
)
def test_what_stands_between_the_braces(inside: str, read: Reference) -> None:
    assert reference(inside) == read


@pytest.mark.parametrize("method", ["ping", "user.list", "user#list", "a#/b", "a#", 'q"{}\\', "é\n"])
@pytest.mark.parametrize("pointer", ["", "/a/0", "/a#/b", "/a:json", '/"{x}', "/~1~0é"])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_reference_to_a_result_is_spelled_so_that_it_is_read_as_that(
    method: str, pointer: str, as_json: bool
) -> None:
    found = REFERENCE.fullmatch(to_last(method, pointer, as_json=as_json))
    assert found
    assert found["inside"]
    read = reference(found["inside"])
    assert (read.method, read.pointer, read.as_json) == (method, pointer, as_json)


def test_no_variable_takes_a_name_that_means_something_else() -> None:
    assert all(map(can_be_named, ["page", "_x", "a.b", "größe", "n1-2"]))
    assert not any(map(can_be_named, [*MADE, "last.ping", "", "1a", "a b", "a:json", "a{", "x" * 65]))
