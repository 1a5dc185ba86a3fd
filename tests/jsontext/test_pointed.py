from __future__ import annotations

import pytest

from rpcexplorer.jsontext.pointed import at_pointer

TEXT = ' {"a": [1.10, {"b/c": null, "d~e": "x"}], "0": true, "": 2, "a": [7, [8 ]]} '


@pytest.mark.parametrize(
    ("pointer", "part"),
    [
        ("", TEXT.strip()),
        ("/0", "true"),
        ("/", "2"),
        ("/a/1", "[8 ]"),  # of a name that stands twice, the last one counts
        ("/a/1/0", "8"),
        ("/a/2", None),
        ("/a/-1", None),
        ("/a/x", None),
        ("/0/0", None),
        ("/b", None),
    ],
)
def test_a_part_is_found_as_it_is_spelled(pointer: str, part: str | None) -> None:
    assert at_pointer(TEXT, pointer) == part


def test_slashes_and_tildes_of_names_are_escaped() -> None:
    text = TEXT.replace(', "a": [7, [8 ]]', "")
    assert (at_pointer(text, "/a/1/b~1c"), at_pointer(text, "/a/1/d~0e")) == ("null", '"x"')
    assert at_pointer(text, "/a/0") == "1.10"
