"""What ``system.listMethods`` and its two companions answer, as methods. Total, as openrpc.py is.

The three come from XML-RPC, so a signature names its types in that language: ``int``, ``struct``, ``double``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from rpcexplorer.client.discovery.limits import first_line_of, kind_of, name_of, text_of
from rpcexplorer.client.discovery.openrpc import EMPTY, MOST_METHODS
from rpcexplorer.model.catalogue import Listing, Method, Parameter

DIALECT = "system.listMethods"
MOST_POSITIONS = 32
"""Params of one signature."""


def read_names(value: Any) -> Listing:
    """Read a list of names, or of objects with names, or an object by name."""
    if not value:
        return Listing(refusal=EMPTY)
    if isinstance(value, dict):
        inner = value.get("methods")
        value = inner if isinstance(inner, dict | list) else value
    if not isinstance(value, dict | list):
        return Listing(refusal="answered, but not with a list of names")
    named = [name_of(entry.get("name") if isinstance(entry, dict) else entry) for entry in value]
    names = list(dict.fromkeys(name for name in named if name))
    methods = tuple(Method(name, source="discovered", dialect=DIALECT) for name in names[:MOST_METHODS])
    return Listing(methods, skipped=tuple(_skipped(named.count(""), len(names) - len(methods))))


def _skipped(nameless: int, too_many: int) -> Iterable[str]:
    if nameless:
        yield f"{nameless:,} left out: without a name that can be called"
    if too_many:
        yield f"{too_many:,} left out: beyond the first {MOST_METHODS:,}"


def with_help(method: Method, value: Any) -> Method:
    """The method with what ``system.methodHelp`` says of it."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("description", "help", "doc") if isinstance(value.get(key), str)), "")
    doc, details = first_line_of(value), text_of(value)
    return replace(method, doc=doc or method.doc, details="" if details == doc else details) if doc else method


def with_signature(method: Method, value: Any) -> Method:
    """The method with what ``system.methodSignature`` says: a list of signatures, each the result and the params.

    The first one counts; what another one does without is not required.
    """
    if not isinstance(value, list) or not value:
        return method
    signatures = [value] if isinstance(value[0], str) else [each for each in value if isinstance(each, list) and each]
    if not signatures:
        return method
    result, *params = signatures[0][: MOST_POSITIONS + 1]
    always = min(len(signature) for signature in signatures) - 1
    parameters = tuple(Parameter("", place < always, kind_of(param)) for place, param in enumerate(params))
    return replace(method, result=kind_of(result), parameters=parameters, by="position" if parameters else None)
