"""The catalogue: every method a profile is known to have, from whichever source, in one list.

Also what discovery brings to it: a listing is what one dialect's answer says, a discovery what all of them do.
How an answer is read is in client/discovery/.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.profile import MethodNote, Profile
from rpcexplorer.model.templates.saved_call import SavedCall

MethodSource = Literal["service", "profile", "discovered", "history", "saved"]
"""Who says that the method exists."""

By = Literal["name", "position"]
"""How params are given: as an object, or as an array."""


class Parameter(NamedTuple):
    """One thing a method takes. A tuple, as a catalogue has tens of thousands and they are made in a moment."""

    name: str
    """Empty where the service has no name for it."""
    required: bool | None = None
    """None where nobody has said."""
    kind: str = ""
    """In short words: ``integer``, ``array of string``, ``one of a | b``; empty where nobody has said."""
    doc: str = ""
    """One line."""
    default: Any = None
    """What the service takes where it is left out; None where it does not say."""
    example: Any = None
    """A value the service gives as an example; None where it gives none."""


class Method(Struct, frozen=True):
    """A name that can be called, with what is known of it."""

    name: str
    doc: str = ""
    """One line."""
    params: Any = None
    """A starting point for the editor; None where none is known."""
    auth: str | None = None
    """What it needs; None where nobody has said."""
    safe: bool | None = None
    """False or None: ask first where the profile says so."""
    source: MethodSource = "profile"
    parameters: tuple[Parameter, ...] = ()
    """In the order of their positions."""
    by: By | None = None
    """None: either will do, or nobody has said."""
    details: str = ""
    """What there is to say beyond the one line, perhaps in several."""
    result: str = ""
    """The kind of what comes back."""
    deprecated: bool = False
    dialect: str = ""
    """The question that discovered it, such as ``rpc.discover``."""


class SavedMethod(Method, frozen=True):
    """A saved call, as it stands among methods."""

    calls: str = ""
    """Its method."""


class Listing(Struct, frozen=True):
    """What one dialect's answer says."""

    methods: tuple[Method, ...] = ()
    about: str = ""
    """What the answer says of itself: ``OpenRPC 1.3.2, "demo 1.0"``."""
    skipped: tuple[str, ...] = ()
    """What of it could not be used, in sentences."""
    refusal: str = ""
    """Why there is no listing, as in ``not offered (-32601)``; empty where there is one."""


class Learned(Struct, frozen=True):
    """What discovery has brought for a profile, and when."""

    methods: tuple[Method, ...]
    when: datetime


class Discovery(Struct, frozen=True):
    """What came of asking a service which methods it has."""

    when: datetime
    methods: tuple[Method, ...] = ()
    """What all answers say together; empty where it was ended early."""
    sentences: tuple[str, ...] = ()
    """What happened, at least one sentence for each dialect that was asked."""
    ended: Exchange | None = None
    """The exchange that ended it before all was asked: unreached, refused or cancelled."""
    new: tuple[str, ...] = ()
    """Names that were not discovered before."""
    gone: tuple[str, ...] = ()
    """Names that were, and are not any more."""

    @property
    def found(self) -> bool:
        """Whether the service told of any method. If not, what was known before stays."""
        return bool(self.methods)

    @property
    def exit_code(self) -> int:
        """What a shell learns of it. A service that offers no discovery is in order."""
        return self.ended.exit_code if self.ended else 0


NAMES_ALONE = frozenset({"system.listMethods", "rpc_methods", "Shelly.ListMethods", "help"})
"""Dialects that may name a method and say nothing of its params."""

KNOWN = (
    Method("ping", "Answers when the session is valid", [], "cookie", True, "service"),
    Method("arg_test", "Takes the credentials as params", None, "inline", True, "service"),
    Method("auth", "Opens a session", None, "none", True, "service"),
)
"""The three that the service's document names."""
OF_THE_SERVICE = "service"
"""The preset of that service."""


def catalogue(
    profile: Profile, discovered: Iterable[Method] = (), called: Iterable[str] = (), absent: Container[str] = ()
) -> dict[str, Method]:
    """Merge all sources by name, sorted. What the profile says of a method wins over what was discovered.

    ``absent``: names that the server has said it does not have. The known three are there until it says otherwise, or
    the profile's preset: it is of another kind of server then.
    """
    methods: dict[str, Method] = {name: Method(name, source="history") for name in called if name not in absent}
    found = {method.name: method for method in discovered}
    methods |= found
    for known in KNOWN if profile.preset in {"", OF_THE_SERVICE} else ():
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
    return replace(
        method,
        doc=method.doc or known.doc,
        params=method.params or (None if method.parameters else known.params),
        auth=method.auth or known.auth,
        safe=known.safe if method.safe is None else method.safe,
    )


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


def starting_point(method: Method) -> Any:
    """Params to start typing from: those that are noted, else the required ones, else None."""
    if method.params is not None:
        return method.params
    last = max((place for place, parameter in enumerate(method.parameters) if parameter.required), default=-1)
    needed = method.parameters[: last + 1]
    if not needed:
        return {} if method.by == "name" else None
    if method.by == "position" or not all(parameter.name for parameter in needed):
        return [_value(parameter) for parameter in needed]
    return {parameter.name: _value(parameter) for parameter in needed if parameter.required}


def _value(parameter: Parameter) -> Any:
    """Something to put in a parameter's place: an example, its default, or the plainest value of its kind."""
    if parameter.example is not None:
        return parameter.example
    if parameter.default is not None:
        return parameter.default
    match parameter.kind.split(" ")[0]:
        case "string":
            return ""
        case "integer" | "number":
            return 0
        case "boolean":
            return False
        case "array":
            return []
        case "object":
            return {}
    return None


def asks_first(profile: Profile, method: str, methods: Mapping[str, Method]) -> bool:
    """Whether the profile wants a question before this method is sent; what has no name is not sent anyway."""
    if not method.strip():
        return False
    if profile.confirm == "unsafe":
        known = methods.get(method)
        return known is None or known.safe is not True
    return profile.confirm == "always"
