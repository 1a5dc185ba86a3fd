"""Short descriptions of a schema for lists, hints, forms and docs.

They contain text of a service on one line, which is not safe to print.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from rpcexplorer.jsontext.scan import NUMBER
from rpcexplorer.patterns import regex
from rpcexplorer.schema.node import Node, SchemaReader

DEPTH: Final = 3
"""Levels of a type: ``array of array of string``."""
STEPS: Final = 40
"""Schemas to look at for one type; a line has no room for more."""
CHOICES: Final = 6
"""Values or alternatives to name."""
LONGEST_VALUE: Final = 40
LONGEST_KIND: Final = 120
_OTHERWISE: Final = regex(rf"{NUMBER}|true|false|null")
"""Text that looks like a value of another type."""
_BOUNDS: Final = {
    "minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most", "exclusiveMaximum": "less than",
}  # fmt: skip
_COUNTS: Final = (("Length", "character"), ("Items", "element"), ("Properties", "member"))
"""Ends of the limits on a count, with its unit."""


def kind_words(reader: SchemaReader, schema: Any) -> str:
    """Return ``array of string``, ``one of a | b``; empty if anything goes."""
    return in_one_line(_KindWords(reader).words(schema, DEPTH), LONGEST_KIND)


class _KindWords:
    """The words for one type, with a limited number of steps."""

    def __init__(self, reader: SchemaReader) -> None:
        self._reader = reader
        self._steps = 0

    def words(self, schema: Any, depth: int) -> str:
        self._steps += 1
        if self._steps > STEPS:
            return ""
        if schema is False:
            return "nothing"
        node = self._reader.node(schema)
        if node.choices is not None:
            return one_of(node.choices)
        if depth and (not node.kinds or len(node.alternatives) > 1):
            kinds = [self.words(alternative, depth - 1) for alternative in node.alternatives[:CHOICES]]
            if kinds and all(kinds):
                if len(node.alternatives) > CHOICES:
                    kinds.append("…")
                return _either(kinds)
        return _either(self._of_kind(kind, node, depth) for kind in node.kinds)

    def _of_kind(self, kind: str, node: Node, depth: int) -> str:
        if kind != "array" or not depth or node.prefix or not isinstance(node.items, dict):
            return kind
        items = self.words(node.items, depth - 1)
        return f"array of {items}" if items else "array"


def _either(words: Iterable[str]) -> str:
    """Join descriptions of alternatives, each once."""
    unique = dict.fromkeys(" or ".join(words).split(" or "))
    others = [word for word in unique if word and word != "…"]
    if "…" in unique:
        others.append("…")
    return " or ".join(others)


def one_of(choices: Iterable[Any]) -> str:
    """Describe a value that must be one of a few."""
    words = [value_words(choice) for choice in islice(choices, CHOICES + 1)]
    if len(words) > CHOICES:
        words[CHOICES] = "…"
    return f"one of {' | '.join(words)}"


def limit_words(node: Node) -> str:
    """Return ``1 … 100``, ``at most 20 characters``; empty without limits."""
    return ", ".join(_limits(node))


def _limits(node: Node) -> Iterator[str]:
    limits = node.limits
    bounds = [key for key in _BOUNDS if key in limits]
    if bounds == ["minimum", "maximum"]:
        yield f"{value_words(limits['minimum'])} … {value_words(limits['maximum'])}"
    else:
        for key in bounds:
            yield f"{_BOUNDS[key]} {value_words(limits[key])}"
    if limits.get("multipleOf", 1) != 1:
        yield f"a multiple of {value_words(limits['multipleOf'])}"
    if "format" in limits:
        yield in_one_line(limits["format"], LONGEST_VALUE)
    for count, unit in _COUNTS:
        words = _range(limits.get(f"min{count}", 0), limits.get(f"max{count}"))
        if words:
            yield with_unit(words, unit)
    if "pattern" in limits:
        yield f"matches {in_one_line(limits['pattern'], LONGEST_VALUE)}"
    if "uniqueItems" in limits:
        yield "no duplicates"


def with_unit(words: str, unit: str) -> str:
    """Return words that end with a number, and the unit of the number."""
    is_one = words.rpartition(" ")[2] == "1"
    return f"{words} {unit}" if is_one else f"{words} {unit}s"


def _range(low: int, high: int | None) -> str:
    if high is None and not low:
        return ""
    if high is None:
        return f"at least {value_words(low)}"
    if not low:
        return f"at most {value_words(high)}"
    if low == high:
        return value_words(low)
    return f"{value_words(low)} … {value_words(high)}"


def value_words(value: Any) -> str:
    """Return a short value: clear text without quotes, else JSON."""
    if isinstance(value, str):
        if not value.strip() or _OTHERWISE.fullmatch(value):
            return json.dumps(value)
        return in_one_line(value, LONGEST_VALUE)
    if isinstance(value, dict) and value:
        return "{…}"
    if isinstance(value, list) and value:
        return "[…]"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4 * LONGEST_VALUE:
        return "…"  # Thousands of digits.
    return in_one_line(json.dumps(value), LONGEST_VALUE)


def step_words(path: Iterable[str | int]) -> Iterator[str]:
    """Yield the steps of a path: ``.kind``, ``[2]``."""
    for step in path:
        yield f"[{step}]" if isinstance(step, int) else f".{step}"


def in_one_line(text: str, limit: int) -> str:
    """Return one line of at most so many characters."""
    line = " ".join(text[: limit * 4].split())
    if len(line) <= limit:
        return line
    return line[: limit - 1].rstrip() + "…"
