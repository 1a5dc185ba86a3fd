"""The kind ``cookie``: a login opens a session, whose id goes out in a cookie."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import ClassVar

from rpcexplorer.auth import cookies
from rpcexplorer.auth.flow import AuthHeader
from rpcexplorer.auth.kind import USERNAME, FormLine
from rpcexplorer.auth.session_kind import SessionKind
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import placeholder
from rpcexplorer.rpc.messages import Call


class CookieAuth(SessionKind, frozen=True):
    """A session cookie, obtained by a login call."""

    username: str | None = None
    """Who logs in; None asks the secret store."""
    cookie: str = "sessionid"
    """The name of the cookie."""

    kind: ClassVar[str] = "cookie"
    sends: ClassVar[str] = "a session in a cookie"
    needed: ClassVar[str] = "needs a session"
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

    def opens_session(self, profile: Profile) -> bool:  # noqa: ARG002
        return True

    def words(self, profile: Profile) -> str:
        return f"by cookie: {profile.login.method} opens a session"

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        return (AuthHeader("Cookie", f"{self.cookie}={placeholder(profile.label('session'))}"),)

    def sendable(self, value: str) -> bool:
        return cookies.sendable(value)

    def places(self, profile: Profile) -> Iterable[str]:
        yield self.cookie
        yield from super().places(profile)

    def pasted(self, field: str, text: str) -> str:
        """The session id in a ``Cookie`` or ``Set-Cookie`` header, one pair, or the id."""
        if field != "session":
            return text
        found = re.search(rf"(?:^|[;:\s]){re.escape(self.cookie)}=\"?([^;\s\"]+)", text)
        return found[1] if found else text.strip()

    def free(self, profile: Profile, call: Call) -> bool:
        """Whether it is called without a session if there is none: the login itself, and what is noted so."""
        note = profile.methods.get(call.method)
        return call.method == profile.login.method or (note is not None and note.auth not in {None, self.kind})
