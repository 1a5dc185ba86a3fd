"""Methods as ``methods --json`` gives them: all that is known of each, its schemas as the service wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET, Raw, Struct
from msgspec.structs import asdict

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.method import SIGN, Described, Method, Parameter, SavedMethod, method_of
from rpcexplorer.schema.node import SchemaReader, references_in
from rpcexplorer.schema.start import sendable_start, starting_point
from rpcexplorer.schema.words import kind_words
from rpcexplorer.views.json_out import raw_of

NOTHING_SAID = Described()


def rows(explorer: Explorer, methods: Iterable[Method], *, whole: bool = False) -> list[dict[str, Any]]:
    """A row for each; ``whole``: with what its schemas refer to."""
    learned = explorer.catalogues.of(explorer.profile) if explorer.profile else None
    when = learned.when.isoformat(timespec="seconds") if learned else None
    return [_row(explorer, method, when, whole=whole) for method in methods]


def _row(explorer: Explorer, method: Method, when: str | None, *, whole: bool) -> dict[str, Any]:
    """``learned`` is when it was discovered, ``start`` what its params may start from.

    A saved call is named as ``call`` takes it, and ``calls`` says its method.
    """
    profile = explorer.profile
    assert profile is not None
    if isinstance(method, SavedMethod):
        call = explorer.saved_calls()[method.name.removeprefix(SIGN)]
        row = _facts(method, NOTHING_SAID)
        return row | {"doc": call.doc, "start": Raw((call.text or "[]").encode()), "learned": None}
    full = explorer.catalogues.described(profile, method_of(method.name))
    full = auth_of(profile).offered_in_full(method, full) if full else None
    start = bytes(raw_of(starting_point(method, full))).decode()
    start = sendable_start(profile, method_of(method.name), start)
    row = _facts(method, full or NOTHING_SAID) | {"start": Raw(start.encode())}
    if whole:
        row["definitions"] = _definitions(full) if full else {}
    return row | {"learned": when if method.dialect else None}


def _facts(method: Method, full: Described) -> dict[str, Any]:
    return {
        **asdict(method),
        "params": raw_of(method.params),
        "parameters": _parameters(method, full),
        "result": method.result if full.result is UNSET else raw_of(full.result),
        "errors": [_said(error) for error in full.errors],
        "examples": [_said(example) for example in full.examples],
        "tags": full.tags,
    }


def _parameters(method: Method, full: Described) -> list[dict[str, Any]]:
    """As the lines have them, each with its schema: None where the service gave none."""
    reader = SchemaReader(full.definitions)
    lines = method.parameters or tuple(
        Parameter(param.name, param.required, kind_words(reader, param.schema), param.doc.partition("\n")[0])
        for param in full.params
    )
    named = {param.name: param for param in full.params if param.name}
    placed = dict(enumerate(full.params))
    rows = []
    for at, line in enumerate(lines):
        param = named.get(line.name) if line.name else placed.get(at)
        schema = None if param is None or param.schema is True else raw_of(param.schema)
        row = line._asdict() | {"default": raw_of(line.default), "example": raw_of(line.example), "schema": schema}
        rows.append(row | {"deprecated": param is not None and param.deprecated})
    return rows


def _said(struct: Struct) -> dict[str, Any]:
    values = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return {name: raw_of(value) for name, value in values.items() if value is not UNSET}


def _definitions(full: Described) -> Mapping[str, Raw]:
    """What the schemas of the method refer to, by the text of the reference; also through each other."""
    found: dict[str, Raw] = {}
    rest = [*(param.schema for param in full.params), full.result]
    while rest:
        for reference in sorted(references_in(rest.pop())):
            if reference not in found and (schema := full.definitions.get(reference)) is not None:
                found[reference] = raw_of(schema)
                rest.append(schema)
    return found
