"""An OpenRPC document as methods. Total: whatever the value is, a listing comes out, and it is bounded.

References are followed inside the document only. What cannot be used is counted and said, never raised.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.described import DescribedReader
from rpcexplorer.client.discovery.limits import KIND, example_of, first_line_of, line_of, name_of, text_of
from rpcexplorer.client.discovery.questions import EMPTY, Question, told_at_once
from rpcexplorer.client.discovery.schemas import CHOICES, NOTHING, Schemas, first_example
from rpcexplorer.model.method import By, Method, Parameter
from rpcexplorer.model.methods.listing import Listing

DIALECT = "rpc.discover"
EVENTS = "x-notifications"
"""Where a document has what the server sends of itself; OpenRPC has no place for it."""
_STRUCTURES: dict[Any, By] = {"by-name": "name", "by-position": "position"}
_AUTHS: dict[Any, str] = {kind: kind for kind in KINDS}


def read_openrpc(value: Any, dialect: str = DIALECT) -> Listing:
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not isinstance(value.get("methods"), dict | list):
        return Listing(refusal="answered, but not with an OpenRPC document, which has a list of methods")
    schemas, collected = Schemas(value), Collected()
    reader = DescribedReader(value, dialect)
    for own_name, entry in _named_entries(value["methods"]):
        described = schemas.follow(entry)
        if name := collected.room_for(described.get("name") or own_name):
            collected.take(_method(name, described, dialect, schemas, collected), reader.method(described))
    if any(" " in param.name for method in collected.methods.values() for param in method.parameters):
        collected.methods = {name: _by_position(method) for name, method in collected.methods.items()}
    for own_name, entry in _named_entries(_listed(value.get(EVENTS))):
        described = schemas.follow(entry)
        if name := collected.room_for_event(described.get("name") or own_name):
            collected.take_event(_method(name, described, dialect, schemas, collected), reader.method(described))
    return collected.listing(_about(schemas, value), *reader.left_out())


openrpc = told_at_once(Question(DIALECT), read_openrpc)


def _by_position(method: Method) -> Method:
    """Where a document calls params ``Hydrated transactions``, those are titles: no server knows them by name."""
    return method if method.by else replace(method, by="position")


def _about(schemas: Schemas, value: dict[str, Any]) -> str:
    version, info = line_of(value.get("openrpc"), 20), schemas.follow(value.get("info"))
    title = f"{line_of(info.get('title'), KIND)} {line_of(info.get('version'), 20)}".strip()
    return f"OpenRPC {version}".strip() + (f', "{title}"' if title else "")


def _listed(value: Any) -> Any:
    return value if isinstance(value, dict | list) else ()


def _named_entries(entries: Any) -> Iterable[tuple[Any, Any]]:
    """Name and entry, of a list as it should be or of an object by name. None where the entry has its own name."""
    return entries.items() if isinstance(entries, dict) else ((None, entry) for entry in entries)


def _method(name: str, entry: dict[str, Any], dialect: str, schemas: Schemas, collected: Collected) -> Method:
    doc = line_of(entry.get("summary")) or first_line_of(entry.get("description"))
    details = text_of(entry.get("description"))
    safe = entry.get("x-safe")
    return Method(
        name,
        doc,
        auth=_one_of(_AUTHS, entry.get("x-auth")),
        safe=safe if isinstance(safe, bool) else None,
        source="discovered",
        parameters=_parameters(entry, schemas, collected),
        by=_one_of(_STRUCTURES, entry.get("paramStructure")),
        details="" if details.rstrip(".") == doc.rstrip(".") else details,
        result=schemas.kind(schemas.follow(entry.get("result")).get("schema")),
        deprecated=entry.get("deprecated") is True,
        dialect=dialect,
    )


def _parameters(entry: dict[str, Any], schemas: Schemas, collected: Collected) -> tuple[Parameter, ...]:
    params = entry.get("params")
    if not isinstance(params, dict | list) or not params or not collected.parameters_fit(params):
        return ()
    examples = _examples(entry, schemas)
    return tuple(_parameter(name, param, schemas, examples) for name, param in _named_entries(params))


def _parameter(own_name: Any, param: Any, schemas: Schemas, examples: dict[str, Any]) -> Parameter:
    described = schemas.follow(param)
    name = name_of(described.get("name") if own_name is None else own_name)
    said = described.get("schema", described)
    schema, here = schemas.follow(said), said if isinstance(said, dict) else NOTHING
    required = described.get("required", False if own_name is None else None)
    return Parameter(
        name,
        required if isinstance(required, bool) else None,
        schemas.kind(schema),
        line_of(described.get("summary")) or first_line_of(described.get("description", schema.get("description"))),
        example_of(here.get("default", schema.get("default"))),
        examples.get(name, example_of(first_example(schema))),
    )


def _examples(entry: dict[str, Any], schemas: Schemas) -> dict[str, Any]:
    """The values of the method's first example, by parameter."""
    pairings = entry.get("examples")
    pairing = schemas.follow(pairings[0]) if isinstance(pairings, list) and pairings else NOTHING
    params = pairing.get("params")
    given = [schemas.follow(param) for param in params[:CHOICES]] if isinstance(params, list) else []
    values = {name_of(value.get("name")): example_of(value.get("value")) for value in given}
    return {name: value for name, value in values.items() if name and value is not None}


def _one_of(words: dict[Any, Any], word: Any) -> Any:
    return words.get(word) if isinstance(word, str) else None
