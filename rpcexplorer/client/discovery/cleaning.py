"""What a service says of itself, made such that it can be written as JSON again.

Lone surrogates, NaN and endless depth end here, wherever in a schema, an example or a name they stand.
"""

from __future__ import annotations

import json
import re
from math import inf, isfinite
from typing import Any, Final

from rpcexplorer.jsontext.scan import STRING

DEEPEST: Final = 200
"""Levels. What is below is left out: nobody has written it, and much of what reads it would need a stack as deep."""
MOST_DIGITS: Final = 4_000
"""Of a whole number: Python makes none of more than 4,300."""
HALF: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for a lone surrogate. A name in which it stands is not the name that the service knows."""
_TOKEN: Final = re.compile(rf"{STRING}|[\[\]{{}}]")


def clean(value: Any) -> Any:
    """The value, itself where it is clean already, as nearly all are.

    A member whose value is a number that is none, or a list with such a number, is left out: one without it would say
    something else. Below the deepest level objects and arrays are empty.
    """
    return value if _is_clean(value) else _cleaned(value, DEEPEST)


def forgiving(text: bytes) -> Any:
    """JSON that Python's own parser does not take: what nests too deep is cut, and a number of too many digits is none.

    ``ValueError`` where it is no JSON.
    """
    return json.loads(_shallow(text.decode("utf-8", "surrogateescape")), parse_int=_integer)


def _integer(digits: str) -> float:
    return int(digits) if len(digits) <= MOST_DIGITS else inf


def _shallow(text: str) -> str:
    """The text with all objects and arrays empty that are below the deepest level."""
    kept, at, depth = [], 0, 0
    for found in _TOKEN.finditer(text):
        if (sign := found[0]) in "{[":
            depth += 1
            if depth == DEEPEST + 1:
                kept.append(text[at : found.end()])
        elif sign in "}]":
            if depth == DEEPEST + 1:
                at = found.start()
            depth -= 1
    return "".join([*kept, text[at:]])


def whole(text: str) -> str:
    """The text without half characters."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(HALF if "\ud800" <= character <= "\udfff" else character for character in text)
    return text


def _is_clean(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for part in level:
            kind = type(part)  # there may be millions of them: the quickest way to tell
            if kind is str:
                if not part.isascii() and whole(part) is not part:
                    return False
            elif kind is dict:
                below += part
                below += part.values()
            elif kind is list:
                below += part
            elif kind is float and not isfinite(part):
                return False
        if not below:
            return True
        level = below
    return False


def _cleaned(value: Any, levels: int) -> Any:
    match value:
        case str():
            return whole(value)
        case dict():
            kept = ((key, each) for key, each in value.items() if levels and _is_one(each))
            return {whole(key): _cleaned(each, levels - 1) for key, each in kept}
        case list():
            return [_cleaned(each, levels - 1) for each in value] if levels else []
    return value if _is_one(value) else None


def _is_one(value: Any) -> bool:
    """Whether it is no number that is none, nor a list of such."""
    lists = [value]
    while lists:
        part = lists.pop()
        if isinstance(part, list):
            lists += part
        elif isinstance(part, float) and not isfinite(part):
            return False
    return True
