"""Credentials as secret references in requests, and where their values come from."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Any, Final, Protocol
from urllib.parse import quote

from msgspec import Struct

from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.exchange import CallKind, Outcome, Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELDS, PLACEHOLDER, UNRECORDED, Secret, named, of_another, placeholder, unsendable
from rpcexplorer.rpc.messages import Call, spelled
from rpcexplorer.transport.port import NOTHING_CAME, Response


class Message(Struct, frozen=True):
    """What the person asked for: one call, a notification, or several calls in one body."""

    kind: CallKind
    calls: tuple[Call, ...]
    only_shown: bool = False
    """Nothing of it will be sent, so that it may hold what never is."""

    @property
    def method(self) -> str:
        return ", ".join(call.method for call in self.calls)


class Opening(Struct, frozen=True):
    """What a header is opened with, on the last line before the socket."""

    values: Mapping[str, str]
    """Of each placeholder, what it stands for."""
    target: str = ""
    """Path and query of the request, as its first line has them."""
    body: bytes = b""
    verb: str = "POST"

    def filled(self, text: str) -> str:
        return PLACEHOLDER.sub(lambda found: self.values.get(found[0], found[0]), text)


class AuthHeader(Struct, frozen=True):
    """A header that a kind of auth puts into a request, with placeholders where secrets will stand."""

    name: str
    text: str
    scheme: str = ""
    """What stands before the text, such as a scheme of HTTP and a space."""
    encoded: bool = False

    @property
    def shown(self) -> str:
        return f"{self.scheme}base64({self.text})" if self.encoded else f"{self.scheme}{self.text}"

    def opened(self, opening: Opening) -> str:
        text = opening.filled(self.text)
        return f"{self.scheme}{b64encode(as_bytes(text)).decode() if self.encoded else text}"

    def betrays(self, opened: str) -> Iterable[str]:  # noqa: ARG002
        """What of the value that went out opens a door for a while, though it holds no secret as it is."""
        return ()


class AuthRequest(Struct, frozen=True):
    """A request that an auth type wants sent. Its secrets are placeholders until the transport puts them in."""

    message: Message
    headers: tuple[AuthHeader, ...] = ()
    address: str = ""
    """The whole address if it holds a secret; empty for the profile's own."""
    texts: tuple[str, ...] = ()
    """Strings of the params that hold a placeholder beside other text."""
    fields: tuple[str, ...] = ()
    """The secrets that must be known before it is sent, in the order in which they are asked for."""
    is_login: bool = False


class AuthResponse(Struct, frozen=True):
    outcome: Outcome
    response: Response = NOTHING_CAME
    sent: int = 0
    """Bytes of the request's body."""


class SessionOpened(Struct, frozen=True):
    session: Secret


class SessionEnded(Struct, frozen=True):
    """The session is over, to be forgotten."""


class Note(Struct, frozen=True):
    """A sentence for the person about something that happened on the way."""

    sentence: str


class Hidden(Struct, frozen=True):
    """A value to hide in everything shown of this call: for a while it is as good as a secret."""

    value: str


Event = SessionOpened | SessionEnded | Note | Hidden
AuthFlow = Generator[AuthRequest, AuthResponse | Refused, AuthResponse | Refused]
"""The requests of one message: ``response = yield request``. It does no I/O, and it ends with the last response.

Whoever drives it looks up the secrets that a request names, and answers with a refusal if one is missing.
"""


class AuthCall(Struct):
    """One message on its way: what its flow knows, and what the flow reports besides requests."""

    profile: Profile
    message: Message
    session: Secret | None
    """The one to send; a login replaces it."""
    now: datetime
    can_log_in: Callable[[], bool]
    """Whether all credentials of a login are known, even for another destination."""
    events: list[Event] = []
    """Reports since the last request, for the driver to act on and to clear."""


def as_bytes(text: str) -> bytes:
    """Bytes of a variable that are no UTF-8 are those again; any other half of a character goes out as what it is."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass")


NOT_RECORDED: Final = "The params contain {}: that value was not recorded. Replace it with a value, then resend."
"""What is said of a mark that nobody can send; whoever counts marks in a text leaves this one out."""


def leaves(template: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a JSON value that holds no other, with the name of the member that it is."""
    if isinstance(template, dict):
        for member, value in template.items():
            yield from leaves(value, member)
    elif isinstance(template, list):
        for value in template:
            yield from leaves(value)
    else:
        yield name, template


def login_fields(profile: Profile) -> tuple[str, ...]:
    named = {value for _, value in leaves(profile.login.params)}
    known = {"username"} if profile.username is not None else set()
    return tuple(field for field in FIELDS if f"{{{field}}}" in named and field not in known)


def quoted(profile: Profile, field: str) -> str:
    return spelled(placeholder(profile.label(field)))


def fields_in(profile: Profile, request: AuthRequest) -> tuple[str, ...]:
    """Return the secret fields whose placeholders are in a request: in its params as whole strings alone."""
    calls = request.message.calls
    parts = [request.address, *request.texts, *(header.text for header in request.headers)]
    parts += [value for call in calls for _, value in call.members]
    named = []
    for field in FIELDS:
        mark = placeholder(profile.label(field))
        in_params = any(mark in call.params and spelled(mark) in call.params for call in calls)
        if in_params or any(mark in part for part in parts):
            named.append(field)
    return tuple(named)


def find_unsendable(profile: Profile, message: Message) -> Refused | None:
    """Return why a message cannot be sent as it is written.

    A secret can only be a whole string of the params: as a part of one it may have been there in any spelling.
    """
    for call in message.calls:
        for text in (call.method, call.id or "", call.params):
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
        for field in FIELDS:
            mark = placeholder(profile.label(field))
            if mark in call.params and mark in call.params.replace(spelled(mark), ""):
                return Refused(
                    "params",
                    f"The secret reference {mark} is part of a longer text, so its secret cannot be inserted. "
                    f'Replace that text, or write "{mark}" alone.',
                )
    return None


def planted(profile: Profile, *texts: str | None) -> Refused | None:
    """Why nothing is sent where a profile, which may come from a shared file, holds a placeholder in what it sends."""
    mark = named(text for text in texts if text)
    if not mark:
        return None
    sentence = f"Profile {profile.name} contains the secret reference {mark}. Remove it from sessions.toml."
    return Refused("profile", sentence)


def opened(body: bytes, request: AuthRequest, secrets: Sequence[Secret]) -> bytes:
    """Put the secrets' values where their placeholders stand as whole strings. The last line before the socket."""
    opening = opening_of(secrets)
    for text in request.texts:
        body = body.replace(spelled(text).encode(), spelled(opening.filled(text)).encode())
    for secret in secrets:
        body = body.replace(spelled(secret.placeholder).encode(), spelled(secret.reveal()).encode())
    return body


def opened_address(address: str, secrets: Sequence[Secret]) -> str:
    """An address with the secrets' values in it, percent-encoded. The last line before the socket."""
    values = {secret.placeholder: quote(as_bytes(secret.reveal()), safe="") for secret in secrets}
    return PLACEHOLDER.sub(lambda found: values.get(found[0], found[0]), address)


def opening_of(secrets: Sequence[Secret], target: str = "", body: bytes = b"", verb: str = "POST") -> Opening:
    return Opening({secret.placeholder: secret.reveal() for secret in secrets}, target, body, verb)


def derived(headers: Iterable[AuthHeader], known: Sequence[Secret]) -> Iterator[Secret]:
    """What the values of secrets come to in headers that encode them: it opens the same doors, so it is hidden too.

    Of each field every value is taken that is known. Nothing opens what is put in its place.
    """
    for header in headers:
        if header.encoded:
            marks = dict.fromkeys(found[0] for found in PLACEHOLDER.finditer(header.text))
            for secrets in product(*([each for each in known if each.placeholder == mark] for mark in marks)):
                value = header.opened(opening_of(secrets)).removeprefix(header.scheme)
                padded = (value, value.replace("+", "-").replace("/", "_"))
                for spelling in dict.fromkeys((*padded, *(each.rstrip("=") for each in padded))):
                    yield Secret(spelling, UNRECORDED.strip("«»"))


class CredentialSource(Protocol):
    """The credentials of one profile, wherever they are kept."""

    async def secret(self, profile: Profile, field: str) -> Secret | Refused:
        """The value of a field, or a sentence that says how to give one."""

    def at_hand(self, profile: Profile, field: str) -> bool:
        """Whether a field is known, so that nobody has to be asked for it."""

    def can_log_in(self, profile: Profile) -> bool:
        """Return whether all credentials of a login were given, even for another destination."""

    async def session(self, profile: Profile) -> Secret | DestinationChanged | Refused | None:
        """The session that was kept, or why it is not sent; None where there is none, refused where none may go."""

    async def key(self, profile: Profile) -> Refused | None:
        """Why the certificate that says who calls, and its key, are not used; None where they may be."""

    def keep(self, profile: Profile, session: Secret) -> str | None:
        """Remember a session; a sentence when that did not work."""

    def drop(self, profile: Profile) -> bool:
        """Forget the session; False where there was none."""

    def in_use(self) -> Iterable[Secret]:
        """What has to be hidden in whatever a server says; nothing, where it is for its owner's eyes alone."""


class GivenCredentials:
    """Credentials handed over by whoever made the client; kept for its lifetime and nowhere else."""

    def __init__(
        self,
        username: str | None = None,
        password: str | None = None,
        session: str | None = None,
        token: str | None = None,
    ) -> None:
        given = {"username": username, "password": password, "session": session, "token": token}
        self._values = {field: value for field, value in given.items() if value is not None}

    async def secret(self, profile: Profile, field: str) -> Secret | Refused:
        if field not in self._values:
            return Refused("credentials", f"No {field} was given: pass {field}=… to the client.", field)
        return Secret(self._values[field], profile.label(field))

    def at_hand(self, profile: Profile, field: str) -> bool:  # noqa: ARG002
        return field in self._values

    def can_log_in(self, profile: Profile) -> bool:
        return all(field in self._values for field in login_fields(profile))

    async def session(self, profile: Profile) -> Secret | None:
        value = self._values.get("session")
        return None if value is None else Secret(value, profile.label("session"), "session")

    async def key(self, profile: Profile) -> None:
        """Whoever made the client has named it."""

    def keep(self, profile: Profile, session: Secret) -> None:  # noqa: ARG002
        """Remember it for this client's lifetime."""
        self._values["session"] = session.reveal()

    def drop(self, profile: Profile) -> bool:  # noqa: ARG002
        return self._values.pop("session", None) is not None

    def in_use(self) -> tuple[Secret, ...]:
        """Nothing: whoever made the client gave these values, and gets the server's own bytes."""
        return ()
