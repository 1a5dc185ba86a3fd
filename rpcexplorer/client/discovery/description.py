"""A service description: of the JSON-RPC 1.1 draft (``system.describe``), or flask-jsonrpc's (``rpc.describe``).

Procedures or methods, in a list or by name, each with its params and what it returns. Total, as openrpc.py is.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.described import DescribedReader, own_schema
from rpcexplorer.client.discovery.limits import KIND, first_line_of, kind_of, line_of, text_of
from rpcexplorer.client.discovery.questions import EMPTY, Question, told_at_once
from rpcexplorer.client.discovery.schemas import Schemas
from rpcexplorer.model.method import Method, Parameter
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.schema.node import KINDS

DEEPEST = 32
"""Levels of properties inside properties."""
STANDARD = frozenset(KINDS.values())
LIMITS = {"multiple_of": "multipleOf", "min_length": "minLength", "max_length": "maxLength"}
"""Limits as Python spells them, which flask-jsonrpc does, and as JSON Schema does."""
WITHOUT_WORD = frozenset(("allow_inf_nan", "max_digits", "decimal_places"))
"""Limits of Python's that JSON Schema has no word for."""


def read_service(value: Any, dialect: str) -> Listing:
    if not value:
        return Listing(refusal=EMPTY)
    entries = value.get("procs", value.get("methods")) if isinstance(value, dict) else None
    if not isinstance(entries, dict | list):
        return Listing(refusal="answered, but not with a service description, which has procs or methods")
    schemas, collected = Schemas(value), Collected()
    reader = DescribedReader(value, dialect, own=in_json_schema, unsaid=None)
    for own_name, entry in entries.items() if isinstance(entries, dict) else ((None, entry) for entry in entries):
        described = entry if isinstance(entry, dict) else {"name": entry if own_name is None else own_name}
        if name := collected.room_for(described.get("name") or own_name):
            collected.take(_method(name, described, dialect, schemas, collected), reader.method(described))
    return collected.listing(_about(value), *reader.left_out())


system_describe = told_at_once(Question("system.describe"), partial(read_service, dialect="system.describe"))
rpc_describe = told_at_once(Question("rpc.describe"), partial(read_service, dialect="rpc.describe"))


def in_json_schema(entry: dict[str, Any]) -> Any:
    """The schema of a param whose types and limits are spelled in words of the description's own."""
    return own_schema(_reworded(entry, 0))


def _reworded(entry: Any, depth: int) -> dict[str, Any]:
    if not isinstance(entry, dict) or depth > DEEPEST:
        return {}
    said = {key: value for key, value in entry.items() if value is not None and key not in WITHOUT_WORD}
    schema: dict[str, Any] = {LIMITS.get(key, key): value for key, value in said.items()}
    word = kind_of(schema.get("type"))
    if word in STANDARD:
        schema["type"] = word
    else:
        schema.pop("type", None)  # ``any``, or the name of a class
    members = schema.get("properties")
    if isinstance(members, dict):
        schema["properties"] = {name: _member(member, depth + 1) for name, member in members.items()}
    return schema


def _member(entry: Any, depth: int) -> dict[str, Any]:
    """A property, which says inside whether it is required, and its name once more."""
    return {key: value for key, value in _reworded(entry, depth).items() if key not in {"name", "summary"}}


def _about(value: dict[str, Any]) -> str:
    title = f"{line_of(value.get('name'), KIND)} {line_of(value.get('version'), 20)}".strip()
    return f'"{title}"' if title else ""


def _method(name: str, entry: dict[str, Any], dialect: str, schemas: Schemas, collected: Collected) -> Method:
    told = entry.get("description", entry.get("help"))
    doc, details, params = line_of(entry.get("summary")) or first_line_of(told), text_of(told), entry.get("params")
    return Method(
        name,
        doc,
        safe=True if entry.get("idempotent") is True else None,
        source="discovered",
        parameters=tuple(_parameter(param, schemas) for param in params)
        if isinstance(params, list) and collected.parameters_fit(params)
        else (),
        details="" if details.rstrip(".") == doc.rstrip(".") else details,
        result=_kind(entry.get("returns", entry.get("return")), schemas),
        deprecated=entry.get("deprecated") is True,
        dialect=dialect,
    )


def _parameter(param: Any, schemas: Schemas) -> Parameter:
    """A param is a name alone, or an object that is its own schema."""
    described = param if isinstance(param, dict) else {"name": param}
    return schemas.parameter(described.get("name"), described, required=described.get("required"))


def _kind(returns: Any, schemas: Schemas) -> str:
    return schemas.kind(returns) if isinstance(returns, dict) else kind_of(returns)
