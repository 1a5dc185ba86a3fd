"""What is typed at one place of a form, and what of it stands in the text afterwards."""

from __future__ import annotations

from rpcexplorer.jsontext.scan import decoded
from rpcexplorer.jsontext.typed.edits import is_json, string
from rpcexplorer.model.form.field import FormField
from rpcexplorer.model.form.settled import is_reference


def shown(field: FormField, start: str) -> str:
    """What is typed into, of what stands at a place, or would begin there."""
    text = field.text if field.state == "value" else start
    if field.editing == "text":
        return decoded(text) if text.startswith('"') else ""
    return text


def typed_value(field: FormField, typed: str) -> str | None:
    """What was typed as JSON text; None where it is none. What was not changed is spelled as it was."""
    if field.editing == "text":
        is_same = field.state == "value" and decoded(field.text) == typed
        return field.text if is_same else string(typed)
    return typed_json(typed)


def typed_json(typed: str) -> str | None:
    text = typed.strip(" \t\r\n")
    if is_reference(text):
        return string(text)
    return text if is_json(text) else None
