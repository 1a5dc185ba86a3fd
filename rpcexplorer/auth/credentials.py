"""Credentials in requests as secret references, and their sources."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from itertools import product
from threading import Lock
from typing import Any, Final, Protocol
from urllib.parse import quote

from msgspec import Struct

from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.exchange import CallKind, Outcome, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import (
    PLACEHOLDER,
    Secret,
    may_refer,
    named,
    of_another,
    unrecorded,
    unsendable,
)
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import Call, spelled
from rpcexplorer.transport.port import NOTHING_CAME, Response


class Message(Struct, frozen=True):
    """A call, a notification, or several calls in one body."""

    kind: CallKind
    calls: tuple[Call, ...]
    only_shown: bool = False
    """It is only previewed, so it may contain what cannot be sent."""
    form: str = ""
    """The body of a login that is no JSON-RPC: a form, with secret references."""

    @property
    def method(self) -> str:
        return ", ".join(call.method for call in self.calls)


class Opening(Struct, frozen=True):
    """The values that are inserted into a header just before it is sent."""

    values: Mapping[str, str]
    """The value of each secret reference."""
    target: str = ""
    """Path and query, as in the first line of the request."""
    verb: str = "POST"

    def filled(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda found: self.values.get(found[0], found[0]), text)


class AuthHeader(Struct, frozen=True):
    """A header of an auth type, with secret references."""

    name: str
    text: str
    scheme: str = ""
    """The text before the value, such as an HTTP scheme and a space."""
    encoded: bool = False

    @property
    def shown(self) -> str:
        return f"{self.scheme}base64({self.text})" if self.encoded else f"{self.scheme}{self.text}"

    @property
    def copied(self) -> str:
        """The header for other programs, which insert the secrets."""
        return self.shown

    def opened(self, opening: Opening) -> str:
        text = opening.filled(self.text)
        return f"{self.scheme}{b64encode(as_bytes(text)).decode() if self.encoded else text}"

    def secret_parts(self, opened: str) -> Iterable[str]:  # noqa: ARG002
        """Yield parts of the sent value that give access for a while."""
        return ()


class HandedHeader(AuthHeader, frozen=True):
    """A header with a value of the server that gives access for a while."""

    def secret_parts(self, opened: str) -> Iterable[str]:
        return (opened,)


UNAUTHORIZED: Final = 401
SENDABLE = regex(r"[\x21-\x7e]{1,4096}")
"""A value of the server that can be sent back in a header."""


class Fetch(Struct, frozen=True):
    """A request without a message to any address: a document, or a POST with a form or JSON.

    It has no cookies, headers or client certificate of the profile, and redirects are not followed.
    """

    url: str
    form: tuple[tuple[str, str | Secret], ...] = ()
    json: bytes = b""
    secret: Secret | None = None
    """The secret of the client; None if it is the profile's, or if there is none."""
    client: str = ""
    """The id of the client, if it is sent with its secret in the header Authorization, and not in the form."""
    renews: bool = False
    """It renews the session, which only one process at a time may do."""
    pause_seconds: float = 0.0
    """How long to wait before it is sent."""


class Agreement(Struct, frozen=True):
    """A question whether requests, or the user, may go to servers that another server has named."""

    terms: tuple[str, ...]
    """What the user agrees to: an origin, or an issuer and the origin of its page."""
    question: str


class Listen(Struct, frozen=True):
    """Go on only with a user who can log in; prepare ``AuthCall.redirect``, the address that a browser ends at."""

    issuer: str
    redirects: bool = True


class Visit(Struct, frozen=True):
    """Show the user where to log in. For a ``code`` to type there, do not wait for the redirect."""

    url: str
    code: str = ""


LoginStep = Fetch | Agreement | Listen | Visit
"""What a login of OAuth needs besides messages."""


class AuthRequest(Struct, frozen=True):
    """A request of an auth type, with secret references instead of secrets."""

    message: Message
    headers: tuple[AuthHeader, ...] = ()
    address: str = ""
    """The complete address if it contains a secret, or empty."""
    texts: tuple[str, ...] = ()
    """Strings in the params that contain a secret reference and other text."""
    fields: tuple[str, ...] = ()
    """The secrets that it needs, in the order of their questions."""
    is_ahead: bool = False
    """Whether it is sent before the call: a login or a handshake."""
    step: LoginStep | None = None
    """What happens instead of sending the message, which is empty then."""


class AuthResponse(Struct, frozen=True):
    outcome: Outcome
    response: Response = NOTHING_CAME
    sent: int = 0
    """Bytes of the request's body."""


class SessionOpened(Struct, frozen=True):
    session: Secret


class SessionEnded(Struct, frozen=True):
    """The session has ended and is removed."""


class Note(Struct, frozen=True):
    """A sentence for the user about an event during the call."""

    sentence: str


class Hidden(Struct, frozen=True):
    """A value to redact for this call, because it gives access for a while."""

    value: str


Event = SessionOpened | SessionEnded | Note | Hidden
AuthFlow = Generator[AuthRequest, AuthResponse | Refused, AuthResponse | Refused]
"""The requests of one message: ``response = yield request``.

A flow does no I/O and returns the last response. Its driver looks up the secrets of each request, and sends a refusal
into the flow if one is missing.
"""


class AuthCall(Struct):
    """One message, the state of its flow, and the events that it reports."""

    profile: Profile
    message: Message
    session: Secret | None
    """The session to send; a login replaces it."""
    now: datetime
    can_log_in: Callable[[], bool]
    """Whether all credentials of a login are known, for any destination."""
    is_known: Callable[[str], bool] = lambda _: False
    """Whether a field is known, so that nobody has to be asked for it."""
    redirect: str = ""
    """The address that a browser is redirected to after a login, once there is one."""
    events: list[Event] = []
    """Events since the last request, which the driver handles and clears."""


def as_bytes(text: str) -> bytes:
    """Encode text; surrogates of undecodable bytes become these bytes again."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")


NOT_RECORDED: Final = "The params contain {}: that value was not recorded. Replace it with a value, then resend."
"""The problem of an unrecorded value, which code that counts them ignores."""


def leaves(template: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the simple values in a JSON value, with their member names."""
    if isinstance(template, dict):
        for member, value in template.items():
            yield from leaves(value, member)
    elif isinstance(template, list):
        for value in template:
            yield from leaves(value)
    else:
        yield name, template


def login_fields(profile: Profile) -> tuple[str, ...]:
    """Return the secrets that a login needs."""
    named = [value for _, value in leaves(profile.login.params)]
    fields = [field for field in ("username", "password", "token") if f"{{{field}}}" in named]
    if profile.username is not None and "username" in fields:
        fields.remove("username")
    return tuple(fields)


def quoted(profile: Profile, field: str) -> str:
    return spelled(profile.references[field])


def fields_in(profile: Profile, request: AuthRequest) -> tuple[str, ...]:
    """Return the secret fields that a request refers to.

    In params, only complete strings count.
    """
    parts = [request.address, request.message.form, *request.texts]
    parts += [header.text for header in request.headers]
    for call in request.message.calls:
        parts += [value for _, value in call.members]
    around = "\n".join(parts)
    named = []
    for field, reference in profile.references.items():
        in_params = [call for call in request.message.calls if reference in call.params]
        if reference in around or any(spelled(reference) in call.params for call in in_params):
            named.append(field)
    return tuple(named)


def find_unsendable(profile: Profile, message: Message) -> Refused | None:
    """Return why a message cannot be sent, or None.

    A secret must be a complete string of the params: part of a string may be escaped in many ways.
    """
    for call in message.calls:
        texts = (call.method, call.id or "", call.params)
        if not any(map(may_refer, texts)):
            continue
        for text in texts:
            if mark := unsendable(text):
                return Refused("params", NOT_RECORDED.format(mark))
            if mark := of_another(text, profile.name):
                other, _, field = mark.strip("«»").rpartition(".")
                return Refused(
                    "params",
                    f"The secret reference {mark} works only with profile {other}, not with {profile.name}: "
                    f"type the {field} itself, or choose profile {other}. "
                    "To send these characters, write \\u00ab for «.",
                )
        if mark := named((call.method, call.id or "")):
            return Refused("params", f"{mark} is a secret reference, which cannot be in a method name or an id.")
        for mark in profile.references.values():
            if mark in call.params and mark in call.params.replace(spelled(mark), ""):
                return Refused(
                    "params",
                    f"The secret reference {mark} is part of a longer text, so its secret cannot be inserted. "
                    f'Replace that text, or write "{mark}" alone.',
                )
    return None


def planted(profile: Profile, *texts: str | None) -> Refused | None:
    """Return a problem if a profile contains a secret reference."""
    mark = named([text for text in texts if text])
    if not mark:
        return None
    sentence = f"Profile {profile.name} contains the secret reference {mark}. Remove it from sessions.toml."
    return Refused("profile", sentence)


def opened(body: bytes, request: AuthRequest, secrets: Sequence[Secret]) -> bytes:
    """Insert the secrets where their references are complete strings.

    This is the last step before the socket.
    """
    if request.message.form:
        return opened_address(request.message.form, secrets).encode()
    opening = opening_of(secrets)
    for text in request.texts:
        body = body.replace(spelled(text).encode(), spelled(opening.filled(text)).encode())
    for secret in secrets:
        body = body.replace(spelled(secret.placeholder).encode(), spelled(secret.reveal()).encode())
    return body


def opened_address(address: str, secrets: Sequence[Secret]) -> str:
    """Return an address with percent-encoded secrets.

    This is the last step before the socket.
    """
    values = {secret.placeholder: quote(as_bytes(secret.reveal()), safe="") for secret in secrets}
    return PLACEHOLDER.sub(lambda found: values.get(found[0], found[0]), address)


def opening_of(secrets: Sequence[Secret], target: str = "", verb: str = "POST") -> Opening:
    return Opening({secret.placeholder: secret.reveal() for secret in secrets}, target, verb)


def derived(headers: Iterable[AuthHeader], known: Sequence[Secret]) -> Iterator[Secret]:
    """Yield the encoded values of headers, which are as secret as their parts.

    All known values of each field are combined. The marks that replace them cannot be sent.
    """
    for header in headers:
        if not header.encoded:
            continue
        values: dict[str, list[Secret]] = {found[0]: [] for found in PLACEHOLDER.finditer(header.text)}
        for secret in known:
            if secret.placeholder in values:
                values[secret.placeholder].append(secret)
        for secrets in product(*values.values()):
            value = header.opened(opening_of(secrets)).removeprefix(header.scheme)
            url_safe = value.replace("+", "-").replace("/", "_")
            for spelling in dict.fromkeys((value, url_safe, value.rstrip("="), url_safe.rstrip("="))):
                yield unrecorded(spelling)


class CredentialSource(Protocol):
    """The credentials of one profile."""

    async def secret(self, profile: Profile, field: str) -> Secret | Refused:
        """Return the value of a field, or how to provide one."""

    def is_known(self, profile: Profile, field: str) -> bool:
        """Return whether a field is known, so that nothing must be asked."""

    def can_log_in(self, profile: Profile) -> bool:
        """Return whether all credentials of a login are known."""

    async def session(self, profile: Profile) -> Secret | DestinationChanged | Refused | None:
        """Return the stored session, or why it is blocked; None without one."""

    async def permission(self, profile: Profile) -> Refused | None:
        """Return why the profile must not be used, or None. Ask before each message, and before any secret."""

    @property
    def has_user(self) -> bool:
        """Return whether someone can log in."""

    async def agree(self, profile: Profile, agreement: Agreement | None) -> Refused | None:
        """Return why no token is asked for, or not at other servers; None if the user has agreed."""

    async def visit(self, profile: Profile, visit: Visit, redirect: Awaitable[str]) -> str | None:
        """Show the user where to log in; return the redirect that came or was pasted, or None without a user."""

    def lock_renewal(self, profile: Profile) -> ExitStack | None:
        """Return the lock of renewals of a session, held; None while another call or process holds it."""

    def newer_session(self, profile: Profile, than: Secret) -> Secret | None:
        """Return the session that another call or process has stored since."""

    def keep(self, profile: Profile, session: Secret) -> str | None:
        """Store a session; return a sentence if that failed."""

    def drop(self, profile: Profile) -> bool:
        """Remove the session; return whether there was one."""

    def reject(self, profile: Profile, used: Iterable[Secret]) -> bool:
        """Forget those values that the next call can get again, because the server has rejected them.

        Return whether there were any.
        """

    def in_use(self) -> Iterable[Secret]:
        """Return the values to redact in responses."""

    def hide(self, values: Iterable[Secret]) -> None:
        """Redact values that only a call knew, for some time after it."""


class GivenCredentials:
    """Credentials that were passed to the client, and are kept while it lives."""

    has_user = False

    def __init__(self, **given: str | None) -> None:
        """``given`` are values by field."""
        self._values = {field: value for field, value in given.items() if value is not None}
        self._session: Secret | None = None
        """The session that a login opened, with its grant."""
        self._renewal = Lock()

    async def secret(self, profile: Profile, field: str) -> Secret | Refused:
        if field not in self._values:
            return Refused("credentials", f"No {field} was given: pass {field}=… to the client.", field)
        return Secret(self._values[field], profile.label(field))

    def is_known(self, profile: Profile, field: str) -> bool:  # noqa: ARG002
        return field in self._values

    def can_log_in(self, profile: Profile) -> bool:
        return all(field in self._values for field in login_fields(profile))

    async def session(self, profile: Profile) -> Secret | None:
        value = self._values.get("session")
        if self._session is not None and self._session.reveal() == value:
            return self._session
        return None if value is None else Secret(value, profile.label("session"), "session")

    async def agree(self, profile: Profile, agreement: Agreement | None) -> Refused | None:  # noqa: ARG002
        """Refuse servers that only another server has named: a program cannot be asked."""
        if agreement is None:
            return None
        return Refused("credentials", f"{agreement.question} Nothing was sent there: a program cannot agree.")

    async def visit(self, profile: Profile, visit: Visit, redirect: Awaitable[str]) -> None:
        """Return None: a program has no browser."""

    def lock_renewal(self, profile: Profile) -> ExitStack | None:  # noqa: ARG002
        if not self._renewal.acquire(blocking=False):
            return None
        held = ExitStack()
        held.callback(self._renewal.release)
        return held

    def newer_session(self, profile: Profile, than: Secret) -> Secret | None:  # noqa: ARG002
        return self._session if self._session != than else None

    async def permission(self, profile: Profile) -> None:
        """Return None: the program that created the client chose its server."""

    def keep(self, profile: Profile, session: Secret) -> None:  # noqa: ARG002
        """Keep the session while the client lives."""
        self._values["session"] = session.reveal()
        self._session = session

    def drop(self, profile: Profile) -> bool:  # noqa: ARG002
        return self._values.pop("session", None) is not None

    def reject(self, profile: Profile, used: Iterable[Secret]) -> bool:  # noqa: ARG002
        """Return False: a program gives its values once."""
        return False

    def in_use(self) -> tuple[Secret, ...]:
        """Return nothing: the caller passed these values and gets the exact bytes."""
        return ()

    def hide(self, values: Iterable[Secret]) -> None:
        """Redact nothing, as with ``in_use``."""
