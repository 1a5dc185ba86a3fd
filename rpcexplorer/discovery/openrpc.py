"""OpenRPC documents, read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import EMPTY, Question, told_at_once
from rpcexplorer.discovery.reader import (
    CHOICES,
    KIND,
    NOTHING,
    Collected,
    DescribedReader,
    Schemas,
    example_of,
    first_example,
    first_line_of,
    key_of_event,
    line_of,
    name_of,
    text_of,
)
from rpcexplorer.model.method import By, Described, DescribedParam, Method, Parameter, described_by
from rpcexplorer.model.problem import UserError

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


VERSION: Final = "1.3.2"
HOME: Final = "#/components/schemas/"
REFERRING: Final = ("$ref", "$dynamicRef", "$recursiveRef", "extends")
VALUES: Final = frozenset({"enum", "enums", "const", "default", "example", "examples"})
"""Keywords behind which there is no schema."""
NAMES: Final = frozenset({"properties", "patternProperties", "definitions", "$defs", "dependentSchemas"})
"""Keywords behind which there are schemas by names of the service's own."""
_PARAM_STRUCTURES: Final = {"name": "by-name", "position": "by-position"}
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")
_WAY: Final = re.compile(r"^.*#/(?:components/schemas|definitions|\$defs)/")


def openrpc_document(
    title: str,
    methods: Iterable[Method],
    described: Callable[[str], Described | None],
    events: Iterable[Method] = (),
) -> dict[str, Any]:
    """The document. ``described`` gives what is known of a method in full."""
    known = {method.name: method for method in methods}
    sent = {event.name: event for event in events}
    full = {name: described(name) or described_by(method) for name, method in sorted(known.items())}
    notices = {name: described(key_of_event(name)) or described_by(event) for name, event in sorted(sent.items())}
    components = Components([*full.values(), *notices.values()])
    drafts = {each.draft for each in full.values() if each.draft}
    document: dict[str, Any] = {"openrpc": VERSION, "info": {"title": title, "version": "1"}}
    if len(drafts) == 1:
        document["$schema"] = drafts.pop()
    document["methods"] = [_openrpc_method(known[name], each, components) for name, each in full.items()]
    if notices:
        document["x-notifications"] = [_openrpc_method(sent[name], each, components) for name, each in notices.items()]
    if components.schemas:
        document["components"] = {"schemas": components.schemas}
    return document


def openrpc_text(document: dict[str, Any]) -> str:
    """As it is committed: laid out for comparing line by line."""
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:  # half a character, which only an escape can spell
        text = json.dumps(document, indent=2)
    except RecursionError:
        raise UserError("The document cannot be written: a schema in it has too many levels.") from None
    return f"{text}\n"


class Components:
    """What schemas of several methods refer to, each under one name."""

    def __init__(self, full: Iterable[Described]) -> None:
        self._names: dict[tuple[int, str], str] = {}
        """By the identity of the definitions, and the reference."""
        self._sets: dict[int, Mapping[str, Any]] = {}
        taken: dict[str, str] = {}
        """What stands under each name."""
        wanted: list[tuple[int, str, Any]] = []
        for each in full:
            key = id(each.definitions)
            self._sets[key] = each.definitions
            rest = [*(param.schema for param in each.params), each.result]
            while rest:
                for reference in sorted(_references(rest.pop())):
                    if (key, reference) in self._names or (schema := self._target(key, reference)) is None:
                        continue
                    self._names[key, reference] = ""
                    wanted.append((key, reference, schema))
                    rest.append(schema)
        for key, reference, schema in sorted(wanted, key=lambda each: each[1]):
            self._names[key, reference] = _free_name(reference, f"{key} {id(schema)}", taken)
        self.schemas: dict[str, Any] = {}
        for key, reference, schema in wanted:
            self.schemas.setdefault(self._names[key, reference], self.rewritten(schema, self._sets[key]))
        self.schemas = dict(sorted(self.schemas.items()))

    def _target(self, key: int, reference: str) -> Any:
        """The schema; None where there is none, or a whole document of methods."""
        schema = self._sets[key].get(reference)
        is_schema = isinstance(schema, bool) or (isinstance(schema, dict) and "methods" not in schema)
        return schema if is_schema else None

    def rewritten(self, schema: Any, definitions: Mapping[str, Any]) -> Any:
        """A copy of a schema whose references lead to the components."""
        key = id(definitions)

        def led(reference: str) -> str:
            name = self._names.get((key, reference))
            return f"{HOME}{name}" if name else reference

        return _copied(schema, led)


def _references(schema: Any) -> set[str]:
    """What a schema refers to where a schema may stand; in an example the same words are a value."""
    found: set[str] = set()

    def noted(reference: str) -> str:
        found.add(reference)
        return reference

    _copied(schema, noted)
    return found


def _copied(schema: Any, led: Callable[[str], str]) -> Any:
    """A copy of a schema in which each reference is what ``led`` makes of it."""
    whole: list[Any] = [schema]
    rest: list[tuple[Any, Any, bool]] = [(whole, 0, False)]
    """What holds a part, where in it, and whether the part holds schemas by names of the service's own."""
    while rest:
        parent, at, named = rest.pop()
        value = parent[at]
        if isinstance(value, list):
            parent[at] = value = value.copy()
            rest += [(value, index, False) for index, each in enumerate(value) if isinstance(each, dict | list)]
        elif isinstance(value, dict):
            parent[at] = value = value.copy()
            for key, each in value.items():
                if not named and key in REFERRING:
                    value[key] = _each(each, led)
                if isinstance(each, dict | list) and (named or key not in VALUES):
                    rest.append((value, key, not named and key in NAMES))
    return whole[0]


def _each(value: Any, led: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [led(each) if isinstance(each, str) else each for each in value]
    return led(value) if isinstance(value, str) else value


def _free_name(reference: str, meaning: str, taken: dict[str, str]) -> str:
    """A name that says where it comes from, and is nobody else's."""
    way = _WAY.sub("", reference).replace("/properties/", ".")
    plain = _UNFIT.sub("_", way.replace("~1", "/").replace("~0", "~")).strip("_.") or "schema"
    name, number = plain, 1
    while taken.setdefault(name, meaning) != meaning:
        number += 1
        name = f"{plain}_{number}"
    return name


def _openrpc_method(method: Method, full: Described, components: Components) -> dict[str, Any]:
    def schema(value: Any) -> Any:
        return components.rewritten(value, full.definitions)

    has_names = all(each.name for each in full.params)
    entry: dict[str, Any] = {"name": method.name}
    entry |= _told(summary=method.doc, description=method.details)
    entry |= _told(tags=[{"name": tag} for tag in full.tags], deprecated=method.deprecated)
    if by := method.by if has_names else "position":
        entry["paramStructure"] = _PARAM_STRUCTURES[by]
    entry["params"] = [_param(each, at, schema(each.schema)) for at, each in enumerate(full.params, start=1)]
    if full.result is not UNSET:
        entry["result"] = {
            "name": full.result_name or "result",
            **_told(description=full.result_doc),
            "schema": schema(full.result),
        }
    entry |= _told(errors=list(_errors(full)), examples=list(_openrpc_examples(full)))
    if method.safe is not None:
        entry["x-safe"] = method.safe
    return entry | _told(**{"x-auth": method.auth})


def _param(param: DescribedParam, at: int, schema: Any) -> dict[str, Any]:
    told = _told(description=param.doc, required=param.required, deprecated=param.deprecated)
    return {"name": param.name or f"param{at}", **told, "schema": schema}


def _errors(full: Described) -> Iterator[dict[str, Any]]:
    for each in full.errors:
        entry: dict[str, Any] = {} if each.code is None else {"code": each.code}
        entry["message"] = each.message
        yield entry if each.data is UNSET else {**entry, "data": each.data}


def _openrpc_examples(full: Described) -> Iterator[dict[str, Any]]:
    names = [each.name or f"param{at}" for at, each in enumerate(full.params, start=1)]
    for each in full.examples:
        if isinstance(each.params, dict):
            given = list(each.params.items())
        else:
            values = each.params if isinstance(each.params, list) else []
            given = [(names[at] if at < len(names) else f"param{at + 1}", value) for at, value in enumerate(values)]
        entry: dict[str, Any] = {"name": each.name, **_told(description=each.doc)}
        entry["params"] = [{"name": name, "value": value} for name, value in given]
        if each.result is not UNSET:
            entry["result"] = {"name": full.result_name or "result", "value": each.result}
        yield entry


def _told(**facts: Any) -> dict[str, Any]:
    """Those of the facts that say anything."""
    return {name: value for name, value in facts.items() if value}
