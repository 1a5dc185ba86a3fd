"""The kind ``cookie``: a login opens a session, whose id goes out in a cookie."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, ClassVar

from rpcexplorer.auth.flow import AuthHeader, Flow, Message
from rpcexplorer.auth.kind import USERNAME, FormLine, Kind
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secrets.secret import Secret, placeholder


class CookieAuth(Kind, frozen=True):
    """A session cookie, obtained by a login call."""

    username: str | None = None
    """Who logs in; None asks the secret store."""
    cookie: str = "sessionid"
    """The name of the cookie."""

    kind: ClassVar[str] = "cookie"
    sends: ClassVar[str] = "a session in a cookie"
    needed: ClassVar[str] = "needs a session"
    takes: ClassVar[tuple[str, ...]] = ("username", "password", "session")
    fits: ClassVar[Mapping[str, tuple[re.Pattern[str], str]]] = {
        "cookie": (
            re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"),
            'must be the name of a cookie, such as "sessionid", without a value',
        )
    }
    form: ClassVar[tuple[FormLine, ...]] = (USERNAME,)

    @property
    def session_cookie(self) -> str:
        return self.cookie

    def words(self, profile: Profile) -> str:
        return f"by cookie: {profile.login.method} opens a session"

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (AuthHeader("Cookie", f"{self.cookie}={placeholder(profile.label('session'))}"),)

    def places(self, profile: Profile) -> Iterable[str]:
        yield self.cookie
        yield from _places(profile.login.params, "{password}")
        if profile.login.session:
            yield profile.login.session.rpartition("/")[2]

    def pasted(self, field: str, text: str) -> str:
        """The session id in a ``Cookie`` or ``Set-Cookie`` header, one pair, or the id."""
        if field != "session":
            return text
        found = re.search(rf"(?:^|[;:\s]){re.escape(self.cookie)}=\"?([^;\s\"]+)", text)
        return found[1] if found else text.strip()

    def is_free(self, profile: Profile, message: Message) -> bool:
        """Whether all of it is called without a session if there is none: the login itself, and what is noted so."""
        others = [call.method for call in message.calls if call.method != profile.login.method]
        notes = (profile.methods.get(method) for method in others)
        return all(note is not None and note.auth not in {None, self.kind} for note in notes)

    def flow(self, profile: Profile, message: Message, session: Secret | None, now: datetime) -> Flow:
        from rpcexplorer.auth.session import with_session  # no start needs it

        return with_session(self, profile, message, session, now)

    def login(self, profile: Profile, id: str, now: datetime) -> Flow:
        from rpcexplorer.auth.session import session_alone  # no start needs it

        return session_alone(self, profile, id, now)


def _places(template: Any, sought: str) -> Iterable[str]:
    """The names of the members whose value is ``sought``."""
    if isinstance(template, dict):
        for name, value in template.items():
            if value == sought:
                yield name
            yield from _places(value, sought)
    elif isinstance(template, list):
        for value in template:
            yield from _places(value, sought)
