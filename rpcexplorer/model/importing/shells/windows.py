"""A command line of Windows: first what cmd does with carets and quotes, then what its programs do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rpcexplorer.model.importing.shells.command import ShellCommand

CMD: Final = re.compile(r'\^"|\^\r?\n')
"""What only a command for Windows' cmd has."""
LOST: Final = re.compile(r"(?<!\^)(?:\^\^)*\^ (?!\s*[\r\n])")
"""What Chrome leaves where a letter was that cmd cannot take."""
_CARET = re.compile(
    r"""
      \^\r?\n(?P<break>\r?\n)?
    | (?P<backslash>\^\\\^\\)
    | \^(?P<char>.)
    | "
    | (?P<end>\r?\n|\r|&{1,2}|\|{1,2})
    | [^\^"\r\n&|]++
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r'[^ \t\\"]++')
BACKSLASH: Final = "\0"
"""Stands for a backslash that is text: browsers double each of them, which Windows' programs do not undo."""


def commands(text: str) -> Iterator[ShellCommand]:
    """First what cmd does with carets, which stand for nothing between plain quotes; then what a program does."""
    parts: list[str] = []
    quoted = False
    for found in _CARET.finditer(text.replace(BACKSLASH, "")):
        piece = found[0]
        if piece == '"':
            quoted = not quoted
        elif found["end"]:
            yield from _program("".join(parts))
            parts, quoted = [], False
            continue
        elif quoted:
            quoted = found["char"] != '"'  # a caret stands for itself there, and the quote behind it ends them
        elif found["backslash"]:
            piece = BACKSLASH
        elif piece[0] == "^":
            piece = found["char"] or ("\n" if found["break"] else "")
        parts.append(piece)
    yield from _program("".join(parts))


def _program(line: str) -> Iterator[ShellCommand]:
    """The words that a program of Windows makes of its command line."""
    command = ShellCommand()
    word: list[str] | None = None
    quoted, at = False, 0
    while at < len(line):
        char = line[at]
        if char in " \t" and not quoted:
            if word is not None:
                command.words.append(_joined(word))
                word = None
            at += 1
            continue
        word = [] if word is None else word
        end = at
        while line[end : end + 1] == "\\":
            end += 1
        slashes = end - at
        if line[end : end + 1] == '"':
            word.append("\\" * (slashes // 2))
            at = end + 1
            if slashes % 2:
                word.append('"')
            elif quoted and line[at : at + 1] == '"':
                word.append('"')
                at += 1
            else:
                quoted = not quoted
        elif slashes:
            word.append("\\" * slashes)
            at = end
        else:
            plain = _PLAIN.match(line, at)
            stop = plain.end() if plain else at + 1
            word.append(line[at:stop])
            at = stop
    command.unclosed = quoted
    if word is not None:
        command.words.append(_joined(word))
    if command.words:
        yield command


def _joined(parts: list[str]) -> str:
    return "".join(parts).replace(BACKSLASH, "\\")
