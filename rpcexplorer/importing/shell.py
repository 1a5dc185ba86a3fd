"""Splitting of command lines as bash does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from rpcexplorer.patterns import regex


class Private(Struct):
    """A value whose text shows nothing of it, because it may contain a secret."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ShellCommand(Private):
    words: list[str] = field(default_factory=list)
    expansion: str = ""
    """The first expansion that the shell would make, as text."""
    file: str = ""
    """The file of the first redirection."""
    unclosed: bool = False
    """A quote in it is not closed."""


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
"""Text inside brackets or double quotes, and the character after it, which ends or opens something."""
_CLOSING = {"(": ")", '"': '"'}
_IN_DOUBLE = regex(r"""\\([$`"\\\n])|(\$\(|\$\{[^}]*+\}?|\$\w+|`[^`]*+`?)""")
_ANSI = regex(r"((?:\\x[0-9a-fA-F]{1,2}|\\[0-7]{1,3})+)|\\u([0-9a-fA-F]{1,4})|\\(.)", re.DOTALL)
"""Escapes in ``$'…'``. Octets in a row are one group, because several can be one character of UTF-8."""
_BYTE = regex(r"\\x([0-9a-fA-F]{1,2})|\\([0-7]{1,3})")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_SHORT |= {sign: sign for sign in "\\'\"?"}
MAX_PIECES: Final = 20_000
"""Words, quotes and blanks: a command of a browser has about a hundred."""


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
    while inside:
        found = _INSIDE[inside[-1]].match(text, at)
        if found is None or found[1] is None:
            return -1
        at = found.end()
        if found[1] == _CLOSING[inside[-1]]:
            inside.pop()
        elif found[1] == "$":
            inside.append("(")
            at += 1
        elif found[1] in _CLOSING:
            inside.append(found[1])
    return at


class _Line:
    def __init__(self) -> None:
        self.command = ShellCommand()
        self.word: list[str] | None = None
        self._to_file = False

    def add(self, text: str) -> None:
        if self.word is None:
            self.word = []
        self.word.append(text)

    def nested(self, text: str, found: re.Match[str], kind: str) -> int:
        """Add quoted text or a command substitution; return where it ends."""
        start, end = found.end(), _end(text, found.end(), "(" if kind == "nested" else '"')
        if end < 0:
            self.command.unclosed = True
            inner, end = text[start:], len(text)
        else:
            inner = text[start : end - 1]
        if kind == "double":
            self.add(_double(inner, self.command))
        else:
            self.add(text[found.start() : end])
            self.command.expansion = self.command.expansion or text[found.start() : end]
        return end

    def redirect(self, sign: str) -> None:
        """Treat the next word as a file name."""
        if self.word is not None and "".join(self.word).isdigit():
            self.word = None
        self.close()
        self._to_file = not sign.rstrip("0123456789").endswith("&")

    def close(self) -> None:
        if self.word is None:
            return
        word = "".join(self.word)
        if not self._to_file:
            self.command.words.append(word)
        elif not self.command.file:
            self.command.file = word
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
        command.expansion = command.expansion or piece
    return piece[1:] if kind == "escape" else piece


def _double(inner: str, command: ShellCommand) -> str:
    def meant(found: re.Match[str]) -> str:
        escaped, expansion = found.groups()
        if not expansion:
            return "" if escaped == "\n" else escaped
        if not command.expansion:
            end = _end(inner, found.end(), "(") if expansion == "$(" else found.end()
            command.expansion = inner[found.start() : end] if end > 0 else inner[found.start() :]
        return expansion

    return _IN_DOUBLE.sub(meant, inner)


def ansi(inner: str) -> str:
    r"""Return the text of ``$'…'``.

    Bytes that are not UTF-8 are Latin-1: Firefox writes ``é`` as ``\xe9``.
    """

    def meant(found: re.Match[str]) -> str:
        octets, code, letter = found.groups()
        if code:
            return chr(int(code, 16))
        if not octets:
            return _SHORT.get(letter, f"\\{letter}")
        raw = bytearray()
        for hexadecimal, octal in _BYTE.findall(octets):
            raw.append(int(hexadecimal, 16) if hexadecimal else int(octal, 8) & 255)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw.decode("latin-1")

    return _ANSI.sub(meant, inner).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
