"""What a value is, as bytes that another has if and only if it is the same, but for the order of members."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rpcexplorer.jsontext.scan import Span
from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.comparing.ignoring import PointerPattern, below, left_out
from rpcexplorer.model.comparing.parts import Parts
from rpcexplorer.model.secret import HIDDEN

if TYPE_CHECKING:
    import json

LARGE: Final = 128 * 1024
"""Bytes of a value that is read part by part: to do it in one go would hold up everybody else."""
LEVELS: Final = 50
"""What nests deeper is read in one go, however large it is."""
STEP: Final = 64 * 1024
"""Bytes that are read in one step."""
MASK: Final = "«»"
"""What all strings become that hide a secret: so that an element is known whatever its secret is called."""
_HALF: Final = re.compile("[\ud800-\udfff]")


def canonical(value: bytes, patterns: Sequence[PointerPattern], *, marks: bool) -> bytes:
    """Members sorted, blanks gone, strings spelled in one way, numbers as they are spelled.

    Without what is left out by ``patterns``. What nests deeper than Python reads is known by its letters alone.
    """
    try:
        taken = _decoder().decode(value.decode("utf-8"))
        if patterns:
            taken = _without(taken, patterns)
        if marks:
            taken = _masked(taken)
        try:
            return _ENCODER.encode(taken)
        except UnicodeEncodeError:
            return _ENCODER.encode(_whole(taken))
    except (ValueError, RecursionError):
        return value


def canonical_part(
    parts: Parts, span: Span, patterns: Sequence[PointerPattern], level: int = 0, *, marks: bool
) -> Steps[bytes]:
    """What a value of any size is, where it stands in its text."""
    start, end = span
    kind = parts.text[start : start + 1]
    if end - start <= LARGE or level == LEVELS or kind not in {b"[", b"{"}:
        return canonical(parts.text[start:end], patterns, marks=marks)
    yield
    done, found, names = 0, [], []
    if kind == b"{":
        inside = yield from parts.members(span)
    else:
        inside = [(str(at), each) for at, each in enumerate((yield from parts.elements(span)))]
    for name, each in inside:
        rest = below(patterns, name)
        if left_out(rest) or (marks and kind == b"{" and HIDDEN.search(name)):
            continue
        found.append((yield from canonical_part(parts, each, rest, level + 1, marks=marks)))
        names.append(name)
        done += each[1] - each[0]
        if done > STEP:
            done = 0
            yield
    return _object_of(list(zip(names, found, strict=True))) if kind == b"{" else b"[" + b",".join(found) + b"]"


class Twice:
    """An object in which a name stands twice, or one that is half a character."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        self.pairs = pairs


def _object_of(members: Sequence[tuple[str, bytes]]) -> bytes:
    """An object whose values are spelled already. Of a name that stands twice the order counts."""
    ordered = sorted(members, key=lambda member: member[0])
    return b"{" + b",".join(_string(name) + b":" + value for name, value in ordered) + b"}"


def _string(text: str) -> bytes:
    if not _HALF.search(text):
        return _ENCODER.encode(text)
    import json

    return json.dumps(text).encode()


def _of_twice(value: Any) -> msgspec.Raw:
    if not isinstance(value, Twice):
        raise NotImplementedError
    return msgspec.Raw(_object_of([(name, _ENCODER.encode(each)) for name, each in value.pairs]))


_ENCODER: Final = msgspec.json.Encoder(order="sorted", enc_hook=_of_twice)


@cache
def _decoder() -> json.JSONDecoder:
    import json  # only it leaves the spelling of numbers to others

    raw = msgspec.Raw
    return json.JSONDecoder(parse_int=raw, parse_float=raw, parse_constant=raw, object_pairs_hook=_object, strict=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Twice:
    found = dict(pairs)
    return found if len(found) == len(pairs) else Twice(pairs)


def _without(value: Any, patterns: Sequence[PointerPattern]) -> Any:
    """The value without what the patterns mean; ``value`` is below the place that they have reached."""
    if isinstance(value, dict | Twice):
        inside = ((name, each, below(patterns, name)) for name, each in _pairs(value))
        kept = [(name, _without(each, rest) if rest else each) for name, each, rest in inside if not left_out(rest)]
        return _object(kept)
    if isinstance(value, list):
        parts = ((each, below(patterns, str(at))) for at, each in enumerate(value))
        return [_without(each, rest) if rest else each for each, rest in parts if not left_out(rest)]
    return value


def _masked(value: Any) -> Any:
    """The value in which all secrets are the same; a member is gone of which nobody can say what its name is."""
    if isinstance(value, str):
        return MASK if HIDDEN.search(value) else value
    if isinstance(value, dict | Twice):
        return _object([(name, _masked(each)) for name, each in _pairs(value) if not HIDDEN.search(name)])
    return [_masked(each) for each in value] if isinstance(value, list) else value


def _whole(value: Any) -> Any:
    """The value in which strings that have half characters are spelled already."""
    if isinstance(value, str):
        return msgspec.Raw(_string(value)) if _HALF.search(value) else value
    if isinstance(value, dict | Twice):
        return Twice([(name, _whole(each)) for name, each in _pairs(value)])
    return list(map(_whole, value)) if isinstance(value, list) else value


def _pairs(value: dict[str, Any] | Twice) -> Sequence[tuple[str, Any]]:
    return value.pairs if isinstance(value, Twice) else list(value.items())
