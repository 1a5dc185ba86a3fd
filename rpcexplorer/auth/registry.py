"""All auth types, and what a profile says instead of a secret in its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import AuthField, AuthType
from rpcexplorer.auth.basic import BasicAuth, InlineAuth, NoAuth
from rpcexplorer.auth.credentials import AuthCall, AuthFlow
from rpcexplorer.auth.digest import DigestAuth
from rpcexplorer.auth.token import BearerAuth, CookieAuth, FirstAuth, HeaderAuth, MemberAuth, QueryAuth
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.problem import joined_words, nearest
from rpcexplorer.model.profile import TOKEN_MARK, Auth, Profile

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
    NoAuth,
)
KINDS: Final[Mapping[str, type[AuthType]]] = {each.kind: each for each in _ALL}
USUAL: Final = CookieAuth.kind
"""The auth type of the service, if nobody has chosen one."""


def auth_of(profile: Profile) -> AuthType:
    """The kind of auth of a profile; one that says nothing of it adds nothing to a call."""
    return profile.auth if isinstance(profile.auth, AuthType) else NoAuth()


def requests_for(call: AuthCall) -> AuthFlow:
    """Return the requests of a call, those of a session if its auth type opens one."""
    auth = auth_of(call.profile)
    if not auth.opens_session(call.profile):
        return auth.requests(call)
    from rpcexplorer.auth.login import requests_in_session  # no start needs it

    return requests_in_session(auth, call)


def login_requests(call: AuthCall, id: str) -> AuthFlow:
    auth = auth_of(call.profile)
    if not auth.opens_session(call.profile):
        return Refused("profile", f"Profile {call.profile.name} has no sessions: its auth is {auth.kind}.")
    from rpcexplorer.auth.login import open_session  # no start needs it

    return (yield from open_session(auth, call, id))


def with_usual_auth(profile: Profile) -> Profile:
    if profile.is_service:
        return replace(profile, auth=CookieAuth(), assumes_auth=True)
    return replace(profile, auth=Auth(), assumes_auth=False)


def kind_named(name: str) -> type[AuthType]:
    """The kind of that name. Raises a ``ValueError`` with a sentence where there is none."""
    if name in KINDS:
        return KINDS[name]
    guess = nearest(name, KINDS)
    advice = f"did you mean {guess}?" if guess else f"the kinds are {joined_words(KINDS)}"
    raise ValueError(f"{name} is no kind of auth; {advice}")


def fields() -> list[str]:
    return [*dict.fromkeys(key for kind in _ALL for key in kind.__struct_fields__)]


def needs_credentials(kind: str) -> bool:
    """Whether a call of that kind sends any; of a name that is no kind's, it does not."""
    return kind in KINDS and bool(KINDS[kind].sends)


AUTHORIZATION: Final = "authorization"
COOKIES: Final = frozenset({"cookie", "set-cookie", "cookie2"})
WORDS: Final = frozenset({"token", "apikey", "key", "bot"})
"""What stands before a token in ``Authorization`` and is no scheme that a kind has for itself."""


class Instead(Struct, frozen=True):
    words: str
    """What to write, as a part of a sentence."""
    secret: str


def of_header(name: str, value: object) -> Instead:
    """Instead of a header with a secret."""
    lower = name.lower()
    if lower in COOKIES:
        kind = next(kind for kind in KINDS.values() if kind().session_cookie)
        return Instead(f"write auth = {_table(kind)}, with the cookie's name where it is another", "session")
    scheme = value.partition(" ")[0] if isinstance(value, str) and " " in value else ""
    for kind in KINDS.values():
        if lower == AUTHORIZATION and kind.scheme and kind.scheme.lower() == scheme.lower():
            return _by(kind)
    kind, field = _with_field("header")
    header = f'header = "{name}"' if field.fits(name) else "header = …"
    shape = f', value = "{scheme} {TOKEN_MARK}"' if scheme.lower() in WORDS else ""
    return Instead(f"write auth = {_table(kind, header + shape)}", "token")


def of_key() -> Instead:
    """Instead of a token whose place nobody has told."""
    kinds = ", ".join(f'"{kind.kind}"' for kind in KINDS.values() if "token" in kind.takes)
    return Instead(f"name the kind of auth that sends it, one of {kinds}", "token")


def of_credentials() -> Instead:
    """Instead of a user name and a password in an address, which are what a browser sends in a header."""
    found = _by(next(kind for kind in KINDS.values() if kind.scheme))
    return Instead(f"{found.words} where they go out in a header", found.secret)


def of_member(name: str) -> Instead:
    """Instead of a secret in the query of an address."""
    kind, field = _with_field("name")
    if not field.fits(name):
        return of_part()
    table = _table(kind, f'name = "{name}"')
    return Instead(f"take {name} out, write auth = {table}", "token")


def of_part() -> Instead:
    """Instead of a secret elsewhere in an address."""
    return Instead(f'write {TOKEN_MARK} where it stands, auth = {{ kind = "{Auth.kind}" }}', "token")


def _by(kind: type[AuthType]) -> Instead:
    named = "username = …" if "username" in kind.takes else ""
    return Instead(f"write auth = {_table(kind, named)}", kind.takes[-1])


def _with_field(name: str) -> tuple[type[AuthType], AuthField]:
    return next((kind, field) for kind in KINDS.values() for field in kind.fields if field.name == name)


def _table(kind: type[AuthType], more: str = "") -> str:
    return f'{{ kind = "{kind.kind}"{f", {more}" if more else ""} }}'
