"""What a small value is, as bytes that another has if and only if it is the same, but for the order of members."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rpcexplorer.model.comparing.ignoring import PointerPattern, below, left_out
from rpcexplorer.model.secrets.placeholders import HIDDEN

if TYPE_CHECKING:
    import json

LARGE: Final = 128 * 1024
"""Bytes of a value that is only known by its letters: to take it apart would hold up everybody else."""
MASK: Final = "«»"
"""What all strings become that hide a secret: so that an element is known whatever its secret is called."""


def canonical(value: bytes, patterns: Sequence[PointerPattern], *, marks: bool) -> bytes:
    """Members sorted, blanks gone, numbers as they are spelled; without what is left out by ``patterns``."""
    if len(value) > LARGE:
        return value
    try:
        taken = _decoder().decode(value.decode("utf-8"))
        if patterns:
            taken = _without(taken, patterns)
        return _ENCODER.encode(_masked(taken) if marks else taken)
    except (ValueError, RecursionError):  # names that stand twice, half characters, depth
        return value


_ENCODER: Final = msgspec.json.Encoder(order="sorted")


@cache
def _decoder() -> json.JSONDecoder:
    import json  # only it leaves the spelling of numbers to others

    raw = msgspec.Raw
    return json.JSONDecoder(parse_int=raw, parse_float=raw, parse_constant=raw, object_pairs_hook=_object, strict=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _without(value: Any, patterns: Sequence[PointerPattern]) -> Any:
    """The value without what the patterns mean; ``value`` is below the place that they have reached."""
    if isinstance(value, dict):
        inside = ((name, each, below(patterns, name)) for name, each in value.items())
        return {name: _without(each, rest) if rest else each for name, each, rest in inside if not left_out(rest)}
    if isinstance(value, list):
        parts = ((each, below(patterns, str(at))) for at, each in enumerate(value))
        return [_without(each, rest) if rest else each for each, rest in parts if not left_out(rest)]
    return value


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return MASK if HIDDEN.search(value) else value
    if isinstance(value, dict):
        return {name: _masked(each) for name, each in value.items()}
    return [_masked(each) for each in value] if isinstance(value, list) else value
