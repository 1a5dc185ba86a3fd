"""The one table of methods: dispatch looks names up in it, and the methods that describe the service read it."""

from __future__ import annotations

from rpcexplorer.demo.declaration import Call, Method
from rpcexplorer.demo.methods import access, failures, notes, orders, samples
from rpcexplorer.demo.methods.openrpc import document
from rpcexplorer.demo.reply import Outcome, success


def _discover(_: Call) -> Outcome:
    return success(document(TABLE.values()))


def _list_methods(_: Call) -> Outcome:
    return success(sorted(TABLE))


_ABOUT = (
    Method(
        "rpc.discover",
        "Describes the service as an OpenRPC document",
        _discover,
        result={"type": "object"},
    ),
    Method(
        "system.listMethods",
        "The names of all methods",
        _list_methods,
        result={"type": "array", "items": {"type": "string"}},
    ),
)
TABLE: dict[str, Method] = {
    method.name: method
    for group in (access.METHODS, samples.METHODS, failures.METHODS, notes.METHODS, orders.METHODS, _ABOUT)
    for method in group
}
