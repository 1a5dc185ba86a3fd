"""Readers of options and arguments, including params."""

from __future__ import annotations

import math
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import click

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.cli.world import World
from rpcexplorer.files.io import read_bytes
from rpcexplorer.jsontext.params import Params, Typo
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.problem import capitalised, nearest
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import spelled


def whole_number(least: int, most: int | None = None, *, otherwise: str = "") -> Callable[[str], int]:
    """Return a reader of whole numbers in a range.

    ``otherwise`` is a sentence at the end of the error message.
    """

    def number(value: str | int) -> int:
        try:
            found = int(value)
        except ValueError:
            found = least - 1
        if found < least or (most is not None and found > most):
            instead = f"Write a whole number of {least} or more."
            if most is not None:
                instead = f"Write a whole number from {least} to {most}."
            raise click.BadParameter(f"{value} is not valid. {instead} {otherwise}".rstrip())
        return min(found, sys.maxsize)

    return number


def seconds(value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise click.BadParameter(f"{value} is not valid. Write seconds as a number above 0, such as 30 or 0.5.")
    return found


UNITS = {"s": 1, "m": 60, "h": 3600}


def period(value: str) -> float:
    """Read a time with an optional unit: seconds, minutes or hours."""
    number, factor = value, 1
    if value[-1:] in UNITS:
        number, factor = value[:-1], UNITS[value[-1]]
    try:
        return seconds(number) * factor
    except click.BadParameter:
        raise click.BadParameter(f"{value} is not valid. Write a time above 0, such as 10s, 5m or 1h.") from None


def milliseconds(value: str) -> float:
    """Read a time in milliseconds or with another unit; return seconds."""
    try:
        return seconds(value[:-2]) / 1000 if value.endswith("ms") else period(value)
    except click.BadParameter:
        raise click.BadParameter(f"{value} is not valid. Write a time above 0, such as 300ms or 2s.") from None


def rate(value: str) -> float:
    """Read calls per second or minute; return them per second."""
    number, _, unit = value.partition("/")
    try:
        return seconds(number) / {"": 1, "s": 1, "m": 60}[unit]
    except (click.BadParameter, KeyError):
        raise click.BadParameter(f"{value} is not valid. Write a rate above 0, such as 5/s or 300/m.") from None


def percent(value: str) -> float:
    """Read a percentage; return its share of 1."""
    try:
        found = float(value.removesuffix("%"))
    except ValueError:
        found = math.nan
    if not 0 <= found <= 100:
        raise click.BadParameter(f"{value} is not valid. Write a percentage from 0% to 100%, such as 1%.")
    return found / 100


class OneOf(click.Choice):  # type: ignore[type-arg] # the oldest click that will do has no type there
    """A choice of words that also accepts hidden former names."""

    def __init__(self, words: Iterable[str], former: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(tuple(words))
        self.former = former

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        value = self.former.get(value, value)
        if value in self.choices:
            return value
        near = nearest(str(value), self.choices)
        guess = f" Did you mean {near}?" if near else ""
        raise click.BadParameter(f"{value} is not one of {', '.join(self.choices)}.{guess}", ctx, param)


set_option = click.option(
    "--set",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set variable NAME. Other variables in the params must have a value, too.",
)
FILE_HELP = "Write to FILE instead of stdout. Incomplete output does not change FILE."
AUTH = OneOf(KINDS)
"""Auth type of a server that was typed without a profile."""
PAIR = regex(r"([^\s=:{}\[\]\"',]+)(:?=)(.*)", re.DOTALL)
"""A word of params: ``name=text`` or ``name:=json``."""


def draft_of(method: str, words: Sequence[str], world: World, *, notification: bool = False) -> Draft:
    """Return the call that a command names."""
    text = params_text(words, world)
    is_in_file = len(words) == 1 and words[0].startswith("@")  # The user may not have typed what is in it.
    return Draft(method, text, notification=notification, sources=(text,) if is_in_file else ())


def params_text(words: Sequence[str], world: World) -> str:
    """Return the text of the params; their JSON is checked later."""
    if not words:
        return ""
    if len(words) == 1 and not PAIR.fullmatch(words[0]):
        (word,) = words
        if word == "-":
            return input_text(word, world)
        return file_text(word[1:], world) if word.startswith("@") else word
    members = []
    for word in words:
        pair = PAIR.fullmatch(word)
        if pair is None:
            raise click.UsageError(
                f"{word} is neither name=text nor name:=json. Write each param that way, or all params as one "
                """JSON text in quotes, such as '{"page": 1}' or '[1, 2]'."""
            )
        name, sign, value = pair.groups()
        if sign == ":=":
            _check(name, value)
        else:
            value = spelled(value)
        members.append(f"{spelled(name)}: {value}")
    return "{" + ", ".join(members) + "}"


def _check(name: str, value: str) -> None:
    """End the command if the JSON of a word is not exactly one value."""
    start = value.lstrip()
    whole = start.startswith(("[", "{")) and not start.startswith("{{")
    text = value if whole else f"[{value}]"
    read = Draft("", text).read()
    instead = ""
    if isinstance(read, Typo):
        problem, better, instead = read.what, _better(read, whole=whole), read.instead
    elif whole or read.size == 1:
        return
    elif read.size:
        problem, better = "only one value is allowed", text
    else:
        problem, better = "the value is missing", "null"
    ways = [f"{name}:={better}"] if better else []
    if not whole and not value.startswith(('"', "'")):
        ways.append(f"{name}={value}")
    if ways:
        instead = f"write {' or '.join(map(shlex.quote, ways))} instead"
    raise click.UsageError(f"{name}:={value} cannot be sent: {problem}. {capitalised(instead)}.")


def _better(problem: Typo, *, whole: bool) -> str:
    """Return the value with all fixes applied; empty if there is no fix.

    The brackets that were added to parse the value are removed again.
    """
    from rpcexplorer.text.problems import fix_all

    fixed = fix_all(problem)
    if fixed is None:
        return ""
    _, text = fixed
    read = Draft("", text).read()
    one = isinstance(read, Params) and read.kind == "array" and read.size == 1
    return text[1:-1] if one and not whole else text


def input_text(name: str, world: World) -> str:
    """Return the text of a file named on the command line, or of stdin (``-``)."""
    return _decoded(world.stdin.read(), "stdin") if name == "-" else file_text(name, world)


def file_text(name: str, world: World) -> str:
    path = world.path(name)
    content = read_bytes(path, links=True, others=True)
    if content is None:
        raise click.UsageError(f"There is no file {path}. Check the name.")
    return _decoded(content, str(path))


def _decoded(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.UsageError(f"The text of {where} is not UTF-8. Save it as UTF-8 and try again.") from None
