"""All auth types, and what a profile says instead of a secret in its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from rpcexplorer.auth.basic import BasicAuth
from rpcexplorer.auth.bearer import BearerAuth
from rpcexplorer.auth.cookie import CookieAuth
from rpcexplorer.auth.digest import DigestAuth
from rpcexplorer.auth.first import FirstAuth
from rpcexplorer.auth.header import HeaderAuth
from rpcexplorer.auth.inline import InlineAuth
from rpcexplorer.auth.kind import FormLine, Kind
from rpcexplorer.auth.member import MemberAuth
from rpcexplorer.auth.none import NoAuth
from rpcexplorer.auth.query import QueryAuth
from rpcexplorer.model.problem import listed, nearest
from rpcexplorer.model.profile import Auth, Profile

_ALL: Final[tuple[type[Kind], ...]] = (
    CookieAuth,
    InlineAuth,
    BasicAuth,
    DigestAuth,
    BearerAuth,
    HeaderAuth,
    QueryAuth,
    FirstAuth,
    MemberAuth,
    NoAuth,
)
KINDS: Final[Mapping[str, type[Kind]]] = {each.kind: each for each in _ALL}
USUAL: Final = CookieAuth.kind
"""The auth type of the service, if nobody has chosen one."""


def auth_of(profile: Profile) -> Kind:
    """The kind of auth of a profile; one that says nothing of it adds nothing to a call."""
    return profile.auth if isinstance(profile.auth, Kind) else NoAuth()


def with_usual_auth(profile: Profile) -> Profile:
    """Return the profile with the auth that its address has by default."""
    if profile.is_service:
        return replace(profile, auth=CookieAuth(), assumes_auth=True)
    return replace(profile, auth=Auth(), assumes_auth=False)


def kind_named(name: str) -> type[Kind]:
    """The kind of that name. Raises a ``ValueError`` with a sentence where there is none."""
    if name in KINDS:
        return KINDS[name]
    guess = nearest(name, KINDS)
    advice = f"did you mean {guess}?" if guess else f"the kinds are {listed(KINDS)}"
    raise ValueError(f"{name} is no kind of auth; {advice}")


def fields() -> list[str]:
    """Every key that a profile can set of its kind, whichever that is."""
    return [*dict.fromkeys(key for kind in _ALL for key in kind.__struct_fields__)]


def form_lines() -> dict[str, FormLine]:
    """Every line that a form of any kind has, by its field."""
    return {each.field: each for kind in _ALL for each in kind.form}


def needs_credentials(kind: str) -> bool:
    """Whether a call of that kind sends any; of a name that is no kind's, it does not."""
    return kind in KINDS and bool(KINDS[kind].sends)
