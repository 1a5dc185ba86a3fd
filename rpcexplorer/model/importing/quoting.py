r"""A command line as a shell takes it apart: bash, and Windows' cmd with the rules of its programs.

Nothing is run and nothing is filled in: what a shell would put in place of ``$HOME`` or ``$(id)`` is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

_PIECE = re.compile(
    r"""
      (?P<blank>   [ \t]+ | \\\r?\n )
    | (?P<end>     \r?\n | \r | ;+ | &{1,2} | \|{1,2} )
    | (?P<comment> \#[^\r\n]*+ )
    | (?P<redirect>\d?[<>]{1,3}&?\d? )
    | (?P<ansi>    \$'(?:[^'\\]|\\.)*+(?P<ansi_end>')? )
    | (?P<single>  '[^']*+(?P<single_end>')? )
    | (?P<double>  \$?"(?:[^"\\]|\\.)*+(?P<double_end>")? )
    | (?P<filled>  \$\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)? | \$\{[^}]*+\}? | \$\w+ | `[^`]*+`? )
    | (?P<escape>  \\. | \\\Z )
    | (?P<plain>   [^\s\\'"$`;&|<>\#]++ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE = re.compile(r"""\\([$`"\\\n])|(\$\([^)]*+\)?|\$\{[^}]*+\}?|\$\w+|`[^`]*+`?)""")
_ANSI = re.compile(
    r"((?:\\x[0-9a-fA-F]{1,2}|\\[0-7]{1,3})+)|\\u([0-9a-fA-F]{1,4})|\\U([0-9a-fA-F]{1,8})|\\c(.)|\\(.)", re.DOTALL
)
_BYTE = re.compile(r"\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,3})")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
LONGEST_TOLD: Final = 40

CMD: Final = re.compile(r'\^"|\^\r?\n')
"""What only a command for Windows' cmd has."""
LOST: Final = re.compile(r"(?<!\^)(?:\^\^)*\^ (?!\s*[\r\n])")
"""What Chrome leaves where a letter was that cmd cannot take."""


class ShellCommand(Struct):
    """One command of a line."""

    words: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    """What the shell would have filled in, as it stands there."""
    files: list[str] = field(default_factory=list)
    """Files that its streams are led to or from."""
    unclosed: bool = False
    """A quote in it has no end."""

    def __repr__(self) -> str:
        """Not its words, which may hold a secret."""
        return f"ShellCommand(words={len(self.words)})"


def commands(text: str) -> Iterator[ShellCommand]:
    """The commands of a text, in the quoting that it is written in."""
    return _windows(text) if CMD.search(text) else _bash(text)


def _bash(text: str) -> Iterator[ShellCommand]:
    line = _Line()
    for found in _PIECE.finditer(text):
        kind, piece = found.lastgroup or "", found[0]
        kind = kind.removesuffix("_end")
        if kind == "comment" and line.word is not None:
            kind = "plain"
        if kind == "blank":
            line.close()
        elif kind == "end":
            yield from line.finish()
        elif kind == "redirect":
            line.redirect(piece)
        elif kind != "comment":
            line.add(_text(kind, found, line))
    yield from line.finish()


class _Line:
    """The command that is being read."""

    def __init__(self) -> None:
        self.command = ShellCommand()
        self.word: list[str] | None = None
        self._to_file = False

    def add(self, text: str) -> None:
        self.word = [] if self.word is None else self.word
        self.word.append(text)

    def redirect(self, sign: str) -> None:
        """The word that comes next names a file."""
        if self.word is not None and "".join(self.word).isdigit():
            self.word = None
        self.close()
        self._to_file = not sign.rstrip("0123456789").endswith("&")

    def close(self) -> None:
        """The word ends."""
        if self.word is not None:
            (self.command.files if self._to_file else self.command.words).append("".join(self.word))
            self.word, self._to_file = None, False

    def finish(self) -> Iterator[ShellCommand]:
        """The command ends."""
        self.close()
        if self.command.words:
            yield self.command
        self.command = ShellCommand()


def _text(kind: str, found: re.Match[str], line: _Line) -> str:
    """What a piece of a word stands for."""
    piece = found[0]
    if kind in ("single", "ansi", "double"):
        closed = found[f"{kind}_end"] is not None
        line.command.unclosed |= not closed
        inner = piece.lstrip("$")[1 : -1 if closed else None]
        if kind == "single":
            return inner
        return ansi(inner) if kind == "ansi" else _double(inner, line.command)
    if kind == "filled":
        line.command.filled.append(piece[:LONGEST_TOLD])
    return piece[1:] if kind == "escape" else piece


def _double(inner: str, command: ShellCommand) -> str:
    def meant(found: re.Match[str]) -> str:
        if found[2]:
            command.filled.append(found[2][:LONGEST_TOLD])
            return found[2]
        return "" if found[1] == "\n" else found[1]

    return _IN_DOUBLE.sub(meant, inner)


def ansi(inner: str) -> str:
    r"""What stands in ``$'…'``. Bytes that are no UTF-8 are Latin-1: Firefox writes ``é`` as ``\xe9``."""

    def meant(found: re.Match[str]) -> str:
        if found[1]:
            return _utf8(bytes(_byte(each) for each in _BYTE.finditer(found[1])))
        if code := found[2] or found[3]:
            return chr(min(int(code, 16), 0x10FFFF))
        if found[4]:
            return chr(ord(found[4]) & 31)
        return _SHORT.get(found[5], found[5] if found[5] in "\\'\"?" else f"\\{found[5]}")

    return _ANSI.sub(meant, inner).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _byte(found: re.Match[str]) -> int:
    return int(found[1], 16) if found[1] else int(found[2], 8) & 255


def _utf8(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


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


def _windows(text: str) -> Iterator[ShellCommand]:
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
