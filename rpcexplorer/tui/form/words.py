"""What is said of one row of a form, and of what can be chosen there."""

from __future__ import annotations

from typing import Any, Final

from rpcexplorer.schema.fit import is_one_of
from rpcexplorer.schema.form import FormField, Settled
from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.schema.words import kind_words, value_words
from rpcexplorer.tui.dialogs.picker import Pick
from rpcexplorer.tui.widgets.sheet import SheetLine

ABSENT, NULL = "absent", "null"
"""Ids of what can be chosen beside values."""
LONGEST_NAME: Final = 80
LONGEST_DOC: Final = 4_000
"""Characters of what a service says that anybody reads here."""
HOW_TO_TYPE: Final[SheetLine] = (
    (" Enter", "bold"), (" takes it   ", "middle"), ("Esc", "bold"), (" leaves what stood there", "middle"),
)  # fmt: skip


def doc_lines(row: FormField | None, reader: SchemaReader) -> list[SheetLine]:
    """Name, what may stand there, whether it must; then what the service says of it."""
    if row is None:
        return []
    known = (
        (", ".join(each for each in (row.kind, row.limits) if each) or "anything") if row.known else "not in the schema"
    )
    words: list[tuple[str, str]] = [(" " + row.name, "bold"), (f"  {known}", "middle")]
    words.append(("  required" if row.required else "", "careful"))
    if row.place.alternatives:
        at = row.place.chosen
        chosen = alternative_words(reader, row.place, at) if at >= 0 else "none"
        words.append((f"  alternative: {chosen} ({len(row.place.alternatives)})", "accent"))
    words += [(f"  {each}", "careful") for each in row.remarks]
    if row.wrong:
        words.append((f"  ! {row.wrong}", "careful"))
    return [words, *([(" ", "text"), (line, "text")] for line in row.doc[:LONGEST_DOC].splitlines() if line.strip())]


def picks(row: FormField, reader: SchemaReader) -> list[Pick]:
    """What can be chosen at a place: alternatives or values, null where it may be, and that nothing stands there."""
    place, found = row.place, list[Pick]()
    if place.alternatives:
        for at, each in enumerate(place.alternatives):
            mark = "here now" if at == place.chosen and row.state == "value" else ""
            found.append(Pick(f"={at}", alternative_words(reader, place, at), kind_words(reader, each), mark))
    else:
        for at, each in enumerate(place.node.choices or ()):
            found.append(Pick(f"={at}", value_words(each), "", "here now" if _is_here(row, each) else ""))
    if place.nullable:
        found.append(Pick(NULL, "null", "", "here now" if row.state == "null" else ""))
    if not row.stays:
        found.append(Pick(ABSENT, "absent", "it is left out", "here now" if row.state == "absent" else ""))
    return found


def alternative_words(reader: SchemaReader, place: Settled, at: int) -> str:
    """What an alternative is called: by itself, by what it refers to, by the values that tell it, by its members."""
    schema = place.alternatives[at]
    node = reader.node(schema)
    if node.title:
        return node.title[:LONGEST_NAME]
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    if isinstance(reference, str):
        return (reference.rpartition("/")[2] or reference)[:LONGEST_NAME]
    for name, each in list(node.properties.items())[:20]:
        choices = reader.node(each).choices
        if choices is not None and len(choices) == 1:
            return f"{name[:LONGEST_NAME]}: {value_words(choices[0])}"
    members = ", ".join(list(node.properties)[:4])[:LONGEST_NAME]
    return f"{kind_words(reader, schema) or 'anything'}{f' of {members}' if members else ''}"


def _is_here(row: FormField, value: Any) -> bool:
    import json

    try:
        return row.state == "value" and is_one_of(json.loads(row.text), [value])
    except (ValueError, RecursionError):
        return False
