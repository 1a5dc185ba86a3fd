from __future__ import annotations

import pytest

from rpcexplorer.text.markdown import MAX_CHARACTERS, MAX_ROWS, PageRows, inline, markdown, markdown_page, plain
from rpcexplorer.text.wrapping import text_of

TEXT = """\
# Head

Some text that
runs on.
- one that is longer than a row
  of the page
  - inside

  still inside

apart
1. first
> said
> so

```json
{"a":
   1}
```

| name | what |
|:-----|------|
| `a`  | the first |
| long | b \\| c |

Under
-----
    code

***
hard\\
break with [words][1]

[1]: https://a.b/c
"""


def shown(text: str, width: int | None = 24) -> list[str]:
    rows = PageRows(width)
    markdown(text, rows)
    return [text_of(row).rstrip() for row in rows.made]


def test_each_kind_of_block_is_laid_out() -> None:
    assert shown(TEXT) == [
        "  Head",
        "",
        "  Some text that runs",
        "  on.",
        "  • one that is longer",
        "    than a row of the",
        "    page",
        "    • inside",
        "",
        "    still inside",
        "",
        "  apart",
        "  1. first",
        "  │ said so",
        "",
        '    {"a":',
        "       1}",
        "",
        "  name  what",
        "  a     the first",
        "  long  b | c",
        "",
        "  Under",
        "    code",
        "",
        "  ───",
        "  hard",
        "  break with words",
        "  (https://a.b/c)",
    ]


def test_plain_text_keeps_its_lines() -> None:
    rows = PageRows(24)
    plain("Arguments:\n1. hash  (string)\n\n    # no heading", rows)
    assert [text_of(row) for row in rows.made] == [
        "  Arguments:",
        "  1. hash  (string)",
        "",
        "      # no heading",
    ]


@pytest.mark.parametrize(
    "part", ["[", "*a", "**a ", "`a", "![a](", "> ", "- ", "|-", "# ", "\n", "-\n", "\x1b[31m\ud800"]
)
def test_output_is_bounded_and_printable(part: str) -> None:
    lines = shown(part * (1_000_000 // len(part)), 40)
    assert len(lines) <= MAX_ROWS
    assert all(line.isprintable() and len(line) <= 40 for line in lines)


def test_omitted_part_of_long_text_is_counted() -> None:
    assert shown("word " * MAX_CHARACTERS, None)[-1] == f"  … and {4 * MAX_CHARACTERS:,} more characters"


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
        (r"\*no\*", [("*no*", "text")]),
    ],
)
def test_markdown_marks_become_roles(text: str, words: list[tuple[str, str]]) -> None:
    assert inline(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "get_block_by_hash",
        "2 * 3 * 4",
        "<b>html</b>",
        "[x]",
        "a`b",
        "**",
        "![",
        "[a](b",
        "a[0](",
        "&lt;",
        "[text][label]",
    ],
)
def test_unmatched_marks_are_kept(text: str) -> None:
    assert inline(text) == [(text, "text")]


def test_drawing_is_cut_instead_of_wrapped() -> None:
    page = markdown_page("```text\n+------------------------+\n| a long line of a box   |\n```\n", 20, 20)
    assert [text_of(row) for row in page.rows] == ["    +--------------…", "    | a long line o…"]


def test_code_of_method_docs_is_never_cut() -> None:
    rows = PageRows(20)
    markdown("```\ncurl --data ++--example\n```\n", rows)
    assert "".join(text for row in rows.made for text, _ in row).replace(" ", "") == "curl--data++--example"


def row_texts(rows: PageRows) -> list[str]:
    return [text_of(row) for row in rows.made]


def test_prose_wraps_between_words_with_hanging_indent() -> None:
    rows = PageRows(20)
    rows.add([("  name  ", "dim"), ("what it is and", "text"), (" more", "bold")], 8)
    assert row_texts(rows) == ["  name  what it is", "        and more"]
    assert ("and", "text") not in rows.made[0]
    assert rows.made[1][-1] == (" more", "bold")


def test_verbatim_text_wraps_anywhere_and_keeps_blanks() -> None:
    rows = PageRows(16)
    rows.add([("  a   b   c   d   e", "middle")], 4, "anywhere")
    assert row_texts(rows) == ["  a   b   c   d ", "      e"]


def test_blank_rows_are_single_and_between_others() -> None:
    rows = PageRows()
    rows.blank()
    rows.add([("a", "text")])
    rows.blank()
    rows.blank()
    assert row_texts(rows) == ["a", ""]


def test_page_has_a_maximum_of_rows() -> None:
    rows = PageRows(16)
    rows.add([("word " * 20 * MAX_ROWS, "text")])
    rows.add([("more", "text")])
    assert len(rows.made) == MAX_ROWS
