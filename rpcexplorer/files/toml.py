"""Reading TOML with the line and column of each key."""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from rpcexplorer.files.io import WRITTEN_BY_PEOPLE, FileError, decoded, read_bytes, size_words
from rpcexplorer.model.problem import Problem
from rpcexplorer.patterns import regex

KeyPath = tuple[str, ...]
"""The parts of a dotted key; elements of an array count from "0"."""
DEPTH = 64
"""Parts of a key and levels of nesting; deeper files are hostile."""
TOKEN = regex(
    r"""
    (?P<space>[ \t\r]+|\#[^\n]*)
  | (?P<newline>\n)
  | (?P<string>\"{3}(?:[^\\]|\\.)*?(?:\"{3,5}|\\?\Z)
             | '{3}.*?(?:'{3,5}|\Z)
             | "(?:[^"\\\n]|\\[^\n])*"?
             | '[^'\n]*'?)
  | (?P<mark>[\[\]{},=.])
  | (?P<word>[^ \t\r\n"'\[\]{},=.\#]+)
    """,
    re.VERBOSE | re.DOTALL,
)
BARE = regex(r"[A-Za-z0-9_-]+")
ESCAPE = regex(r"\\(?:u([0-9a-fA-F]{4})|U00((?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})|(.))", re.DOTALL)
r"""``\U`` only up to 10FFFF: there are no larger code points."""
ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r"}
_ATOM = r"""[^"'\[\]{}\n#]++|"(?:[^"\\\n]|\\[^\n])*+"|'[^'\n]*+'"""
_INNER = rf"[\[{{](?:{_ATOM})*+[\]}}]"
_OUTER = rf"[\[{{](?:{_ATOM}|{_INNER})*+[\]}}]"
PLAIN_LINE = regex(rf"(?:{_ATOM}|{_OUTER})*+(?:\#[^\n]*)?")
"""A line that closes all its brackets, with at most two levels of nesting."""
PLAIN_DOTS = DEPTH // 4 - 1
"""Dots in a line that, with any header, cannot make a key too deep."""


class Section(Struct):
    """A ``[header]`` and its lines; the first section has no header."""

    path: KeyPath
    start: int
    tail: int
    """The line after the last one with content, where a new key goes."""


class Statement(Struct, frozen=True):
    path: KeyPath
    start: int
    end: int


class Layout(Struct):
    starts: list[int]
    places: dict[KeyPath, int] = field(default_factory=dict)
    values: dict[KeyPath, tuple[int, int]] = field(default_factory=dict)
    """Start and end of each value, inside inline tables and arrays too."""
    keys: list[tuple[KeyPath, int, int]] = field(default_factory=list)
    """Start and end of each written part of a key, which is the last of its path."""
    sections: list[Section] = field(default_factory=lambda: [Section((), 0, 0)])
    statements: list[Statement] = field(default_factory=list)
    too_deep: int | None = None
    """The line at which the scan stopped because of the nesting."""

    def line_at(self, position: int) -> int:
        return bisect_right(self.starts, position)

    def line_of(self, path: KeyPath) -> int | None:
        """Return the line of a key, or of the table that it is missing from."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.places:
                return self.line_at(self.places[path[:length]])
        return None


def layout(text: str) -> Layout:
    return _Scanner(text).scan()


def is_plain(text: str) -> bool:
    """Return whether nothing can be too deep; 50 times as fast as ``layout``."""
    if '"""' in text or "'''" in text:
        return False
    lines = text.split("\n")
    return all(map(PLAIN_LINE.fullmatch, lines)) and max(line.count(".") for line in lines) <= PLAIN_DOTS


def dotted(path: KeyPath) -> str:
    return ".".join(map(_spelled, path))


def _spelled(part: str) -> str:
    if BARE.fullmatch(part):
        return part
    return json.dumps(part, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML requires this escape, JSON does not.


def split_dotted(text: str) -> KeyPath:
    return tuple(_unquoted(token.group()) for token in TOKEN.finditer(text) if token.lastgroup in {"word", "string"})


def _unquoted(token: str) -> str:
    if token[0] == "'":
        return token.strip("'")
    if token[0] != '"':
        return token
    return ESCAPE.sub(_unescaped, token.removeprefix('"').removesuffix('"'))


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else ESCAPES.get(match[3], match[3])


class _Frame(Struct):
    """The statement, array or inline table around the next token."""

    base: KeyPath
    array: bool = False
    header: bool = False
    parts: list[str] = field(default_factory=list)
    begin: int = 0
    in_value: bool = False
    value: tuple[int, int] | None = None
    count: int = 0

    @property
    def path(self) -> KeyPath:
        return (*self.base, str(self.count)) if self.array else (*self.base, *self.parts)

    def reset(self) -> None:
        self.parts, self.in_value, self.header, self.value = [], self.array, False, None


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.found = Layout([0, *(match.end() for match in re.finditer("\n", text))])
        self.stack = [_Frame(())]

    def scan(self) -> Layout:
        for token in TOKEN.finditer(self.text):
            kind, text = token.lastgroup, token.group()
            if kind == "newline":
                self._newline(token.end())
            elif kind != "space":
                if self.stack[-1].in_value:
                    self._in_value(text, token.start(), token.end())
                else:
                    self._in_key(text, kind == "mark", token.start(), token.end())
                if len(self.stack) > DEPTH or len(self.stack[-1].path) > DEPTH:
                    self.found.too_deep = self.found.line_at(token.start())
                    return self.found
        self._newline(len(self.text))
        return self.found

    def _in_key(self, text: str, mark: bool, start: int, end: int) -> None:
        frame = self.stack[-1]
        if not mark:
            frame.begin = frame.begin if frame.parts else start
            frame.parts.append(_unquoted(text))
            self.found.keys.append((frame.path, start, end))
        elif text == "=":
            frame.in_value = True
            self._name(frame.path, frame.begin, len(frame.base))
        elif text == "[" and len(self.stack) == 1:
            frame.header, frame.base = True, ()
        elif text == "]" and frame.header:
            self._header(frame)
        elif text == "}":
            self._close("}", start + 1)

    def _in_value(self, text: str, start: int, end: int) -> None:
        frame = self.stack[-1]
        if text in {"]", "}"} and len(self.stack) > 1:
            self._close(text, end)
        elif text == "," and len(self.stack) > 1:
            self._finish(frame)
            frame.count += 1
        else:
            frame.value = (frame.value[0] if frame.value else start, end)
            if text in {"[", "{"}:
                self.stack.append(_Frame(frame.path, array=text == "[", in_value=text == "["))

    def _close(self, text: str, end: int) -> None:
        if len(self.stack) > 1 and self.stack[-1].array == (text == "]"):
            self._finish(self.stack.pop())
            opened = self.stack[-1].value
            assert opened is not None
            self.stack[-1].value = (opened[0], end)

    def _finish(self, frame: _Frame) -> None:
        if frame.in_value and frame.value:
            self.found.values.setdefault(frame.path, frame.value)
            self.found.places.setdefault(frame.path, frame.value[0] if frame.array else frame.begin)
        frame.reset()

    def _header(self, frame: _Frame) -> None:
        self._name(frame.path, frame.begin, 0)
        line = self.found.starts[self.found.line_at(frame.begin) - 1]
        self.found.sections.append(Section(frame.path, line, line))
        frame.base = frame.path
        frame.reset()

    def _name(self, path: KeyPath, begin: int, known: int) -> None:
        for length in range(known + 1, len(path) + 1):
            self.found.places.setdefault(path[:length], begin)

    def _newline(self, end: int) -> None:
        if len(self.stack) > 1:
            return
        frame, section = self.stack[0], self.found.sections[-1]
        if frame.in_value and frame.value:
            line = self.found.starts[self.found.line_at(frame.begin) - 1]
            self.found.statements.append(Statement(frame.path, line, end))
            self._finish(frame)
            section.tail = end
        elif section.tail == section.start and section.path:
            section.tail = end
        frame.reset()


_HEADER = regex(r"[ \t]*\[([^\[\]]+)\][ \t\r]*(?:#.*)?")
CONFLICT = regex(r"(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)")
WHERE = regex(r"(.*?)(?: \(at (?:line (\d+), column (\d+)|end of document)\))?", re.DOTALL)
"""How the parser reports a problem and its place."""
ENTRIES = 100_000
"""Line ends and commas in a file; more would take seconds to parse."""


class TomlFile(Struct, frozen=True, dict=True):
    path: Path
    text: str
    values: dict[str, Any]

    @cached_property
    def layout(self) -> Layout:
        """Return where the values are; this takes as long as parsing."""
        return layout(self.text)

    @cached_property
    def _headers(self) -> dict[KeyPath, int]:
        """Return the lines of headers, which takes a tenth of the time of ``layout``."""
        if "'''" in self.text or '"""' in self.text:  # A string could contain such a line.
            return {}
        lines = enumerate(self.text.split("\n"), 1)
        return {split_dotted(found[1]): line for line, text in lines if (found := _HEADER.fullmatch(text))}

    def line_of(self, path: KeyPath) -> int | None:
        """Return the line of a key, or of the table that it is missing from."""
        return self._headers.get(path) or self.layout.line_of(path)

    def complain(self, path: KeyPath, sentence: str, *, profile: str | None = None) -> Problem:
        return Problem(str(self.path), sentence, self.layout.line_of(path), dotted(path), profile)


def read_toml(path: Path) -> TomlFile | Problem | None:
    """Read a file that people write; None if it does not exist."""
    try:
        content = read_bytes(path, WRITTEN_BY_PEOPLE, links=True, others=True)
    except FileError as error:
        return Problem(str(path), error.sentence)
    return None if content is None else parse_bytes(path, content)


def parse_bytes(path: Path, content: bytes) -> TomlFile | Problem:
    try:
        return parse_toml(path, decoded(path, content))
    except FileError as error:
        return Problem(str(path), error.sentence)


def parse_toml(path: Path, text: str) -> TomlFile | Problem:
    """Parse the text that is in ``path`` or will be written there."""
    entries = text.count("\n") + text.count(",")
    if len(text) > WRITTEN_BY_PEOPLE or entries > ENTRIES:
        limits = f"limits: {size_words(WRITTEN_BY_PEOPLE)} and {ENTRIES:,} entries"
        return Problem(str(path), f"it is too large or has too many entries ({limits}). Shorten it")
    if not is_plain(text) and (too_deep := layout(text).too_deep) is not None:
        return Problem(str(path), f"this is nested more than {DEPTH} levels deep. Use fewer levels", too_deep)
    try:
        return TomlFile(path, text, printable(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        return _syntax(path, text, str(error))
    except ValueError:  # The parser does not say where.
        return Problem(str(path), "a number in this file has too many digits. Write it as text, in quotes")


def printable(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values; ValueError for an integer with too many digits.

    Python reads hexadecimal integers of more than 4,300 digits, but cannot write them.
    """
    inside: list[Any] = [values]
    while inside:
        match inside.pop():
            case dict() as table:
                inside += table.values()
            case list() as array:
                inside += array
            case int() as number:
                str(number)
    return values


_SYNTAX: Final = (
    ("Cannot overwrite", "a key is set twice"),
    ("Cannot mutate", "a key or table is set twice"),
    ("Cannot declare", "a table is written twice"),
    ("Duplicate inline", "a key is set twice between { and }"),
    ("Expected newline", "only a comment can follow a value on its line"),
    ("Expected ']'", "the header of a table needs ] at its end"),
    ("Expected '='", "a key needs = and a value"),
    ("Invalid value", "this is not a value. Text needs quotes"),
    ("Invalid statement", "a line must begin with a key or a [header]"),
    ("Invalid initial", "this is not a key"),
    ("Invalid hex", "this escape needs more hexadecimal digits"),
    (r"Illegal character '\n'", "a text needs a quote at its end"),
    ("Illegal character", "this control character is not allowed here"),
    ("Unterminated string", "a text needs quotes at its end"),
    ("Unclosed array", "an array needs a comma between values and ] at its end"),
    ("Unclosed inline", "a table needs a comma between its keys and } at its end"),
    ("Unescaped", r"a backslash in double quotes must be \\, unless it is an escape such as \n"),
)
"""The beginnings of the parser's messages, and sentences for them."""


def _syntax(path: Path, text: str, message: str) -> Problem:
    lines = text.split("\n")
    found = WHERE.fullmatch(message)
    assert found is not None
    what, line = found[1], int(found[2] or len(lines))
    if CONFLICT.match(lines[line - 1]):
        return Problem(str(path), f"line {line} is a merge conflict marker. Resolve the conflict", line)
    what = next((words for beginning, words in _SYNTAX if what.startswith(beginning)), what)
    column = f" at column {found[3]}" if found[3] else " at the end of the file"
    return Problem(str(path), f"this is not TOML: {what[:1].lower()}{what[1:]}{column}. Correct this line", line)
