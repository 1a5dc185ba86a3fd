"""A draft: what stands in the editor, perhaps wrong; and the calls it becomes when it is right."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from rpcexplorer.jsontext.repeated import repeated_name
from rpcexplorer.jsontext.scan import Span, decoded, elements, members
from rpcexplorer.jsontext.typed.params import Params, Problem, parse
from rpcexplorer.model.exchange import Kind
from rpcexplorer.protocol.messages import Call, spelled

__all__ = ["Batch", "Draft", "Params", "Problem", "judged", "kind_of", "spelled", "to_calls"]

MARK = "\ufeff"
"""A byte order mark: files from elsewhere begin with it."""
NAMELESS: Final = "No method is named, and nothing was sent. Name the one to call, such as ping."
"""Why a draft without a method goes nowhere: no server has a method without a name."""


class Draft(Struct, frozen=True):
    """A method and params *text*, as a person typed them."""

    method: str
    text: str = ""
    """Nothing typed means ``[]``."""
    notification: bool = False

    @property
    def is_nameless(self) -> bool:
        """Whether there is no method to call: nothing, or nothing but blanks."""
        return not self.method.strip()

    def read(self) -> Params | Problem:
        """What the text is, or the first thing wrong with it."""
        return parse(self.text)


class Batch(Struct, frozen=True):
    """The text of several calls for one body: a JSON array of objects with ``method`` and ``params``."""

    text: str

    def read(self) -> Params | Problem:
        """What the text is, or the first thing wrong with it."""
        return parse(self.text)


def judged(text: str) -> tuple[Params | Problem, str]:
    """What a text of params is, or what is wrong with it; and what is odd about one that can be sent, in words."""
    read = parse(text)
    name = None if isinstance(read, Problem) else repeated_name(read.text)
    return read, "" if name is None else f"\u201c{name}\u201d twice in one object: sent as typed"


def kind_of(draft: Draft | Batch) -> Kind:
    """What sending it will be."""
    if isinstance(draft, Batch):
        return "batch"
    return "notification" if draft.notification else "call"


def to_calls(draft: Draft | Batch, id: str) -> tuple[Call, ...] | Problem:
    """Turn a draft into its call, or a batch into its calls; or say what is wrong with the text."""
    if isinstance(draft, Batch):
        return _batch(draft.text, id)
    read = draft.read()
    if isinstance(read, Problem):
        return read
    return (Call(draft.method, read.text, None if draft.notification else id),)


def _batch(text: str, id: str) -> tuple[Call, ...] | Problem:
    """The calls of a batch. One without an id gets the batch's with its number; ``"id": null`` is a notification."""
    read = parse(text)
    if isinstance(read, Problem):
        return read
    start = int(text.startswith(MARK))
    spans = elements(text, start) if read.kind == "array" else None
    if not spans:
        return _problem(text, (0, len(text)), "a batch is an array of calls", '[{"method": "ping", "params": []}]')
    calls = []
    for number, span in enumerate(spans, start=1):
        call = _call(text, span, f"{id}.{number}")
        if isinstance(call, Problem):
            return call
        calls.append(call)
    return tuple(calls)


def _call(text: str, span: Span, id: str) -> Call | Problem:
    found = members(text[slice(*span)])
    if found is None:
        return _problem(text, span, "each call of a batch is an object", '{"method": "ping", "params": []}')
    parts = {member.name: text[span[0] + member.value[0] : span[0] + member.value[1]] for member in found}
    if unknown := sorted(parts.keys() - {"jsonrpc", "id", "method", "params"}):
        return _problem(text, span, f"{unknown[0]} is no member of a call", '"method", "params" and perhaps "id"')
    if not parts.get("method", "").startswith('"'):
        return _problem(text, span, "a call needs a method", '"method": "ping" into it')
    if not decoded(parts["method"]).strip():
        return _problem(text, span, "the method of this call has no name", '"method": "ping" into it')
    params = parse(parts.get("params", "[]"))
    if isinstance(params, Problem):
        return _problem(text, span, params.what, params.instead)
    own = parts.get("id")
    if own is not None and own != "null" and not own.startswith('"'):
        return _problem(text, span, "an id is a string", f'"id": "{own}", or leave it out')
    name = id if own is None else None if own == "null" else decoded(own)
    return Call(decoded(parts["method"]), params.text, name)


def _problem(text: str, span: Span, what: str, instead: str) -> Problem:
    line = text.count("\n", 0, span[0]) + 1
    column = span[0] - (text.rfind("\n", 0, span[0]) + 1) + 1
    return Problem(line, column, span[0], span[1], what, f"write {instead}", None)
