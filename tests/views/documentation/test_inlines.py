from __future__ import annotations

import pytest

from rpcexplorer.text.markdown import inline


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a `b` c", [("a ", "text"), ("b", "json-key"), (" c", "text")]),
        ("`` a`b ``", [("a`b", "json-key")]),
        ("**loud** __too__", [("loud", "text bold"), (" ", "text"), ("too", "text bold")]),
        ("*soft* _too_", [("soft", "text italic"), (" ", "text"), ("too", "text italic")]),
        ("**a `b`**", [("a ", "text bold"), ("b", "json-key")]),
        ("[docs](https://a.b/c)", [("docs", "text underline"), (" (https://a.b/c)", "dim")]),
        ('[docs](https://a.b "title")', [("docs", "text underline"), (" (https://a.b)", "dim")]),
        ("[https://a.b](https://a.b)", [("https://a.b", "text underline")]),
        ("<https://a.b>", [("https://a.b", "text underline")]),
        ("![a picture](x.png)", [("a picture", "text")]),
        ("[text][label]", [("text", "text underline")]),
        (r"\*no\*", [("*", "text"), ("no", "text"), ("*", "text")]),
    ],
)
def test_each_mark_is_a_role(text: str, words: list[tuple[str, str]]) -> None:
    assert inline(text) == words


@pytest.mark.parametrize(
    "text",
    ["get_block_by_hash", "2 * 3 * 4", "<b>html</b>", "[x]", "a`b", "**", "![", "[a](b", "a[0](", "&lt;"],
)
def test_what_is_no_mark_stays_as_it_is(text: str) -> None:
    assert inline(text) == [(text, "text")]
