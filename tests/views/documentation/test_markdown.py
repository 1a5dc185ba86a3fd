from __future__ import annotations

import pytest

from rpcexplorer.text.markdown import LONGEST, MOST_ROWS, PageRows, markdown, plain

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
break
"""


def shown(text: str, width: int | None = 24) -> list[str]:
    rows = PageRows(width)
    markdown(text, rows)
    return ["".join(part for part, _ in row).rstrip() for row in rows.made]


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
        "      still inside",
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
        "  break",
    ]


def test_a_text_that_is_no_markdown_keeps_its_lines() -> None:
    rows = PageRows(24)
    plain("Arguments:\n1. hash  (string)\n\n    # no heading", rows)
    assert ["".join(part for part, _ in row) for row in rows.made] == [
        "  Arguments:",
        "  1. hash  (string)",
        "",
        "      # no heading",
    ]


@pytest.mark.parametrize(
    "part", ["[", "*a", "**a ", "`a", "![a](", "> ", "- ", "|-", "# ", "\n", "-\n", "\x1b[31m\ud800"]
)
def test_a_text_of_any_size_is_bounded_and_printable(part: str) -> None:
    lines = shown(part * (1_000_000 // len(part)), 40)
    assert len(lines) <= MOST_ROWS
    assert all(line.isprintable() and len(line) <= 40 for line in lines)


def test_what_is_left_out_of_a_long_text_is_counted() -> None:
    assert shown("word " * LONGEST, None)[-1] == f"  … and {4 * LONGEST:,} more characters"
