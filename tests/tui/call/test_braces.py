"""A reference that is being typed is found, and what takes its place is right inside of a string and outside."""

from __future__ import annotations

import pytest

from rpcexplorer.tui.call.completion import OpenReference, find_open_reference, matching_names, reference_text
from rpcexplorer.variables.references import Offered

NAMES = (Offered("tenant", "acme"), Offered("uuid", "a new one"), Offered("last.user.get#", "the newest result"))


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ('["{{', OpenReference("", True)),
        ('["a {{te', OpenReference("te", True)),
        ("[{{", OpenReference("", False)),
        ('["{{a}} {{b', OpenReference("b", True)),
        ('["{{a}}', None),
        ('["{{{{', None),
        ('["{', None),
        ("{" * 3, None),
        ('["{{a}', None),
        ("x" * 400 + '"', None),
    ],
)
def test_a_reference_is_open_behind_two_braces(before: str, found: OpenReference | None) -> None:
    assert find_open_reference(before) == found


def test_names_that_begin_like_it_come_first() -> None:
    assert [each.inside for each in matching_names(NAMES, "U")] == ["uuid", "last.user.get#"]
    assert len(matching_names(NAMES, "")) == 3
    assert matching_names(NAMES, "zz") == []


def test_braces_are_closed_once_and_outside_of_a_string_it_becomes_one() -> None:
    assert reference_text(NAMES[0], OpenReference("te", True)) == ("{{tenant}}", 10)
    assert reference_text(NAMES[0], OpenReference("te", False)) == ('"{{tenant}}"', 12)
    assert reference_text(NAMES[2], OpenReference("", True)) == ("{{last.user.get#}}", 16)
