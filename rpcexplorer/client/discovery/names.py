"""Dialects whose answer is a list of names and no more: of methods, or only of the groups that they belong to."""

from __future__ import annotations

from functools import partial
from typing import Any

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.limits import LINE, line_of, name_of
from rpcexplorer.client.discovery.questions import EMPTY, Question, told_at_once
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.methods.method import Method

NO_LIST = "answered, but not with a list of names"
MODULES_SHOWN = 20


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


rpc_methods = told_at_once(Question("rpc_methods"), partial(read_names, dialect="rpc_methods"))
"""Substrate, and the nodes of chains that are made with it."""

shelly = told_at_once(Question("Shelly.ListMethods"), partial(read_names, dialect="Shelly.ListMethods"))

rpc_modules = told_at_once(Question("rpc_modules"), read_modules)
"""Ethereum's nodes."""
