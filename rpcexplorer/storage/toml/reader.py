"""A TOML file as values with places, or one complaint that says why it cannot be read.

What the values mean is not known here. A text that cannot be read is only ever told about, never repaired.
"""

from __future__ import annotations

import re
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from rpcexplorer.model.problem import Complaint
from rpcexplorer.storage.files import WRITTEN_BY_PEOPLE, FileTrouble, decoded, read_bytes
from rpcexplorer.storage.opening import told_size
from rpcexplorer.storage.toml.positions import DEPTH, KeyPath, Layout, dotted, is_plain, layout

CONFLICT = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)")
"""How version control marks what it could not merge."""
WHERE = re.compile(r"(.*?)(?: \(at (?:line (\d+), column (\d+)|end of document)\))?", re.DOTALL)
"""How the parser words a problem and its place."""
ENTRIES = 100_000
"""Line ends and commas in a file: beyond it nobody has written it, and to parse it would take seconds."""


class TomlFile(Struct, frozen=True, dict=True):
    path: Path
    text: str
    values: dict[str, Any]

    @cached_property
    def layout(self) -> Layout:
        """Where in the text the values stand. It takes as long as to parse it, and few files are asked."""
        return layout(self.text)

    def complain(self, path: KeyPath, sentence: str, *, profile: str | None = None) -> Complaint:
        return Complaint(str(self.path), sentence, self.layout.line_of(path), dotted(path), profile)


def read_toml(path: Path, *, ours: bool = False) -> TomlFile | Complaint | None:
    """Read a file; None where there is none. ``ours``: this program alone writes it, so that it is no link."""
    try:
        content = read_bytes(path, WRITTEN_BY_PEOPLE, links=not ours, others=not ours)
    except FileTrouble as trouble:
        return Complaint(str(path), trouble.sentence)
    return None if content is None else parse_bytes(path, content)


def parse_bytes(path: Path, content: bytes) -> TomlFile | Complaint:
    try:
        return parse_toml(path, decoded(path, content))
    except FileTrouble as trouble:
        return Complaint(str(path), trouble.sentence)


def parse_toml(path: Path, text: str) -> TomlFile | Complaint:
    """Parse a text that stands, or is about to stand, in ``path``."""
    entries = text.count("\n") + text.count(",")
    if len(text) > WRITTEN_BY_PEOPLE or entries > ENTRIES:
        most = f"{told_size(WRITTEN_BY_PEOPLE)} and {ENTRIES:,} entries"
        return Complaint(str(path), f"it has {told_size(len(text))} and {entries:,} entries; shorten it below {most}")
    if not is_plain(text) and (too_deep := layout(text).too_deep) is not None:
        return Complaint(str(path), f"more than {DEPTH} levels deep: shorten this key or value", too_deep)
    try:
        return TomlFile(path, text, printable(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        return _syntax(path, text, str(error))
    except ValueError:  # it does not say where
        return Complaint(str(path), "it holds a number with too many digits: write it as text, in quotes")


def printable(values: dict[str, Any]) -> dict[str, Any]:
    """What was given; ValueError where one is an integer that Python reads in hexadecimal and cannot write again.

    One in decimal it does not even read: neither may have more than 4,300 digits.
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


def _syntax(path: Path, text: str, message: str) -> Complaint:
    lines = text.split("\n")
    found = WHERE.fullmatch(message)
    assert found is not None
    what, line = found[1], int(found[2] or len(lines))
    if CONFLICT.match(lines[line - 1]):
        return Complaint(str(path), f"line {line} holds a merge conflict marker: resolve it", line)
    column = f" at column {found[3]}" if found[3] else " at the end of the file"
    return Complaint(str(path), f"this is not TOML: {what[:1].lower()}{what[1:]}{column}; correct the line", line)
