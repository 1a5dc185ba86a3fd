"""Short descriptions of a schema for lists, hints, forms and docs.

They contain text of a service on one line, which is not safe to print.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from rpcexplorer.jsontext.scan import NUMBER
from rpcexplorer.patterns import regex
from rpcexplorer.schema.node import Node, SchemaReader

DEPTH: Final = 3
"""Levels of a type: ``array of array of string``."""
STEPS: Final = 40
"""Schemas to look at for one type."""
CHOICES: Final = 6
"""Values or alternatives to name."""
LONGEST_VALUE: Final = 40
LONGEST_KIND: Final = 120
_OTHERWISE: Final = regex(rf"{NUMBER}|true|false|null")
"""Text that looks like a value of another type."""
_SUMS: Final = (
    ("minLength", "maxLength", "character", "characters"),
    ("minItems", "maxItems", "element", "elements"),
    ("minProperties", "maxProperties", "member", "members"),
)
"""Limits on a count, with its unit."""


def kind_words(reader: SchemaReader, schema: Any) -> str:
    """Return ``array of string``, ``one of a | b``; empty if anything goes."""
    return in_one_line(_kind(reader, schema, DEPTH, [0]), LONGEST_KIND)


def limit_words(node: Node) -> str:
    """Return ``1 … 100``, ``at most 20 characters``; empty without limits."""
    return ", ".join(_limits(node))


def value_words(value: Any) -> str:
    """Return a short value: clear text without quotes, else JSON."""
    if isinstance(value, str):
        is_plain = value.strip() and not _OTHERWISE.fullmatch(value)
        return in_one_line(value, LONGEST_VALUE) if is_plain else json.dumps(value)
    if isinstance(value, dict | list) and value:
        return "{…}" if isinstance(value, dict) else "[…]"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 4 * LONGEST_VALUE:
        return "…"  # Thousands of digits.
    return in_one_line(json.dumps(value), LONGEST_VALUE)


def _kind(reader: SchemaReader, schema: Any, depth: int, steps: list[int]) -> str:
    steps[0] += 1
    if steps[0] > STEPS:
        return ""
    if schema is False:
        return "nothing"
    node = reader.node(schema)
    if node.choices is not None:
        return one_of(node.choices)
    words = [_array(reader, node, depth, steps) if kind == "array" else kind for kind in node.kinds]
    if depth and (not words or len(node.alternatives) > 1):
        kinds = [_kind(reader, alternative, depth - 1, steps) for alternative in node.alternatives[:CHOICES]]
        if all(kinds) and kinds:
            more = ["…"] if len(node.alternatives) > CHOICES else []
            return _either([*kinds, *more])
    return _either(words)


def _array(reader: SchemaReader, node: Node, depth: int, steps: list[int]) -> str:
    several = depth and isinstance(node.items, dict) and not node.prefix
    items = _kind(reader, node.items, depth - 1, steps) if several else ""
    return f"array of {items}" if items else "array"


def one_of(choices: Iterable[Any]) -> str:
    """Describe a value that must be one of a few."""
    first, *rest = [value_words(choice) for _, choice in zip(range(CHOICES + 1), choices, strict=False)]
    more = " | …" if len(rest) == CHOICES else ""
    return f"one of {' | '.join([first, *rest][:CHOICES])}{more}"


def _limits(node: Node) -> Iterator[str]:
    limits = node.limits
    least, most = limits.get("minimum"), limits.get("maximum")
    above, below = limits.get("exclusiveMinimum"), limits.get("exclusiveMaximum")
    if least is not None and most is not None and above is None and below is None:
        yield f"{value_words(least)} … {value_words(most)}"
    else:
        bounds = (("at least", least), ("more than", above), ("at most", most), ("less than", below))
        yield from (f"{word} {value_words(bound)}" for word, bound in bounds if bound is not None)
    if "multipleOf" in limits and limits["multipleOf"] != 1:
        yield f"a multiple of {value_words(limits['multipleOf'])}"
    if "format" in limits:
        yield in_one_line(limits["format"], LONGEST_VALUE)
    for low, high, one, several in _SUMS:
        if words := _sum(limits.get(low, 0), limits.get(high)):
            yield f"{words} {one if words.split()[-1] == '1' else several}"
    if "pattern" in limits:
        yield f"matches {in_one_line(limits['pattern'], LONGEST_VALUE)}"
    if limits.get("uniqueItems"):
        yield "no duplicates"


def _sum(low: int, high: int | None) -> str:
    if high is None:
        return f"at least {value_words(low)}" if low else ""
    if not low:
        return f"at most {value_words(high)}"
    return value_words(low) if low == high else f"{value_words(low)} … {value_words(high)}"


def _either(words: Iterable[str]) -> str:
    """Join descriptions of alternatives, each once."""
    unique = dict.fromkeys(part for word in words for part in word.split(" or ") if part)
    return " or ".join(sorted(unique, key="…".__eq__))


def step_words(path: Iterable[str | int]) -> Iterator[str]:
    """Yield the steps of a path: ``.kind``, ``[2]``."""
    return (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def in_one_line(text: str, limit: int) -> str:
    """Return one line of at most so many characters."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
