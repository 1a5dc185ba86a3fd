"""What is typed at one place of a form, and what of it stands in the text afterwards."""

from __future__ import annotations

from rpcexplorer.jsontext.edit import is_json, string, with_indent, without_indent
from rpcexplorer.jsontext.params import Problem, value_problem
from rpcexplorer.jsontext.scan import decoded
from rpcexplorer.model.form.field import FormField
from rpcexplorer.model.form.settled import is_reference


def shown(field: FormField, start: str, indent: str = "") -> str:
    """What is typed into, of what stands at a place, or would begin there; ``indent`` is that of its line."""
    text = without_indent(field.text, indent) if field.state == "value" else start
    if field.editing == "text":
        return decoded(text) if text.startswith('"') else ""
    return text


def typed_value(field: FormField, typed: str, start: str, indent: str = "") -> str | None:
    """What was typed as JSON text; None where it is none. What was not changed is spelled as it was.

    So is a start: what a service says in it is spelled so that nothing is opened.
    """
    text = field.text if field.state == "value" else ""
    if field.editing == "text":
        there = text or start
        return there if there.startswith('"') and decoded(there) == typed else string(typed)
    value, stood = typed_json(typed), without_indent(text, indent)
    if value is None or value == stood:
        return value and text
    return with_indent(value, indent) if stood != text or "\n" not in text else value


def typed_problem(typed: str) -> Problem | None:
    """Return what keeps a text from being one JSON value; None if it is one."""
    return None if typed_json(typed) is not None else value_problem(typed)


def typed_json(typed: str) -> str | None:
    text = typed.strip(" \t\r\n")
    if is_reference(text):
        return string(text)
    return text if is_json(text) else None
