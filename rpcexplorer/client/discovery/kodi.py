"""What Kodi's ``JSONRPC.Introspect`` tells: JSON Schema of its own kind, with types by bare name. Total, as all are.

A parameter is its own schema, with its name and ``required`` inside. What a method needs permission for says whether
it only reads. What Kodi sends of itself, its notifications, is told in the same way.
"""

from __future__ import annotations

from typing import Any

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.described import DescribedReader, own_schema
from rpcexplorer.client.discovery.limits import KIND, first_line_of, kind_of, line_of, text_of
from rpcexplorer.client.discovery.questions import EMPTY, Question, told_at_once
from rpcexplorer.client.discovery.schemas import NOTHING, Schemas
from rpcexplorer.model.method import Method, Parameter
from rpcexplorer.model.methods.listing import Listing

DIALECT = "JSONRPC.Introspect"
READING = "ReadData"
"""The permission of what changes nothing."""


def read_introspection(value: Any, dialect: str = DIALECT) -> Listing:
    if not value:
        return Listing(refusal=EMPTY)
    methods = value.get("methods") if isinstance(value, dict) else None
    if not isinstance(methods, dict):
        return Listing(refusal="answered, but not with methods by name, as Kodi does")
    types, sent = value.get("types"), value.get("notifications")
    schemas, collected = Schemas(value, types), Collected()
    reader = DescribedReader(value, dialect, types=types, own=own_schema)
    for name, entry in methods.items():
        if room := collected.room_for(name):
            told = entry if isinstance(entry, dict) else NOTHING
            collected.take(_method(room, told, dialect, schemas, collected), reader.method(told))
    for name, entry in sent.items() if isinstance(sent, dict) else ():
        if room := collected.room_for_event(name):
            told = entry if isinstance(entry, dict) else NOTHING
            collected.take_event(_method(room, told, dialect, schemas, collected), reader.method(told))
    return collected.listing(_about(value), *reader.left_out())


introspect = told_at_once(Question(DIALECT, "[true,true]"), read_introspection)
"""With descriptions and permissions. An array, as servers that are none of Kodi's may refuse an object unread."""


def _about(value: dict[str, Any]) -> str:
    title, version = line_of(value.get("description"), KIND), line_of(value.get("version"), 20)
    return " ".join(filter(None, [f'"{title}"' if title else "", version]))


def _method(name: str, entry: dict[str, Any], dialect: str, schemas: Schemas, collected: Collected) -> Method:
    doc, details = first_line_of(entry.get("description")), text_of(entry.get("description"))
    params, permission = entry.get("params"), entry.get("permission")
    return Method(
        name,
        doc,
        safe=permission == READING if isinstance(permission, str) else None,
        source="discovered",
        parameters=tuple(_parameter(param, schemas) for param in params)
        if isinstance(params, list) and collected.parameters_fit(params)
        else (),
        details="" if details == doc else details,
        result=_result(entry.get("returns"), schemas),
        dialect=dialect,
    )


def _parameter(param: Any, schemas: Schemas) -> Parameter:
    described = param if isinstance(param, dict) else {}
    return schemas.parameter(described.get("name"), param, required=described.get("required", False))


def _result(returns: Any, schemas: Schemas) -> str:
    return schemas.kind(returns) if isinstance(returns, dict) else kind_of(returns)
