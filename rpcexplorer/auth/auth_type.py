"""The base of all auth types: their requests, and the secrets they need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.credentials import (
    AuthCall,
    AuthFlow,
    AuthHeader,
    AuthRequest,
    Message,
    fields_in,
    find_unsendable,
    leaves,
    login_fields,
    planted,
)
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.method import Described, Method
from rpcexplorer.model.profile import Auth, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import Call


class AuthField(Struct, frozen=True):
    name: str
    label: str = ""
    """The label of its row in the form; a field without one has no row there."""
    hint: str = ""
    pattern: re.Pattern[str] | None = None
    """Pattern of valid values; None if any text is valid."""
    mismatch: str = ""

    def fits(self, value: str) -> bool:
        return self.pattern is None or self.pattern.fullmatch(value) is not None


class ByClient(Struct, frozen=True):
    """A scheme of HTTP that other programs can answer, for exported calls."""

    username: str
    password: str
    curl: str
    httpie: str
    python: str
    """The name of the httpx class."""


USERNAME = AuthField("username", "user name", "the name to log in with")


class AuthType(Auth, frozen=True):
    """How calls authenticate; ``auth/registry.py`` lists all auth types.

    Each has ``kind``, ``sends``, ``needed``, ``takes``, ``fields`` and ``words``, and overrides one or two of these:

    ============= ============================================= ==================================
    headers       the credentials are in a header               basic, bearer, header, cookie
    put           they are in the address, the body or params   query, member, first, inline, none
    opens_session a login call obtains them                     cookie, tokens with a login
    requests      they answer a challenge of the server         digest
    ============= ============================================= ==================================

    The defaults of the other methods fit most; nothing overrides ``request``, ``is_free`` and ``texts``.
    """

    sends: ClassVar[str] = ""
    """The sent value and its place, in a few words; empty if there is none."""
    needed: ClassVar[str] = ""
    fields: ClassVar[tuple[AuthField, ...]] = ()
    """Its own fields that are in the form, or that do not accept any text."""
    harmless: ClassVar[str] = "ping"
    """A harmless method that tests the credentials; any answer proves them."""

    @classmethod
    def mismatch(cls, values: Mapping[str, Any]) -> tuple[str, str] | None:
        wrong = (field for field in cls.fields if field.name in values and not field.fits(values[field.name]))
        return next(((field.name, field.mismatch) for field in wrong), None)

    def opens_session(self, profile: Profile) -> bool:  # noqa: ARG002
        return False

    def secrets(self, profile: Profile) -> tuple[str, ...]:
        if self.opens_session(profile):
            return (*login_fields(profile), "session")
        return tuple(field for field in self.takes if field != "username" or profile.username is None)

    @property
    def session_cookie(self) -> str:
        """The name of the session cookie; empty for other auth types."""
        return ""

    def receiver(self, profile: Profile) -> str:
        """Return the server that gets the typed secrets, in words."""
        return profile.origin

    def words(self, profile: Profile) -> str:
        """Return a line that explains how the profile authenticates."""
        raise NotImplementedError

    def requests(self, call: AuthCall) -> AuthFlow:
        """Yield the requests of a call without a session, usually one."""
        request = self.request(call.profile, call.message, bare=self.is_free(call.profile, call.message))
        return request if isinstance(request, Refused) else (yield request)

    def request(
        self, profile: Profile, message: Message, *, bare: bool = False, headers: tuple[AuthHeader, ...] = ()
    ) -> AuthRequest | Refused:
        """Return the request for a message, ``bare`` or with its credentials.

        ``headers`` replace those of the auth type.
        """
        # This comes first, because the credentials themselves are secret references.
        unsendable = find_unsendable(profile, message)
        if unsendable is not None and not message.only_shown:
            return unsendable
        request = AuthRequest(message, headers) if bare or headers else self.put(profile, message)
        if isinstance(request, Refused):
            return request
        own_texts = (*self.texts, profile.endpoint if request.address else "")
        if request != AuthRequest(message) and (refused := planted(profile, *own_texts)):
            return refused
        if request.headers and (refused := self.header_problem(profile, ())):
            return refused
        return replace(request, fields=fields_in(profile, request))

    def put(self, profile: Profile, message: Message) -> AuthRequest | Refused:
        """Return the request with secret references, or why they do not fit."""
        return AuthRequest(message, self.headers(profile))

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:  # noqa: ARG002
        return ()

    def by_client(self, profile: Profile) -> ByClient | None:  # noqa: ARG002
        """Return how another program authenticates if no fixed request can."""
        return None

    def header_problem(self, profile: Profile, secrets: Sequence[Secret]) -> Refused | None:  # noqa: ARG002
        return None

    def places(self, profile: Profile) -> Iterable[str]:
        """Yield the members of requests and responses that contain secrets."""
        if self.opens_session(profile):
            yield from (name for name, value in leaves(profile.login.params) if name and value == "{password}")
            if session := (profile.login.session or "").rpartition("/")[2]:
                yield session

    def username_places(self, profile: Profile) -> Iterable[str]:
        """Yield the members that contain a user name."""
        if self.opens_session(profile):
            yield from (name for name, value in leaves(profile.login.params) if name and value == "{username}")

    def offered(self, method: Method) -> Method:
        """Return the method without the params that this auth type adds."""
        return method

    def offered_in_full(self, method: Method, full: Described) -> Described:  # noqa: ARG002
        """Return its full description without the params that this type adds."""
        return full

    def pasted(self, field: str, text: str) -> str:  # noqa: ARG002
        """Return the secret's value in text that was copied, such as a header."""
        return text

    def sendable(self, value: str) -> bool:
        """Return whether a session can be sent back unchanged."""
        return bool(value)

    def free(self, profile: Profile, call: Call) -> bool:
        """Return whether a call is marked as sent without credentials."""
        note = profile.methods.get(call.method)
        return note is not None and note.auth == Auth.kind

    def is_free(self, profile: Profile, message: Message) -> bool:
        if profile.openings and self.is_in_upgrade(profile):
            return False  # Other headers would open another connection, without these calls.
        return all(self.free(profile, call) for call in message.calls)

    def is_in_upgrade(self, profile: Profile) -> bool:
        """Return whether the credentials open a WebSocket, so that all its messages share them."""
        return profile.connection_kind == "websocket" and self.kind not in {"inline", "first", "member"}

    @property
    def texts(self) -> tuple[str, ...]:
        """The values of its fields that are text."""
        values = (getattr(self, field) for field in self.__struct_fields__)
        return tuple(value for value in values if isinstance(value, str))
