"""A reference that is being typed is found, and what takes its place is right inside of a string and outside."""

from __future__ import annotations

import pytest

from rpcexplorer.tui.call.completion import Begun, begun, fitting, taken
from rpcexplorer.variables.references import Offered

NAMES = (Offered("tenant", "acme"), Offered("uuid", "a new one"), Offered("last.user.get#", "the newest result"))


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ('["{{', Begun("", True)),
        ('["a {{te', Begun("te", True)),
        ("[{{", Begun("", False)),
        ('["{{a}} {{b', Begun("b", True)),
        ('["{{a}}', None),
        ('["{{{{', None),
        ('["{', None),
        ("{" * 3, None),
        ('["{{a}', None),
        ("x" * 400 + '"', None),
    ],
)
def test_a_reference_is_open_behind_two_braces(before: str, found: Begun | None) -> None:
    assert begun(before) == found


def test_names_that_begin_like_it_come_first() -> None:
    assert [each.inside for each in fitting(NAMES, "U")] == ["uuid", "last.user.get#"]
    assert len(fitting(NAMES, "")) == 3
    assert fitting(NAMES, "zz") == []


def test_braces_are_closed_once_and_outside_of_a_string_it_becomes_one() -> None:
    assert taken(NAMES[0], Begun("te", True)) == ("{{tenant}}", 10)
    assert taken(NAMES[0], Begun("te", False)) == ('"{{tenant}}"', 12)
    assert taken(NAMES[2], Begun("", True)) == ("{{last.user.get#}}", 16)
