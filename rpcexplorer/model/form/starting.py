"""What is put where nothing stood: the plainest value that is right there, as JSON text.

A service has written the schema. What looks like a reference or a placeholder in its words stays letters.
"""

from __future__ import annotations

from typing import Any, Final

from rpcexplorer.model.form.settled import MOST
from rpcexplorer.model.schema.node import Node, SchemaReader
from rpcexplorer.model.schema.starting import starting_value
from rpcexplorer.model.schema.values.plain import PLAIN
from rpcexplorer.model.templates.inert import inert_value

LONGEST: Final = 4_000
"""Characters of a value that is put in by itself."""
LEADING: Final = frozenset({"oneOf", "anyOf", "allOf", "$ref", "$dynamicRef", "$recursiveRef", "extends"})
"""Keywords that lead to further schemas for the same place."""


def starting_text(reader: SchemaReader, schema: Any, alternative: Any = None) -> str:
    """What a place begins with; where one of its alternatives is meant, with what is right for that."""
    several = reader.node(schema).alternatives
    if alternative is None and len(several) > MOST:  # to find the plainest of them would take long
        alternative = several[0]
    if alternative is not None:
        rest = [{key: part[key] for key in part.keys() - LEADING} for part in reader.parts(schema)]
        schema = {"allOf": [alternative, *rest]}
    text = inert_value(starting_value(reader, schema).value)
    return text if len(text) <= LONGEST else "null"


def plain_text(node: Node) -> str:
    """The plainest value of a kind; null where any kind will do."""
    choices = [each for each in node.choices or () if each is not None]
    return inert_value(choices[0]) if choices else PLAIN.get(next(iter(node.kinds), ""), "null")
