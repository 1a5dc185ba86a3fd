"""Descriptions by Mopidy, in the structure of its own responses."""

from __future__ import annotations

from typing import Any

import pytest

from rpcexplorer.discovery.documents import read_description
from rpcexplorer.model.method import Described, DescribedParam
from tests.discovery.lines import Line, lines_of

PLAY = (
    "Play what is given, or if it is\n:class:`None`, what was ``chosen``.\n\nIt **must** be listed.\n\n"
    ".. deprecated:: 3.0\n    The ``old`` one.\n\n:param old: what to play\n"
    ":type old: :class:`mopidy.models.TlTrack` or :class:`None`\n"
    ":param uris: where it lies\n:type uris: list of string or :class:`None`\n"
    ":param n: how\n:type n: True if it is so, else False\n:rtype: list of :class:`mopidy.models.TlTrack`"
)
MANY = {"type": "array", "items": {"type": "string"}}


def only(entry: Any) -> Line:
    (method,) = lines_of(read_description({"core.m": entry}))
    return method


def in_full(entry: Any) -> Described:
    return read_description({"core.m": entry}).described["core.m"]


def test_types_in_words_become_schemas() -> None:
    params = [{"name": "old", "default": None}, {"name": "uris"}, {"name": "n", "default": 3}]
    assert in_full({"description": PLAY, "params": params}) == Described(
        (
            DescribedParam("old", {"type": ["object", "null"], "default": None}, False, "what to play"),
            DescribedParam("uris", {"anyOf": [MANY, {"type": "null"}]}, True, "where it lies"),
            DescribedParam("n", {"default": 3}, False, "how"),
        ),
        {"type": "array", "items": {"type": "object"}},
        extra=False,
        protocol="core.describe",
        doc="Play what is given, or if it is None, what was `chosen`.",
        details="Play what is given, or if it is\nNone, what was `chosen`.\n\nIt **must** be listed.",
    )


def test_docstring_has_choices_and_types_before_names() -> None:
    text = "Words.\n\n:param string field: Any one of ``uri``,\n    ``album``, or ``date``.\n"
    text += ":returns: what there is\n:rtype: bool"
    described = in_full({"description": text, "params": [{"name": "field", "default": None}]})
    (field,) = described.params
    assert field.schema == {"type": ["string", "null"], "enum": ["uri", "album", "date", None], "default": None}
    assert field.doc == "Any one of `uri`, `album`, or `date`."
    assert (described.result, described.result_doc) == ({"type": "boolean"}, "what there is")


def test_list_param_with_null_default_allows_both() -> None:
    text = ":type uris: list of string\n:type old: list of string or None"
    params = [{"name": "uris", "default": None}, {"name": "old", "default": None}, {"name": "more", "varargs": True}]
    described = in_full({"description": text, "params": params})
    either = {"anyOf": [MANY, {"type": "null"}], "default": None}
    assert [param.schema for param in described.params] == [either, either, True]
    assert described.extra


@pytest.mark.parametrize(
    "text",
    [
        ":param " * 100_000,
        ":param a:\n" + "    b\n" * 100_000,
        ":param a: one of " + "``a`` " * 100_000,
        ":param " + " " * 500_000 + ":",
        ":param a: b\n" * 50_000,
    ],
)
@pytest.mark.usefixtures("soon")
def test_hostile_docstring_is_read_fast(text: str) -> None:
    in_full({"description": text, "params": [{"name": "a"}] * 1_000})


def test_deprecated_method_is_marked() -> None:
    assert only({"description": ".. deprecated:: 1.0\n    Use another."}).deprecated
    assert not only({"description": PLAY}).deprecated


@pytest.mark.parametrize("entry", [{}, {"description": 7, "params": 7}, {"params": [None, 7, []]}])
def test_unusual_entries_are_still_methods(entry: Any) -> None:
    assert only(entry).name == "core.m"
