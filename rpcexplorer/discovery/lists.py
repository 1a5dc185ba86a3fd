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
from rpcexplorer.discovery.reader import (
    KIND,
    Collected,
    dict_of,
    docs_of,
    kind_of,
    line_of,
    list_of,
    name_of,
    own_kind,
    weight,
)
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import counted
from rpcexplorer.schema.dialect import KINDS
from rpcexplorer.schema.node import kind_of_value

NOT_A_LIST: Final = "the response is not a list of names"
MAX_START: Final = 10_000
"""Characters of params to start from; nobody wants to edit more."""
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
    if isinstance(value, dict) and isinstance(value.get("methods"), dict | list):
        value = value["methods"]
    if not isinstance(value, dict | list):
        return Listing(refusal=NOT_A_LIST)
    collected = Collected()
    for entry in value:
        name = name_of(entry) or name_of(dict_of(entry).get("name"))
        if name not in collected.described and collected.take_name(name):
            collected.described[name] = Described(protocol=protocol)
    return collected.listing()


def with_help(described: Described, value: Any) -> Described:
    """Return the description with the text of ``system.methodHelp``."""
    if isinstance(value, dict):
        texts = [value.get(key) for key in ("description", "help", "doc")]
        value = next((text for text in texts if isinstance(text, str)), "")
    docs = docs_of(value)
    if not docs["doc"]:
        return described
    return replace(described, **docs)


def with_signatures(described: Described, value: Any) -> Described:
    """Return the description with the result of ``system.methodSignature``.

    A signature is a list of the result's type and the params' types. Each param gets the types of all signatures. It is
    optional if one of them does not have it.
    """
    several = [entry for entry in list_of(value) if isinstance(entry, list) and entry]
    if isinstance(value, list) and value and isinstance(value[0], str):
        several = [value]
    if not several:
        return described
    result, *places = zip_longest(*several)
    params = [
        DescribedParam("", _schema(kinds) or True, None not in kinds, kind=_own_kind(kinds[0])) for kinds in places
    ]
    return replace(
        described,
        params=tuple(params),
        result=_schema(result) or UNSET,
        result_kind=_own_kind(result[0]),
        by="position" if params else None,
        extra=False,
    )


def _schema(kinds: Iterable[Any]) -> dict[str, Any]:
    """Return a schema of XML-RPC types; empty if JSON lacks one of them.

    A type is None if a signature has no such param.
    """
    words = [kind_of(kind) for kind in kinds if kind is not None]
    types = list(dict.fromkeys(SPELLED.get(word, word) for word in words))
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
    args = dict_of(value).get("args")
    if not isinstance(args, dict | list):
        return described
    params = [DescribedParam(name_of(name), _like(example) or True) for name, example in dict_of(args).items()]
    return replace(
        described,
        params=tuple(params),
        result=_like(dict_of(value).get("ret")) or UNSET,
        by="name" if params else None,
        start=args if args and weight(args, MAX_START) <= MAX_START else None,
    )


def _like(value: Any) -> dict[str, Any]:
    """Return the schema of values like this one; empty for null."""
    if value is None:
        return {}
    schema: dict[str, Any] = {"type": kind_of_value(value)}
    if isinstance(value, dict):
        known = {name: kind_of_value(member) for name, member in value.items() if member is not None}
        schema["properties"] = {name: {"type": kind} for name, kind in known.items()}
    return schema


def read_modules(value: Any) -> Listing:
    """Read the modules of a node.

    They list no methods, but lead to a useful refusal.
    """
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict):
        return Listing(refusal="the response is not a list of modules")
    names = line_of(", ".join(name for name in value if name_of(name)), LINE)
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
    "__listMethods": name_list(Question("__listMethods")),  # the library rpc-websockets
    GET_METHODS: name_list(  # chains made with Graphene's library: Hive, Steem
        Question(GET_METHODS, "{}"), Companion("jsonrpc.get_signature", with_empty_args, "method")
    ),
}


UBUS_PROTOCOL: Final = "list"
MAX_SHAPES: Final = 300
"""Methods up to which each one's arguments have their own schema; a router has 200."""
STATUS: Final = "0 success, 2 invalid command, 4 not found, 6 permission denied"
SESSION: Final = "The session comes before these three. Omit it if the profile's auth adds it."


class UbusMethod(NamedTuple):
    owner: str
    name: str
    arguments: dict[str, str]
    """Types by name."""

    @property
    def line(self) -> str:
        """Return a line such as ``network.device status {name: string}``."""
        line = f"{self.owner} {self.name}"
        if self.arguments:
            words = ", ".join(f"{line_of(name, KIND)}: {kind}" for name, kind in self.arguments.items())
            line += f" {{{words}}}"
        return line_of(line)

    @property
    def schema(self) -> dict[str, Any]:
        properties: dict[str, Any] = dict.fromkeys(self.arguments, True)
        for name, kind in self.arguments.items():
            if kind in STANDARD:
                properties[name] = {"type": kind}
        return {"title": f"{self.owner} {self.name}", "type": "object", "properties": properties}


def read_objects(value: Any) -> Listing:
    """Read the objects of ubus, whose methods are all called through ``call``."""
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not all(isinstance(methods, dict) for methods in value.values()):
        return Listing(refusal="the response is not a list of objects and methods like that of ubus")
    methods: list[UbusMethod] = []
    for owner, entries in value.items():
        for name, given in entries.items():
            if name_of(owner) and name_of(name):
                kinds = {key: kind_of(kind) for key, kind in dict_of(given).items()}
                methods.append(UbusMethod(owner, name, kinds))
    if not methods:
        return Listing(refusal=EMPTY)
    first = next((method for method in methods if not method.arguments), methods[0])
    objects = list(dict.fromkeys([first.owner, *(method.owner for method in methods)]))
    names = list(dict.fromkeys([first.name, *(method.name for method in methods)]))
    arguments: dict[str, Any] = {"type": "object"}
    # Each method has its own arguments, so the schema accepts the arguments of any method.
    if len(methods) <= MAX_SHAPES:
        arguments = {"anyOf": [method.schema for method in methods]}
    found = f"{counted(len(methods), 'method')} of {counted(len(objects), 'object')}"
    call = Described(
        (
            DescribedParam("object", {"type": "string", "enum": objects}, True),
            DescribedParam("method", {"type": "string", "enum": names}, True),
            DescribedParam("arguments", arguments, True),
        ),
        {"type": "array", "items": [{"type": "integer", "description": STATUS}]},
        protocol=UBUS_PROTOCOL,
        doc=f"Calls a method of an object ({found})",
        details="\n".join([SESSION, "", *(method.line for method in methods)]),
        by="position",
    )
    return Listing({"call": call}, f"which calls {found}")


objects = one_question(Question(UBUS_PROTOCOL, '["*"]'), read_objects)
