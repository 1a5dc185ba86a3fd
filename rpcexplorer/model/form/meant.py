"""What the text at one place means: its value, how that is typed, what is wrong with it by its kind."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
from msgspec import UNSET

from rpcexplorer.jsontext.scan import decoded, elements, members
from rpcexplorer.model.form.field import Editing
from rpcexplorer.model.form.settled import Settled, is_reference
from rpcexplorer.model.schema.kinds import is_kind, kind_of_value
from rpcexplorer.model.schema.values.fitting import is_one_of

NOT_NULL: Final = "not null"
LONGEST_LINE: Final = 2_000
"""Characters of a text that is typed on one line."""


def size_of(text: str) -> int:
    if text[:1] not in ("{", "["):
        return 0
    return len(members(text) or ()) if text.startswith("{") else len(elements(text) or ())


def value_of(text: str) -> Any:
    """What a part of valid JSON text means; ``UNSET`` where Python cannot hold it."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _by_python(text)


def _by_python(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return UNSET


def editing_of(place: Settled, text: str) -> Editing:
    """How what stands there is typed, or what could."""
    kinds = place.node.kinds
    first = text[:1]
    if place.node.choices:
        return "choice"
    if kinds == ("boolean",) and text in ("", "null", "true", "false"):
        return "boolean"
    if (first == '"' or text in ("", "null")) and kinds[:1] == ("string",):
        return "text" if len(kinds) == 1 and is_plain(text) else "json"
    is_number = text in ("", "null") or first == "-" or first.isdigit()
    return "number" if kinds and {*kinds} <= {"integer", "number"} and is_number else "json"


def is_plain(text: str) -> bool:
    """Whether a string, as JSON spells it, can be typed on one line and nothing of it is unseen."""
    value = decoded(text) if text.startswith('"') else ""
    return len(value) <= LONGEST_LINE and value.isprintable()


def wrong_kind(place: Settled, value: Any) -> str:
    """What is wrong by the kind; what is finer than that a checker says."""
    if is_reference(value):
        return ""
    if value is None:
        return "" if place.nullable else NOT_NULL
    if place.alternatives and place.chosen < 0:
        return "none of the alternatives"
    node, kind = place.node, kind_of_value(value)
    if node.choices is not None and not is_one_of(value, node.choices):
        return "not one of the choices"
    if node.kinds and not is_kind(kind, node.kinds) and place.is_sure:
        return f"{'an' if kind[0] in 'aio' else 'a'} {kind}, not {' or '.join(node.kinds)}"
    return ""
