"""Readers and writers of OpenRPC documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from string import ascii_letters, digits
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import EMPTY, Question, one_question
from rpcexplorer.discovery.reader import Collected, MethodReader, key_of_event, line_of, list_of, title_of
from rpcexplorer.model.method import By, Described, DescribedParam, Method
from rpcexplorer.model.problem import UserError
from rpcexplorer.schema.dialect import REFERENCES

PROTOCOL = "rpc.discover"
EVENTS = "x-notifications"
"""Member of a document for events; OpenRPC has no standard member."""
_STRUCTURES: dict[Any, By] = {"by-name": "name", "by-position": "position"}


def read_openrpc(value: Any, protocol: str = PROTOCOL) -> Listing:
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not isinstance(value.get("methods"), dict | list):
        return Listing(refusal="the response is not an OpenRPC document with a list of methods")
    collected, reader = Collected(), MethodReader(value, protocol)
    for member, found in (("methods", collected.described), (EVENTS, collected.events)):
        for own_name, entry in named_entries(value.get(member)):
            followed = reader.document.follow(entry)
            name = collected.take_name(followed.get("name") or own_name, found)
            if name:
                found[name] = _read_method(reader, followed)
    params = chain.from_iterable(method.params for method in collected.described.values())
    if any(" " in param.name for param in params):
        # Names such as ``Hydrated transactions`` are titles, and no server accepts params by them.
        for name, method in collected.described.items():
            collected.described[name] = replace(method, by=method.by or "position")
    title = title_of(reader.document.follow(value.get("info")), "title")
    about = f"OpenRPC {line_of(value.get('openrpc'), 20)}".strip()
    if title:
        about = f'{about}, "{title}"'
    return collected.listing(about, *reader.document.room.left_out())


def _read_method(reader: MethodReader, entry: dict[str, Any]) -> Described:
    safe, auth, structure = entry.get("x-safe"), entry.get("x-auth"), entry.get("paramStructure")
    return reader.method(
        entry,
        auth=auth if isinstance(auth, str) and auth in KINDS else None,
        safe=safe if isinstance(safe, bool) else None,
        by=_STRUCTURES.get(structure) if isinstance(structure, str) else None,
    )


openrpc = one_question(Question(PROTOCOL), read_openrpc)


def named_entries(entries: Any) -> Iterable[tuple[Any, Any]]:
    """Return pairs of name and entry from a list or an object.

    The name is None if the entry has its own.
    """
    if isinstance(entries, dict):
        return entries.items()
    return [(None, entry) for entry in list_of(entries)]


VERSION: Final = "1.3.2"
COMPONENTS_PATH: Final = "#/components/schemas/"
VALUES: Final = frozenset({"enum", "enums", "const", "default", "example", "examples"})
"""Keywords whose values contain no schemas."""
NAMES: Final = frozenset({"properties", "patternProperties", "definitions", "$defs", "dependentSchemas"})
"""Keywords whose values are schemas by names that the service chooses."""
_PARAM_STRUCTURES: Final = {"name": "by-name", "position": "by-position"}
_NAME_LETTERS: Final = frozenset(f"{ascii_letters}{digits}._-")
_PREFIXES: Final = (COMPONENTS_PATH, "#/definitions/", "#/$defs/")


def openrpc_document(
    title: str,
    methods: Iterable[Method],
    described: Callable[[str], Described | None],
    events: Iterable[Method] = (),
) -> dict[str, Any]:
    """Return the document. ``described`` returns the description of a method."""
    called = sorted({method.name: method for method in methods}.items())
    sent = sorted({event.name: event for event in events}.items())
    full_methods = [(method, described(name) or Described()) for name, method in called]
    full_events = [(event, described(key_of_event(name)) or Described()) for name, event in sent]
    components = Components(full for _, full in [*full_methods, *full_events])
    drafts = {full.draft for _, full in full_methods if full.draft}
    document: dict[str, Any] = {"openrpc": VERSION, "info": {"title": title, "version": "1"}}
    if len(drafts) == 1:
        document["$schema"] = drafts.pop()
    document["methods"] = [_openrpc_method(method, full, components) for method, full in full_methods]
    if full_events:
        document[EVENTS] = [_openrpc_method(event, full, components) for event, full in full_events]
    if components.schemas:
        document["components"] = {"schemas": components.schemas}
    return document


def openrpc_text(document: dict[str, Any]) -> str:
    """Return the text of the document, with one value on each line for diffs."""
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can spell
        text = json.dumps(document, indent=2)
    except RecursionError:
        raise UserError("Cannot write the document: a schema has too many levels.") from None
    return f"{text}\n"


class Components:
    """Schemas that several methods refer to, each with one name."""

    def __init__(self, descriptions: Iterable[Described]) -> None:
        self._names: dict[tuple[int, str], str] = {}
        """Keyed by the id of the definitions, and the reference."""
        self._sets: dict[int, Mapping[str, Any]] = {}
        wanted: list[tuple[int, str, Any]] = []
        for described in descriptions:
            key = id(described.definitions)
            self._sets[key] = described.definitions
            rest = [*(param.schema for param in described.params), described.result]
            while rest:
                for reference in sorted(_references(rest.pop())):
                    schema = self._target(key, reference)
                    if schema is not None and (key, reference) not in self._names:
                        self._names[key, reference] = ""
                        wanted.append((key, reference, schema))
                        rest.append(schema)
        owners: dict[str, tuple[int, int]] = {}
        """Keyed by name in the document: the key of the definitions, and the id of the schema that got it."""
        for key, reference, schema in sorted(wanted, key=lambda entry: entry[1]):
            self._names[key, reference] = _free_name(reference, (key, id(schema)), owners)
        schemas = {}
        for key, reference, schema in wanted:
            name = self._names[key, reference]
            if name not in schemas:
                schemas[name] = self.rewritten(schema, self._sets[key])
        self.schemas = dict(sorted(schemas.items()))

    def _target(self, key: int, reference: str) -> Any:
        """Return the schema; None if it is missing or a whole document of methods."""
        schema = self._sets[key].get(reference)
        if isinstance(schema, dict) and "methods" in schema:
            return None
        return schema if isinstance(schema, dict | bool) else None

    def rewritten(self, schema: Any, definitions: Mapping[str, Any]) -> Any:
        """Return a copy of a schema with references to the components."""
        key = id(definitions)

        def redirect(reference: str) -> str:
            if (key, reference) not in self._names:
                return reference
            return f"{COMPONENTS_PATH}{self._names[key, reference]}"

        return with_references(schema, redirect)


def _references(schema: Any) -> set[str]:
    """Return the references in a schema, but not those in its examples."""
    found: set[str] = set()

    def noted(reference: str) -> str:
        found.add(reference)
        return reference

    with_references(schema, noted)
    return found


def with_references(schema: Any, redirect: Callable[[str], str]) -> Any:
    """Return a copy of a schema with its references redirected."""
    whole: list[Any] = [schema]
    rest: list[tuple[Any, Any, bool]] = [(whole, 0, False)]
    """The parent of a value, its key, and whether the value is an object by free names."""
    while rest:
        parent, at, is_by_name = rest.pop()
        value = parent[at]
        if not isinstance(value, dict | list):
            continue
        parent[at] = copied = value.copy()
        if isinstance(copied, list):
            rest += [(copied, index, False) for index in range(len(copied))]
            continue
        for key, member in copied.items():
            if is_by_name:
                rest.append((copied, key, False))
                continue
            if key in REFERENCES:
                copied[key] = _redirected(member, redirect)
            if key not in VALUES:
                rest.append((copied, key, key in NAMES))
    return whole[0]


def _redirected(value: Any, redirect: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [_redirected(reference, redirect) for reference in value]
    if isinstance(value, str):
        return redirect(value)
    return value


def _free_name(reference: str, owner: tuple[int, int], owners: dict[str, tuple[int, int]]) -> str:
    """Return a free name that shows its origin; the same schema has one name."""
    path = reference
    for prefix in _PREFIXES:
        path = path.rpartition(prefix)[2]
    path = path.replace("/properties/", ".").replace("~1", "/").replace("~0", "~")
    for letter in set(path) - _NAME_LETTERS:
        path = path.replace(letter, " ")
    plain = "_".join(path.split()).strip("_.") or "schema"
    name, number = plain, 1
    while owners.setdefault(name, owner) != owner:
        number += 1
        name = f"{plain}_{number}"
    return name


def _openrpc_method(method: Method, full: Described, components: Components) -> dict[str, Any]:
    def schema(value: Any) -> Any:
        return components.rewritten(value, full.definitions)

    entry: dict[str, Any] = {"name": method.name}
    entry |= _stated(summary=method.doc, description=full.details)
    entry |= _stated(tags=[{"name": tag} for tag in full.tags], deprecated=method.deprecated)
    has_names = all(param.name for param in full.params)
    by = method.by if has_names else "position"
    if by:
        entry["paramStructure"] = _PARAM_STRUCTURES[by]
    entry["params"] = [_param(param, at, schema(param.schema)) for at, param in enumerate(full.params, start=1)]
    if full.result is not UNSET:
        entry["result"] = {
            "name": full.result_name or "result",
            **_stated(description=full.result_doc),
            "schema": schema(full.result),
        }
    entry |= _stated(errors=list(_errors(full)), examples=list(_openrpc_examples(full)))
    if method.safe is not None:
        entry["x-safe"] = method.safe
    return entry | _stated(**{"x-auth": method.auth})


def _param(param: DescribedParam, at: int, schema: Any) -> dict[str, Any]:
    facts = _stated(description=param.doc, required=param.required, deprecated=param.deprecated)
    return {"name": param.name or f"param{at}", **facts, "schema": schema}


def _errors(full: Described) -> Iterator[dict[str, Any]]:
    for error in full.errors:
        entry = {"code": error.code, "message": error.message, "data": error.data}
        if error.code is None:
            del entry["code"]
        if error.data is UNSET:
            del entry["data"]
        yield entry


def _openrpc_examples(full: Described) -> Iterator[dict[str, Any]]:
    for example in full.examples:
        if isinstance(example.params, dict):
            given = list(example.params.items())
        else:
            values = list_of(example.params)
            names = [param.name or f"param{at}" for at, param in enumerate(full.params, start=1)]
            names += [f"param{at}" for at in range(len(names) + 1, len(values) + 1)]
            given = list(zip(names, values, strict=False))
        entry: dict[str, Any] = {"name": example.name, **_stated(description=example.doc)}
        entry["params"] = [{"name": name, "value": value} for name, value in given]
        if example.result is not UNSET:
            entry["result"] = {"name": full.result_name or "result", "value": example.result}
        yield entry


def _stated(**facts: Any) -> dict[str, Any]:
    """Return the facts that are not empty."""
    return {name: value for name, value in facts.items() if value}
