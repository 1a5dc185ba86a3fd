"""Lists of names: system.listMethods and others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.discovery.methods import LINE, Listing
from rpcexplorer.discovery.questions import (
    EMPTY,
    Dialogue,
    Question,
    StartDialogue,
    ask_companion,
    count_unexplained,
    one_question,
)
from rpcexplorer.discovery.reader import KIND, Collected, docs_of, kind_of, line_of, name_of, own_kind
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import counted
from rpcexplorer.schema.node import KINDS, kind_of_value, weight

NOT_A_LIST: Final = "the response is not a list of names"
MODULES_SHOWN: Final = 20
MAX_ENTRIES: Final = 200
"""Params of one method, or members of its result."""
MAX_START: Final = 10_000
"""Characters of params to start from."""
MAX_POSITIONS: Final = 32
"""Params of one signature."""
MAX_SIGNATURES: Final = 32
"""Signatures of one method."""
STANDARD: Final = frozenset(KINDS.values())
SPELLED: Final = {"base64": "string", "dateTime.iso8601": "string"}
"""XML-RPC types that are strings in JSON."""
UNSAID: Final = frozenset(("undef", "undefined", "any", "mixed", "variant", "unknown"))


class Companion(NamedTuple):
    """A method that describes the method whose name it gets."""

    method: str
    read: Callable[[Described, Any], Described]
    param: str = ""
    """Name of its param, if it takes its param by name."""


def name_list(question: Question, *companions: Companion) -> StartDialogue:
    """Return the protocol that lists names.

    It asks the companions about each method that has no description yet.
    """

    def ask(described: Collection[str]) -> Dialogue:
        answer = yield question
        if answer.refusal:
            return Listing(refusal=answer.refusal)
        listing = read_names(answer.value, question.method)
        found = dict(listing.described)
        wanted = [name for name in found if name not in described]
        skipped = list(listing.skipped)
        for companion in companions:
            explain = partial(_explain, found, companion.read)
            skipped += yield from ask_companion(companion.method, wanted, explain, companion.param)
        if companions:
            skipped += count_unexplained(wanted)
        return replace(listing, described=found, skipped=tuple(skipped))

    return ask


def _explain(found: dict[str, Described], read: Callable[[Described, Any], Described], name: str, value: Any) -> None:
    found[name] = read(found[name], value)


def read_names(value: Any, protocol: str) -> Listing:
    """Read a list of names or of objects with names, or an object by name."""
    if not value:
        return Listing(refusal=EMPTY)
    if isinstance(value, dict):
        inner = value.get("methods")
        value = inner if isinstance(inner, dict | list) else value
    if not isinstance(value, dict | list):
        return Listing(refusal=NOT_A_LIST)
    collected = Collected()
    for entry in value:
        name = name_of(entry.get("name") if isinstance(entry, dict) else entry)
        if name not in collected.described and collected.take_name(name):
            collected.described[name] = Described(protocol=protocol)
    return collected.listing()


def with_help(described: Described, value: Any) -> Described:
    """Return the description with the text of ``system.methodHelp``."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("description", "help", "doc") if isinstance(value.get(key), str)), "")
    docs = docs_of(value)
    return replace(described, **docs) if docs["doc"] else described


def with_signatures(described: Described, value: Any) -> Described:
    """Return the description with the result of ``system.methodSignature``.

    A signature is a list of the result's type and the params' types. Each param gets the types of all signatures. It is
    optional if one of them does not have it.
    """
    if not isinstance(value, list) or not value:
        return described
    several = [value] if isinstance(value[0], str) else [entry for entry in value if isinstance(entry, list) and entry]
    if not several:
        return described
    result, *places = zip_longest(*(signature[: MAX_POSITIONS + 1] for signature in several[:MAX_SIGNATURES]))
    return replace(
        described,
        params=tuple(
            DescribedParam("", _schema(kinds) or True, None not in kinds, kind=_own_kind(kinds[0])) for kinds in places
        ),
        result=_schema(result) or UNSET,
        result_kind=_own_kind(result[0]),
        by="position" if places else None,
        extra=False,
    )


def _schema(kinds: Iterable[Any]) -> dict[str, Any]:
    """Return a schema of XML-RPC types; empty if JSON lacks one of them.

    A type is None if a signature has no such param.
    """
    types = [*dict.fromkeys(SPELLED.get(kind_of(kind), kind_of(kind)) for kind in kinds if kind is not None)]
    if not types or not STANDARD.issuperset(types):
        return {}
    return {"type": types[0] if len(types) == 1 else types}


def _own_kind(word: Any) -> str:
    kind = own_kind(word)
    return "" if kind.lower() in UNSAID else kind


def with_empty_args(described: Described, value: Any) -> Described:
    """Return the description with a signature of Graphene.

    The signature has the params with empty values.
    """
    if not isinstance(value, dict) or not isinstance(args := value.get("args"), dict | list):
        return described
    named = list(args.items())[:MAX_ENTRIES] if isinstance(args, dict) else []
    return replace(
        described,
        params=tuple(DescribedParam(name_of(name), _like(example) or True) for name, example in named),
        result=_like(value.get("ret")) or UNSET,
        by="name" if named else None,
        start=args if args and weight(args, MAX_START) <= MAX_START else None,
    )


def _like(value: Any) -> dict[str, Any]:
    """Return the schema of values like this one; empty for null."""
    kind = kind_of_value(value)
    if kind == "null":
        return {}
    if not isinstance(value, dict):
        return {"type": kind}
    kinds = ((name, kind_of_value(member)) for name, member in list(value.items())[:MAX_ENTRIES])
    return {"type": kind, "properties": {name: {"type": kind_word} for name, kind_word in kinds if kind_word != "null"}}


def read_modules(value: Any) -> Listing:
    """Read the modules of a node.

    They list no methods, but lead to a useful refusal.
    """
    if not isinstance(value, dict) or not value:
        return Listing(refusal=EMPTY if not value else "the response is not a list of modules")
    names = line_of(", ".join(filter(None, map(name_of, list(value)[:MODULES_SHOWN]))), LINE)
    return Listing(
        refusal=f"the server lists only modules ({names}). The methods of a module start with its name and `_`. "
        "To list them, set discovery to an OpenRPC document"
    )


rpc_modules = one_question(Question("rpc_modules"), read_modules)
"""The protocol of Ethereum nodes."""
GET_METHODS: Final = "jsonrpc.get_methods"
NAME_LISTS: Final = {
    "system.listMethods": name_list(
        Question("system.listMethods"),
        Companion("system.methodHelp", with_help),
        Companion("system.methodSignature", with_signatures),
    ),
    "rpc_methods": name_list(Question("rpc_methods")),  # Substrate and the nodes of chains made with it
    "Shelly.ListMethods": name_list(Question("Shelly.ListMethods")),
    GET_METHODS: name_list(  # chains made with Graphene's library: Hive, Steem
        Question(GET_METHODS, "{}"), Companion("jsonrpc.get_signature", with_empty_args, "method")
    ),
}


UBUS_PROTOCOL: Final = "list"
MAX_LINES: Final = 1_000
"""Methods of objects to describe."""
MAX_ARGUMENTS: Final = 16
MAX_SHAPES: Final = 300
"""Methods up to which each one's arguments have their own schema."""
STATUS: Final = "0 success, 2 invalid command, 4 not found, 6 permission denied"
SESSION: Final = "The session comes before these three. Omit it if the profile's auth adds it."


def read_objects(value: Any) -> Listing:
    """Read the objects of ubus, whose methods are all called through ``call``."""
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not all(isinstance(methods, dict) for methods in value.values()):
        return Listing(refusal="the response is not a list of objects and methods like that of ubus")
    reached = [
        (owner, name, list(arguments.items())[:MAX_ARGUMENTS] if isinstance(arguments, dict) else [])
        for owner, methods in value.items()
        for name, arguments in methods.items()
        if name_of(owner) and name_of(name)
    ]
    if not reached:
        return Listing(refusal=EMPTY)
    first, start, _ = next((entry for entry in reached if not entry[2]), reached[0])
    objects = list(dict.fromkeys([first, *(owner for owner, _, _ in reached)]))
    names = list(dict.fromkeys([start, *(name for _, name, _ in reached)]))
    lines = [_line(*entry) for entry in reached[:MAX_LINES]]
    more = [f"and {len(reached) - MAX_LINES:,} more"] if len(reached) > MAX_LINES else []
    arguments: dict[str, Any] = {"type": "object"}
    # Each method has its own arguments, so the schema accepts the arguments of any method.
    if len(reached) <= MAX_SHAPES:
        arguments = {"anyOf": [_arguments(*entry) for entry in reached]}
    found = f"{counted(len(reached), 'method')} of {counted(len(objects), 'object')}"
    call = Described(
        (
            DescribedParam("object", {"type": "string", "enum": objects}, True),
            DescribedParam("method", {"type": "string", "enum": names}, True),
            DescribedParam("arguments", arguments, True),
        ),
        {"type": "array", "items": [{"type": "integer", "description": STATUS}]},
        protocol=UBUS_PROTOCOL,
        doc=f"Calls a method of an object ({found})",
        details="\n".join([SESSION, "", *lines, *more]),
        by="position",
    )
    return Listing({"call": call}, f"which calls {found}")


def _arguments(owner: str, name: str, members: list[tuple[str, Any]]) -> dict[str, Any]:
    properties = {key: {"type": kind_of(kind)} if kind_of(kind) in STANDARD else True for key, kind in members}
    return {"title": f"{owner} {name}", "type": "object", "properties": properties}


def _line(owner: str, name: str, members: list[tuple[str, Any]]) -> str:
    """Return a line such as ``network.device status {name: string}``."""
    words = ", ".join(f"{line_of(key, KIND)}: {kind_of(kind)}" for key, kind in members)
    return line_of(f"{owner} {name} {{{words}}}" if words else f"{owner} {name}")


objects = one_question(Question(UBUS_PROTOCOL, '["*"]'), read_objects)
