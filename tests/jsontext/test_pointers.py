"""Pointers into a JSON text, with ``*`` and plain ones."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from rpcexplorer.jsontext import pointers
from rpcexplorer.jsontext.pointers import PointerLookup, at_pointer, parts_of, pointer_of, spans_at

TEXT = ' {"users": [{"email": "a"}, {"email": "b", "email": "c"}], "a/b": {"~": 1}, "n": [0, 1.10]} '


@pytest.mark.parametrize(
    ("pointer", "found"),
    [
        ("", [TEXT.strip()]),
        ("/users/*/email", ['"a"', '"b"', '"c"']),
        ("/*/1", ['{"email": "b", "email": "c"}', "1.10"]),
        ("/users/1/email", ['"b"', '"c"']),
        ("/a~1b/~0", ["1"]),
        ("/n/9", []),
        ("/n/" + "9" * 5000, []),
        ("/users/email", []),
        ("/n/0/0", []),
    ],
)
def test_pointer_finds_every_matching_value(pointer: str, found: list[str]) -> None:
    parts = parts_of(pointer)
    assert parts is not None
    assert [TEXT[slice(*span)] for span in spans_at(TEXT, parts)] == found


def test_text_without_a_slash_is_not_a_pointer() -> None:
    assert parts_of("users/0") is parts_of("/a~2") is None


PLAIN = ' {"a": [1.10, {"b/c": null, "d~e": "x"}], "0": true, "": 2, "a": [7, [8 ]]} '


@pytest.mark.parametrize(
    ("pointer", "part"),
    [
        ("", PLAIN.strip()),
        ("/0", "true"),
        ("/", "2"),
        ("/a/1", "[8 ]"),  # of duplicate names, the last one counts
        ("/a/1/0", "8"),
        ("/a/2", None),
        ("/a/-1", None),
        ("/a/x", None),
        ("/0/0", None),
        ("/b", None),
    ],
)
def test_value_is_found_in_its_spelling(pointer: str, part: str | None) -> None:
    assert at_pointer(PLAIN, pointer) == part


def test_slashes_and_tildes_of_names_are_escaped() -> None:
    text = PLAIN.replace(', "a": [7, [8 ]]', "")
    assert (at_pointer(text, "/a/1/b~1c"), at_pointer(text, "/a/1/d~0e")) == ("null", '"x"')
    assert at_pointer(text, "/a/0") == "1.10"


def test_text_outside_the_standard_keeps_its_spelling() -> None:
    for odd in ("NaN", '"\\ud800"', "[" * 2000 + "]" * 2000, '"a raw \t"'):
        levels = PointerLookup(f' {{"odd": {odd}, "a": [1.10, {{"b": [1e400,  -0.0 , 12345678901234567890]}}]}} ')
        assert levels.at("/odd") == odd
        assert [levels.at(f"/a/1/b/{at}") for at in range(3)] == ["1e400", "-0.0", "12345678901234567890"]
        assert levels.at("/a/1") == '{"b": [1e400,  -0.0 , 12345678901234567890]}'
        assert levels.at("/odd/0/x") is levels.at("/a/1/b/3") is levels.at("/a/1/b/0/0") is None


def test_each_level_of_a_text_is_split_once(monkeypatch: pytest.MonkeyPatch) -> None:
    take_apart = Mock(wraps=pointers._split)
    monkeypatch.setattr(pointers, "_split", take_apart)
    levels = PointerLookup(PLAIN)
    assert [levels.at(f"/a/{at}/0") for at in (1, 1, 0, 2)] == ["8", "8", None, None]
    assert take_apart.call_count == 4  # the whole, the list, and two of its elements


@pytest.mark.parametrize("names", [(), ("",), ("a/b", "~1", "~", "/"), ("items", "2", "name")])
def test_pointer_of_names_names_them_again(names: tuple[str, ...]) -> None:
    assert parts_of(pointer_of(names)) == names
