"""How many columns text takes on a terminal, and text cut or padded to a number of them."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from rpcexplorer.views.printable import printable


def columns(text: str) -> int:
    """Columns that printable text takes: wide characters take two, combining marks none."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(char: str) -> int:
    if combining(char) or char in "\ufe0e\ufe0f":
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def clipped(text: str, width: int) -> str:
    """Text from anywhere on one line of at most `width` columns; an ellipsis says that more was there."""
    text = printable(text)
    if columns(text) <= width:
        return text
    if width < 1:
        return ""
    left = width - 1
    for at, char in enumerate(text):
        left -= _cells(char)
        if left < 0:
            return text[:at] + "…"
    return text


def fitted(text: str, width: int) -> str:
    """The text cut, or padded on the right, to exactly `width` columns."""
    text = clipped(text, width)
    return text + " " * (width - columns(text))
