"""Params as they stand on a command line: JSON text, a file, stdin, or words like ``page=1`` and ``page:=1``."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence

import click

from rpcexplorer.cli.world import World
from rpcexplorer.jsontext.params import Params, Problem
from rpcexplorer.model.draft import Draft
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.views.words.problems import mended

PAIR = re.compile(r"([^\s=:{}\[\]\"',]+)(:?=)(.*)", re.DOTALL)
"""``name=text`` or ``name:=json``."""
STRAY = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as Python's decoder lets it through."""


def params_text(words: Sequence[str], world: World) -> str:
    """The params' text. What it says is checked later, where every text is checked."""
    if not words:
        return ""
    if len(words) == 1 and not PAIR.fullmatch(words[0]):
        return _text(words[0], world)
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
    whole = value.lstrip()[:1] in {"[", "{"} and not value.lstrip().startswith("{{")
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


def _text(word: str, world: World) -> str:
    if word == "-":
        return _decoded(world.stdin.read(), "standard input")
    return file_text(word[1:], world) if word.startswith("@") else word


def file_text(name: str, world: World) -> str:
    """The text of a file that was named on the command line."""
    path = world.folder / os.path.expanduser(name)  # noqa: PTH111 - Path's own raises for an unknown user
    content = world.files.read(path)
    if content is None:
        raise click.UsageError(f"There is no file {path}: check its name.")
    return _decoded(content, str(path))


def _decoded(content: bytes, where: str) -> str:
    text = content.decode("utf-8-sig", errors="surrogateescape")
    if STRAY.search(text):
        raise click.UsageError(f"What {where} holds is not UTF-8. Save it as UTF-8 and try again.")
    return text
