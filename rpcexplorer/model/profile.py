"""A profile: where a server is, how it is called and how calls authenticate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from msgspec import Struct, field

from rpcexplorer.model.secret import origin_of
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import EmptyParams, EnvelopeForm, IdForm, MessageForm

_ADDRESS = regex(r"([^/?#]*//[^/?#]*)(.*)", re.DOTALL)


def split_address(typed: str) -> tuple[str, str | None]:
    """Split an address into url and path; None if it has no path.

    One with a path, even a lone ``/``, is whole: nothing is appended to it.
    """
    found = _ADDRESS.fullmatch(typed.strip())
    if found is None or not found[2]:
        return typed.strip(), None
    return found[1], found[2] if found[2].startswith("/") else f"/{found[2]}"


def typed_whole(address: str) -> str:
    """Return an address as typed so that nothing is appended to it."""
    return address if split_address(address)[1] else f"{address}/"


def joined(url: str, path: str) -> str:
    if not path:
        return url
    return url.rstrip("/") + (path if path.startswith("/") else f"/{path}")


ConfirmWhen = Literal["never", "unsafe", "always"]
PATH = "/api/v2/"
SERVICE = "service"
SERVICE_TYPE = "application/json-rpc"
JSON_TYPE = "application/json"
TEAM_FILE = "sessions.toml"
OVERLAY = "sessions.local.toml"
"""One person's changes to a team's file, beside it."""
TOKEN_MARK = "{token}"  # noqa: S105 - the mark, not a token
"""Stands for a token in a setting of its auth type; in a path, with the type that has no credentials of its own."""
LOGIN_PARAMS: Mapping[str, Any] = {"username": "{username}", "password": "{password}"}
ENDED_WORDS = (
    "auth", "authenticate", "authenticated", "authentication", "authorization", "unauthenticated", "unauthorized",
    "unauthorised", "not authorized", "not authorised", "login", "log in", "log on", "logged in", "logged out",
    "logged off", "session", "credential", "credentials", "token expired", "token has expired",
    "access denied",
)  # fmt: skip
"""Whole words of an error that mean "please log in": *auth* does, *author* does not, nor does *session type*."""


class Auth(Struct, frozen=True):
    """What is set of a profile's kind of auth. The kinds are in auth/, and each extends this with fields of its own.

    By itself it is what a profile has that says nothing of auth: nothing is added to a call.
    """

    kind: ClassVar[str] = "none"
    scheme: ClassVar[str] = ""
    """The word before what it sends, where that is a scheme of the header Authorization."""
    takes: ClassVar[tuple[str, ...]] = ()
    """The fields of secrets that it needs, in the order in which they are asked for."""
    in_params: ClassVar[bool] = False
    """Whether credentials stand among the params, where a method that takes none may not have them."""

    def secrets(self, profile: Profile) -> tuple[str, ...]:
        """The fields of secrets that a call needs, in the order in which they are asked for."""
        return ("token",) if TOKEN_MARK in profile.path else ()


class HeaderHandshake(Struct, frozen=True):
    """A server refuses a first request with 409 and a header, whose value it wants with every further one."""

    header: str


MCP_VERSION: Final = "2025-06-18"
MCP_VERSION_HEADER: Final = "MCP-Protocol-Version"
MCP_SESSION_HEADER: Final = "Mcp-Session-Id"
MCP_PARAMS: Final = (
    f'{{"protocolVersion":"{MCP_VERSION}","capabilities":{{}},"clientInfo":{{"name":"rpcexplorer","version":"1"}}}}'
)


class DocumentSource(Struct, frozen=True):
    """Where a server's description of itself lies, other than behind a method."""

    url: str = ""
    """A path on the profile's own server, asked for with its credentials."""
    file: str = ""
    inside: str = ""
    """Where that must lie, with no link on the way: the folder of the file of others that names it."""


class Login(Struct, frozen=True):
    """How a session is opened, and what tells that one has ended."""

    method: str = "auth"
    params: Any = field(default_factory=lambda: dict(LOGIN_PARAMS))
    """A JSON value in which ``{username}`` and ``{password}`` stand for the credentials."""
    session: str | None = None
    """JSON pointer into the result, for services that hand the session id over in the reply."""
    ended_status: tuple[int, ...] = (401, 403)
    """HTTP statuses that mean the session has ended."""
    ended_codes: tuple[int, ...] = (-32001, -32098)
    """Error codes that mean it. Those that mean much else, such as -32602 or 1, do so by the words alone."""
    ended_words: tuple[str, ...] = ENDED_WORDS
    """Whole words that mean it, whatever the code, in an error's message or a short text that comes with it."""


class MethodNote(Struct, frozen=True):
    """What a team knows of a method."""

    doc: str = ""
    params: Any = None
    """A starting point for the editor; None where none is given."""
    safe: bool | None = None
    """None: nobody has said, so it counts as unsafe."""
    auth: str | None = None
    """What the method needs, where it differs from the profile's kind."""
    ignore: tuple[str, ...] = ()
    """JSON pointers into its result to what is different each time: it is left out of comparisons."""


class Profile(Struct, frozen=True):
    """A named server: where it is, how to authenticate, how careful to be."""

    name: str
    url: str
    path: str = PATH
    preset: str = ""
    """What has given the values that nobody else has."""
    description: str = ""
    badge: str = ""
    """dev, staging, prod or any word; ``prod`` makes everything more careful."""
    confirm: ConfirmWhen = "never"
    timeout: float = 30.0
    content_type: str = SERVICE_TYPE
    accept: str = "*/*"
    empty_params: EmptyParams = "[]"
    envelope: EnvelopeForm = "2.0"
    id: IdForm = "string"
    headers: tuple[tuple[str, str], ...] = ()
    ca_file: str | None = None
    """Certificates to trust instead of the system's, as an absolute path."""
    certificate: str | None = None
    """The fingerprint of the one certificate to trust, whatever name it bears: ``sha256:`` and hex digits."""
    cert_file: str | None = None
    """A certificate that says who calls, as an absolute path; with its key, if ``key_file`` is not set."""
    key_file: str | None = None
    handshake: Literal["mcp"] | HeaderHandshake | None = None
    discovery: str | DocumentSource = "auto"
    """A dialect's name, ``auto`` for those that services speak, ``none``, or where a document lies."""
    auth: Auth = Auth()
    assumes_auth: bool = False
    """Nobody has chosen ``auth``: it is the default at this address, and calls go out without until it is used."""
    login: Login = Login()
    has_login: bool = False
    """A file says how a session is opened: kinds of auth that can do without one take it then, not a stored token."""
    methods: Mapping[str, MethodNote] = field(default_factory=dict)
    history: str | None = None
    history_inside: str | None = None
    """Where that must lie, with no link on the way: the folder of the file of others that names it."""
    ad_hoc: bool = False
    """Made from ``--url``: nothing of it is kept."""

    def __repr__(self) -> str:
        """Not its headers, which may hold a secret."""
        return f"Profile(name={self.name!r}, url={self.url!r})"

    @property
    def is_service(self) -> bool:
        """Whether unset values are as the service has them."""
        return self.preset == SERVICE or (not self.preset and self.path == PATH)

    @property
    def has_own_auth(self) -> bool:
        """Whether its auth is not the default of its address."""
        return not self.assumes_auth and (self.auth.kind != Auth.kind or self.is_service)

    @property
    def endpoint(self) -> str:
        return joined(self.url, self.path)

    @property
    def form(self) -> MessageForm:
        return MessageForm(self.envelope, self.id, self.empty_params)

    @property
    def origin(self) -> str:
        return origin_of(self.url)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The fields of secrets that its calls need, in the order of asking."""
        return self.auth.secrets(self)

    @property
    def has_sessions(self) -> bool:
        return "session" in self.secrets

    @property
    def username(self) -> str | None:
        return getattr(self.auth, "username", None)

    @property
    def badge_word(self) -> str:
        """The badge as people read it: nobody is to overlook ``PROD``."""
        return self.badge.upper() if self.badge == "prod" else self.badge

    def variable(self, secret: str) -> str:
        return variable(self.name, secret)

    def label(self, secret: str) -> str:
        return f"{self.name}.{secret}"


def misplaced_token(profile: Profile) -> tuple[str, str] | None:
    """Return the key in which a token must not stand, and why not; None if it may stand there.

    Questions without credentials, as discovery asks them, have the same address: the token would go with them.
    """
    document = profile.discovery.url if isinstance(profile.discovery, DocumentSource) else ""
    for key, path in (("path", profile.path), ("discovery", document)):
        if TOKEN_MARK in path and profile.auth.kind != Auth.kind:
            own = f"auth {profile.auth.kind} sends credentials elsewhere"
            return key, f'`{TOKEN_MARK}` here needs auth none, but {own}. Take it out, or set auth.kind = "{Auth.kind}"'
    return None


class Preset(Struct, frozen=True):
    name: str
    file: Path
    text: str = ""
    description: str = ""
    advice: str = ""
    values: Profile = Profile("", "")


AD_HOC_NAME = "url"
"""The name of a profile made from a URL, and so the middle of its variables: ``RPCEXPLORER_URL_PASSWORD``.

No file can have a profile of that name: a checkout would get what was set for an address that this person types."""
RESERVED = "the name is reserved: `--url` reads the same environment variables, such as RPCEXPLORER_URL_PASSWORD."


def ad_hoc(url: str, auth: Auth | None = None) -> Profile:
    base, own_path = split_address(url)
    path = PATH if own_path is None else own_path
    return Profile(AD_HOC_NAME, base, path, content_type=usual_type(path), auth=auth or Auth(), ad_hoc=True)


def usual_type(path: str) -> str:
    return SERVICE_TYPE if path == PATH else JSON_TYPE


def usual_confirm(badge: str) -> ConfirmWhen:
    return "unsafe" if badge == "prod" else "never"


def is_reserved(name: str) -> bool:
    return shares_variables(name, AD_HOC_NAME)


def shares_variables(name: str, other: str) -> bool:
    return variable(name, "") == variable(other, "")


def variable(profile: str, secret: str) -> str:
    return f"RPCEXPLORER_{_shout(profile)}_{_shout(secret)}"


def _shout(text: str) -> str:
    return re.sub(r"[^A-Z0-9]", "_", text.upper())
