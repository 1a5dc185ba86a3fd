"""``system.listMethods`` and its two companions, ``methodHelp`` and ``methodSignature``. Total, as openrpc.py is.

The three come from XML-RPC, so a signature names its types in that language: ``int``, ``struct``, ``double``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from msgspec.structs import replace

from rpcexplorer.client.discovery.limits import first_line_of, kind_of, text_of
from rpcexplorer.client.discovery.names import read_names
from rpcexplorer.client.discovery.questions import Asking, Question, one_by_one, too_many_to_explain
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.methods.method import Method, Parameter

DIALECT = "system.listMethods"
MOST_POSITIONS = 32
"""Params of one signature."""


def list_methods(described: Collection[str]) -> Asking:
    """A list of names; help and signature of each that nobody has described are asked for one by one."""
    answer = yield Question(DIALECT)
    listing = Listing(refusal=answer.refusal) if answer.refusal else read_names(answer.value, DIALECT)
    methods = {method.name: method for method in listing.methods}
    wanted = [name for name in methods if name not in described]
    said = list(listing.skipped)
    for companion, explained in (("system.methodHelp", with_help), ("system.methodSignature", with_signature)):
        said += yield from one_by_one(companion, methods, wanted, explained)
    said += too_many_to_explain(wanted)
    return replace(listing, methods=tuple(methods.values()), skipped=tuple(said))


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
