"""Checks of single values that more than one file needs: text, flags, words to choose from, sizes, folders.

Each takes a value and its place, and gives the value as the program wants it, or ``WrongValue``.
"""

from __future__ import annotations

import os
import re
from datetime import MAXYEAR, MINYEAR, datetime
from typing import Any

from rpcexplorer.model.problem import nearest
from rpcexplorer.storage.toml.shape import Place, ValueCheck, WrongValue

SIZE = re.compile(r"(\d{1,9}) ?([kMG]?)(i?)B", re.ASCII)
PREFIXES = " kMG"
MOST = 2**53
"""Larger numbers do not survive every JSON reader, and no setting needs them."""


def text(value: Any, _place: Place) -> Any:
    return value if isinstance(value, str) else WrongValue("must be text, in quotes")


def name(value: Any, place: Place) -> Any:
    return WrongValue("must not be empty") if value == "" else text(value, place)


def file_name(value: Any, place: Place) -> Any:
    """The name of a file that lies in a folder of ours, without its ending: no path that leads out of there."""
    if isinstance(value, str) and (re.search(r"[/\\\0]", value) or value.startswith(".")):
        return WrongValue("must be a name alone, without a folder")
    return text(value, place)


def flag(value: Any, _place: Place) -> Any:
    """A TOML boolean; 1 and "yes" are none."""
    return value if isinstance(value, bool) else WrongValue("must be true or false, without quotes")


def whole(value: Any, _place: Place) -> Any:
    """An integer; true is none."""
    if type(value) is int and -MOST <= value <= MOST:
        return value
    return WrongValue("must be a whole number, without quotes")


def version(value: Any, _place: Place) -> Any:
    """The version of a file's shape. There has been one so far."""
    return (
        value
        if type(value) is int and value == 1
        else WrongValue("must be 1; a later version needs a later rpcexplorer")
    )


def moment(value: Any, _place: Place) -> Any:
    if isinstance(value, datetime) and value.tzinfo and MINYEAR < value.year < MAXYEAR:  # in any zone there is
        return value
    return WrongValue("must be a date and time with an offset")


def choice(*words: str) -> ValueCheck:

    def check(value: Any, _place: Place) -> Any:
        if isinstance(value, str) and value in words:
            return value
        guess = nearest(value, words) if isinstance(value, str) else None
        advice = f'; did you mean "{guess}"?' if guess else ""
        return WrongValue(f"must be one of {', '.join(_quoted(word) for word in words)}{advice}")

    return check


def listed(inside: ValueCheck, what: str) -> ValueCheck:
    """An array in which every element passes ``inside``."""

    def check(value: Any, place: Place) -> Any:
        if not isinstance(value, list):
            return WrongValue(f"must be an array of {what}, in square brackets")
        checked = [inside(element, place) for element in value]
        for index, element in enumerate(checked):
            if isinstance(element, WrongValue):
                return WrongValue(element.sentence, (str(index),))
        return tuple(checked)

    return check


def beside(value: Any, place: Place) -> Any:
    """A file or folder, relative to the file that names it; it need not exist before it is used."""
    if not isinstance(value, str) or not value or "\0" in value:
        return WrongValue("must be the path of a file or folder, in quotes")
    return os.path.normpath(place.folder / os.path.expanduser(value))  # noqa: PTH111 - Path's own raises without a home


def size(least: int) -> ValueCheck:
    """A number of bytes, not below ``least``, or text such as "256 MiB"."""

    def check(value: Any, _place: Place) -> Any:
        found = SIZE.fullmatch(value) if isinstance(value, str) else None
        if found:
            value = int(found[1]) * (1024 if found[3] else 1000) ** PREFIXES.index(found[2] or " ")
        if type(value) is int and least <= value <= MOST:
            return value
        above = f" from {least} up" if least else ""
        return WrongValue(f'must be a number of bytes{above}, or text such as "500 kB" or "256 MiB"')

    return check


def _quoted(word: str) -> str:
    return f'"{word}"'
