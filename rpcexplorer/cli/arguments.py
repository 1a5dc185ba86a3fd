"""Readers of options and arguments, including params."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import click

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.cli.words import are_json, are_open, params_of
from rpcexplorer.cli.world import World
from rpcexplorer.files.io import read_bytes
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import Described
from rpcexplorer.model.problem import UserError, cut, nearest


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


def draft_of(
    method: str,
    words: Sequence[str],
    world: World,
    described: Callable[[], Described | None],
    *,
    notification: bool = False,
) -> Draft:
    """Return the call that a command names; ``described`` is asked only for words whose type is open."""
    text = params_text(words, world, described)
    is_in_file = len(words) == 1 and words[0].startswith("@")  # The user may not have typed what is in it.
    return Draft(method, text, notification=notification, sources=(text,) if is_in_file else ())


def params_text(words: Sequence[str], world: World, described: Callable[[], Described | None]) -> str:
    """Return the text of the params; their JSON is checked later."""
    if not words or are_json(words):
        return "".join(words)
    if words == ("-",):
        return input_text("-", world)
    if len(words) == 1 and words[0].startswith("@"):
        return file_text(words[0][1:], world)
    made = params_of(words, described() if are_open(words) else None)
    if made.is_guessed:
        world.say(f"params {made.text}")
    return made.text


def input_text(name: str, world: World) -> str:
    """Return the text of a file named on the command line, or of stdin (``-``)."""
    if name.lstrip().startswith("["):
        raise UserError(f"{cut(name, 40)} is not the name of a file. To send a text, write it to stdin.")
    return _decoded(world.stdin.read(), "stdin") if name == "-" else file_text(name, world)


def file_text(name: str, world: World) -> str:
    path = world.path(name)
    content = read_bytes(path, links=True, others=True)
    if content is None:
        raise UserError(f"There is no file {path}. Check the name.")
    return _decoded(content, str(path))


def _decoded(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise click.UsageError(f"The text of {where} is not UTF-8. Save it as UTF-8 and try again.") from None
