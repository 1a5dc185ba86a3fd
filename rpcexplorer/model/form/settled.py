"""What may stand at one place, once it is settled which of its alternatives is meant; and whether a value fits.

A schema may be of any shape and refer to itself: each look at one goes so far and no further.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.model.schema.kinds import UNSURE, is_kind, kind_of_value
from rpcexplorer.model.schema.node import Node, SchemaReader
from rpcexplorer.model.schema.values.fitting import is_one_of
from rpcexplorer.model.templates.references import REFERENCE

LEVELS: Final = 4
"""Alternatives inside of alternatives that are settled."""
MOST: Final = 50
"""Alternatives of one place that can be chosen."""
LOOKS: Final = 1_000
"""Places that are looked at to find out which of them one value fits."""
LOOKED_INTO: Final = 3
"""Levels of it."""


class Settled(Struct, frozen=True):
    """A place with one of its alternatives chosen."""

    node: Node
    """All that holds there; null is no kind of it, and no choice."""
    nullable: bool = False
    alternatives: tuple[Any, ...] = ()
    """Two or more schemas, where there is something to choose."""
    chosen: int = -1
    """Which of them; -1 where none fits what stands there."""
    is_sure: bool = True
    """Whether its kinds mean the same everywhere; else a value of another one may be right."""

    @property
    def alternative(self) -> Any:
        """The schema that was chosen; None where there is nothing to choose, or none fits."""
        return self.alternatives[self.chosen] if self.alternatives and self.chosen >= 0 else None


def settled(reader: SchemaReader, schema: Any, value: Any = UNSET, chosen: int | None = None) -> Settled:
    """What may stand at a place; where nobody has ``chosen``, by the first alternative that fits the value.

    Without a value the first will do.
    """
    node, sure = reader.node(schema), is_sure(reader, schema)
    nullable = not node.kinds and node.choices is None and not node.alternatives
    alternatives: tuple[Any, ...] = ()
    at = -1
    for _ in range(LEVELS):
        nullable = nullable or _has_null(node)
        first = node.alternatives[:MOST]
        options = [each for each in first if not _is_null(reader.node(each))]
        nullable = nullable or len(options) < len(first)
        if not any(_tells(reader.node(each)) for each in options):
            break
        if (choices := _constants(reader, options)) is not None:
            node = replace(node, choices=choices, alternatives=())
            break
        pick = 0
        if len(options) > 1:
            own = chosen if not alternatives and chosen is not None and chosen < len(options) else None
            pick = own if own is not None else _first_meant(reader, options, value)
            alternatives, at = (alternatives, at) if alternatives else (tuple(options), pick)
        if pick < 0:
            break
        node, sure = _together(node, reader.node(options[pick])), sure and is_sure(reader, options[pick])
    kinds = tuple(kind for kind in node.kinds if kind != "null")
    values = node.choices if node.choices is None else tuple(each for each in node.choices if each is not None)
    return Settled(replace(node, kinds=kinds, choices=values, alternatives=()), nullable, alternatives, at, sure)


def is_sure(reader: SchemaReader, schema: Any) -> bool:
    """Whether no type is named that is one kind here and another there."""
    words = (part.get("type") for part in reader.parts(schema))
    each_word = (word for said in words for word in (said if isinstance(said, list) else (said,)))
    return not any(isinstance(word, str) and word.lower() in UNSURE for word in each_word)


def is_reference(value: Any) -> bool:
    """A text that is nothing but ``{{…}}``: what it will be is not known yet."""
    return isinstance(value, str) and (found := REFERENCE.fullmatch(value)) is not None and bool(found["inside"])


def _is_meant(reader: SchemaReader, schema: Any, value: Any, levels: int, looks: list[int]) -> bool:
    """Whether a value could be meant by a schema, by kind, choices and members.

    Neither limits nor what is deep inside are looked at: what is too long for an alternative is still meant as one.
    Whether it is right there as well, ``Fitting`` says.
    """
    looks[0] -= 1
    if schema is False:
        return False
    node = reader.node(schema)
    if looks[0] < 0 or is_reference(value):
        return True
    if node.choices is not None and not is_one_of(value, node.choices):
        return False
    if node.kinds and not is_kind(kind_of_value(value), node.kinds) and is_sure(reader, schema):
        return False
    if not levels:
        return True
    if isinstance(value, dict):
        if not node.required <= value.keys():
            return False
        inside = [(node.member(name), each) for name, each in value.items()]
    else:
        inside = [(node.element(at), each) for at, each in enumerate(value)] if isinstance(value, list) else []
    if not all(_is_meant(reader, each, within, levels - 1, looks) for each, within in inside[:LOOKS]):
        return False
    return not node.alternatives or any(
        _is_meant(reader, each, value, levels - 1, looks) for each in node.alternatives[:MOST]
    )


def _first_meant(reader: SchemaReader, options: Sequence[Any], value: Any) -> int:
    if value is UNSET or value is None:
        return 0
    looks = [LOOKS]
    return next((at for at, each in enumerate(options) if _is_meant(reader, each, value, LOOKED_INTO, looks)), -1)


def _is_null(node: Node) -> bool:
    return node.kinds == ("null",) or node.choices == (None,)


def _has_null(node: Node) -> bool:
    return "null" in node.kinds or (node.choices is not None and None in node.choices)


def _tells(node: Node) -> bool:
    """Whether an alternative says what may stand there, and not only which members go together."""
    return bool(node.kinds or node.properties or node.choices is not None or node.alternatives or node.title)


def _constants(reader: SchemaReader, options: Sequence[Any]) -> tuple[Any, ...] | None:
    """The values of alternatives that are nothing but values."""
    nodes = [reader.node(each) for each in options]
    if any(node.choices is None or node.properties for node in nodes):
        return None
    return tuple(value for node in nodes for value in node.choices or ())


def _together(node: Node, other: Node) -> Node:
    """A place and the alternative that is meant there, whose own words come first where only one can be said."""
    return Node(
        kinds=other.kinds or node.kinds,
        title=other.title or node.title,
        doc=node.doc or other.doc,
        choices=node.choices if other.choices is None else other.choices,
        default=other.default if node.default is UNSET else node.default,
        examples=other.examples or node.examples,
        properties={**node.properties, **other.properties},
        required=node.required | other.required,
        additional=False if node.additional is False or other.additional is False else other.additional,
        prefix=other.prefix or node.prefix,
        items=node.items if other.items is True else other.items,
        alternatives=other.alternatives,
        limits={**node.limits, **other.limits},
        deprecated=node.deprecated or other.deprecated,
        read_only=node.read_only or other.read_only,
    )
