"""What a service says of itself, made such that it can be written as JSON again.

Lone surrogates, NaN and endless depth end here, wherever in a schema, an example or a name they stand.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

DEEPEST: Final = 200
"""Levels. What is below is left out: nobody has written it, and much of what reads it would need a stack as deep."""
HALF: Final = "\N{REPLACEMENT CHARACTER}"
"""Stands for a lone surrogate. A name in which it stands is not the name that the service knows."""


def clean(value: Any) -> Any:
    """The value, itself where it is clean already, as nearly all are.

    A number that is none is left out, or null in an array; below the deepest level objects and arrays are empty.
    """
    return value if _is_clean(value) else _cleaned(value, DEEPEST)


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
    return not isinstance(value, float) or isfinite(value)
