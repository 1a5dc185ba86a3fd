"""The method list, and which source each method comes from."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described, Method, SavedCall, SavedMethod
from rpcexplorer.model.profile import MethodNote, Profile

if TYPE_CHECKING:
    from rpcexplorer.discovery.changes import MethodChange

FACTS: Final = ("doc", "details", "params", "auth", "safe", "parameters", "by", "result", "deprecated")
"""What is known of a method, each from a source."""
OF_PARAMETERS: Final = ("by", "params")
"""What belongs to the parameters that there are."""


def source_of(method: Method, fact: str) -> str:
    """The dialect that told this fact, or ``profile``, or ``service``; empty where nobody has said."""
    if not _is_said(method, fact):
        return ""
    return next((source for told, source in method.sources if told == fact), _usual(method))


def filled(method: Method, other: Method) -> Method:
    """The method, with what only the other one knows of it."""
    lacking = [fact for fact in FACTS if not _is_said(method, fact) and _is_said(other, fact)]
    facts = {fact: getattr(other, fact) for fact in lacking if not (method.parameters and fact in OF_PARAMETERS)}
    told = {fact: source_of(other, fact) for fact in facts}
    return replace(method, sources=_noted(method, told), **facts) if facts else method


def said_by(method: Method, source: str, **facts: Any) -> Method:
    """The method with facts that are known better; those that are None are not."""
    said = {fact: value for fact, value in facts.items() if value is not None}
    return replace(method, sources=_noted(method, dict.fromkeys(said, source)), **said)


def of_profile(method: Method) -> Method:
    """The method as one of the profile's. What was known of it before keeps its source."""
    if method.dialect or method.source == "profile":
        return replace(method, source="profile")
    told = {fact: source_of(method, fact) for fact in FACTS if _is_said(method, fact)}
    ours = replace(method, source="profile", sources=())
    return replace(ours, sources=_noted(ours, told))


def _noted(method: Method, told: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The sources with others in the place of those that there are; what is usual is not written down."""
    sources = dict(method.sources) | told
    return tuple((fact, source) for fact, source in sources.items() if source != _usual(method))


def _usual(method: Method) -> str:
    """Who told what has no source of its own."""
    return method.dialect or method.source


def _is_said(method: Method, fact: str) -> bool:
    """Whether somebody has said it. Nobody says that a method is not deprecated."""
    value = getattr(method, fact)
    return value is not None and value not in ("", ()) and not (fact == "deprecated" and value is False)


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
        methods[name] = _method_with_note(methods.get(name), name, note)
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


def _method_with_note(method: Method | None, name: str, note: MethodNote) -> Method:
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


class DiscoveryStep(Struct, frozen=True):
    """How far a discovery has come."""

    dialect: str
    """The question that it is about."""
    words: str
    """``asked``, ``help 12 of 29``, or what came of it."""
    methods: int
    """How many are known by now."""


TellStep = Callable[[DiscoveryStep], None]


class Listing(Struct, frozen=True):
    """What one dialect's answer says."""

    methods: tuple[Method, ...] = ()
    about: str = ""
    """What the answer says of itself: ``OpenRPC 1.3.2, "demo 1.0"``."""
    skipped: tuple[str, ...] = ()
    """What of it could not be used, in sentences."""
    refusal: str = ""
    """Why there is no listing, as in ``not offered (-32601)``; empty where there is one."""
    described: Mapping[str, Described] = {}
    """What it says of each method in full, by name."""
    events: tuple[Method, ...] = ()
    """What the server sends of itself: the name of each and what stands in it."""


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
    changed: tuple[MethodChange, ...] = ()
    """All that differs from what was known before: new, gone, and what is said otherwise. None at the first time."""
    described: Mapping[str, Described] = {}
    """What they say of each method in full, by name."""
    events: tuple[Method, ...] = ()
    """What the server sends of itself."""

    def __repr__(self) -> str:
        """In a line: asyncio asks for one, and all that is said in full would take minutes."""
        return f"Discovery({len(self.methods)} methods, {len(self.sentences)} sentences)"

    @property
    def found(self) -> bool:
        """Whether the service told of any method. If not, what was known before stays."""
        return bool(self.methods)

    @property
    def exit_code(self) -> int:
        """What a shell learns of it. A service that offers no discovery is in order."""
        return self.ended.exit_code if self.ended else 0
