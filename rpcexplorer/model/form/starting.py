"""What is put where nothing stood: a value that a schema names, or the plainest of its kind, as JSON text.

A service has written the schema. What looks like a reference or a placeholder in its words stays letters.
"""

from __future__ import annotations

import json
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.form.settled import settled
from rpcexplorer.model.schema.node import SchemaReader
from rpcexplorer.model.secrets.placeholders import defused
from rpcexplorer.model.templates.references import OPENING

LEVELS: Final = 4
"""Objects inside of objects that are filled in."""
MEMBERS: Final = 50
LONGEST: Final = 4_000
"""Characters of a value that is put in by itself."""
PLAIN: Final = {"string": "", "boolean": False, "array": [], "object": {}}


def starting_text(reader: SchemaReader, schema: Any, chosen: int | None = None) -> str:
    """A default, an example, a choice, else the plainest value; of an object what is required in it."""
    text = spelled_value(_value(reader, schema, LEVELS, chosen))
    return text if len(text) <= LONGEST else "null"


def spelled_value(value: Any) -> str:
    """A value out of a schema as JSON text, in which nothing is looked up."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:  # half a character
        text = json.dumps(value)
    except RecursionError:
        return "null"
    if OPENING in text:
        from rpcexplorer.model.templates.escaping import escaped

        text = escaped(Draft("", f"[{text}]")).text[1:-1]
    return defused(text)


def _value(reader: SchemaReader, schema: Any, levels: int, chosen: int | None = None) -> Any:
    place = settled(reader, schema, chosen=chosen)
    node = place.node
    for value in (node.default, *node.examples[:1], *(node.choices or ())[:1]):
        if value is not UNSET and value is not None:
            return value
    kind = next(iter(node.kinds), "")
    if kind == "object" and levels:
        names = [name for name in node.properties if name in node.required][:MEMBERS]
        return {name: _value(reader, node.properties[name], levels - 1) for name in names}
    if kind in {"integer", "number"}:
        least = node.limits.get("minimum")
        return least if isinstance(least, int | float) and least > 0 else 0
    return PLAIN.get(kind)
