"""Where in laid-out JSON an item of a list begins: the way back from a row of a table to the text."""

from __future__ import annotations

from rpcexplorer.views.document.document import Document
from rpcexplorer.views.document.places import path_at


def line_of_item(document: Document, path: str, index: int) -> int:
    """The line on which an item begins of the list at ``.``, or at a member such as ``.items``."""
    opener, wanted = 0, "$" + path.replace(".[", "[", 1)
    if path != ".":
        members = range(document.outline.size(0))
        lines = (_line_of_nth(document, 0, nth) for nth in members)
        opener = next((line for line in lines if path_at(document, line) == wanted), 0)
    return _line_of_nth(document, opener, index)


def _line_of_nth(document: Document, opener: int, index: int) -> int:
    """The line on which an item or member begins of what opens on a line."""
    outline = document.outline
    level = outline.depth(opener) + 1
    for start, end in document.index.pieces(opener + 1, outline.closer(opener)):
        count = outline.count(level, start, end)
        if index < count:
            return document.line_at(outline.newlines(level, start, end)[index] + 1)
        index -= count
    return opener
