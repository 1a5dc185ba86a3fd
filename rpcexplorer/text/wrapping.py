"""Words broken into rows, and what is dropped if there is little room.

A line is a list of pieces, each with its role: ``[("name  ", "dim"), ("what it is", "text")]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, Literal, TypeAlias

from rpcexplorer.model.problem import PROGRAM
from rpcexplorer.patterns import regex
from rpcexplorer.text.printable import AS_EMOJI, SKIN_TONES, columns, printable

WordLine: TypeAlias = list[tuple[str, str]]
Words: TypeAlias = Iterable[tuple[str, str]]
Breaks = Literal["json", "words", "whole", "anywhere"]
"""Where a row may end.

- ``words``: between words; only a word that is longer than a row is broken.
- ``json``: the same, but JSON (by its roles) breaks anywhere, as its blanks may mean something.
- ``whole``: between words only; a longer word leaves the row, so that a shell's user can copy it.
- ``anywhere``: after any character.
"""
_TOKENS: Final = regex(rf" +|`{PROGRAM} [^`]*`[^ ]*|[^ ]+")
"""Blanks, a command of ours in backticks, or a word."""


def width_of(words: Words) -> int:
    """Return the columns of printable pieces."""
    return sum(columns(text) for text, _ in words)


def wrapped(words: Words, width: int, hang: int | None = None, breaks: Breaks = "json") -> Iterator[WordLine]:
    """Yield a line as printable rows of at most ``width`` columns.

    Further rows begin in column ``hang``; by default below the last piece, as a value continues below a value.
    """
    line = [(printable(text), role) for text, role in words if text]
    if not line or width_of(line) <= width:
        yield line
        return
    width = max(width, 2)  # A character may take two columns.
    if hang is None:
        hang = _below_last(line, width)
    hang = min(hang, width - 2)
    row: WordLine = []
    room, has_text = width, False
    for gap, word, is_verbatim in _words(line, breaks):
        pieces = [*gap, *word]
        wide = width_of(pieces)
        if wide > room and has_text and not is_verbatim:
            yield joined(row)
            row, room = [(" " * hang, "text")], width - hang
            pieces, wide = word, width_of(word)
        has_text = True
        if wide <= room or breaks == "whole":
            row += pieces
            room -= wide
            continue
        for piece, role in pieces:
            text = piece
            end = _fits(text, room)
            while end < len(text):
                yield joined([*row, (text[:end], role)])
                row, room, text = [(" " * hang, "text")], width - hang, text[end:]
                end = _fits(text, room)
            row.append((text, role))
            room -= columns(text)
    yield joined(row)


def wrapped_text(text: str, width: int, hang: int = 0, breaks: Breaks = "words") -> list[str]:
    """Return the rows of a text, see ``wrapped``."""
    rows = wrapped([(text, "")], width, hang, breaks)
    return [text_of(row) for row in rows]


def text_of(words: Words) -> str:
    return "".join(text for text, _ in words)


def limited(rows: Iterable[WordLine], most: int, width: int) -> list[WordLine]:
    """Return at most ``most`` rows; an ellipsis after the last word marks the rest."""
    shown = list(islice(rows, most + 1))
    if len(shown) <= most:
        return shown
    last = next(wrapped(shown[most - 1], width - len(" …"), 0, "words"))
    return [*shown[: most - 1], [*last, (" …", last[-1][1])]]


def shortened(words: Words, width: int) -> WordLine:
    """Return a printable line of at most ``width`` columns, cut with an ellipsis."""
    line = [(printable(text), role) for text, role in words]
    if width_of(line) <= width:
        return line
    return [*next(wrapped(line, width - 1, 0, "anywhere")), ("…", "dim")]


def fitting(wordings: Iterable[WordLine], width: int) -> WordLine:
    """Return the first of the wordings that fits, or the last one.

    This is how a line drops its parts: its owner says the same in fewer and fewer words.
    """
    *longer, shortest = wordings
    for wording in longer:
        if width_of(wording) <= width:
            return wording
    return shortest


TIED: Final = frozenset({"·", "default"})
"""Words that say something about the next one, such as ``default 10``."""


def _words(pieces: Words, breaks: Breaks) -> Iterator[tuple[WordLine, WordLine, bool]]:
    """Yield the blanks before a word, the word, and whether it may break anywhere.

    A word may have several roles. Some belong to the word after them, so that no row ends with one.
    """
    gap: WordLine = []
    word: WordLine = []
    for text, role in pieces:
        if breaks == "anywhere" or (breaks == "json" and role.startswith("json-")):
            if word:
                yield gap, word, False
                gap, word = [], []
            yield gap, [(text, role)], True
            gap = []
            continue
        for found in _TOKENS.finditer(text):
            is_blank, is_tied = found[0].isspace(), word and word[-1][0] in TIED
            if is_blank and word and not is_tied:
                yield gap, word, False
                gap, word = [], []
            if is_blank and not is_tied:
                gap.append((found[0], role))
            else:
                word.append((found[0], role))
    if gap or word:
        yield gap, word, False


def _below_last(words: WordLine, width: int) -> int:
    """Return the column of the last piece if it leaves a third of the width, else that of the first."""
    first, last = words[0][0], words[-1][0]
    column = width_of(words[:-1]) + len(last) - len(last.lstrip(" "))
    if column <= width * 2 // 3:
        return column
    return len(first) - len(first.lstrip(" "))


def _fits(text: str, room: int) -> int:
    """Return how many characters fit."""
    end = min(max(room, 0), len(text))
    while columns(text[:end]) > room:
        end -= 1
    if 0 < end < len(text) and (text[end] == AS_EMOJI or text[end] in SKIN_TONES):  # It stays with its symbol.
        end -= 1
    return end


def joined(words: Words) -> WordLine:
    """Join pieces of one role, and drop empty ones."""
    line: WordLine = []
    for text, role in words:
        if line and line[-1][1] == role:
            line[-1] = (line[-1][0] + text, role)
        elif text:
            line.append((text, role))
    return line
