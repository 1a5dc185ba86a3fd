"""What a service says of itself, cut to the measure of a catalogue: names, lines, texts, kinds, examples.

All of it comes from outside, so everything here takes any value at all and bounds what it returns. Lone surrogates,
which neither files nor terminals carry, end in cleaning.py; making the rest printable is the business of views.
"""

from __future__ import annotations

from math import isfinite
from textwrap import dedent
from typing import Any

from rpcexplorer.client.discovery.cleaning import HALF, whole
from rpcexplorer.schema.node import KINDS
from rpcexplorer.schema.words import in_one_line

LONGEST_NAME = 256
LINE = 200
TEXT = 2_000
KIND = 60
EXAMPLE_PARTS = 100
"""Values inside one example: beyond it, it is no example but a document."""
EXAMPLE_TEXT = 500


def name_of(value: Any) -> str:
    """A name as it would have to be sent; empty where the value cannot be one."""
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not value.strip():
        return ""
    return value if whole(value) is value and HALF not in value else ""


def line_of(value: Any, limit: int = LINE) -> str:
    """One line of text; empty where the value is none."""
    return in_one_line(whole(value[: limit * 4]), limit) if isinstance(value, str) else ""


def first_line_of(value: Any) -> str:
    """The first paragraph of a longer text, as one line."""
    return line_of(text_of(value).partition("\n\n")[0])


def text_of(value: Any) -> str:
    """Text of several lines, without the indentation of the source code it stood in."""
    if not isinstance(value, str):
        return ""
    first, *rest = whole(value[: TEXT * 2]).strip().splitlines() or [""]
    text = first.rstrip()
    if rest:
        text = "\n".join(line.rstrip() for line in [first, *dedent("\n".join(rest)).split("\n")]).strip()
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


def kind_of(value: Any) -> str:
    """The kind of a value in one word, however it is spelled: ``Number``, ``int``, ``struct``."""
    word = line_of(value, KIND)
    return KINDS.get(word.lower(), word)


def example_of(value: Any) -> Any:
    """A small JSON value as it is; None for one too big to start from, or that JSON could not carry on."""
    rest, parts = [value], 0
    while rest:
        part = rest.pop()
        parts += len(part) if isinstance(part, dict | list) else 1
        if parts > EXAMPLE_PARTS:
            return None
        if isinstance(part, dict):
            rest += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            rest += part
        elif not _carries(part):
            return None
    return value


def _carries(scalar: Any) -> bool:
    match scalar:
        case str():
            return len(scalar) <= EXAMPLE_TEXT and whole(scalar) is scalar and HALF not in scalar
        case float():
            return isfinite(scalar)
    return True
