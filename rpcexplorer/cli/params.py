"""Params as they stand on a command line: JSON text, a file, stdin, or words like ``page=1`` and ``page:=1``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from rpcexplorer.model.draft import spelled

PAIR = re.compile(r"([^\s=:{}\[\]\"',]+)(:?=)(.*)", re.DOTALL)
"""``name=text`` or ``name:=json``."""
STRAY = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as Python's decoder lets it through."""


def params_text(words: Sequence[str], read: Callable[[], bytes], folder: Path) -> str:
    """The params' text. What it says is checked later, where every text is checked."""
    if not words:
        return ""
    if len(words) == 1 and not PAIR.fullmatch(words[0]):
        return _text(words[0], read, folder)
    members = []
    for word in words:
        pair = PAIR.fullmatch(word)
        if pair is None:
            raise click.UsageError(
                f"{word} is neither name=text nor name:=json. Write each member like that, or all params as one "
                """JSON text in quotes: '{"page": 1}'."""
            )
        name, sign, value = pair.groups()
        members.append(f"{spelled(name)}: {value if sign == ':=' else spelled(value)}")
    return "{" + ", ".join(members) + "}"


def _text(word: str, read: Callable[[], bytes], folder: Path) -> str:
    if word == "-":
        return _decoded(read(), "standard input")
    if word.startswith("@"):
        return file_text(folder / Path(word[1:]).expanduser())
    return word


def file_text(path: Path) -> str:
    """The text of a file that was named on the command line."""
    if not path.is_file():
        raise click.UsageError(f"There is no file {path}: check its name.")
    return _decoded(path.read_bytes(), str(path))


def _decoded(content: bytes, where: str) -> str:
    text = content.decode("utf-8-sig", errors="surrogateescape")
    if STRAY.search(text):
        raise click.UsageError(f"What {where} holds is not UTF-8. Save it as UTF-8 and try again.")
    return text
