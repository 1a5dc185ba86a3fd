"""Values of schemas and examples as JSON to read: on one row where they are short, else laid out; bounded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rpcexplorer.jsontext.layout import indented
from rpcexplorer.variables.references import inert
from rpcexplorer.views.documentation.rows import PageRows
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.words.sentences import WordLine

SHORT: Final = 60
"""Characters of a value that stands in the middle of a row."""
MOST_ROWS_OF_VALUE: Final = 60
LONGEST_TEXT: Final = 10_000


def spelled(value: Any) -> str:
    """The value as JSON on one line, which can be copied and sent; of what no JSON can be made, that."""
    try:
        return inert(json_of(value).decode())
    except (UnicodeEncodeError, RecursionError, TypeError):
        return "(no JSON can be made of it)"


def short(value: Any, limit: int = SHORT) -> str:
    """The beginning of it, where it is long."""
    text = spelled(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def json_rows(value: Any, rows: PageRows, indent: int, most: int = MOST_ROWS_OF_VALUE) -> None:
    """The value, coloured and so far in."""
    text = spelled(value)
    fits = rows.width is None or len(text) <= rows.width - indent
    lines = [text] if fits and len(text) <= SHORT else indented(text[:LONGEST_TEXT]).splitlines()
    for line in lines[:most]:
        deep = indent + len(line) - len(line.lstrip())
        rows.verbatim([(" " * indent, "text"), *coloured(line[:LONGEST_TEXT])], deep + 2)
    if (more := len(lines) - most) > 0:
        rows.add([(f"{' ' * indent}… and {more:,} more lines", "dim")], indent)


def coloured(text: str) -> Iterator[tuple[str, str]]:
    """A line of JSON in the colours of its tokens."""
    from rpcexplorer.views.colouring import tokens  # no start needs it

    at = 0
    for start, end, role in tokens(text):
        yield text[at:start], "json-punctuation"
        yield text[start:end], f"json-{role}"
        at = end
    yield text[at:], "json-punctuation"


def joined(parts: list[WordLine]) -> WordLine:
    """Pieces one after the other, with a semicolon between them; none behind a sentence."""
    words: WordLine = []
    for part in filter(None, parts):
        between = " " if words and words[-1][0].endswith((".", "!", "?")) else "; "
        words += [(between, "dim"), *part] if words else part
    return words
