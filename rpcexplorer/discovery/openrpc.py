"""Readers and writers of OpenRPC documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.auth.registry import KINDS
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import EMPTY, Question, one_question
from rpcexplorer.discovery.reader import KIND, Collected, MethodReader, key_of_event, line_of
from rpcexplorer.model.method import By, Described, DescribedParam, Method
from rpcexplorer.model.problem import UserError
from rpcexplorer.patterns import regex

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
            followed = reader.follow(entry)
            if name := collected.take_name(followed.get("name") or own_name, found):
                safe, auth, structure = (followed.get(key) for key in ("x-safe", "x-auth", "paramStructure"))
                found[name] = reader.method(
                    followed,
                    auth=auth if isinstance(auth, str) and auth in KINDS else None,
                    safe=safe if isinstance(safe, bool) else None,
                    by=_STRUCTURES.get(structure) if isinstance(structure, str) else None,
                )
    if any(" " in param.name for method in collected.described.values() for param in method.params):
        # Names such as ``Hydrated transactions`` are titles, and no server accepts params by them.
        for name, method in collected.described.items():
            collected.described[name] = replace(method, by=method.by or "position")
    info = reader.follow(value.get("info"))
    title = f"{line_of(info.get('title'), KIND)} {line_of(info.get('version'), 20)}".strip()
    about = f"OpenRPC {line_of(value.get('openrpc'), 20)}".strip() + (f', "{title}"' if title else "")
    return collected.listing(about, *reader.left_out())


openrpc = one_question(Question(PROTOCOL), read_openrpc)


def named_entries(entries: Any) -> Iterable[tuple[Any, Any]]:
    """Return pairs of name and entry from a list or an object.

    The name is None if the entry has its own.
    """
    if isinstance(entries, dict):
        return entries.items()
    return ((None, entry) for entry in entries) if isinstance(entries, list) else ()


VERSION: Final = "1.3.2"
COMPONENTS_PATH: Final = "#/components/schemas/"
REFERENCE_KEYS: Final = ("$ref", "$dynamicRef", "$recursiveRef", "extends")
VALUES: Final = frozenset({"enum", "enums", "const", "default", "example", "examples"})
"""Keywords whose values contain no schemas."""
NAMES: Final = frozenset({"properties", "patternProperties", "definitions", "$defs", "dependentSchemas"})
"""Keywords whose values are schemas by names that the service chooses."""
_PARAM_STRUCTURES: Final = {"name": "by-name", "position": "by-position"}
_UNFIT: Final = regex(r"[^A-Za-z0-9._-]+")
_PREFIX: Final = regex(r"^.*#/(?:components/schemas|definitions|\$defs)/")


def openrpc_document(
    title: str,
    methods: Iterable[Method],
    described: Callable[[str], Described | None],
    events: Iterable[Method] = (),
) -> dict[str, Any]:
    """Return the document. ``described`` returns the description of a method."""
    known = {method.name: method for method in methods}
    sent = {event.name: event for event in events}
    full = {name: described(name) or Described() for name in sorted(known)}
    notices = {name: described(key_of_event(name)) or Described() for name in sorted(sent)}
    components = Components([*full.values(), *notices.values()])
    drafts = {described.draft for described in full.values() if described.draft}
    document: dict[str, Any] = {"openrpc": VERSION, "info": {"title": title, "version": "1"}}
    if len(drafts) == 1:
        document["$schema"] = drafts.pop()
    document["methods"] = [_openrpc_method(known[name], described, components) for name, described in full.items()]
    if notices:
        document[EVENTS] = [_openrpc_method(sent[name], described, components) for name, described in notices.items()]
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

    def __init__(self, full: Iterable[Described]) -> None:
        self._names: dict[tuple[int, str], str] = {}
        """By the id of the definitions, and the reference."""
        self._sets: dict[int, Mapping[str, Any]] = {}
        taken: dict[str, str] = {}
        """The schema of each name."""
        wanted: list[tuple[int, str, Any]] = []
        for described in full:
            key = id(described.definitions)
            self._sets[key] = described.definitions
            rest = [*(param.schema for param in described.params), described.result]
            while rest:
                for reference in sorted(_references(rest.pop())):
                    if (key, reference) in self._names or (schema := self._target(key, reference)) is None:
                        continue
                    self._names[key, reference] = ""
                    wanted.append((key, reference, schema))
                    rest.append(schema)
        for key, reference, schema in sorted(wanted, key=lambda entry: entry[1]):
            self._names[key, reference] = _free_name(reference, f"{key} {id(schema)}", taken)
        self.schemas: dict[str, Any] = {}
        for key, reference, schema in wanted:
            self.schemas.setdefault(self._names[key, reference], self.rewritten(schema, self._sets[key]))
        self.schemas = dict(sorted(self.schemas.items()))

    def _target(self, key: int, reference: str) -> Any:
        """Return the schema; None if it is missing or a whole document of methods."""
        schema = self._sets[key].get(reference)
        is_schema = isinstance(schema, bool) or (isinstance(schema, dict) and "methods" not in schema)
        return schema if is_schema else None

    def rewritten(self, schema: Any, definitions: Mapping[str, Any]) -> Any:
        """Return a copy of a schema with references to the components."""
        key = id(definitions)

        def redirect(reference: str) -> str:
            name = self._names.get((key, reference))
            return f"{COMPONENTS_PATH}{name}" if name else reference

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
    """The parent of a value, its key, and whether its keys are free names."""
    while rest:
        parent, at, named = rest.pop()
        value = parent[at]
        if isinstance(value, list):
            parent[at] = value = value.copy()
            rest += [(value, index, False) for index, element in enumerate(value) if isinstance(element, dict | list)]
        elif isinstance(value, dict):
            parent[at] = value = value.copy()
            for key, member in value.items():
                if not named and key in REFERENCE_KEYS:
                    value[key] = _redirected(member, redirect)
                if isinstance(member, dict | list) and (named or key not in VALUES):
                    rest.append((value, key, not named and key in NAMES))
    return whole[0]


def _redirected(value: Any, redirect: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [redirect(reference) if isinstance(reference, str) else reference for reference in value]
    return redirect(value) if isinstance(value, str) else value


def _free_name(reference: str, meaning: str, taken: dict[str, str]) -> str:
    """Return a free name that shows its origin."""
    way = _PREFIX.sub("", reference).replace("/properties/", ".")
    plain = _UNFIT.sub("_", way.replace("~1", "/").replace("~0", "~")).strip("_.") or "schema"
    name, number = plain, 1
    while taken.setdefault(name, meaning) != meaning:
        number += 1
        name = f"{plain}_{number}"
    return name


def _openrpc_method(method: Method, full: Described, components: Components) -> dict[str, Any]:
    def schema(value: Any) -> Any:
        return components.rewritten(value, full.definitions)

    has_names = all(param.name for param in full.params)
    entry: dict[str, Any] = {"name": method.name}
    entry |= _stated(summary=method.doc, description=full.details)
    entry |= _stated(tags=[{"name": tag} for tag in full.tags], deprecated=method.deprecated)
    if by := method.by if has_names else "position":
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
        entry: dict[str, Any] = {} if error.code is None else {"code": error.code}
        entry["message"] = error.message
        yield entry if error.data is UNSET else {**entry, "data": error.data}


def _openrpc_examples(full: Described) -> Iterator[dict[str, Any]]:
    names = [param.name or f"param{at}" for at, param in enumerate(full.params, start=1)]
    for example in full.examples:
        if isinstance(example.params, dict):
            given = list(example.params.items())
        else:
            values = example.params if isinstance(example.params, list) else []
            given = [(names[at] if at < len(names) else f"param{at + 1}", value) for at, value in enumerate(values)]
        entry: dict[str, Any] = {"name": example.name, **_stated(description=example.doc)}
        entry["params"] = [{"name": name, "value": value} for name, value in given]
        if example.result is not UNSET:
            entry["result"] = {"name": full.result_name or "result", "value": example.result}
        yield entry


def _stated(**facts: Any) -> dict[str, Any]:
    """Return the facts that are not empty."""
    return {name: value for name, value in facts.items() if value}
