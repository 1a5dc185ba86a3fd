"""The catalogue: every method a profile is known to have, from whichever source, in one list."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from rpcexplorer.model.method import Method, SavedCall, SavedMethod
from rpcexplorer.model.methods.sources import filled, of_profile, said_by
from rpcexplorer.model.profile import MethodNote, Profile

NAMES_ALONE = frozenset({"system.listMethods", "rpc_methods", "Shelly.ListMethods", "help", "jsonrpc.get_methods"})
"""Dialects that may name a method and say nothing of its params."""
KNOWN = (
    Method("ping", "Answers when the session is valid", [], "cookie", True, "service"),
    Method("arg_test", "Takes the credentials as params", None, "inline", True, "service"),
    Method("auth", "Opens a session", None, "none", True, "service"),
)
"""The three that the service's document names."""


def catalogue(
    profile: Profile, discovered: Iterable[Method] = (), called: Iterable[str] = (), absent: Container[str] = ()
) -> dict[str, Method]:
    """Merge all sources by name, sorted. What the profile says of a method wins over what was discovered.

    ``absent``: names that the server has said it does not have. The known three are there until it says otherwise, at
    the address of the service alone.
    """
    methods: dict[str, Method] = {name: Method(name, source="history") for name in called if name not in absent}
    found = {method.name: method for method in discovered}
    methods |= found
    for known in KNOWN if profile.is_service else ():
        if known.name in found or not (found or known.name in absent):
            methods[known.name] = _backed(methods.get(known.name), known)
    for name, note in profile.methods.items():
        methods[name] = _noted(methods.get(name), name, note)
    return dict(sorted(methods.items()))


def saved_among(calls: Iterable[SavedCall], methods: Mapping[str, Method]) -> dict[str, Method]:
    """Saved calls as they stand among methods. What they call is said first, and is as safe as it is by itself."""
    found: dict[str, Method] = {}
    for call in calls:
        method = methods.get(call.method) or Method(call.method)
        doc = f"{call.method}  {call.doc}".rstrip()
        found[call.listed_as] = SavedMethod(
            call.listed_as, doc, auth=method.auth, safe=method.safe, source="saved", calls=call.method
        )
    return found


def _backed(method: Method | None, known: Method) -> Method:
    """What a service says of a method that is known anyway, its gaps filled."""
    if method is None or method.source == "history":
        return known
    return filled(method, known)


def _noted(method: Method | None, name: str, note: MethodNote) -> Method:
    method = of_profile(method or Method(name))
    return said_by(method, "profile", doc=note.doc or None, params=note.params, auth=note.auth, safe=note.safe)


def first_method(methods: Mapping[str, Method]) -> str:
    """The one to begin with where none was used yet: safe, and known to need no params; empty where none is so."""
    return next((name for name, method in methods.items() if method.safe and _needs_no_params(method)), "")


def _needs_no_params(method: Method) -> bool:
    if method.params is not None:
        return method.params in ([], {})
    return (
        bool(method.dialect)
        and method.dialect not in NAMES_ALONE
        and not any(parameter.required for parameter in method.parameters)
    )


def asks_first(profile: Profile, method: str, methods: Mapping[str, Method]) -> bool:
    """Whether the profile wants a question before this method is sent; what has no name is not sent anyway."""
    if not method.strip():
        return False
    if profile.confirm == "unsafe":
        known = methods.get(method)
        return known is None or known.safe is not True
    return profile.confirm == "always"
