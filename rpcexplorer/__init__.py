"""rpcexplorer: explore JSON-RPC services from a terminal or from Python.

`Client` sends calls to one server, `Explorer` uses your profiles. ``rpcexplorer manual python`` has examples.

The names in ``__all__`` are the public API. Each is imported when it is first used, so ``import rpcexplorer`` is fast.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = [
    "BasicAuth",
    "Batch",
    "BatchExchange",
    "BearerAuth",
    "Cancelled",
    "Client",
    "ClientSettings",
    "CookieAuth",
    "DigestAuth",
    "Draft",
    "ErrorObject",
    "Event",
    "Exchange",
    "Explorer",
    "FirstAuth",
    "HeaderAuth",
    "InlineAuth",
    "JwtAuth",
    "Login",
    "Malformed",
    "MemberAuth",
    "NoAuth",
    "OAuthAuth",
    "Profile",
    "QueryAuth",
    "Refused",
    "Result",
    "Sent",
    "Stop",
    "Unreached",
    "UserError",
    "__version__",
]
_MODULES = {
    "rpcexplorer.client.client": ("Client", "ClientSettings"),
    "rpcexplorer.explorer": ("Explorer",),
    "rpcexplorer.model.batch": ("BatchExchange",),
    "rpcexplorer.model.draft": ("Batch", "Draft"),
    "rpcexplorer.model.event": ("Event",),
    "rpcexplorer.model.exchange": ("Cancelled", "Exchange", "Refused", "Sent", "Stop", "Unreached"),
    "rpcexplorer.model.problem": ("UserError",),
    "rpcexplorer.model.profile": ("Login", "Profile"),
    "rpcexplorer.rpc.messages": ("ErrorObject", "Malformed", "Result"),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(module), name)
    if name.endswith("Auth"):
        from rpcexplorer.auth.registry import KINDS

        if found := [kind for kind in KINDS.values() if kind.__name__ == name]:
            return found[0]
    raise AttributeError(f"rpcexplorer has no {name!r}")


def __dir__() -> list[str]:
    """List the public names for ``help`` and ``Tab``, without their imports."""
    return __all__
