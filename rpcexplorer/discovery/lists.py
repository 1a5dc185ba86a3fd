"""Lists of names: system.listMethods and others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import partial
from itertools import zip_longest
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import EMPTY, Asking, Question, one_by_one, told_at_once, too_many_to_explain
from rpcexplorer.discovery.reader import (
    KIND,
    LINE,
    Collected,
    example_of,
    first_line_of,
    kind_of,
    line_of,
    name_of,
    one_of,
    text_of,
)
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
from rpcexplorer.schema.node import KINDS, kind_of_value

NO_LIST = "answered, but not with a list of names"
MODULES_SHOWN = 20
GET_METHODS, GET_SIGNATURE = "jsonrpc.get_methods", "jsonrpc.get_signature"
"""Of the chains that are made with Graphene's library: Hive, Steem."""
MOST = 200
"""Params of one method, or members of its result."""


def read_names(value: Any, dialect: str) -> Listing:
    """Read a list of names, or of objects with names, or an object by name."""
    if not value:
        return Listing(refusal=EMPTY)
    if isinstance(value, dict):
        inner = value.get("methods")
        value = inner if isinstance(inner, dict | list) else value
    if not isinstance(value, dict | list):
        return Listing(refusal=NO_LIST)
    collected = Collected()
    for entry in value:
        name = name_of(entry.get("name") if isinstance(entry, dict) else entry)
        if name not in collected.methods and (room := collected.room_for(name)):
            collected.take(Method(room, source="discovered", dialect=dialect))
    return collected.listing()


def read_modules(value: Any) -> Listing:
    """Read which groups of methods a node has switched on. There is nothing to list, but something to say."""
    if not isinstance(value, dict) or not value:
        return Listing(refusal=EMPTY if not value else "answered, but not with modules by name")
    names = [name for name in map(name_of, list(value)[:MODULES_SHOWN]) if name]
    told = line_of(", ".join(names), LINE)
    return Listing(
        refusal=f"tells of modules only ({told}), whose methods begin with such a name and `_`; "
        "name an OpenRPC document in discovery to have them listed"
    )


def get_methods(described: Collection[str]) -> Asking:
    """The names; then, of each that nobody has described, its signature."""
    answer = yield Question(GET_METHODS, "{}")
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    listing = read_names(answer.value, GET_METHODS)
    methods = {method.name: method for method in listing.methods}
    wanted = [name for name in methods if name not in described]
    in_full = dict[str, Described]()

    def explained(method: Method, value: Any) -> Method:
        if not isinstance(value, dict) or not isinstance(value.get("args"), dict | list):
            return method
        in_full[method.name] = _in_full(value)
        return _signed(method, value)

    said = yield from one_by_one(GET_SIGNATURE, methods, wanted, explained, asked_by="method")
    said = [*listing.skipped, *said, *too_many_to_explain(wanted)]
    return replace(listing, methods=tuple(methods.values()), skipped=tuple(said), described=in_full)


def _signed(method: Method, value: dict[str, Any]) -> Method:
    """The method with its params as they are when they are empty, from which somebody may start."""
    args = value["args"]
    named = list(args.items())[:MOST] if isinstance(args, dict) else []
    parameters = tuple(Parameter(name_of(name), None, kind_of_value(each)) for name, each in named)
    result = kind_of_value(value["ret"]) if value.get("ret") is not None else ""
    start = example_of(args) if args else None
    return replace(method, params=start, parameters=parameters, by="name" if parameters else None, result=result)


def _in_full(value: dict[str, Any]) -> Described:
    args, ret = value["args"], value.get("ret")
    named = list(args.items())[:MOST] if isinstance(args, dict) else []
    params = tuple(DescribedParam(name_of(name), _like(each) or True) for name, each in named)
    return Described(params, _like(ret) or UNSET, dialect=GET_METHODS)


def _like(value: Any) -> dict[str, Any]:
    """The schema of values like this one, as far as it shows; empty where it is null."""
    kind = kind_of_value(value)
    if kind == "null":
        return {}
    if not isinstance(value, dict):
        return {"type": kind}
    return {"type": kind, "properties": {name: {"type": of} for name, of in _kinds(value) if of != "null"}}


def _kinds(value: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, kind_of_value(each)) for name, each in list(value.items())[:MOST]]


rpc_methods = told_at_once(Question("rpc_methods"), partial(read_names, dialect="rpc_methods"))
"""Substrate, and the nodes of chains that are made with it."""
shelly = told_at_once(Question("Shelly.ListMethods"), partial(read_names, dialect="Shelly.ListMethods"))
rpc_modules = told_at_once(Question("rpc_modules"), read_modules)
"""Ethereum's nodes."""
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


UBUS_DIALECT = "list"
MOST_LINES = 1_000
"""Methods of objects that are described."""
MOST_ARGUMENTS = 16
MOST_SHAPES = 300
"""Methods whose arguments are told apart."""
UBUS_TYPES: Final = frozenset(KINDS.values())
STATUS: Final = "0 for success, 2 invalid command, 4 not found, 6 permission denied"
SESSION = "Before these three stands the session; where the profile's auth puts one first, leave it out."


def read_objects(value: Any) -> Listing:
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not all(isinstance(methods, dict) for methods in value.values()):
        return Listing(refusal="answered, but not with objects and their methods, as ubus does")
    reached = [
        (of, name, arguments)
        for of, methods in value.items()
        for name, arguments in methods.items()
        if name_of(of) and name_of(name)
    ]
    if not reached:
        return Listing(refusal=EMPTY)
    objects = list(dict.fromkeys(of for of, _, _ in reached))
    first = next(((of, name) for of, name, arguments in reached if not arguments), reached[0][:2])
    lines = [_line(*each) for each in reached[:MOST_LINES]]
    more = len(reached) - len(lines)
    call = Method(
        "call",
        f"Calls one of {len(reached):,} methods of {len(objects):,} objects",
        source="discovered",
        parameters=(
            Parameter("object", True, line_of(one_of(objects), KIND), example=first[0]),
            Parameter("method", True, "string", example=first[1]),
            Parameter("arguments", True, "object"),
        ),
        by="position",
        details="\n".join([SESSION, "", *lines, *([f"and {more:,} more"] if more else [])]),
        dialect=UBUS_DIALECT,
    )
    about = f"{len(reached):,} methods of {len(objects):,} objects are called through it"
    return Listing((call,), about, described={call.name: _ubus_in_full(objects, reached)})


def _ubus_in_full(objects: list[str], reached: list[tuple[str, str, Any]]) -> Described:
    """The three params. What the third one is depends on the others: any that there is may stand there."""
    names = list(dict.fromkeys(name for _, name, _ in reached))
    shapes = [_arguments(*each) for each in reached[: MOST_SHAPES + 1]]
    return Described(
        (
            DescribedParam("object", {"type": "string", "enum": objects}, True),
            DescribedParam("method", {"type": "string", "enum": names}, True),
            DescribedParam("arguments", {"anyOf": shapes} if len(shapes) <= MOST_SHAPES else {"type": "object"}, True),
        ),
        {"type": "array", "items": [{"type": "integer", "description": STATUS}]},
        dialect=UBUS_DIALECT,
    )


def _arguments(of: str, name: str, arguments: Any) -> dict[str, Any]:
    members = list(arguments.items())[:MOST_ARGUMENTS] if isinstance(arguments, dict) else []
    properties = {key: {"type": kind_of(kind)} if kind_of(kind) in UBUS_TYPES else True for key, kind in members}
    return {"title": f"{of} {name}", "type": "object", "properties": properties}


objects = told_at_once(Question(UBUS_DIALECT, '["*"]'), read_objects)


def _line(of: str, name: str, arguments: Any) -> str:
    """``network.device status {name: string}``."""
    members = arguments.items() if isinstance(arguments, dict) else ()
    taken = [f"{line_of(key, KIND)}: {kind_of(kind)}" for key, kind in list(members)[:MOST_ARGUMENTS]]
    return line_of(f"{of} {name} {{{', '.join(taken)}}}" if taken else f"{of} {name}")
