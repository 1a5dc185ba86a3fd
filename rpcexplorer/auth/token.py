"""The auth types that send one value: bearer, header, query, first, member, cookie."""

from __future__ import annotations

from typing import ClassVar

from rpcexplorer.auth.session_kind import SessionKind
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import placeholder

MARK = "{token}"
"""What stands for the value in a setting of a profile."""


class TokenAuth(SessionKind, frozen=True):
    username: str | None = None
    """Who logs in, where a login opens a session; None asks the secret store."""

    takes: ClassVar[tuple[str, ...]] = ("token",)

    def opens_session(self, profile: Profile) -> bool:
        return profile.has_login

    def mark(self, profile: Profile) -> str:
        """The placeholder of the value that goes out."""
        return placeholder(profile.label("session" if profile.has_login else "token"))

    def filled(self, template: str, profile: Profile) -> str:
        return template.replace(MARK, self.mark(profile))

    def said(self, profile: Profile, where: str) -> str:
        """One line about it: what goes out and ``where``."""
        what = f"{profile.login.method} opens a session, which goes" if profile.has_login else "a stored token goes"
        return f"{self.kind}: {what} {where}"
