"""``system.listMethods`` and its two companions, ``methodHelp`` and ``methodSignature``. Total, as openrpc.py is.

The three come from XML-RPC, so a signature names its types in that language: ``int``, ``struct``, ``double``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import zip_longest
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.client.discovery.limits import first_line_of, kind_of, text_of
from rpcexplorer.client.discovery.names import read_names
from rpcexplorer.client.discovery.questions import Asking, Question, one_by_one, too_many_to_explain
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.schema.node import KINDS

DIALECT = "system.listMethods"
MOST_POSITIONS = 32
"""Params of one signature."""
MOST_SIGNATURES = 32
"""Of one method."""
STANDARD: Final = frozenset(KINDS.values())
SPELLED: Final = {"base64": "string", "dateTime.iso8601": "string"}
"""Kinds of XML-RPC that JSON spells as text."""
UNSAID: Final = frozenset(("undef", "undefined", "any", "mixed", "variant", "unknown"))


def list_methods(described: Collection[str]) -> Asking:
    """A list of names; help and signature of each that nobody has described are asked for one by one."""
    answer = yield Question(DIALECT)
    listing = Listing(refusal=answer.refusal) if answer.refusal else read_names(answer.value, DIALECT)
    methods = {method.name: method for method in listing.methods}
    wanted = [name for name in methods if name not in described]
    in_full = dict[str, Described]()

    def signed(method: Method, value: Any) -> Method:
        if told := described_by_signatures(value):
            in_full[method.name] = told
        return with_signature(method, value)

    said = list(listing.skipped)
    for companion, explained in (("system.methodHelp", with_help), ("system.methodSignature", signed)):
        said += yield from one_by_one(companion, methods, wanted, explained)
    said += too_many_to_explain(wanted)
    return replace(listing, methods=tuple(methods.values()), skipped=tuple(said), described=in_full)


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
    signatures = _signatures(value)
    if not signatures:
        return method
    result, *params = signatures[0]
    always = min(len(signature) for signature in signatures) - 1
    parameters = tuple(Parameter("", place < always, _kind(param)) for place, param in enumerate(params))
    return replace(method, result=_kind(result), parameters=parameters, by="position" if parameters else None)


def described_by_signatures(value: Any) -> Described | None:
    """What all signatures say together: at each position, what any of them has there."""
    signatures = _signatures(value)
    if not signatures:
        return None
    result, *places = zip_longest(*signatures)
    params = tuple(DescribedParam("", _schema(kinds) or True, None not in kinds) for kinds in places)
    return Described(params, _schema(result) or UNSET, extra=False, dialect=DIALECT)


def _signatures(value: Any) -> list[list[Any]]:
    if not isinstance(value, list) or not value:
        return []
    several = [value] if isinstance(value[0], str) else [each for each in value if isinstance(each, list) and each]
    return [each[: MOST_POSITIONS + 1] for each in several[:MOST_SIGNATURES]]


def _schema(kinds: Iterable[Any]) -> dict[str, Any]:
    """A schema of kinds; empty where one of them is none that JSON has. None stands for a signature that is shorter."""
    types = [*dict.fromkeys(SPELLED.get(_kind(kind), _kind(kind)) for kind in kinds if kind is not None)]
    if not types or not STANDARD.issuperset(types):
        return {}
    return {"type": types[0] if len(types) == 1 else types}


def _kind(word: Any) -> str:
    """Empty where the service says no more than that there is something."""
    kind = kind_of(word)
    return "" if kind.lower() in UNSAID else kind
