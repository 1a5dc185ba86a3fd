"""Where a secret may go, and the certificates that are part of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import asdict

from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import DocumentSource, Login, Profile
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import USUAL_FORM

Route = Mapping[str, str]
"""Dotted keys and their values as text. What has its default is left out, but for those that every route has."""
FORM_OF_REQUEST: Final = ("content_type", "accept", "empty_params")
"""Keys of a profile that are sent with a secret as own headers are.

A route has all three, or none: then an older version has written it, and it holds whatever they are."""
NOT_SET = "not set"
LONGEST = 120


class Change(Struct, frozen=True):
    key: str
    old: str
    new: str
    place: str = ""
    """File and line that the new value comes from; empty where no file says it."""

    def __str__(self) -> str:
        values = f"{self.old} → {self.new}" if self.old else self.new
        return f"{self.key}: {values}{f' ({self.place})' if self.place else ''}"


class RouteChanged(Struct, frozen=True):
    """A secret that is known and not sent, because it would go another route than it is bound to."""

    field: str
    why: str
    """What it is bound to, as a clause: "it was stored for a different destination"."""
    changes: tuple[Change, ...] = ()
    advice: str = ""
    """What to do where a yes does not help; empty where it does."""
    label: str = "Changed"
    """Introduces ``changes``: another word if the values differ, but nothing was changed."""

    def sentence(self, profile: str) -> str:
        changed = "; ".join(map(str, self.changes))
        advice = self.advice or f"If the new one is right: rpcexplorer profiles allow {profile}"
        told = f". {self.label}: {changed}" if changed else ""
        return f"The {self.field} of profile {profile} was not sent: {self.why}. {advice}{told}"


def route_of(profile: Profile, certificates: str = "") -> Route:
    """Return the route of a profile. ``certificates`` is that of its ``ca_file``."""
    path = profile.endpoint.partition("://")[2].partition("/")
    route = {"origin": profile.origin, "path": f"{path[1]}{path[2]}" or "/", "auth.kind": profile.auth.kind}
    route |= {f"auth.{key}": _text(value) for key, value in _unusual(profile.auth, type(profile.auth)())}
    if profile.has_sessions:
        route |= {f"login.{key}": _text(value) for key, value in _unusual(profile.login, Login())}
    route |= {f"headers.{name.lower()}": value for name, value in profile.headers}
    if isinstance(profile.discovery, DocumentSource) and profile.discovery.url:
        route["discovery.url"] = profile.discovery.url
    route |= {key: _text(value) for key, value in _around(profile)}
    named = {key: getattr(profile, key) for key in ("certificate", "cert_file", "key_file")}
    return (
        route
        | {key: value for key, value in named.items() if value}
        | ({"ca_file": certificates} if profile.ca_file else {})
    )


def changes(old: Route, new: Route) -> tuple[Change, ...]:
    unbound = () if FORM_OF_REQUEST[0] in old else FORM_OF_REQUEST
    keys = [key for key in dict.fromkeys([*new, *old]) if key not in unbound and old.get(key) != new.get(key)]
    return tuple(Change(key, _shown(old.get(key)), _shown(new.get(key))) for key in keys)


def _around(profile: Profile) -> Iterator[tuple[str, Any]]:
    """Yield what decides how a server reads a request and its credentials."""
    yield from ((key, getattr(profile, key)) for key in FORM_OF_REQUEST)
    if profile.envelope != USUAL_FORM.envelope:
        yield "envelope", profile.envelope
    if profile.handshake is not None:
        yield "handshake", profile.handshake if isinstance(profile.handshake, str) else asdict(profile.handshake)


def _unusual(value: Struct, usual: Struct) -> Iterator[tuple[str, Any]]:
    for key in value.__struct_fields__:
        if getattr(value, key) != getattr(usual, key):
            yield key, getattr(value, key)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _shown(value: str | None) -> str:
    return NOT_SET if value is None else cut(value, LONGEST)


_FINGERPRINT = regex(r"(?:sha256:)?((?:[0-9a-f]{2}:?){31}[0-9a-f]{2})", re.IGNORECASE)


def as_fingerprint(text: str) -> str | None:
    """Normalise a SHA-256 as browsers and openssl write it; None if it is none."""
    found = _FINGERPRINT.fullmatch(text)
    return f"sha256:{found[1].replace(':', '').lower()}" if found else None


Entered: TypeAlias = tuple[str, bool]


class Store(Struct, frozen=True):
    place: str
    command: str


class Person(Protocol):
    """Somebody who can be asked, through whichever front is open."""

    async def secret(self, question: str, *, masked: bool = True, store: Store | None = None) -> Entered | None:
        """Ask for a value, `masked` while it is typed, and whether to keep it in `store`, if there is one.

        None if there is no terminal, or nothing was entered.
        """

    async def agrees(self, question: str) -> bool:
        """Ask for a yes; anything else is a no."""

    async def allows(self, profile: str, moved: RouteChanged) -> bool:
        """Show how the route of a secret has changed, and ask whether it may go the new one.

        Only where all of it can be seen at leisure: on a command line there is a command for it.
        """


class Nobody:
    """The person of a script: never answers."""

    async def secret(
        self,
        question: str,  # noqa: ARG002
        *,
        masked: bool = True,  # noqa: ARG002
        store: Store | None = None,  # noqa: ARG002
    ) -> Entered | None:
        return None

    async def agrees(self, question: str) -> bool:  # noqa: ARG002
        return False

    async def allows(self, profile: str, moved: RouteChanged) -> bool:  # noqa: ARG002
        return False
