"""Params as they stand on a command line: JSON text, a file, stdin, or words like ``page=1`` and ``page:=1``."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from rpcexplorer.model.draft import Draft, Params, Problem, spelled
from rpcexplorer.views.problems import mended

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
        if sign == ":=":
            _check(name, value)
        members.append(f"{spelled(name)}: {value if sign == ':=' else spelled(value)}")
    return "{" + ", ".join(members) + "}"


def _check(name: str, value: str) -> None:
    """End the command where the JSON of a word is none, or more than one value."""
    whole = value.lstrip()[:1] in {"[", "{"}
    text = value if whole else f"[{value}]"
    read = Draft("", text).read()
    if isinstance(read, Params) and (whole or read.size == 1):
        return
    if isinstance(read, Params):
        what, better = ("this is more than one value", text) if read.size else ("there is no value", "null")
    else:
        what, better = read.what, _better(read, whole=whole)
    ways = [f"{name}:={better}"] if better else []
    if not whole and not value.startswith(('"', "'")):
        ways.append(f"{name}={value}")
    instead = f"write {' or '.join(map(shlex.quote, ways))} instead" if ways else getattr(read, "instead", "")
    raise click.UsageError(f"{name}:={value} cannot be sent: {what}; {instead}.")


def _better(problem: Problem, *, whole: bool) -> str:
    """The value after its fixes; empty where there are none. What was put into brackets to be read loses them again."""
    fixed = mended(problem)
    if fixed is None:
        return ""
    _, text = fixed
    read = Draft("", text).read()
    one = isinstance(read, Params) and read.kind == "array" and read.size == 1
    return text[1:-1] if one and not whole else text


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
