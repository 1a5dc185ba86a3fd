"""What an auth type is: the requests that it makes, and what they ask for."""

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
    """Of its line in the form of a profile; a field without one has no line there."""
    hint: str = ""
    pattern: re.Pattern[str] | None = None
    """What its value must match, if that cannot be any text."""
    mismatch: str = ""

    def fits(self, value: str) -> bool:
        return self.pattern is None or self.pattern.fullmatch(value) is not None


class ByClient(Struct, frozen=True):
    """A scheme of HTTP that other programs know how to answer by themselves, as a snippet has them do it."""

    username: str
    password: str
    curl: str
    httpie: str
    python: str
    """The class of httpx."""


USERNAME = AuthField("username", "user name", "the user who logs in")


class AuthType(Auth, frozen=True):
    """How calls authenticate; all auth types are listed in ``auth/registry.py``.

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
    """What it sends and where, in a few words; empty where it sends nothing."""
    needed: ClassVar[str] = ""
    fields: ClassVar[tuple[AuthField, ...]] = ()
    """Its own fields that a form offers, or that cannot have any text."""
    harmless: ClassVar[str] = "ping"
    """A method that tries the way: whatever a service answers, even that it has no such method, it has answered."""

    @classmethod
    def mismatch(cls, values: Mapping[str, Any]) -> tuple[str, str] | None:
        wrong = (each for each in cls.fields if each.name in values and not each.fits(values[each.name]))
        return next(((each.name, each.mismatch) for each in wrong), None)

    def opens_session(self, profile: Profile) -> bool:  # noqa: ARG002
        return False

    def secrets(self, profile: Profile) -> tuple[str, ...]:
        if self.opens_session(profile):
            return (*login_fields(profile), "session")
        return tuple(field for field in self.takes if field != "username" or profile.username is None)

    @property
    def session_cookie(self) -> str:
        """The name of the cookie that a session comes and goes in; empty where it is in none."""
        return ""

    def words(self, profile: Profile) -> str:
        """One line about how a profile logs in."""
        raise NotImplementedError

    def requests(self, call: AuthCall) -> AuthFlow:
        """Return the requests of a call without a session: one, unless it answers a challenge."""
        request = self.request(call.profile, call.message, bare=self.is_free(call.profile, call.message))
        return request if isinstance(request, Refused) else (yield request)

    def request(
        self, profile: Profile, message: Message, *, bare: bool = False, headers: tuple[AuthHeader, ...] = ()
    ) -> AuthRequest | Refused:
        """The request for a message, ``bare`` or with its credentials.

        ``headers`` replace what the auth type would put in by itself.
        """
        unsendable = find_unsendable(profile, message)  # before anything is put in
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
        """The request with placeholders where credentials go; or why they cannot go there."""
        return AuthRequest(message, self.headers(profile))

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:  # noqa: ARG002
        return ()

    def by_client(self, profile: Profile) -> ByClient | None:  # noqa: ARG002
        """How another program logs in by itself, where no request can be written down that would do."""
        return None

    def header_problem(self, profile: Profile, secrets: Sequence[Secret]) -> Refused | None:  # noqa: ARG002
        return None

    def places(self, profile: Profile) -> Iterable[str]:
        """The members, of requests or replies, that a profile has secrets in."""
        if self.opens_session(profile):
            yield from (name for name, value in leaves(profile.login.params) if name and value == "{password}")
            if session := (profile.login.session or "").rpartition("/")[2]:
                yield session

    def username_places(self, profile: Profile) -> Iterable[str]:
        """The members that a profile has a user name in."""
        if self.opens_session(profile):
            yield from (name for name, value in leaves(profile.login.params) if name and value == "{username}")

    def offered(self, method: Method) -> Method:
        """Return a method as a person calls it, who does not give what this kind puts in by itself."""
        return method

    def offered_in_full(self, method: Method, full: Described) -> Described:  # noqa: ARG002
        """All that is known of one of them, in the same way."""
        return full

    def pasted(self, field: str, text: str) -> str:  # noqa: ARG002
        """The value of a secret in what somebody has copied from somewhere."""
        return text

    def sendable(self, value: str) -> bool:
        """Whether a session can be sent back as it is."""
        return bool(value)

    def free(self, profile: Profile, call: Call) -> bool:
        """Whether a call is noted as going without credentials."""
        note = profile.methods.get(call.method)
        return note is not None and note.auth == Auth.kind

    def is_free(self, profile: Profile, message: Message) -> bool:
        return all(self.free(profile, call) for call in message.calls)

    @property
    def texts(self) -> tuple[str, ...]:
        """The values of its fields, as far as they are set."""
        values = (getattr(self, field) for field in self.__struct_fields__)
        return tuple(value for value in values if isinstance(value, str))
