"""The list of all auth types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.basic import BasicAuth, InlineAuth, NoAuth
from rpcexplorer.auth.credentials import AuthCall, AuthFlow
from rpcexplorer.auth.digest import DigestAuth
from rpcexplorer.auth.token import (
    BearerAuth,
    CookieAuth,
    FirstAuth,
    HeaderAuth,
    JwtAuth,
    MemberAuth,
    OAuthAuth,
    QueryAuth,
)
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.problem import joined_words, nearest
from rpcexplorer.model.profile import Auth, Profile

_ALL: Final[tuple[type[AuthType], ...]] = (
    CookieAuth,
    InlineAuth,
    BasicAuth,
    DigestAuth,
    BearerAuth,
    HeaderAuth,
    QueryAuth,
    FirstAuth,
    MemberAuth,
    JwtAuth,
    OAuthAuth,
    NoAuth,
)
KINDS: Final[Mapping[str, type[AuthType]]] = {kind.kind: kind for kind in _ALL}
USUAL: Final = CookieAuth.kind
"""The auth type of the service by default."""


def auth_of(profile: Profile) -> AuthType:
    """Return the auth type of a profile; without one, it sends no credentials."""
    return profile.auth if isinstance(profile.auth, AuthType) else NoAuth()


def requests_for(call: AuthCall) -> AuthFlow:
    """Return the requests of a call, with a login if its auth type needs one."""
    auth = auth_of(call.profile)
    if isinstance(auth, OAuthAuth):
        from rpcexplorer.auth.oauth import requests_with_token  # Calls of other auth types do not need it.

        return requests_with_token(auth, call)
    if not auth.opens_session(call.profile):
        return auth.requests(call)
    from rpcexplorer.auth.login import requests_in_session  # Start-up does not need it.

    return requests_in_session(auth, call)


def login_requests(call: AuthCall, id: str) -> AuthFlow:
    auth = auth_of(call.profile)
    if isinstance(auth, OAuthAuth):
        from rpcexplorer.auth.oauth import log_in  # Other auth types do not need it.

        return (yield from log_in(auth, call))
    if not auth.opens_session(call.profile):
        return Refused("profile", f"Profile {call.profile.name} has no sessions: its auth type is {auth.kind}.")
    from rpcexplorer.auth.login import open_session  # Start-up does not need it.

    return (yield from open_session(auth, call, id))


def with_usual_auth(profile: Profile) -> Profile:
    if profile.is_service:
        return replace(profile, auth=CookieAuth(), assumes_auth=True)
    return replace(profile, auth=Auth(), assumes_auth=False)


def kind_named(name: str) -> type[AuthType]:
    """Return the auth type of that name; raise ``ValueError`` with a sentence."""
    if name in KINDS:
        return KINDS[name]
    guess = nearest(name, KINDS)
    advice = f"Did you mean {guess}?" if guess else f"The auth types are {joined_words(KINDS)}."
    raise ValueError(f"{name} is not an auth type. {advice}")


def fields() -> list[str]:
    """Return the fields of all auth types; those that every type has come last."""
    known = dict.fromkeys(key for kind in _ALL for key in kind.__struct_fields__)
    of_all = Auth.__struct_fields__
    return [*(key for key in known if key not in of_all), *of_all]


def needs_credentials(kind: str) -> bool:
    """Return whether the auth type of that name sends credentials."""
    return kind in KINDS and bool(KINDS[kind].sends)


def token_kinds() -> str:
    """Return the auth types that send a token, in quotes."""
    return ", ".join(f'"{kind.kind}"' for kind in _ALL if "token" in kind.takes)
