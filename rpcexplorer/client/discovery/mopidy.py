"""What Mopidy's ``core.describe`` tells: methods by name, their docstrings, and their params with defaults.

A docstring names the types of its params and of its result in the way of Sphinx.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import UNSET

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.described import MOST
from rpcexplorer.client.discovery.limits import KIND, example_of, first_line_of, kind_of, line_of, name_of, text_of
from rpcexplorer.client.discovery.questions import EMPTY, Question, told_at_once
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.schema.node import KINDS

FieldDocs = dict[tuple[str, str], str]
"""What a docstring says, by the word of the field and the name that it is about; the name is empty for the result."""
DIALECT = "core.describe"
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
            collected.take(_method(room, entry, fields, collected), _in_full(entry, fields))
    return collected.listing()


describe = told_at_once(Question(DIALECT), read_description)


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
        dialect=DIALECT,
    )


def _described(param: Any, fields: FieldDocs) -> DescribedParam:
    described = param if isinstance(param, dict) else {}
    line = _parameter(param, fields)
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


def _method(name: str, entry: dict[str, Any], fields: FieldDocs, collected: Collected) -> Method:
    text = text_of(entry.get("description"))
    begin = _FIELDS_BEGIN.search(text)
    details = text[: begin.start()].strip() if begin else text
    doc, params = first_line_of(details), entry.get("params")
    return Method(
        name,
        _plain(doc),
        source="discovered",
        parameters=tuple(_parameter(param, fields) for param in params)
        if isinstance(params, list) and collected.parameters_fit(params)
        else (),
        details="" if details == doc else _plain(details),
        result=_kind(fields.get(("rtype", ""), "")),
        deprecated=_DEPRECATED.search(text) is not None,
        dialect=DIALECT,
    )


def _parameter(param: Any, fields: FieldDocs) -> Parameter:
    described = param if isinstance(param, dict) else {}
    name = name_of(described.get("name"))
    return Parameter(
        name,
        "default" not in described and not _takes_many(param),
        _kind(fields.get(("type", name), "")),
        line_of(_plain(fields.get(("param", name), ""))),
        example_of(described.get("default")),
    )


def _plain(text: str) -> str:
    """Text without the marks that say what its names stand for."""
    return _ROLE.sub(r"\1", text).replace("``", "`")


def _kind(said: str) -> str:
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
