"""Readers of service descriptions other than OpenRPC."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, partial
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import UNSET

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.openrpc import named_entries, read_openrpc
from rpcexplorer.discovery.questions import EMPTY, NOT_OFFERED, Dialogue, DiscoveryProtocol, Question, one_question
from rpcexplorer.discovery.reader import (
    KIND,
    MAX_ENTRIES,
    Collected,
    MethodReader,
    docs_of,
    kind_of,
    line_of,
    name_of,
    own_schema,
    text_of,
)
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.profile import Profile, split_socket
from rpcexplorer.schema.node import KINDS

MAX_LEVELS: Final = 32
"""Levels of properties inside properties."""
STANDARD: Final = frozenset(KINDS.values())
LIMITS: Final[dict[str, str]] = {"multiple_of": "multipleOf", "min_length": "minLength", "max_length": "maxLength"}
"""Limits as flask-jsonrpc spells them, and as JSON Schema does."""
WITHOUT_WORD: Final = frozenset(("allow_inf_nan", "max_digits", "decimal_places"))
"""Python's limits that do not exist in JSON Schema."""


def read_service(value: Any, protocol: str) -> Listing:
    """Read a description in the format of JSON-RPC 1.1 or flask-jsonrpc."""
    if not value:
        return Listing(refusal=EMPTY)
    entries = value.get("procs", value.get("methods")) if isinstance(value, dict) else None
    if not isinstance(entries, dict | list):
        return Listing(refusal="the response is not a service description with procs or methods")
    collected, reader = Collected(), MethodReader(value, protocol, own=in_json_schema, default_required=None)
    for own_name, entry in named_entries(entries):
        described = entry if isinstance(entry, dict) else {"name": entry if own_name is None else own_name}
        if name := collected.take_name(described.get("name") or own_name):
            docs = docs_of(described.get("description", described.get("help")), described.get("summary"))
            is_safe = True if described.get("idempotent") is True else None
            collected.described[name] = reader.method(described, safe=is_safe, **docs)
    title = f"{line_of(value.get('name'), KIND)} {line_of(value.get('version'), 20)}".strip()
    return collected.listing(f'"{title}"' if title else "", *reader.left_out())


system_describe = one_question(Question("system.describe"), partial(read_service, protocol="system.describe"))
rpc_describe = one_question(Question("rpc.describe"), partial(read_service, protocol="rpc.describe"))


def in_json_schema(entry: dict[str, Any]) -> Any:
    """Return the JSON Schema of a param with other type and limit names."""
    return own_schema(_reworded(entry, 0))


def _reworded(entry: Any, depth: int) -> dict[str, Any]:
    if not isinstance(entry, dict) or depth > MAX_LEVELS:
        return {}
    left_out = WITHOUT_WORD | {"name", "summary"} if depth else WITHOUT_WORD
    stated = {key: value for key, value in entry.items() if value is not None and key not in left_out}
    schema = {LIMITS.get(key, key): value for key, value in stated.items()}
    word = kind_of(schema.get("type"))
    if word in STANDARD:
        schema["type"] = word
    else:
        schema.pop("type", None)  # ``any``, or the name of a class
    members = schema.get("properties")
    if isinstance(members, dict):
        schema["properties"] = {name: _reworded(member, depth + 1) for name, member in members.items()}
    return schema


KODI_PROTOCOL: Final = "JSONRPC.Introspect"
READ_PERMISSION: Final = "ReadData"
"""The permission of methods that change nothing."""


def read_introspection(value: Any, protocol: str = KODI_PROTOCOL) -> Listing:
    """Read the result of Kodi's ``JSONRPC.Introspect``."""
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not isinstance(value.get("methods"), dict):
        return Listing(refusal="the response is not a method list like Kodi's")
    collected, reader = Collected(), MethodReader(value, protocol, types=value.get("types"), own=own_schema)
    for member, found in (("methods", collected.described), ("notifications", collected.events)):
        entries = value.get(member)
        for own_name, given in entries.items() if isinstance(entries, dict) else ():
            if name := collected.take_name(own_name, found):
                entry = given if isinstance(given, dict) else {}
                permission = entry.get("permission")
                is_safe = permission == READ_PERMISSION if isinstance(permission, str) else None
                found[name] = reader.method(entry, safe=is_safe, **docs_of(entry.get("description")))
    title, version = line_of(value.get("description"), KIND), line_of(value.get("version"), 20)
    return collected.listing(" ".join(filter(None, [f'"{title}"' if title else "", version])), *reader.left_out())


introspect = one_question(Question(KODI_PROTOCOL, "[true,true]"), read_introspection)
"""Asks for descriptions and permissions.

An array, because other servers may reject any object.
"""
DOCUMENT_NAME: Final = "openrpc.json"
"""The usual name of a document that describes a service."""


def read_document(value: Any, name: str) -> Listing:
    """Read a description in any known format, or one in a whole response."""
    if isinstance(value, dict) and "methods" not in value and isinstance(value.get("result"), dict):
        value = value["result"]
    if isinstance(value, dict) and "openrpc" not in value:
        if "procs" in value or "sdversion" in value:
            return read_service(value, name)
        if isinstance(value.get("types"), dict):
            return read_introspection(value, name)
    return read_openrpc(value, name)


def at_path(path: str, *, guess: bool = False) -> DiscoveryProtocol:
    """Return the protocol that reads the document at a path of the service.

    With ``guess``, the document may be missing.
    """

    def ask(described: Collection[str]) -> Dialogue:  # noqa: ARG001 - it has a say of its own on every method
        answer = yield Question(path, document=True, guess=guess)
        listing = Listing(refusal=answer.refusal) if answer.refusal else read_document(answer.value, path)
        if guess and listing.refusal and not listing.refusal.startswith(NOT_OFFERED):
            return Listing(refusal=f"{NOT_OFFERED} ({listing.refusal.rstrip('.')})")
        return listing

    return DiscoveryProtocol(f"GET {path}", ask)


def paths_to_try(profile: Profile) -> list[str]:
    """Return the usual paths of a document.

    They are below the endpoint, next to it, and at the origin.
    """
    address = urlsplit(split_socket(profile.endpoint)[1])
    if address.scheme not in {"http", "https"}:
        return []
    inside, siblings = address.path.rstrip("/"), address.path.rpartition("/")[0].rstrip("/")
    paths = dict.fromkeys(f"{folder}/{DOCUMENT_NAME}" for folder in (inside, siblings, ""))
    return [path for path in paths if "{" not in path]


FieldDocs = dict[tuple[str, str], str]
"""Texts of a docstring by field word and name; "" for the result."""
MOPIDY_PROTOCOL: Final = "core.describe"


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(
        {
            "field": r"^:(param|type|rtype|returns?)\b[ \t]*([\w. ]{0,200}):[ \t]*(.*(?:\n[ \t]+\S.*){0,50})$",
            "fields": r"^(?::(?:param|type|rtype|returns?|raises?)\b|\.\. )",
            "deprecated": r"\A\s*\.\. deprecated::",
            "role": r":\w+:`[~!]?([^`]*)`",
            "choice": r"``([^`\s]{1,60})``",
        }[name],
        re.MULTILINE,
    )


def read_description(value: Any) -> Listing:
    """Read the docstrings and Python params of Mopidy's ``core.describe``."""
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not all(isinstance(entry, dict) for entry in value.values()):
        return Listing(refusal="the response is not a method list like Mopidy's")
    collected = Collected()
    for own_name, entry in value.items():
        if name := collected.take_name(own_name):
            collected.described[name] = _described(entry)
    return collected.listing()


describe = one_question(Question(MOPIDY_PROTOCOL), read_description)


def _described(entry: dict[str, Any]) -> Described:
    text = text_of(entry.get("description"))
    fields = _fields(text)
    begin = _pattern("fields").search(text)
    params = entry.get("params")
    entries = params[:MAX_ENTRIES] if isinstance(params, list) else []
    result = _schema(fields.get(("rtype", ""), ""))
    return Described(
        tuple(_param(param if isinstance(param, dict) else {}, fields) for param in entries),
        result or UNSET,
        result_doc=_plain(fields.get(("return", ""), "")),
        extra=not isinstance(params, list) or len(params) > MAX_ENTRIES or any(map(_takes_many, entries)),
        protocol=MOPIDY_PROTOCOL,
        deprecated=_pattern("deprecated").search(text) is not None,
        **docs_of(_plain(text[: begin.start()] if begin else text)),
    )


def _fields(text: str) -> FieldDocs:
    """Return the texts for params and result from a docstring.

    A type may precede the name of its param.
    """
    fields: FieldDocs = {}
    for field, words, doc in _pattern("field").findall(text):
        *kind, name = words.split() or [""]
        fields["return" if field == "returns" else field, name] = " ".join(doc.split())
        if kind and field == "param":
            fields["type", name] = " ".join(kind)
    return fields


def _param(entry: dict[str, Any], fields: FieldDocs) -> DescribedParam:
    name = name_of(entry.get("name"))
    doc = fields.get(("param", name), "")
    schema = _schema(fields.get(("type", name), ""))
    _, one_of, rest = f" {doc}".partition(" one of ")
    choices = [*dict.fromkeys(_pattern("choice").findall(rest))] if one_of else []
    if len(choices) > 1 and schema.get("type") in {None, "string"}:
        schema["enum"] = choices
    if "default" in entry:
        schema = {**(_or_null(schema) if entry["default"] is None else schema), "default": entry["default"]}
    is_required = "default" not in entry and not _takes_many(entry)
    return DescribedParam(name, schema or True, is_required, text_of(_plain(doc)))


def _takes_many(entry: Any) -> bool:
    return isinstance(entry, dict) and (entry.get("varargs") is True or entry.get("kwargs") is True)


def _plain(text: str) -> str:
    """Return the text without reStructuredText roles and double backticks."""
    return _pattern("role").sub(r"\1", text).replace("``", "`")


def _schema(text: str) -> dict[str, Any]:
    """Return types such as ``list of string or None`` as JSON Schema.

    It is empty if one of the types is a sentence.
    """
    shapes = [_shape(word) for word in dict.fromkeys(_plain(text).split(" or "))]
    if not all(shapes):
        return {}
    if len(shapes) == 1:
        return shapes[0]
    is_plain = all(len(shape) == 1 for shape in shapes)
    return {"type": [*dict.fromkeys(shape["type"] for shape in shapes)]} if is_plain else {"anyOf": shapes}


def _shape(word: str) -> dict[str, Any]:
    """Return the schema of one type, or {}; a class of Mopidy is an object."""
    many, _, element = word.partition(" of ")
    if element and kind_of(many) == "array":
        items = _shape(element)
        return {"type": "array", "items": items} if items else {"type": "array"}
    if word.startswith(("mopidy.", "{")):
        return {"type": "object"}
    return {"type": kind_of(word)} if word.lower() in KINDS else {}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a param whose default is null."""
    if "anyOf" in schema:
        null = {"type": "null"}
        return schema if null in schema["anyOf"] else {**schema, "anyOf": [*schema["anyOf"], null]}
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and "null" not in types:
        schema = {"anyOf": [schema, {"type": "null"}]} if "items" in schema else {**schema, "type": [*types, "null"]}
    return {**schema, "enum": [*schema["enum"], None]} if "enum" in schema else schema
