"""Descriptions of methods other than OpenRPC."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import UNSET

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.openrpc import read_openrpc
from rpcexplorer.discovery.questions import EMPTY, NOT_OFFERED, Asking, Dialect, Question, told_at_once
from rpcexplorer.discovery.reader import (
    KIND,
    MOST,
    NOTHING,
    Collected,
    DescribedReader,
    Schemas,
    example_of,
    first_line_of,
    kind_of,
    line_of,
    name_of,
    own_schema,
    text_of,
)
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
from rpcexplorer.model.profile import Profile
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


KODI_DIALECT = "JSONRPC.Introspect"
READING = "ReadData"
"""The permission of what changes nothing."""


def read_introspection(value: Any, dialect: str = KODI_DIALECT) -> Listing:
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
            collected.take(_kodi_method(room, told, dialect, schemas, collected), reader.method(told))
    for name, entry in sent.items() if isinstance(sent, dict) else ():
        if room := collected.room_for_event(name):
            told = entry if isinstance(entry, dict) else NOTHING
            collected.take_event(_kodi_method(room, told, dialect, schemas, collected), reader.method(told))
    return collected.listing(_kodi_about(value), *reader.left_out())


introspect = told_at_once(Question(KODI_DIALECT, "[true,true]"), read_introspection)
"""With descriptions and permissions. An array, as servers that are none of Kodi's may refuse an object unread."""


def _kodi_about(value: dict[str, Any]) -> str:
    title, version = line_of(value.get("description"), KIND), line_of(value.get("version"), 20)
    return " ".join(filter(None, [f'"{title}"' if title else "", version]))


def _kodi_method(name: str, entry: dict[str, Any], dialect: str, schemas: Schemas, collected: Collected) -> Method:
    doc, details = first_line_of(entry.get("description")), text_of(entry.get("description"))
    params, permission = entry.get("params"), entry.get("permission")
    return Method(
        name,
        doc,
        safe=permission == READING if isinstance(permission, str) else None,
        source="discovered",
        parameters=tuple(_kodi_parameter(param, schemas) for param in params)
        if isinstance(params, list) and collected.parameters_fit(params)
        else (),
        details="" if details == doc else details,
        result=_result(entry.get("returns"), schemas),
        dialect=dialect,
    )


def _kodi_parameter(param: Any, schemas: Schemas) -> Parameter:
    described = param if isinstance(param, dict) else {}
    return schemas.parameter(described.get("name"), param, required=described.get("required", False))


def _result(returns: Any, schemas: Schemas) -> str:
    return schemas.kind(returns) if isinstance(returns, dict) else kind_of(returns)


USUAL_NAME: Final = "openrpc.json"
"""Of a document that describes a service."""


def read_document(value: Any, name: str) -> Listing:
    """Read a description in whichever form it is; a whole reply that somebody has saved counts as what is in it."""
    if isinstance(value, dict) and "methods" not in value and isinstance(value.get("result"), dict):
        value = value["result"]
    return _reader(value)(value, name)


def at_path(path: str, *, guess: bool = False) -> Dialect:
    """The document that lies at a path of the service, or that may lie there by a ``guess``."""

    def ask(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
        answer = yield Question(path, document=True, guess=guess)
        listing = Listing(refusal=answer.refusal) if answer.refusal else read_document(answer.value, path)
        if guess and listing.refusal and not listing.refusal.startswith(NOT_OFFERED):
            return Listing(refusal=f"{NOT_OFFERED} ({listing.refusal.rstrip('.')})")
        return listing

    return Dialect(f"GET {path}", ask)


def paths_to_try(profile: Profile) -> list[str]:
    """Where servers put their document that have one: below the endpoint, beside it, and at the origin; over HTTP."""
    address = urlsplit(profile.endpoint)
    if address.scheme not in {"http", "https"}:
        return []
    inside, beside = address.path.rstrip("/"), address.path.rpartition("/")[0].rstrip("/")
    paths = dict.fromkeys(f"{folder}/{USUAL_NAME}" for folder in (inside, beside, ""))
    return [path for path in paths if "{" not in path]


def _reader(value: Any) -> Callable[[Any, str], Listing]:
    if not isinstance(value, dict) or "openrpc" in value:
        return read_openrpc
    if "procs" in value or "sdversion" in value:
        return read_service
    return read_introspection if isinstance(value.get("types"), dict) else read_openrpc


FieldDocs = dict[tuple[str, str], str]
"""What a docstring says, by the word of the field and the name that it is about; the name is empty for the result."""
MOPIDY_DIALECT = "core.describe"
_FIELD = re.compile(
    r"^:(param|type|rtype|returns?)\b[ \t]*([\w. ]{0,200}):[ \t]*(.*(?:\n[ \t]+\S.*){0,50})$", re.MULTILINE
)
_CHOICE = re.compile(r"``([^`\s]{1,60})``")
_ONE_OF = re.compile(r"\bone of\b")
_FIELDS_BEGIN = re.compile(r"^(?::(?:param|type|rtype|returns?|raises?)\b|\.\. )", re.MULTILINE)
_ROLE = re.compile(r":\w+:`[~!]?([^`]*)`")
_DEPRECATED = re.compile(r"\A\s*\.\. deprecated::", re.MULTILINE)


def read_description(value: Any) -> Listing:
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not all(isinstance(entry, dict) for entry in value.values()):
        return Listing(refusal="answered, but not with methods by name, as Mopidy does")
    collected = Collected()
    for name, entry in value.items():
        if room := collected.room_for(name):
            fields = _fields(text_of(entry.get("description")))
            collected.take(_mopidy_method(room, entry, fields, collected), _in_full(entry, fields))
    return collected.listing()


describe = told_at_once(Question(MOPIDY_DIALECT), read_description)


def _fields(text: str) -> FieldDocs:
    """What a docstring says of each param and of the result. A type may stand before the name of its param."""
    fields: FieldDocs = {}
    for field, words, said in _FIELD.findall(text):
        *kind, of = words.split() or [""]
        fields[field.rstrip("s") if field == "returns" else field, of] = " ".join(said.split())
        if kind and field == "param":
            fields["type", of] = " ".join(kind)
    return fields


def _in_full(entry: dict[str, Any], fields: FieldDocs) -> Described:
    params = entry.get("params")
    result = _schema(fields.get(("rtype", ""), ""))
    return Described(
        tuple(_described(param, fields) for param in params[:MOST]) if isinstance(params, list) else (),
        result or UNSET,
        result_doc=_plain(fields.get(("return", ""), "")),
        extra=not isinstance(params, list) or any(_takes_many(param) for param in params) or len(params) > MOST,
        dialect=MOPIDY_DIALECT,
    )


def _described(param: Any, fields: FieldDocs) -> DescribedParam:
    described = param if isinstance(param, dict) else {}
    line = _mopidy_parameter(param, fields)
    doc = fields.get(("param", line.name), "")
    schema = _schema(fields.get(("type", line.name), ""))
    found = _ONE_OF.search(doc)
    choices = [*dict.fromkeys(_CHOICE.findall(doc, found.end()))] if found else []
    if len(choices) > 1 and schema.get("type") in {None, "string"}:
        schema["enum"] = choices
    if "default" in described:
        schema = {**(_or_null(schema) if described["default"] is None else schema), "default": described["default"]}
    return DescribedParam(line.name, schema or True, line.required, text_of(_plain(doc)))


def _takes_many(param: Any) -> bool:
    return isinstance(param, dict) and (param.get("varargs") is True or param.get("kwargs") is True)


def _mopidy_method(name: str, entry: dict[str, Any], fields: FieldDocs, collected: Collected) -> Method:
    text = text_of(entry.get("description"))
    begin = _FIELDS_BEGIN.search(text)
    details = text[: begin.start()].strip() if begin else text
    doc, params = first_line_of(details), entry.get("params")
    return Method(
        name,
        _plain(doc),
        source="discovered",
        parameters=tuple(_mopidy_parameter(param, fields) for param in params)
        if isinstance(params, list) and collected.parameters_fit(params)
        else (),
        details="" if details == doc else _plain(details),
        result=_mopidy_type(fields.get(("rtype", ""), "")),
        deprecated=_DEPRECATED.search(text) is not None,
        dialect=MOPIDY_DIALECT,
    )


def _mopidy_parameter(param: Any, fields: FieldDocs) -> Parameter:
    described = param if isinstance(param, dict) else {}
    name = name_of(described.get("name"))
    return Parameter(
        name,
        "default" not in described and not _takes_many(param),
        _mopidy_type(fields.get(("type", name), "")),
        line_of(_plain(fields.get(("param", name), ""))),
        example_of(described.get("default")),
    )


def _plain(text: str) -> str:
    """Text without the marks that say what its names stand for."""
    return _ROLE.sub(r"\1", text).replace("``", "`")


def _mopidy_type(said: str) -> str:
    """``list of string or None`` in the words of all services; what is a class of Mopidy's own is an object."""
    words = (_word(word) for word in _plain(said).split(" or "))
    return line_of(" or ".join(word for word in words if word), KIND)


def _word(word: str) -> str:
    """Empty for what is a sentence about the value, and no type."""
    many, _, of = word.partition(" of ")
    if of and kind_of(many) == "array":
        return f"array of {inner}" if (inner := _word(of)) else "array"
    if word.startswith(("mopidy.", "{")):
        return "object"
    return kind_of(word) if word.lower() in KINDS else ""


def _schema(said: str) -> dict[str, Any]:
    """The kinds that are said as JSON Schema; empty where one of them is a sentence."""
    words = [_word(word) for word in _plain(said).split(" or ")]
    if not said or not all(words):
        return {}
    shapes = [_shape(word) for word in dict.fromkeys(words)]
    if len(shapes) == 1:
        return shapes[0]
    plain = [shape["type"] for shape in shapes if len(shape) == 1]
    return {"type": plain} if len(plain) == len(shapes) else {"anyOf": shapes}


def _shape(kind: str) -> dict[str, Any]:
    many, _, of = kind.partition(" of ")
    return {"type": many, "items": _shape(of)} if of else {"type": many}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a param that is null unless somebody says otherwise."""
    if "anyOf" in schema:
        null = {"type": "null"}
        return schema if null in schema["anyOf"] else {**schema, "anyOf": [*schema["anyOf"], null]}
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and "null" not in types:
        schema = {"anyOf": [schema, {"type": "null"}]} if "items" in schema else {**schema, "type": [*types, "null"]}
    return {**schema, "enum": [*schema["enum"], None]} if "enum" in schema else schema
