"""The catalogue: every method a profile is known to have, from whichever source, in one list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from rpcexplorer.model.profile import AuthKind, MethodNote, Profile

MethodSource = Literal["service", "profile", "discovered", "history"]
"""Who says that the method exists."""


@dataclass(frozen=True, slots=True)
class Method:
    """A name that can be called, with what is known of it."""

    name: str
    doc: str = ""
    """One line."""
    params: Any = None
    """A starting point for the editor; None where none is known."""
    auth: AuthKind | None = None
    """What it needs; None where nobody has said."""
    safe: bool | None = None
    """False or None: ask first where the profile says so."""
    source: MethodSource = "profile"


KNOWN = (
    Method("ping", "Answers when the session is valid", [], "cookie", True, "service"),
    Method("arg_test", "Takes the credentials as params", None, "inline", True, "service"),
    Method("auth", "Opens a session", None, "none", True, "service"),
)
"""The three that the service's document names."""


def catalogue(profile: Profile, discovered: Iterable[Method] = (), called: Iterable[str] = ()) -> dict[str, Method]:
    """Merge all sources by name, sorted. What the profile says of a method wins over what was discovered."""
    methods: dict[str, Method] = {name: Method(name, source="history") for name in called}
    methods |= {method.name: method for method in (*KNOWN, *discovered)}
    for name, note in profile.methods.items():
        methods[name] = _noted(methods.get(name), name, note)
    return dict(sorted(methods.items()))


def _noted(method: Method | None, name: str, note: MethodNote) -> Method:
    method = method or Method(name)
    return replace(
        method,
        doc=note.doc or method.doc,
        params=method.params if note.params is None else note.params,
        auth=note.auth or method.auth,
        safe=method.safe if note.safe is None else note.safe,
        source="profile",
    )


def asks_first(profile: Profile, method: str, methods: Mapping[str, Method]) -> bool:
    """Whether the profile wants a question before this method is sent."""
    if profile.confirm == "unsafe":
        known = methods.get(method)
        return known is None or known.safe is not True
    return profile.confirm == "always"
