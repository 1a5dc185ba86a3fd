"""rpcexplorer: explore JSON-RPC 2.0 services from the terminal, from a shell, or from Python.

The names below are the library. Each is imported when it is first used, so that ``import rpcexplorer`` is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rpcexplorer.auth.basic import BasicAuth
    from rpcexplorer.auth.bearer import BearerAuth
    from rpcexplorer.auth.cookie import CookieAuth
    from rpcexplorer.auth.digest import DigestAuth
    from rpcexplorer.auth.first import FirstAuth
    from rpcexplorer.auth.header import HeaderAuth
    from rpcexplorer.auth.inline import InlineAuth
    from rpcexplorer.auth.member import MemberAuth
    from rpcexplorer.auth.none import NoAuth
    from rpcexplorer.auth.query import QueryAuth
    from rpcexplorer.client.client import Client
    from rpcexplorer.client.stop import Stop
    from rpcexplorer.explorer import Explorer
    from rpcexplorer.model.draft import Batch, Draft
    from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Sent, Unreached
    from rpcexplorer.model.profile import Login, Profile
    from rpcexplorer.protocol.messages import ErrorObject, Malformed, Result

__all__ = [
    "BasicAuth",
    "Batch",
    "BearerAuth",
    "Cancelled",
    "Client",
    "CookieAuth",
    "DigestAuth",
    "Draft",
    "ErrorObject",
    "Exchange",
    "Explorer",
    "FirstAuth",
    "HeaderAuth",
    "InlineAuth",
    "Login",
    "Malformed",
    "MemberAuth",
    "NoAuth",
    "Profile",
    "QueryAuth",
    "Refused",
    "Result",
    "Sent",
    "Stop",
    "Unreached",
    "__version__",
]

_HOMES = {
    "rpcexplorer.client.client": ("Client",),
    "rpcexplorer.client.stop": ("Stop",),
    "rpcexplorer.explorer": ("Explorer",),
    "rpcexplorer.model.draft": ("Batch", "Draft"),
    "rpcexplorer.model.exchange": ("Cancelled", "Exchange", "Refused", "Sent", "Unreached"),
    "rpcexplorer.model.profile": ("Login", "Profile"),
    "rpcexplorer.protocol.messages": ("ErrorObject", "Malformed", "Result"),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    if name.endswith("Auth"):
        from rpcexplorer.auth.registry import KINDS

        if found := [kind for kind in KINDS.values() if kind.__name__ == name]:
            return found[0]
    raise AttributeError(f"rpcexplorer has no {name!r}")
