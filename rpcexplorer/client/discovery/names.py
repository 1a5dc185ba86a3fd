"""Dialects whose answer is a list of names: of methods, or only of the groups that they belong to.

One of them has a companion, which tells of a method what its params and its result look like when they are empty.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.limits import LINE, example_of, line_of, name_of
from rpcexplorer.client.discovery.questions import (
    EMPTY,
    Asking,
    Question,
    one_by_one,
    told_at_once,
    too_many_to_explain,
)
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.schema.node import kind_of_value

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
