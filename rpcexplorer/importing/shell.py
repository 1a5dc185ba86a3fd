"""Splitting of command lines as bash does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from rpcexplorer.patterns import regex


class ShellCommand(Struct):
    words: list[str] = field(default_factory=list)
    filled: list[str] = field(default_factory=list)
    """Expansions that the shell would make, as text."""
    files: list[str] = field(default_factory=list)
    """Files of redirections."""
    unclosed: bool = False
    """A quote in it is not closed."""

    def note_filled(self, expansion: str) -> None:
        if len(self.filled) < MAX_EXPANSIONS:
            self.filled.append(expansion[:MAX_EXPANSION])

    def __repr__(self) -> str:
        """Return a text without the words, which may contain a secret."""
        return f"ShellCommand(words={len(self.words)})"


_PIECE = regex(
    r"""
      (?P<blank>   [ \t]+ | \\\r?\n )
    | (?P<nested>  [$<>]\( )
    | (?P<end>     \r?\n | \r | ;+ | &{1,2} | \|{1,2} | [()] )
    | (?P<comment> \#[^\r\n]*+ )
    | (?P<redirect>\d?[<>]{1,3}&?\d? )
    | (?P<ansi>    \$'(?:[^'\\]|\\.)*+'? )
    | (?P<single>  '[^']*+'? )
    | (?P<double>  \$?" )
    | (?P<filled>  \$\{[^}]*+\}? | \$\w+ | `[^`]*+`? )
    | (?P<escape>  \\. | \\\Z )
    | (?P<plain>   [^\s\\'"$`;&|<>()\#]++ | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_INSIDE = {
    "(": regex(r"""(?:[^'"\\()]++|'[^']*+'|\\.)*+(.)?""", re.DOTALL),
    '"': regex(r"""(?:[^"\\$]++|\\.|\$(?!\())*+(["$])?""", re.DOTALL),
}
"""Text inside brackets or double quotes, and the character after it.

That character ends or opens something.
"""
_IN_DOUBLE = regex(r"""\\([$`"\\\n])|(\$\(|\$\{[^}]*+\}?|\$\w+|`[^`]*+`?)""")
_ANSI = regex(
    r"((?:\\x[0-9a-fA-F]{1,2}|\\[0-7]{1,3})+)|\\u([0-9a-fA-F]{1,4})|\\U([0-9a-fA-F]{1,8})|\\c(.)|\\(.)", re.DOTALL
)
_BYTE = regex(r"\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,3})")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
MAX_PIECES: Final = 20_000
"""Words, quotes and blanks: a command of a browser has about a hundred."""
MAX_NESTING: Final = 100
"""Brackets and quotes inside each other; more count as unclosed."""
MAX_EXPANSION: Final = 40
MAX_EXPANSIONS: Final = 10


class TooManyWordsError(Exception):
    """A text has more words than can be read while the screen waits."""


def bash_commands(text: str) -> Iterator[ShellCommand]:
    """Yield the commands of a text in order; raise `TooManyWordsError` for a text that no program writes."""
    line, at, pieces = _Line(), 0, 0
    while found := _PIECE.match(text, at):
        pieces += 1
        if pieces > MAX_PIECES:
            raise TooManyWordsError
        kind, at = found.lastgroup or "", found.end()
        if kind == "comment" and line.word is not None:
            line.add("#")
            at = found.start() + 1
        elif kind == "blank":
            line.close()
        elif kind == "end":
            yield from line.finish()
        elif kind == "redirect":
            line.redirect(found[0])
        elif kind in ("nested", "double"):
            at = line.nested(text, found, kind)
        elif kind != "comment":
            line.add(_text(kind, found[0], line.command))
    yield from line.finish()


def _end(text: str, at: int, opener: str) -> int:
    """Return where the open bracket or quote ends, or -1 if it does not."""
    inside = [opener]
    while 0 < len(inside) <= MAX_NESTING:
        found = _INSIDE[inside[-1]].match(text, at)
        sign = found[1] if found else None
        if found is None or sign is None:
            return -1
        at = found.end()
        if sign == ")" or (sign == '"' and inside[-1] == '"'):
            inside.pop()
        elif sign in ('"', "("):
            inside.append(sign)
        elif sign == "$":
            inside.append("(")
            at += 1
    return -1 if inside else at


class _Line:
    def __init__(self) -> None:
        self.command = ShellCommand()
        self.word: list[str] | None = None
        self._to_file = False

    def add(self, text: str) -> None:
        self.word = [] if self.word is None else self.word
        self.word.append(text)

    def nested(self, text: str, found: re.Match[str], kind: str) -> int:
        """Add quoted text or a command substitution; return where it ends."""
        end = _end(text, found.end(), "(" if kind == "nested" else '"')
        self.command.unclosed |= end < 0
        stop = end if end > 0 else len(text)
        if kind == "double":
            self.add(_double(text[found.end() : stop - (end > 0)], self.command))
        else:
            self.add(text[found.start() : stop])
            self.command.note_filled(text[found.start() : stop])
        return stop

    def redirect(self, sign: str) -> None:
        """Treat the next word as a file name."""
        if self.word is not None and "".join(self.word).isdigit():
            self.word = None
        self.close()
        self._to_file = not sign.rstrip("0123456789").endswith("&")

    def close(self) -> None:
        if self.word is not None:
            (self.command.files if self._to_file else self.command.words).append("".join(self.word))
            self.word, self._to_file = None, False

    def finish(self) -> Iterator[ShellCommand]:
        self.close()
        if self.command.words:
            yield self.command
        self.command = ShellCommand()


def _text(kind: str, piece: str, command: ShellCommand) -> str:
    if kind in ("single", "ansi"):
        inner = piece.removeprefix("$")[1:]
        command.unclosed |= not inner.endswith("'")
        inner = inner.removesuffix("'")
        return inner if kind == "single" else ansi(inner)
    if kind == "filled":
        command.note_filled(piece)
    return piece[1:] if kind == "escape" else piece


def _double(inner: str, command: ShellCommand) -> str:
    def meant(found: re.Match[str]) -> str:
        if found[2] and len(command.filled) < MAX_EXPANSIONS:
            end = _end(inner, found.end(), "(") if found[2] == "$(" else found.end()
            command.filled.append(inner[found.start() : end if end > 0 else None][:MAX_EXPANSION])
        if found[2]:
            return found[2]
        return "" if found[1] == "\n" else found[1]

    return _IN_DOUBLE.sub(meant, inner)


def ansi(inner: str) -> str:
    r"""Return the text of ``$'…'``.

    Bytes that are not UTF-8 are Latin-1: Firefox writes ``é`` as ``\xe9``.
    """

    def meant(found: re.Match[str]) -> str:
        if found[1]:
            raw = bytes(
                int(sixteen, 16) if sixteen else int(eight, 8) & 255 for sixteen, eight in _BYTE.findall(found[1])
            )
            try:
                return raw.decode()
            except UnicodeDecodeError:
                return raw.decode("latin-1")
        if code := found[2] or found[3]:
            return chr(min(int(code, 16), 0x10FFFF))
        if found[4]:
            return chr(ord(found[4]) & 31)
        return _SHORT.get(found[5], found[5] if found[5] in "\\'\"?" else f"\\{found[5]}")

    return _ANSI.sub(meant, inner).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
