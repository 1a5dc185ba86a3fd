"""The method list, and which source each method comes from."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described, Method, SavedCall, SavedMethod, is_known
from rpcexplorer.model.profile import Profile

LINE: Final = 200
"""Characters of a doc in one line."""
FACTS: Final = ("doc", "params", "auth", "safe")
"""What the line of a method says, each from a source."""
LINE_NAMES: Final = {"params": "parameters", "start": "params"}
"""Facts of a description that have other names in lists."""


class Parameter(NamedTuple):
    """A param in short, as lists of methods print it."""

    name: str
    """Empty if the service has no name for it."""
    required: bool | None = None
    """None if unknown."""
    kind: str = ""
    """In short words: ``integer``, ``array of string``, ``one of a | b``; empty if unknown."""
    doc: str = ""
    """One line."""
    default: Any = None
    """None if the service does not say."""
    example: Any = None
    """None if the service gives none."""


def line_of(name: str, described: Described) -> Method:
    """Return the line of a method that was discovered."""
    return Method(
        name,
        described.doc,
        described.start,
        described.auth,
        described.safe,
        "discovered",
        described.by,
        described.deprecated,
        described.dialect,
        tuple([param.name for param in described.params if param.required]),
        bool(described.details or described.params),
        tuple([(LINE_NAMES.get(fact, fact), source) for fact, source in described.sources]),
    )


def parameters_of(described: Described) -> Iterator[Parameter]:
    """Return the params in short."""
    from rpcexplorer.schema.node import SchemaReader
    from rpcexplorer.schema.words import in_one_line, kind_words

    reader = SchemaReader(described.definitions)
    for param in described.params:
        node = reader.node(param.schema)
        example = next(iter(node.examples or node.choices or ()), None)
        doc = in_one_line((param.doc or node.doc).strip().partition("\n\n")[0], LINE)
        default = None if node.default is UNSET else node.default
        kind = param.kind or kind_words(reader, param.schema)
        yield Parameter(param.name, param.required, kind, doc, default, example)


def result_kind(described: Described) -> str:
    """Return the kind of the result in short words; empty if unknown."""
    from rpcexplorer.schema.node import SchemaReader
    from rpcexplorer.schema.words import kind_words

    if described.result_kind or described.result is UNSET:
        return described.result_kind
    return kind_words(SchemaReader(described.definitions), described.result)


def source_of(method: Method, fact: str) -> str:
    """Return the discovery protocol, ``profile`` or ``service`` that states this fact; empty if nothing does."""
    if not is_known(getattr(method, fact)):
        return ""
    return next((source for stated, source in method.sources if stated == fact), method.dialect or method.source)


def said_by(method: Method, source: str, **facts: Any) -> Method:
    """Return the method with facts that are known better; those that are None are not."""
    facts = {fact: value for fact, value in facts.items() if value is not None}
    return replace(method, sources=_noted(method, dict.fromkeys(facts, source)), **facts)


def of_profile(method: Method) -> Method:
    """Return the method as one of the profile's. What was known of it before keeps its source."""
    sources = {fact: source for fact in FACTS if (source := source_of(method, fact))}
    ours = replace(method, source="profile")
    return replace(ours, sources=_noted(ours, sources))


def _noted(method: Method, sources: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the sources with others in their place; the usual one is not written down."""
    sources = dict(method.sources) | sources
    return tuple((fact, source) for fact, source in sources.items() if source != (method.dialect or method.source))


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
            method = found.get(known.name, known)
            gaps = {fact: getattr(known, fact) for fact in FACTS if not is_known(getattr(method, fact))}
            if method.required:
                gaps.pop("params", None)
            methods[known.name] = said_by(method, known.source, **gaps)
    for name, note in profile.methods.items():
        method = of_profile(methods.get(name) or Method(name))
        facts = {"doc": note.doc or None, "params": note.params, "auth": note.auth, "safe": note.safe}
        methods[name] = said_by(method, "profile", **facts)
    return dict(sorted(methods.items()))


def saved_among(calls: Iterable[SavedCall], methods: Mapping[str, Method]) -> dict[str, Method]:
    """Return saved calls as they are listed among methods: each begins with its method, and is as safe as that."""
    found: dict[str, Method] = {}
    for call in calls:
        method = methods.get(call.method) or Method(call.method)
        doc = f"{call.method}  {call.doc}".rstrip()
        found[call.listed_as] = SavedMethod(
            call.listed_as, doc, auth=method.auth, safe=method.safe, source="saved", calls=call.method
        )
    return found


def first_method(methods: Mapping[str, Method]) -> str:
    """Return the method to begin with: safe, and known to need no params; empty if there is none."""
    return next((name for name, method in methods.items() if method.safe and _needs_no_params(method)), "")


def _needs_no_params(method: Method) -> bool:
    if method.params is not None:
        return method.params in ([], {})
    return bool(method.dialect) and method.dialect not in NAMES_ALONE and not method.required


def asks_first(profile: Profile, method: str, methods: Mapping[str, Method]) -> bool:
    """Return whether the profile asks before this method is sent; without a name it is not sent anyway."""
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
    """``asked``, ``help 12 of 29``, or the result."""
    methods: int
    """How many are known by now."""


TellStep = Callable[[DiscoveryStep], None]


class Listing(Struct, frozen=True):
    """What the answers of one discovery protocol say."""

    described: Mapping[str, Described] = {}
    """The methods by name."""
    about: str = ""
    """What the answer says of itself: ``OpenRPC 1.3.2, "demo 1.0"``."""
    skipped: tuple[str, ...] = ()
    """What of it could not be used, in sentences."""
    refusal: str = ""
    """Why there is no listing, as in ``not offered (-32601)``; empty if there is one."""
    events: Mapping[str, Described] = {}
    """What the server sends of itself, by name."""


class Learned(Struct, frozen=True):
    """What discovery has brought for a profile, and when."""

    methods: tuple[Method, ...]
    when: datetime


class MethodChange(Struct, frozen=True):
    """A method that is new or gone, or whose description has changed."""

    name: str
    kind: Literal["new", "gone", "changed"]
    what: tuple[str, ...] = ()
    """What has changed, in words; there may be text from outside in them."""

    @property
    def line(self) -> str:
        """Name and words; there is text from outside in it."""
        return f"{self.name}: {'; '.join(self.what)}" if self.what else self.name


class MethodChanges(Struct, frozen=True):
    """The differences that a refresh found."""

    when: datetime
    """The refresh."""
    before: datetime
    """The one it is compared with."""
    methods: tuple[MethodChange, ...]
    """By name."""
    more: int = 0
    """Methods that are not among them."""


class Discovery(Struct, frozen=True):
    """The result of asking a service for its methods."""

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
    """All that is new, gone or described differently. None at the first time."""
    described: Mapping[str, Described] = {}
    """The description of each method by name, and of each event by ``key_of_event``."""
    events: tuple[Method, ...] = ()
    """What the server sends of itself."""

    def __repr__(self) -> str:
        """Return a line: asyncio asks for one, and all descriptions would take minutes."""
        return f"Discovery({len(self.methods)} methods, {len(self.sentences)} sentences)"

    @property
    def found(self) -> bool:
        """Return whether the service named any method. If not, the list stays as it was."""
        return bool(self.methods)

    @property
    def exit_code(self) -> int:
        """Return the exit code. A service that offers no discovery is in order."""
        return self.ended.exit_code if self.ended else 0
