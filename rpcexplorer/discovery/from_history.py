"""An OpenRPC document written from recorded calls, for a server that does not describe its methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from rpcexplorer.discovery.openrpc import openrpc_document
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import By, Described, DescribedError, DescribedParam, ExampleCall, Method, as_named
from rpcexplorer.model.problem import UserError, counted, cut
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import HIDDEN
from rpcexplorer.rpc.messages import RESERVED, ErrorObject, Result, lacks_method
from rpcexplorer.schema.node import kind_of_value

MAX_CALLS: Final = 10_000
"""The newest calls; reading more takes many seconds."""
MAX_BYTES: Final = 1_000_000
"""Longer params and results are not read."""
MAX_LEVELS: Final = 8
MAX_PLACES: Final = 2_000
"""Places in the schemas of one method."""
MAX_PARTS: Final = 100
"""Elements of one array that are read, and members of one object. The names of more members are data, such as ids."""
MAX_EXAMPLE: Final = 2_000
"""Characters of the params and of the result of an example."""


class Place(Struct):
    """What was seen at one place of params or results."""

    count: int = 0
    kinds: set[str] = field(default_factory=set)
    objects: int = 0
    members: dict[str, Place] = field(default_factory=dict)
    elements: Place | None = None

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {}
        kinds = sorted(self.kinds)
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        if kinds:
            schema["type"] = kinds if len(kinds) > 1 else kinds[0]
        if 0 < len(self.members) <= MAX_PARTS:
            schema["properties"] = {name: place.schema() for name, place in self.members.items()}
            required = [name for name, place in self.members.items() if place.count == self.objects]
            if required:
                schema["required"] = required
        if self.elements is not None:
            schema["items"] = self.elements.schema()
        return schema


class SeenMethod:
    """What the recorded calls of one method say about it."""

    def __init__(self) -> None:
        self._calls = self._empty = 0
        """Calls, and those of them without params."""
        self._named, self._positions, self._result = Place(), Place(), Place()
        self._errors: dict[int, DescribedError] = {}
        self._example: ExampleCall | None = None
        self._places_left = MAX_PLACES
        self.is_known = False
        """Whether any call was right, as far as JSON-RPC shows."""

    def add(self, call: Exchange, hide: Callable[[str], str]) -> None:
        """Add a call. The newest one comes first."""
        self._calls += 1
        outcome = call.outcome
        if isinstance(outcome, ErrorObject) and outcome.code is not None:
            if outcome.code in RESERVED or lacks_method(outcome):
                return  # Every method may return these, and the params may be wrong.
            self._errors.setdefault(outcome.code, DescribedError(outcome.code, cut(hide(outcome.message))))
        self.is_known = True
        params = hide(call.params_sent or call.params or "[]")
        given = _decoded(params)
        if given in ([], {}):
            self._empty += 1
        elif isinstance(given, dict):
            self._add(self._named, given, 0)
        elif isinstance(given, list):
            self._add(self._positions, {str(at): value for at, value in enumerate(given)}, 0)
        if not isinstance(outcome, Result) or outcome.message:
            return
        result = hide(outcome.value.decode(errors="replace"))
        value = _decoded(result)
        if value is UNSET:
            return
        self._add(self._result, value, 0)
        is_short = len(params) <= MAX_EXAMPLE and len(result) <= MAX_EXAMPLE
        if self._example is None and is_short and given is not UNSET and not HIDDEN.search(params + result):
            self._example = ExampleCall("recorded call", given, result=value)

    def _add(self, place: Place, value: Any, level: int) -> None:
        place.count += 1
        if isinstance(value, str) and HIDDEN.search(value):
            return  # The type of the redacted value is not known.
        place.kinds.add(kind_of_value(value))
        if level == MAX_LEVELS:
            return
        if isinstance(value, dict):
            place.objects += 1
            for name, member in value.items():
                if name not in place.members:
                    is_full = len(place.members) > MAX_PARTS or self._places_left <= 0
                    if is_full or HIDDEN.search(name):
                        continue
                    place.members[name] = self._another()
                self._add(place.members[name], member, level + 1)
        elif isinstance(value, list) and value:
            if place.elements is None:
                place.elements = self._another()
            for element in value[:MAX_PARTS]:
                self._add(place.elements, element, level + 1)

    def _another(self) -> Place:
        self._places_left -= 1
        return Place()

    def described(self) -> Described:
        place = self._named if self._named.count >= self._positions.count else self._positions
        is_named = place is self._named
        by: By | None = None
        if not self._named.count or not self._positions.count:
            by = "name" if is_named else "position"
        params = []
        for name, schema in place.schema().get("properties", {}).items():
            is_required = place.members[name].count == place.count + self._empty
            params.append(DescribedParam(name if is_named else "", schema, is_required))
        return Described(
            tuple(params),
            self._result.schema() if self._result.count else UNSET,
            errors=tuple(self._errors[code] for code in sorted(self._errors)),
            examples=() if self._example is None else (self._example,),
            details=f"Seen in {counted(self._calls, 'recorded call')}.",
            by=by if params else None,
        )


def document_of_calls(
    profile: Profile, calls: Iterable[Exchange], known: Mapping[str, Method], hide: Callable[[str], str]
) -> dict[str, Any]:
    """Return an OpenRPC document of the methods that were called with a profile. The newest call comes first."""
    logins = {profile.login.method, *(opening.method for opening in profile.openings if opening.fields)}
    seen: dict[str, SeenMethod] = {}
    times = []
    for call in calls:
        if call.kind != "call" or call.method in logins or call.response.cut:
            continue
        if isinstance(call.outcome, Result | ErrorObject):
            seen.setdefault(call.method, SeenMethod()).add(call, hide)
            times.append(call.when)
    methods, described = [], {}
    for name, method in seen.items():
        if method.is_known:
            full = described[name] = method.described()
            line = known.get(as_named(name)) or Method(name)
            methods.append(replace(line, name=name, by=full.by))
    if not methods:
        raise UserError(f"No calls of profile {profile.shown_name} are recorded that say what its methods accept.")
    document = openrpc_document(profile.name, methods, described.get)
    days = dict.fromkeys(f"{time:%Y-%m-%d}" for time in (times[-1], times[0]))
    source = f"{counted(len(times), 'recorded call')}, {' to '.join(days)}"
    document["info"]["description"] = f"Written by rpcexplorer from {source}. The server may accept and return more."
    return document


def _decoded(text: str) -> Any:
    """Return a value, or UNSET if the text is too long, too deep or not JSON."""
    if len(text) > MAX_BYTES:
        return UNSET
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return UNSET
