"""Drafts of calls, notifications and batches, and their problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.params import Params, Typo, parse
from rpcexplorer.jsontext.scan import Span, decoded, elements, members, repeated_name
from rpcexplorer.model.exchange import CallKind, Exchange, Refused
from rpcexplorer.rpc.messages import Call, EnvelopeForm

MARK = "\ufeff"
"""A byte order mark, with which some files begin."""
EMPTY_PARAMS = frozenset({"", "[]", "{}"})
NAMELESS: Final = "Not sent: the call has no method. Name one, such as ping."
"""Why a draft without a method is not sent."""
NO_BATCH: Final = "Not sent: the Transmission format has no batches. Send the calls one by one."
BY_NAME: Final = (
    "Not sent: the Transmission format needs params by name. The server ignores an array, and some methods "
    'then act on everything. Write an object, such as {"ids": [1]}.'
)
EXAMPLE: Final = '{"method": "ping", "params": []}'
KEPT: Final = 2
LONGEST: Final = 16 * 1024 * 1024
T = TypeVar("T")


class Draft(Struct, frozen=True):
    """A method and the text of its params, as typed."""

    method: str
    text: str = ""
    """Empty means ``[]``."""
    notification: bool = False
    typed: str | None = None
    """The text of the editor, if ``text`` has the values of its variables."""
    sources: tuple[str, ...] = ()
    """Texts that the params may come from, and that the user did not type for this call: a saved or recorded call."""
    given: Mapping[str, str] | None = None
    """Values for its variables, if it is sent only once all of them, and those of opening calls, have one."""

    def read(self) -> Params | Typo:
        """Parse the text, or return its first problem."""
        return _params_of(self.text)


class Batch(Struct, frozen=True):
    """A JSON array of objects with ``method`` and ``params``, as typed."""

    text: str
    typed: str | None = None
    given: Mapping[str, str] | None = None
    """As in `Draft`."""

    def read(self) -> Params | Typo:
        """Parse the text, or return its first problem."""
        return _params_of(self.text)


class _Row(Struct, frozen=True):
    call: Call
    has_id: bool
    """The text says whether there is an id; False: its place decides."""

    def under(self, id: str) -> Call:
        return self.call if self.has_id else replace(self.call, id=id)


def judged(text: str) -> tuple[Params | Typo, str]:
    """Parse params; return them or the problem, and a warning."""
    read = _params_of(text)
    if isinstance(read, Typo):
        return read, ""
    name = repeated_name(read.text)
    if name is None:
        return read, ""
    return read, f"“{name}” appears twice in one object and is sent as typed"


def kind_of(draft: Draft | Batch) -> CallKind:
    if isinstance(draft, Batch):
        return "batch"
    return "notification" if draft.notification else "call"


def draft_of(exchange: Exchange) -> Draft | Batch:
    """Return the draft of an exchange, to be resolved again."""
    if exchange.kind == "batch":
        return Batch(exchange.params)
    sources = tuple(filter(None, (exchange.params, exchange.params_sent)))
    return Draft(exchange.method, exchange.params, exchange.kind == "notification", sources=sources)


def sent_draft(exchange: Exchange) -> Draft | Batch:
    """Return the draft as it was sent, not to be resolved again."""
    sent = exchange.params if exchange.params_sent is None else exchange.params_sent
    draft = replace(draft_of(exchange), text=sent)
    if "{{" in exchange.params or "{{" in sent:
        draft = replace(draft, typed=exchange.params)
    return draft


def calls_of(draft: Draft | Batch, id: str, envelope: EnvelopeForm = "2.0") -> tuple[Call, ...] | Refused:
    """Return the calls for this JSON-RPC version, or why none is sent."""
    calls = to_calls(draft, id)
    if isinstance(calls, Typo):
        name = "params" if isinstance(draft, Draft) else "batch"
        return Refused("params", f"The {name} cannot be sent: {calls}")
    if envelope == "transmission" and isinstance(draft, Batch):
        return Refused("params", NO_BATCH)
    if envelope == "transmission" and any(call.params != "[]" and call.params.lstrip()[:1] == "[" for call in calls):
        return Refused("params", BY_NAME)
    if isinstance(draft, Draft) and not draft.method.strip():
        return Refused("params", NAMELESS)
    return calls


def to_calls(draft: Draft | Batch, id: str) -> tuple[Call, ...] | Typo:
    """Turn a draft into its calls, or return the problem of its text.

    A call of a batch without an id gets the batch's id with a number; ``"id": null`` makes it a notification.
    """
    if isinstance(draft, Batch):
        rows = _rows_of(draft.text)
        if isinstance(rows, Typo):
            return rows
        return tuple(row.under(f"{id}.{number}") for number, row in enumerate(rows, start=1))
    read = draft.read()
    if isinstance(read, Typo):
        return read
    return (Call(draft.method, read.text, None if draft.notification else id),)


def methods_of(draft: Draft | Batch) -> tuple[str, ...]:
    calls = to_calls(draft, "")
    if isinstance(calls, Typo):
        return ()
    return tuple(call.method for call in calls)


def as_called(exchange: Exchange) -> Exchange:
    """Return a recorded batch with the methods in its text as its name."""
    if exchange.kind != "batch":
        return exchange
    names = ", ".join(methods_of(sent_draft(exchange)))
    return replace(exchange, method=names or exchange.method)


def _kept_by_text(read: Callable[[str], T]) -> Callable[[str], T]:
    kept = lru_cache(KEPT)(read)
    return lambda text: kept(text) if len(text) <= LONGEST else read(text)


@_kept_by_text
def _params_of(text: str) -> Params | Typo:
    return parse(text)


@_kept_by_text
def _rows_of(text: str) -> tuple[_Row, ...] | Typo:
    read = _params_of(text)
    if isinstance(read, Typo):
        return read
    spans = elements(text, int(text.startswith(MARK)))
    if read.text.strip() == "[]":
        return _problem(text, (0, len(text)), "the batch is empty", f"write at least one call: [{EXAMPLE}]")
    if not spans:
        return _problem(text, (0, len(text)), "a batch must be an array of calls", f"write [{EXAMPLE}]")
    rows = []
    for span in spans:
        row = _row(text, span)
        if isinstance(row, Typo):
            return row
        rows.append(row)
    return tuple(rows)


def _row(text: str, span: Span) -> _Row | Typo:
    found = members(text[slice(*span)])
    if found is None:
        return _problem(text, span, "each call of a batch must be an object", f"write {EXAMPLE}")
    parts = {member.name: text[span[0] + member.value[0] : span[0] + member.value[1]] for member in found}
    if unknown := sorted(parts.keys() - {"jsonrpc", "id", "method", "params"}):
        return _problem(text, span, f"“{unknown[0]}” is not a member of a call", "remove it")
    if not parts.get("method", "").startswith('"'):
        return _problem(text, span, "a call needs a method", 'add "method": "ping"')
    if not decoded(parts["method"]).strip():
        return _problem(text, span, "the method of this call is empty", 'write a name, such as "ping"')
    params = parse(parts.get("params", "[]"))
    if isinstance(params, Typo):
        return _problem(text, span, params.what, params.instead)
    call, id = Call(decoded(parts["method"]), params.text), parts.get("id", "null")
    if id.removeprefix("-").isdecimal():
        call = replace(call, id=id, has_number=True)
    elif id.startswith('"'):
        call = replace(call, id=decoded(id))
    elif id != "null":
        return _problem(text, span, "an id must be a string or a whole number", 'write "id": "1", or remove it')
    return _Row(call, has_id="id" in parts)


def _problem(text: str, span: Span, what: str, instead: str) -> Typo:
    line = text.count("\n", 0, span[0]) + 1
    column = span[0] - (text.rfind("\n", 0, span[0]) + 1) + 1
    return Typo(line, column, span[0], span[1], what, instead, None)
