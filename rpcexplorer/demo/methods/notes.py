"""A few notes in memory: something to write, list and lose behind the session cookie."""

from __future__ import annotations

from rpcexplorer.demo.declaration import Call, Method, Param
from rpcexplorer.demo.reply import Outcome, fault, success

LIMIT = 1_000
"""Notes at a time."""
_NOTE = {"type": "object", "properties": {"id": {"type": "integer"}, "text": {"type": "string"}}}


def _add(call: Call) -> Outcome:
    if len(call.notes) >= LIMIT:
        return fault(4009, f"There are {LIMIT} notes already: delete one first.")
    number = max(call.notes, default=0) + 1
    call.notes[number] = call.arguments["text"]
    return success({"id": number, "text": call.notes[number]})


def _list(call: Call) -> Outcome:
    return success([{"id": number, "text": text} for number, text in call.notes.items()])


def _delete(call: Call) -> Outcome:
    number = call.arguments["id"]
    if number not in call.notes:
        there = list(call.notes)
        return fault(4004, f"There is no note {number}.", {"id": number, "there_are": there})
    return success({"id": number, "text": call.notes.pop(number)})


METHODS = (
    Method(
        "demo.notes.add",
        "Keeps a note until the service ends",
        _add,
        params=(Param("text", "What to keep", {"type": "string", "maxLength": 10_000}),),
        result=_NOTE,
        errors=((4009, "too many notes"),),
        auth="cookie",
        safe=False,
    ),
    Method(
        "demo.notes.list",
        "All notes, oldest first",
        _list,
        result={"type": "array", "items": _NOTE},
        auth="cookie",
    ),
    Method(
        "demo.notes.delete",
        "Deletes a note for good",
        _delete,
        "Answers with the note that was deleted. There is no undo.",
        params=(Param("id", "The note's number", {"type": "integer", "minimum": 1, "maximum": 2**53}),),
        result=_NOTE,
        errors=((4004, "no such note"),),
        auth="cookie",
        safe=False,
    ),
)
