"""A profile: a server, how to call it and how to authenticate."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from msgspec import UNSET, Struct, field, to_builtins
from msgspec.structs import asdict, replace

from rpcexplorer.model.secret import FIELDS, host_of, is_loopback, origin_of, placeholder
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import USUAL_FORM, EmptyParams, EnvelopeForm, IdForm, MessageForm
from rpcexplorer.transport.port import Framing

_ADDRESS = regex(r"([^/?#]*//[^/?#]*)(.*)", re.DOTALL)
_ON_SOCKET = regex(r"(http|ws)\+unix://([^:]+):(/.*)", re.IGNORECASE | re.DOTALL)
"""What is spoken over a Unix socket, the path of the socket, and that of the request."""


ConnectionKind = Literal["http", "websocket", "stream", "process"]
SCHEMES: Final[Mapping[str, ConnectionKind]] = {
    "http": "http",
    "https": "http",
    "http+unix": "http",
    "ws": "websocket",
    "wss": "websocket",
    "ws+unix": "websocket",
    "tcp": "stream",
    "tls": "stream",
    "unix": "stream",
    "stdio": "process",
}
URL_BEGINNINGS: Final = "http://, https://, ws://, wss://, tcp://, tls://, unix://, http+unix:// or ws+unix://"
WITH_TLS: Final = {"http": "https", "ws": "wss", "tcp": "tls"}
"""The encrypted form of each scheme that is readable on the network."""
WITH_SOCKET: Final = {"http": "http+unix", "ws": "ws+unix", "tcp": "unix"}
"""The form of each scheme that uses a Unix socket instead of host and port."""
STAYS_HERE: Final = frozenset({*WITH_SOCKET.values(), "stdio"})
"""Schemes of connections that never leave this machine."""
_REQUESTS_ON_SOCKET: Final = frozenset({"http+unix", "ws+unix"})
"""Schemes with a request over a Unix socket, whose path follows a colon."""
PROCESS: Final = "stdio:"
"""The URL of a profile whose server is a process; its words are in ``command``."""


def scheme_of(url: str) -> str:
    return url.partition(":")[0].lower()


def kind_of(url: str) -> ConnectionKind:
    return SCHEMES.get(scheme_of(url), "http")


def usual_path(url: str) -> str:
    """Return the path of a URL without one; streams and processes have none."""
    if kind_of(url) in {"stream", "process"}:
        return ""
    return "/" if kind_of(url) == "websocket" or scheme_of(url) == "http+unix" else PATH


def with_scheme(typed: str) -> str:
    """Return a typed ``host:port`` with ``http://``, or ``https://`` for port 443; other addresses unchanged."""
    address = typed.strip()
    host, _, port = address.partition("/")[0].rpartition(":")
    is_host = host.startswith("[") or (host != "" and ":" not in host and host.lower() not in SCHEMES)
    if not is_host or not (port.isascii() and port.isdecimal()):
        return typed
    scheme = "https" if port == "443" else "http"
    return f"{scheme}://{address}"


def split_address(typed: str) -> tuple[str, str | None]:
    """Split an address into URL and path; None if it has no path.

    One with a path, even only ``/``, is complete: no path is added to it. Nothing follows host and port of a stream, so
    all of it is the URL. The path of a request over a Unix socket follows a colon.
    """
    typed = with_scheme(typed)
    if kind_of(typed.strip()) in {"stream", "process"}:
        return typed.strip(), None
    if (scheme := scheme_of(typed.strip())) in _REQUESTS_ON_SOCKET:
        url, colon, path = typed.strip().partition(":/")[2].partition(":")
        return f"{scheme}:/{url}", path if colon else None
    found = _ADDRESS.fullmatch(typed.strip())
    if found is None or not found[2]:
        return typed.strip(), None
    return found[1], _with_slash(found[2])


def typed_whole(address: str) -> str:
    """Return an address in a spelling to which no path is added."""
    if split_address(address)[1] or not usual_path(address):
        return address
    return joined(address, "/")


def joined(url: str, path: str) -> str:
    if scheme_of(url) in _REQUESTS_ON_SOCKET and (path or not _ON_SOCKET.fullmatch(url)):
        return f"{url}:{_with_slash(path)}"
    if not path or not usual_path(url):
        return url
    return url.rstrip("/") + _with_slash(path)


def _with_slash(path: str) -> str:
    return path if path.startswith("/") else f"/{path}"


def split_socket(address: str) -> tuple[str, str]:
    """Split a complete address into the path of its Unix socket and the URL to request there.

    Other addresses have no socket and are the URL itself.
    """
    found = _ON_SOCKET.fullmatch(address)
    return (found[2], f"{found[1].lower()}://localhost{found[3]}") if found else ("", address)


ConfirmWhen = Literal["never", "unsafe", "always"]
PATH = "/api/v2/"
SERVICE = "service"
SERVICE_TYPE = "application/json-rpc"
JSON_TYPE = "application/json"
FORM_TYPE: Final = "application/x-www-form-urlencoded"
TEAM_FILE = "sessions.toml"
OVERLAY = "sessions.local.toml"
"""The local file, next to the project file."""
TOKEN_MARK = "{token}"  # noqa: S105 - the mark, not a token
"""The token in a setting of its auth type, or in a path without one."""
LOGIN_PARAMS: Mapping[str, Any] = {"username": "{username}", "password": "{password}"}
ENDED_WORDS = (
    "auth", "authenticate", "authenticated", "authentication", "authorization", "unauthenticated", "unauthorized",
    "unauthorised", "not authorized", "not authorised", "login", "log in", "log on", "logged in", "logged out",
    "logged off", "session", "credential", "credentials", "token expired", "token has expired",
    "access denied",
)  # fmt: skip
"""Words of an error that mean "please log in": *auth*, not *author*."""


OF_COMMAND: Final = "_command"
"""The end of the keys of commands that print a secret, after its field."""


class Auth(Struct, frozen=True, kw_only=True):
    """Settings of an auth type; each type in auth/ extends them.

    On its own it belongs to a profile without auth, whose calls are sent unchanged.
    """

    username_command: tuple[str, ...] = ()
    """The words of a command that prints the user name."""
    password_command: tuple[str, ...] = ()
    token_command: tuple[str, ...] = ()
    token_seconds: float | None = None
    """For how long the secrets of commands are used; None until the server rejects one."""

    kind: ClassVar[str] = "none"
    scheme: ClassVar[str] = ""
    """The scheme in the header Authorization, if it sends one."""
    takes: ClassVar[tuple[str, ...]] = ()
    """The fields of secrets that it needs, in the order of asking."""
    in_params: ClassVar[bool] = False
    """Credentials are members of the params."""

    def command_for(self, field: str) -> tuple[str, ...]:
        """Return the words of the command that prints a secret, or nothing."""
        words: tuple[str, ...] = getattr(self, f"{field}{OF_COMMAND}", ())
        return words

    def file_for(self, field: str) -> str | None:  # noqa: ARG002
        """Return the path of the file that has a secret, or None."""
        return None

    def secrets(self, profile: Profile) -> tuple[str, ...]:
        """Return the fields of secrets for a call, in the order of asking."""
        return ("token",) if TOKEN_MARK in profile.path else ()


class HeaderHandshake(Struct, frozen=True, forbid_unknown_fields=True):
    """The first request gets a 409 and a header for all further requests."""

    header: str


McpVersion = Literal["2026-07-28", "2025-11-25", "2025-06-18"]
MCP_VERSIONS: Final[tuple[McpVersion, ...]] = ("2026-07-28", "2025-11-25", "2025-06-18")
"""The versions of MCP that are spoken, the newest first."""
INITIALIZE: Final = "initialize"
"""The handshake of MCP and of language servers."""


CanAsk = Callable[[str], bool]
"""Return whether the user can be asked for the answer to a request of the server with this method."""


def ask_nobody(method: str) -> bool:  # noqa: ARG001 - a `CanAsk`
    return False


USUAL_FRAMING: Final = "lines"


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to a request of the server: a result, an error, or the user's."""

    result_json: str | None = None
    """JSON text in one line."""
    code: int = 0
    message: str = ""
    ask: bool = False
    """The user answers; where nobody can be asked, the request is refused."""


class OpeningCall(Struct, frozen=True, omit_defaults=True):
    """A call that each connection begins with, before any other."""

    method: str
    params: Any = None
    """JSON values, with ``{username}``, ``{password}`` or ``{token}`` for the secrets of the profile."""
    notification: bool = False
    name: str = ""
    result: Any = UNSET
    """The result that it must have."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The secrets that it needs."""
        text = json.dumps(self.params)
        return tuple(field for field in ("username", "password", "token") if f'"{{{field}}}"' in text)


class DocumentSource(Struct, frozen=True):
    """A document that describes the server, if no method returns one."""

    url: str = ""
    """A path on the profile's server, fetched with its credentials."""
    file: str = ""
    inside: str = ""
    """The folder that the file must be in, if a project file names it."""


class Login(Struct, frozen=True, forbid_unknown_fields=True):
    """How a session is opened, and how its end is recognised."""

    method: str = "auth"
    params: Any = field(default_factory=lambda: dict(LOGIN_PARAMS))
    """JSON in which ``{username}`` and ``{password}`` are filled in."""
    session: str | None = None
    """JSON pointer to the session id in the result, if it is not a cookie."""
    path: str = ""
    """The path of the login on the same server, if it is not that of the calls."""
    form: bool = False
    """Send the params as a form of a web page, without JSON-RPC."""
    headers: tuple[tuple[str, str], ...] = ()
    """Headers of the login alone."""
    ended_status: tuple[int, ...] = (401, 403)
    """HTTP statuses that mean the session has ended."""
    ended_codes: tuple[int, ...] = (-32001, -32098)
    """Error codes that mean it; ambiguous ones like -32602 need the words."""
    ended_words: tuple[str, ...] = ENDED_WORDS
    """Words that mean it, in an error's message or short data."""

    @property
    def is_apart(self) -> bool:
        """Return whether it is sent in another way than calls are."""
        return bool(self.path or self.form or self.headers)

    @property
    def name(self) -> str:
        """How it is called in sentences: its path, or its method."""
        return self.path or self.method


class MethodNote(Struct, frozen=True, forbid_unknown_fields=True):
    """A profile's notes about a method."""

    doc: str = ""
    params: Any = None
    """Params for the first draft."""
    safe: bool | None = None
    """None counts as unsafe."""
    auth: str | None = None
    """The auth type of the method, if it differs from the profile's."""
    ignore: tuple[str, ...] = ()
    """JSON pointers into its result that comparisons ignore."""
    plain: tuple[str, ...] = ()
    """JSON pointers to values of its result that are no secrets, whatever their names are."""
    parts: bool = False
    """Its result comes in several responses on an event stream, until the server ends the stream."""


FORM_OF_REQUEST: Final = ("content_type", "accept", "empty_params")
"""Keys of a profile that change the request like its headers do.

A destination has all three or none. Without them it was written by an older version, and any value matches.
"""


class Profile(Struct, frozen=True, dict=True):
    """A named server: where it is, how to authenticate, what to confirm.

    What follows from its fields is computed once, when it is first needed.
    """

    name: str
    url: str
    path: str = PATH
    preset: str = ""
    """The preset whose values are used if no file sets them."""
    description: str = ""
    badge: str = ""
    """dev, staging, prod or any word; ``prod`` asks before unsafe calls."""
    confirm: ConfirmWhen = "never"
    timeout: float = 30.0
    content_type: str = SERVICE_TYPE
    accept: str = "*/*"
    empty_params: EmptyParams = "[]"
    envelope: EnvelopeForm = "2.0"
    id: IdForm = "string"
    headers: tuple[tuple[str, str], ...] = ()
    ca_file: str | None = None
    """Absolute path of the certificates to trust instead of the system's."""
    certificate: str | None = None
    """The pinned certificate, with any name: ``sha256:`` and hex digits."""
    cert_file: str | None = None
    """Absolute path of the client certificate, perhaps with its key."""
    key_file: str | None = None
    handshake: Literal["mcp", "lsp"] | HeaderHandshake | None = None
    mcp: Literal["auto", McpVersion] = "auto"
    """The version of MCP; ``auto`` is the newest that the server speaks, too."""
    command: tuple[str, ...] = ()
    """The words of a process that is the server. No shell reads them."""
    command_folder: str = ""
    """The folder of the shared file that names the process, which runs there.

    It is empty if only the user file names it: then the process runs in the working folder.
    """
    folder: str = ""
    """The absolute path of another folder to run the process in."""
    environment: tuple[tuple[str, str], ...] = ()
    """Environment variables of the process, besides those of rpcexplorer."""
    environment_secrets: tuple[str, ...] = ()
    """Environment variables of the process whose values are secrets, which no file has."""
    framing: Framing = USUAL_FRAMING
    answers: Mapping[str, Answer] = field(default_factory=dict)
    """Answers to requests of the server by method; ``*`` is all others."""
    openings: tuple[OpeningCall, ...] = ()
    discovery: str | DocumentSource = "auto"
    """A discovery protocol, ``auto``, ``none``, or where a document is."""
    auth: Auth = Auth()
    assumes_auth: bool = False
    """No file sets ``auth``: calls go out without it until it is used."""
    login: Login = Login()
    has_login: bool = False
    """A file sets ``login``: auth types that can use a session do."""
    methods: Mapping[str, MethodNote] = field(default_factory=dict)
    history: str | None = None
    history_inside: str | None = None
    """The folder that the history must be in, if a project file sets it."""
    ad_hoc: bool = False
    """Made from ``--url``, and not saved."""
    typed: tuple[str, ...] = ()
    """Keys that were named beside the URL or the process, to be saved with it."""

    def __repr__(self) -> str:
        """Leave the headers out: they may hold a secret."""
        return f"Profile(name={self.name!r}, url={self.url!r})"

    @cached_property
    def is_service(self) -> bool:
        """Return whether the defaults are those of the preset ``service``."""
        if self.preset:
            return self.preset == SERVICE and bool(usual_path(self.url))
        return self.path == PATH == usual_path(self.url)

    @property
    def has_own_auth(self) -> bool:
        """Return whether its auth was typed, or differs from the default of its address."""
        return "auth.kind" in self.typed or (not self.assumes_auth and (self.auth.kind != Auth.kind or self.is_service))

    @cached_property
    def scheme(self) -> str:
        return scheme_of(self.url)

    @cached_property
    def connection_kind(self) -> ConnectionKind:
        return SCHEMES.get(self.scheme, "http")

    @cached_property
    def is_open_connection(self) -> bool:
        """Return whether calls share a connection that stays open."""
        return self.connection_kind != "http"

    @property
    def has_events(self) -> bool:
        """Return whether its server can send something while no call is under way."""
        return self.is_open_connection or self.handshake == "mcp"

    def shares_connection_with(self, other: Profile) -> bool:
        """Return whether nothing differs that an open connection depends on."""
        return self is other or _of_connection(self) == _of_connection(other)

    @property
    def is_encrypted(self) -> bool:
        return self.scheme in WITH_TLS.values()

    @property
    def stays_here(self) -> bool:
        """Return whether no network is used: a Unix socket or a process."""
        return self.scheme in STAYS_HERE

    @cached_property
    def is_readable_on_network(self) -> bool:
        """Return whether others on the network can read what is sent."""
        return not (self.is_encrypted or self.stays_here or is_loopback(self.url))

    @cached_property
    def socket(self) -> str:
        """The path of the Unix socket, or nothing."""
        return self.url.partition("://")[2] if self.scheme in WITH_SOCKET.values() else ""

    @cached_property
    def endpoint(self) -> str:
        """The complete address."""
        return joined(self.address, self.path)

    @property
    def address(self) -> str:
        """The URL without a path; of a process, its words as a shell writes them."""
        return process_address(self.command) if self.command else self.url

    @cached_property
    def login_signs(self) -> Login:
        """How the server asks for a login. LSP and MCP give the usual codes other meanings."""
        if self.handshake in {"lsp", "mcp"} and self.login.ended_codes == Login().ended_codes:
            return replace(self.login, ended_codes=())
        return self.login

    @cached_property
    def form(self) -> MessageForm:
        return MessageForm(self.envelope, self.id, self.empty_params)

    @cached_property
    def origin(self) -> str:
        return origin_of(self.address)

    @cached_property
    def destination(self) -> Mapping[str, str]:
        """Where its secrets go, without the contents of files: dotted keys, and their values as text.

        Most defaults are left out.
        """
        found = {"origin": self.origin}
        if self.socket:
            found["path"] = self.path
        elif usual_path(self.url):  # Streams and processes have no path.
            _, slash, path = self.endpoint.partition("://")[2].partition("/")
            found["path"] = f"{slash}{path}" or "/"
        found["auth.kind"] = self.auth.kind
        found |= _unusual("auth", self.auth, type(self.auth)())
        if self.has_sessions:
            found |= _unusual("login", self.login, Login())
            if "token" in self.auth.takes and self.login == Login():  # Without a login, it would send a token.
                found["login.method"] = self.login.method
        found |= {f"headers.{name.lower()}": value for name, value in self.headers}
        if isinstance(self.discovery, DocumentSource) and self.discovery.url:
            found["discovery.url"] = self.discovery.url
        found |= {key: getattr(self, key) for key in FORM_OF_REQUEST}
        if self.process_folder:
            found["folder"] = self.process_folder
        if self.folder and self.command_folder and any(map(self.auth.command_for, FIELDS)):
            found["command_folder"] = self.command_folder  # The command of a secret runs there.
        found |= {f"environment.{name}": value for name, value in self.environment}
        if self.environment_secrets:
            found["environment_secrets"] = ", ".join(self.environment_secrets)
        if self.framing != USUAL_FRAMING:
            found["framing"] = self.framing
        if self.envelope != USUAL_FORM.envelope:
            found["envelope"] = self.envelope
        if self.handshake is not None:
            found["handshake"] = _text(self.handshake)
        if self.openings:
            found["open"] = _text(to_builtins(self.openings))
        for key in ("certificate", "cert_file", "key_file"):
            if value := getattr(self, key):
                found[key] = value
        return found

    @property
    def shown_name(self) -> str:
        """The name in titles and sentences; the host of a typed URL."""
        return host_of(self.origin) if self.ad_hoc else self.name

    @property
    def process_folder(self) -> str:
        """The folder that a file chooses for the process; empty for the working folder."""
        return self.folder or self.command_folder

    @cached_property
    def call_secrets(self) -> tuple[str, ...]:
        """Return the fields of secrets that are sent with its calls, in the order of asking."""
        fields = dict.fromkeys(self.auth.secrets(self))
        for opening in self.openings:
            fields |= dict.fromkeys(opening.fields)
        return tuple(fields)

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Return the fields of all its secrets: those of calls, and those that its process gets."""
        return (*self.call_secrets, *self.environment_secrets)

    @property
    def logs_in_at_opening(self) -> bool:
        """Return whether an opening call is the login of its connection."""
        return any(opening.fields for opening in self.openings)

    @cached_property
    def has_sessions(self) -> bool:
        return "session" in self.call_secrets

    @cached_property
    def references(self) -> Mapping[str, str]:
        """The secret reference of each field."""
        return {field: placeholder(self.label(field)) for field in FIELDS}

    @property
    def username(self) -> str | None:
        return getattr(self.auth, "username", None)

    @property
    def badge_word(self) -> str:
        """Return the badge as it is shown: ``PROD`` in upper case."""
        return self.badge.upper() if self.badge == "prod" else self.badge

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """The environment variable of each field."""
        return {field: variable(self.name, field) for field in (*FIELDS, *self.environment_secrets)}

    def variable(self, secret: str) -> str:
        return variable(self.name, secret)

    def label(self, secret: str) -> str:
        return label_of(self.name, secret)


def _unusual(table: str, value: Struct, usual: Struct) -> dict[str, str]:
    """Return the keys of a table that differ from its defaults."""
    found = {}
    for key in value.__struct_fields__:
        part = getattr(value, key)
        if part == getattr(usual, key):
            continue
        found[f"{table}.{key}"] = shlex.join(part) if key.endswith(OF_COMMAND) else _text(part)
    return found


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Struct):
        value = asdict(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _of_connection(profile: Profile) -> Profile:
    """Return a profile without what only single calls depend on, or nothing."""
    return replace(
        profile,
        description="",
        badge="",
        confirm="never",
        timeout=0,
        empty_params="[]",
        discovery="auto",
        methods={"": MethodNote(params=own_initialize(profile))},
        history=None,
        history_inside=None,
    )


IN_MESSAGES: Final = ("none", "inline", "first", "member")
"""Auth types whose credentials are in the message itself."""
_NO_PLACE: Final = {
    "path": "only HTTP and WebSocket have a path",
    "headers": "only HTTP and WebSocket have headers",
    "content_type": "only HTTP has a content type",
    "accept": "only HTTP has this header",
    "framing": "only streams and processes have a framing",
    "folder": "only a process has a folder",
    "environment": "only a process has an environment",
    "environment_secrets": "only a process has an environment",
    "open": "only a connection that stays open has opening calls",
}
_HTTP_KEYS: Final = frozenset({"content_type", "accept"})
_PROCESS_KEYS: Final = frozenset({"folder", "environment", "environment_secrets"})
_WITHOUT: Final[Mapping[ConnectionKind, frozenset[str]]] = {
    "http": frozenset({"framing", "open", *_PROCESS_KEYS}),
    "websocket": frozenset({"framing", *_HTTP_KEYS, *_PROCESS_KEYS}),
    "stream": frozenset({"path", "headers", *_HTTP_KEYS, *_PROCESS_KEYS}),
    "process": frozenset({"path", "headers", *_HTTP_KEYS}),
}


_OF_HTTP_LOGINS: Final = (("login", "path"), ("login", "form"), ("login", "headers"))


def no_place_for(kind: ConnectionKind, path: tuple[str, ...], value: Any) -> str:
    """Return why a key of a profile has no place on such a connection, or nothing."""
    key = path[0] if path else ""
    if key in _WITHOUT[kind] and value != "":  # An empty path replaces the path of another file.
        return f"{_NO_PLACE[key]}. Remove this key"
    if key == "command" and kind != "process":
        return 'a command needs url = "stdio:". Change the URL, or remove this key'
    if path == ("auth", "kind") and kind in {"stream", "process"} and value not in IN_MESSAGES:
        needed = "HTTP" if value == "digest" else "HTTP or WebSocket"
        return f'auth type "{value}" needs {needed}. On this connection, use one of {", ".join(IN_MESSAGES)}'
    if path == ("auth", "kind") and kind == "websocket" and value == "digest":
        return 'auth type "digest" needs HTTP, because a WebSocket cannot answer a challenge. Use another auth type'
    if kind != "http" and path in _OF_HTTP_LOGINS and value:
        return "only HTTP has a login apart from its calls. Remove this key"
    if key == "handshake" and kind != "http" and isinstance(value, HeaderHandshake):
        return "only HTTP has a handshake with a header. Remove this key"
    if key == "handshake" and kind == "http" and value == "lsp":
        return 'the handshake "lsp" needs a connection that stays open, such as url = "stdio:". Change one of them'
    if key == "discovery" and kind != "http" and isinstance(value, DocumentSource) and value.url:
        return "only HTTP has a document at a URL. Use { file = … } or a discovery protocol"
    return ""


def misplaced_setting(profile: Profile) -> tuple[str, str] | None:
    """Return a key whose value has no place in this profile, and why, or None."""
    if why := no_place_for(profile.connection_kind, ("auth", "kind"), profile.auth.kind):
        return "auth.kind", why
    if profile.connection_kind == "process" and not profile.command:
        return "command", 'url = "stdio:" needs the command of the server, such as command = ["pylsp"]'
    for name in profile.environment_secrets:
        if name in dict(profile.environment):
            return f"environment.{name}", f"`environment_secrets` has {name}, too. Remove one of them"
        others = [field for field in profile.secrets if field != name and shares_variables(field, name)]
        if others:
            shared = profile.variable(name)
            return "environment_secrets", f"{name} and {others[0]} would both be read from {shared}. Remove one of them"
    if profile.login.form and not isinstance(profile.login.params, dict):
        return "login.params", 'a form has names: write a table, such as { user = "{username}" }'
    return _misplaced_token(profile) or _unused_command(profile)


def _unused_command(profile: Profile) -> tuple[str, str] | None:
    """Return the key of a command whose secret no call needs, and why not, or None."""
    for secret in FIELDS:
        if profile.auth.command_for(secret) and secret not in profile.call_secrets:
            needed = ", ".join(profile.call_secrets) or "none"
            return f"auth.{secret}{OF_COMMAND}", f"no call needs this secret. The secrets of the profile: {needed}"
    return None


def _misplaced_token(profile: Profile) -> tuple[str, str] | None:
    """Return the key that must not contain a token, and why not, or None.

    Discovery asks the same address without credentials: the token would be sent with it.
    """
    document = profile.discovery.url if isinstance(profile.discovery, DocumentSource) else ""
    for key, path in (("path", profile.path), ("discovery", document)):
        if TOKEN_MARK in path and profile.auth.kind != Auth.kind:
            sentence = f'a path with `{TOKEN_MARK}` needs auth.kind = "{Auth.kind}", but auth.kind is '
            return key, f'{sentence}"{profile.auth.kind}". Remove `{TOKEN_MARK}`, or change auth.kind'
    return None


class Preset(Struct, frozen=True):
    name: str
    file: Path
    text: str = ""
    description: str = ""
    advice: str = ""
    values: Profile = Profile("", "")
    path: str = ""
    websocket_path: str = ""
    """The path of a URL with ws or wss, if it is another one."""

    def path_for(self, url: str) -> str:
        """Return the path of a URL without one."""
        if self.websocket_path and kind_of(url) == "websocket":
            return self.websocket_path
        return self.path or usual_path(url)


AD_HOC_NAME = "url"
"""Name of a profile made from a URL, as in ``RPCEXPLORER_URL_PASSWORD``.

A file cannot have a profile of this name: a project would get the secret for an address that the user types.
"""
RESERVED = "the name is reserved: `--url` reads the same environment variables, such as RPCEXPLORER_URL_PASSWORD."


def ad_hoc(url: str, auth: Auth | None = None) -> Profile:
    base, path = split_address(url)
    if path is None:
        path = usual_path(base)
    return Profile(AD_HOC_NAME, base, path, content_type=usual_type(path), auth=auth or Auth(), ad_hoc=True)


def ad_hoc_process(words: Sequence[str]) -> Profile:
    """Return a profile for the words of ``--stdio``."""
    return Profile(AD_HOC_NAME, PROCESS, "", command=tuple(words), ad_hoc=True)


def own_initialize(profile: Profile) -> dict[str, Any]:
    """Return members of ``initialize`` that a profile sets."""
    note = profile.methods.get(INITIALIZE)
    return note.params if note and isinstance(note.params, dict) else {}


def process_address(words: Sequence[str]) -> str:
    """Return the words of a process as a shell writes them, after ``stdio:``."""
    return PROCESS + shlex.join(words)


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


def label_of(profile: str, secret: str) -> str:
    """Return the text in a secret's reference.

    The reference of a process's secret names its environment variable: it marks a redacted value, and is never sent.
    """
    return f"{profile}.{secret}" if secret in FIELDS else variable(profile, secret)


def _shout(text: str) -> str:
    return re.sub(r"[^A-Z0-9]", "_", text.upper())
