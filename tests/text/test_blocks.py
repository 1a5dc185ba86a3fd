"""Which strings of a result are texts, and how they are laid out."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from rpcexplorer.text.blocks import MAX_BLOCKS, MAX_CHARACTERS, block_rows, plain_text, text_blocks
from rpcexplorer.text.wrapping import text_of, width_of

TOOL = {
    "content": [
        {"type": "text", "text": "## Title\n\nOne *word*.\n\n```py\nimport os\n```"},
        {"type": "text", "text": '{"a": [1.10]}'},
        {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="},
    ]
}


def found(result: Any) -> list[tuple[str, str]]:
    """Return path and language of each text."""
    return [(block.path, block.language or block.media) for block in text_blocks(json.dumps(result).encode())]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("short", [("$", "")]),
        ("", []),
        (" ", []),
        (["short", 1, None], []),
        ({"a": "one\ntwo", "b": "short"}, [("$.a", "")]),
        ({"a": "word " * 17, "b": "a" * 200}, [("$.a", "")]),
        ({"a": "word " * 16}, []),
        ({"a": '{"b": 1}', "c": "[]", "d": "{no", "e": "[1]"}, [("$.a", "json"), ("$.e", "json")]),
        ({"a": [{"b c": "1\n2"}]}, [('$.a[0]["b c"]', "")]),
        ({"a": "```\nx\n```"}, [("$.a", "markdown")]),
        ({"a": "x\n## y"}, [("$.a", "markdown")]),
        ({"a": "# comment\nx = 1"}, [("$.a", "")]),
        ({"a": "<html>\n"}, [("$.a", "html")]),
        ({"icon": "data:image/svg+xml;base64," + "A" * 80}, [("$.icon", "image/svg+xml")]),
        (
            TOOL,
            [("$.content[0].text", "markdown"), ("$.content[1].text", "json"), ("$.content[2].data", "image/png")],
        ),
        ({"type": "text", "text": "ok"}, [("$.text", "")]),
        ({"mimeType": "text/x-python", "text": "1"}, [("$.text", "python")]),
        ({"mimeType": "application/vnd.x+json; v=1", "text": "1"}, [("$.text", "json")]),
        ({"uri": "file:///a/b.rs?x", "blob": "AA==", "mimeType": "x/y"}, [("$.blob", "x/y")]),
        ({"path": "a/b.toml", "content": "a = 1\n"}, [("$.content", "toml")]),
        ({"path": "a/README.md", "content": "a\nb"}, [("$.content", "markdown")]),
        ({"path": "a/b.unknown", "content": "a\nb"}, [("$.content", "")]),
        ({"uri": "x", "languageId": "go", "text": "x"}, [("$.text", "go")]),
        ({"kind": "markdown", "value": "x"}, [("$.value", "markdown")]),
        ({"kind": "plaintext", "value": "x"}, [("$.value", "")]),
        ({"kind": "other", "value": "x"}, []),
        ({"contents": "x", "range": {}}, [("$.contents", "markdown")]),
        ({"contents": ["x", {"language": "python", "value": "y"}]}, [("$.contents[0]", "markdown"),
                                                                     ("$.contents[1].value", "python")]),
        ({"contents": "x", "more": 1}, []),
        ({"message": "m", "data": {"traceback": "Traceback\n  File"}}, [("$.data.traceback", "")]),
    ],
)  # fmt: skip
def test_texts_are_found_by_their_rules(result: Any, expected: list[tuple[str, str]]) -> None:
    assert found(result) == expected


@pytest.mark.parametrize(
    ("result", "texts"),
    [
        (b'{"a": NaN, "b": "1\\n2"}', ["1\n2"]),
        (b'["\\ud800\\n"]', ["\ud800\n"]),
        (b'{"a": "1\\n", "a": "2\\n"}', ["2\n"]),
        (b"[" * 100_000, []),
        (b"<html>", []),
        (b'"\xff\n"', []),
        (b"", []),
    ],
)
def test_strange_results_are_read_or_have_no_texts(result: bytes, texts: list[str]) -> None:
    assert [block.text for block in text_blocks(result)] == texts


def test_texts_are_laid_out_below_their_paths() -> None:
    laid_out = block_rows(text_blocks(json.dumps(TOOL).encode()), 40)
    assert [text_of(row).rstrip() for row in laid_out.rows] == [
        "$.content[0].text  Markdown  42 B",
        "",
        "  Title",
        "",
        "  One word.",
        "",
        "    import os",
        "",
        "$.content[1].text  JSON  13 B",
        "  {",
        '    "a": [',
        "      1.10",
        "    ]",
        "  }",
        "",
        "$.content[2].data  image/png  5 B",
    ]
    assert laid_out.starts == [0, 8, 15]
    assert ("import", "json-literal") in laid_out.rows[6]


@pytest.mark.parametrize(
    "text",
    ["\x1b]52;c;eA==\x07", "\u202e[/] [@click=app.quit]\r\n", "\ud800", "```\n\x9b1m\n```", '["\u2028"]', "漢" * 99],
    ids=ascii,
)  # fmt: skip
def test_hostile_texts_are_printable_within_the_width(text: str) -> None:
    for row in block_rows(text_blocks(json.dumps([{"type": "text", "text": text}]).encode()), 30).rows:
        assert text_of(row).isprintable()
        assert width_of(row) <= 30


@pytest.mark.parametrize(
    "text",
    ["a b c d e f g\n" * 70_000, "## a\n" + "a b " * 250_000, "[" + "100000000," * 80_000 + "1]"],
    ids=["plain", "Markdown", "JSON"],
)
def test_giant_text_is_shown_up_to_a_limit(text: str) -> None:
    started = time.monotonic()
    (block,) = blocks = text_blocks(json.dumps([text]).encode())
    rows = block_rows(blocks, 80).rows
    assert text_of(rows[-1]).strip() == f"… and {len(text) - MAX_CHARACTERS:,} more characters"
    assert block.text == text
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("texts", [["a\nb"] * (MAX_BLOCKS + 1), ["\n" * MAX_CHARACTERS + "a"]], ids=["texts", "rows"])
def test_too_many_texts_or_rows_are_cut(texts: list[str]) -> None:
    blocks = text_blocks(json.dumps(texts).encode())
    assert len(blocks) <= MAX_BLOCKS
    assert text_of(block_rows(blocks, 80).rows[-1]) == "… the rest is not shown"


def test_plain_text_has_paths_only_for_several() -> None:
    assert plain_text(text_blocks(b'["a\\nb\\u001b"]')) == "a\nb\x1b"
    assert plain_text(text_blocks(json.dumps(TOOL).encode())).split("\n\n")[-2:] == [
        '$.content[1].text\n{"a": [1.10]}',
        "$.content[2].data  image/png",
    ]
