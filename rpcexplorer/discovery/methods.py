"""The method list, and the source of each of its facts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described, Method, SavedCall, SavedMethod, is_known
from rpcexplorer.model.problem import nearest_few
from rpcexplorer.model.profile import Profile

LINE: Final = 200
"""Characters of a one-line doc."""
FACTS: Final = ("doc", "params", "auth", "safe")
"""Facts of a method's line, each with its own source."""
LINE_NAMES: Final = {"params": "parameters", "start": "params"}
"""Facts of a description that have other names in lists."""


class Parameter(NamedTuple):
    """A param in short, as method lists print it."""

    name: str
    """Empty if the service has no name for it."""
    required: bool | None = None
    """None if unknown."""
    kind: str = ""
    """The type: ``integer``, ``array of string``, ``one of a | b``, or empty."""
    doc: str = ""
    default: Any = None
    """None if the service does not state one."""
    example: Any = None
    """None if the service gives none."""


def line_of(name: str, described: Described) -> Method:
    """Return the line of a discovered method."""
    return Method(
        name,
        described.doc,
        described.start,
        described.auth,
        described.safe,
        "discovered",
        described.by,
        described.deprecated,
        described.protocol,
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
    """Return the type of the result in a few words; empty if unknown."""
    from rpcexplorer.schema.node import SchemaReader
    from rpcexplorer.schema.words import kind_words

    if described.result_kind or described.result is UNSET:
        return described.result_kind
    return kind_words(SchemaReader(described.definitions), described.result)


def source_of(method: Method, fact: str) -> str:
    """Return the source of a fact: a protocol, ``profile``, ``service`` or ""."""
    if not is_known(getattr(method, fact)):
        return ""
    return next((source for stated, source in method.sources if stated == fact), method.protocol or method.source)


def with_facts(method: Method, source: str, **facts: Any) -> Method:
    """Return the method with other facts, except those that are None."""
    facts = {fact: value for fact, value in facts.items() if value is not None}
    return replace(method, sources=_with_sources(method, dict.fromkeys(facts, source)), **facts)


def as_profile_method(method: Method) -> Method:
    """Return the method for a profile; known facts keep their source."""
    known = [fact for fact in FACTS if is_known(getattr(method, fact))]
    sources = {fact: source_of(method, fact) for fact in known}
    ours = replace(method, source="profile")
    return replace(ours, sources=_with_sources(ours, sources))


def _with_sources(method: Method, sources: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the sources with changes; the method's own source is not stored."""
    sources = dict(method.sources) | sources
    return tuple((fact, source) for fact, source in sources.items() if source != (method.protocol or method.source))


NAMES_ALONE = frozenset(
    {"system.listMethods", "rpc_methods", "Shelly.ListMethods", "__listMethods", "help", "jsonrpc.get_methods"}
)
"""Protocols that may list a method without its params."""
KNOWN = (
    Method("ping", "Succeeds if the session is valid", [], "cookie", True, "service"),
    Method("arg_test", "Takes the credentials as params", None, "inline", True, "service"),
    Method("auth", "Opens a session", None, "none", True, "service"),
)
"""The three methods that the service's document names."""


def method_list(
    profile: Profile, discovered: Iterable[Method] = (), called: Iterable[str] = (), absent: Container[str] = ()
) -> dict[str, Method]:
    """Merge all sources by name, sorted. The profile wins over discovery.

    ``absent``: names of methods that the server does not have, according to its errors. The three known methods are
    listed for the service's own URL until the server reports them as missing. On production, a server cannot mark its
    methods safe: only a file can.
    """
    if profile.badge == "prod":
        discovered = map(_without_safety, discovered)
    methods: dict[str, Method] = {name: Method(name, source="history") for name in called if name not in absent}
    found = {method.name: method for method in discovered}
    methods |= found
    known_ones = KNOWN if profile.is_service else ()
    for known in known_ones:
        is_listed = known.name in found if found else known.name not in absent
        if is_listed:
            method = found.get(known.name, known)
            gaps = {fact: getattr(known, fact) for fact in FACTS if not is_known(getattr(method, fact))}
            if method.required:
                gaps.pop("params", None)
            methods[known.name] = with_facts(method, known.source, **gaps)
    for name, note in profile.methods.items():
        method = as_profile_method(methods.get(name) or Method(name))
        facts = {"doc": note.doc or None, "params": note.params, "auth": note.auth, "safe": note.safe}
        methods[name] = with_facts(method, "profile", **facts)
    return dict(sorted(methods.items()))


def _without_safety(method: Method) -> Method:
    return replace(method, safe=None) if method.safe else method


def saved_among(calls: Iterable[SavedCall], methods: Mapping[str, Method]) -> dict[str, Method]:
    """Return saved calls as entries of the method list.

    Each entry starts with the method and is as safe as the method.
    """
    found: dict[str, Method] = {}
    for call in calls:
        method = methods.get(call.method) or Method(call.method)
        doc = f"{call.method}  {call.doc}".rstrip()
        found[call.listed_as] = SavedMethod(
            call.listed_as,
            doc,
            auth=method.auth,
            safe=method.safe,
            source="saved",
            calls=call.method,
            is_check=call.expect is not None,
        )
    return found


MAX_SIMILAR: Final = 3


def similar_methods(name: str, known: Iterable[str]) -> list[str]:
    """Return similar names, else names with its last word.

    Names that have only their namespace in common are not similar.
    """
    names = list(known)
    # nearest_few looks only at the first names, so the likeliest come first.
    likeliest = sorted(names, key=lambda other: other[:2].lower() != name[:2].lower())
    similar = [other for other in nearest_few(name, likeliest, MAX_SIMILAR) if _are_similar(name, other)]
    if similar:
        return similar
    words = _words(name)
    if not words:
        return []

    def has_last_word(other: str) -> bool:
        return any(word.startswith(words[-1]) for word in _words(other))

    return sorted(filter(has_last_word, names), key=len)[:MAX_SIMILAR]


def _are_similar(name: str, other: str) -> bool:
    """Return whether what follows the common namespace is similar, too."""
    one, two = _words(name), _words(other)
    while len(one) > 1 and len(two) > 1 and one[0] == two[0]:
        one, two = one[1:], two[1:]
    return bool(nearest_few(".".join(one), [".".join(two)], 1))


def _words(name: str) -> list[str]:
    """Return the letters and digits between all other characters, in lower case."""
    words = name.lower()
    for sign in {letter for letter in words if not letter.isalnum()}:
        words = words.replace(sign, " ")
    return words.split()


def first_method(methods: Mapping[str, Method]) -> str:
    """Return a safe method that needs no params, or ""."""
    return next((name for name, method in methods.items() if method.safe and _needs_no_params(method)), "")


def _needs_no_params(method: Method) -> bool:
    if method.params is not None:
        return method.params in ([], {})
    return bool(method.protocol) and method.protocol not in NAMES_ALONE and not method.required


def asks_first(profile: Profile, method: str, methods: Mapping[str, Method]) -> bool:
    """Return whether the profile asks before this method is sent.

    Without a name, nothing is sent and so nothing is asked.
    """
    if not method.strip():
        return False
    if profile.confirm == "unsafe":
        known = methods.get(method)
        return known is None or known.safe is not True
    return profile.confirm == "always"


class DiscoveryStep(Struct, frozen=True):
    """The progress of a discovery."""

    protocol: str
    """The discovery protocol of this step."""
    words: str
    """``asked``, ``help 12 of 29``, or the result."""
    methods: int
    """Number of methods found so far."""


TellStep = Callable[[DiscoveryStep], None]


class Listing(Struct, frozen=True):
    """The methods and events that one discovery protocol found."""

    described: Mapping[str, Described] = {}
    """The methods by name."""
    about: str = ""
    """Title of the document: ``OpenRPC 1.3.2, "demo 1.0"``."""
    skipped: tuple[str, ...] = ()
    """Sentences about parts that could not be used."""
    refusal: str = ""
    """Why there is no listing, such as ``not offered (-32601)``, or empty."""
    events: Mapping[str, Described] = {}
    """The events by name."""


class Learned(Struct, frozen=True):
    """The stored discovery of a profile."""

    methods: tuple[Method, ...]
    when: datetime


class MethodChange(Struct, frozen=True):
    """A method that is new or gone, or whose description has changed."""

    name: str
    kind: Literal["new", "gone", "changed"]
    what: tuple[str, ...] = ()
    """The changes in words, breaking ones first; they may contain external text."""
    breaks: bool = False
    """A call that was right may now be refused, or its result may be read differently."""

    @property
    def line(self) -> str:
        """Name and changes; they contain external text."""
        return f"{self.name}: {', '.join(self.what)}" if self.what else self.name


def breaking_first(changes: Iterable[MethodChange]) -> list[MethodChange]:
    return sorted(changes, key=lambda change: not change.breaks)


class MethodChanges(Struct, frozen=True):
    """The differences that a refresh found."""

    when: datetime
    """Time of the refresh."""
    before: datetime
    """Time of the discovery that it is compared with."""
    methods: tuple[MethodChange, ...]
    """Sorted by name."""
    more: int = 0
    """Number of changed methods that are left out."""


class Discovery(Struct, frozen=True):
    """The result of a discovery."""

    when: datetime
    methods: tuple[Method, ...] = ()
    """All methods; empty if the discovery ended early."""
    sentences: tuple[str, ...] = ()
    """At least one sentence for each protocol."""
    ended: Exchange | None = None
    """The exchange that ended it early: unreached, refused or cancelled."""
    new: tuple[str, ...] = ()
    """Names that the previous discovery did not find."""
    gone: tuple[str, ...] = ()
    """Names that only the previous discovery found."""
    changed: tuple[MethodChange, ...] = ()
    """All methods that are new, gone or changed. Empty for a first discovery."""
    described: Mapping[str, Described] = {}
    """Descriptions of methods by name, and of events by ``key_of_event``."""
    events: tuple[Method, ...] = ()

    def __repr__(self) -> str:
        """Return a short line for asyncio.

        All descriptions would take minutes.
        """
        return f"Discovery({len(self.methods)} methods, {len(self.sentences)} sentences)"

    @property
    def found(self) -> bool:
        """Return whether the service named a method; if not, the list stays."""
        return bool(self.methods)

    @property
    def exit_code(self) -> int:
        """Return the exit code; 0 also if the service offers no discovery."""
        return self.ended.exit_code if self.ended else 0
