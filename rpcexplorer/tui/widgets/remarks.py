"""A few lines of what is worth saying beside an outcome: three above a reply, and as many as it takes above none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final, TypeAlias

from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widgets import Static

from rpcexplorer.text.printable import columns, printable

BETWEEN: Final = "  ·  "
"""What joins two sentences; at the beginning of a line without what is before it."""
MOST: Final = 12
"""Lines that are ever shown."""
LONGEST: Final = 10_000
"""Characters of a sentence that are looked at."""
RemarkPiece: TypeAlias = tuple[str, str]
RemarkWord: TypeAlias = list[RemarkPiece]
"""What is not broken: letters, with the spaces before them, perhaps of several roles."""


class Remarks(Static):
    """Sentences with their roles, joined by a dot in the middle; gone where there is nothing to say."""

    DEFAULT_CSS = f"""
    Remarks {{ height: auto; max-height: 3; padding: 0 2 0 3; background: $background; }}
    Remarks.-alone {{ max-height: {MOST}; }}
    """

    pieces: reactive[Sequence[RemarkPiece]] = reactive[Sequence[RemarkPiece]](())
    joined: reactive[bool] = reactive(True)
    """A dot between the pieces; else they are one line as they stand."""

    def on_mount(self) -> None:
        self.watch_pieces()

    def watch_pieces(self) -> None:
        self.display = bool(self.pieces)
        self.clear_cached_dimensions()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._lines(width, MOST))

    def render(self) -> Content:
        lines = self._lines(self.size.width, self.size.height or MOST)
        return Content("\n").join(Content("").join(map(_styled, _runs(line))) for line in lines)

    def _lines(self, width: int, most: int) -> list[list[RemarkWord]]:
        return lines_of(self.pieces, max(width, 1), most, BETWEEN if self.joined else "")


def lines_of(pieces: Iterable[RemarkPiece], width: int, most: int, between: str = "") -> list[list[RemarkWord]]:
    """Sentences in lines of so many columns; an ellipsis ends the last of ``most`` lines where there is more."""
    lines = list(islice(_broken(_words(pieces, between), width), most + 1))
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], _with_ellipsis(lines[most - 1], width)]


def _words(pieces: Iterable[RemarkPiece], between: str) -> Iterator[RemarkWord]:
    """Each with what separates it from the one before, so that no line ends with a separator."""
    word: RemarkWord = []
    for whole, role in pieces:
        text = printable(whole if len(whole) <= LONGEST else f"{whole[:LONGEST]} …")
        for at, part in enumerate(re.findall(" *[^ ]+| +", text)):
            separator = between if at == 0 and word else ""
            if word and (separator or part.startswith(" ")):
                yield word
                word = []
            word = [*word, *([(separator, "")] if separator else []), (part, role)]
    if word:
        yield word


def _broken(words: Iterable[RemarkWord], width: int) -> Iterator[list[RemarkWord]]:
    """Lines of words; one that is wider than a line is broken where the line ends."""
    line: list[RemarkWord] = []
    for each in words:
        word = each
        if line and _width(line) + _width([word]) > width:
            yield line
            line, word = [], _at_beginning(word)
        while _width([word]) > width and sum(len(text) for text, _ in word) > 1:
            head, word = _split(word, width)
            yield [head]
        line.append(word)
    if line:
        yield line


def _with_ellipsis(line: list[RemarkWord], width: int) -> list[RemarkWord]:
    while len(line) > 1 and _width(line) + len(" …") > width:
        line = line[:-1]
    if _width(line) + len(" …") <= width:
        return [*line, [(" …", line[-1][-1][1])]]
    head, _ = _split(line[0], width - 1)
    return [head, [("…", head[-1][1])]]


def _at_beginning(word: RemarkWord) -> RemarkWord:
    """Without the spaces before it."""
    (text, role), *rest = word
    return [(text.lstrip(" "), role), *rest]


def _split(word: RemarkWord, width: int) -> tuple[RemarkWord, RemarkWord]:
    """As much of it as so many columns hold, at least a character, and the rest."""
    letters = [(letter, role) for text, role in word for letter in text]
    at = next((n for n in range(1, len(letters) + 1) if _width([letters[:n]]) > width), len(letters) + 1) - 1
    return letters[: max(at, 1)], letters[max(at, 1) :]


def _width(line: list[RemarkWord]) -> int:
    return sum(columns(text) for word in line for text, _ in word)


def _runs(line: list[RemarkWord]) -> Iterator[RemarkPiece]:
    """What stands in a line, as long as its role lasts."""
    for role, run in groupby((piece for word in line for piece in word), lambda piece: piece[1]):
        yield "".join(text for text, _ in run), role


def _styled(piece: RemarkPiece) -> Content:
    """A piece, its role in the words of Textual's own styles."""
    text, role = piece
    colour, *rest = role.split() or [""]
    return Content.styled(text, " ".join([f"${colour}", *rest])) if colour else Content(text)
