"""What Mopidy's ``core.describe`` tells: methods by name, their docstrings, and their params with defaults.

A docstring names the types of its params and of its result in the way of Sphinx.
"""

from __future__ import annotations

import re
from typing import Any

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.limits import (
    KIND,
    example_of,
    first_line_of,
    kind_of,
    line_of,
    name_of,
    text_of,
)
from rpcexplorer.client.discovery.questions import EMPTY, Question, told_at_once
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.methods.method import Method, Parameter
from rpcexplorer.model.schema.kinds import KINDS

DIALECT = "core.describe"

_FIELD = re.compile(r"^:(param|type|rtype) ?(\w*):[ \t]*(\S.*)$", re.MULTILINE)
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
            collected.take(_method(room, entry, collected))
    return collected.listing()


describe = told_at_once(Question(DIALECT), read_description)


def _method(name: str, entry: dict[str, Any], collected: Collected) -> Method:
    text = text_of(entry.get("description"))
    fields = {(field, of): said for field, of, said in _FIELD.findall(text)}
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


def _parameter(param: Any, fields: dict[tuple[str, str], str]) -> Parameter:
    described = param if isinstance(param, dict) else {}
    name = name_of(described.get("name"))
    takes_many = described.get("varargs") is True or described.get("kwargs") is True
    return Parameter(
        name,
        "default" not in described and not takes_many,
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
