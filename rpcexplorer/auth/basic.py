"""The auth types without a session: basic, none and inline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rpcexplorer.auth.flow import AuthHeader
from rpcexplorer.auth.kind import USERNAME, FormLine, Kind
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret, placeholder


class BasicAuth(Kind, frozen=True):
    """Credentials as HTTP has them, which many servers ask for that call themselves wallets, nodes or media centres."""

    username: str | None = None
    """Who calls; None asks the secret store."""

    kind: ClassVar[str] = "basic"
    scheme: ClassVar[str] = "Basic"
    sends: ClassVar[str] = "a user name and a password in the header Authorization"
    needed: ClassVar[str] = "takes the credentials in a header"
    takes: ClassVar[tuple[str, ...]] = ("username", "password")
    form: ClassVar[tuple[FormLine, ...]] = (USERNAME,)

    def words(self, profile: Profile) -> str:  # noqa: ARG002
        return "basic: user name and password go out in the header Authorization"

    def refused(self, profile: Profile, secrets: Sequence[Secret]) -> Refused | None:
        names = [each.reveal() for each in secrets if each.label == profile.label("username")]
        if not any(":" in name for name in (self.username or "", *names)):
            return None
        return Refused(
            "profile",
            f"The user name of profile {profile.name} has a colon, behind which HTTP Basic takes the password to "
            "begin: the server needs another name for it, or another kind of auth.",
        )

    def headers(self, profile: Profile) -> tuple[AuthHeader, ...]:
        name = placeholder(profile.label("username")) if self.username is None else self.username
        text = f"{name}:{placeholder(profile.label('password'))}"
        return (AuthHeader("Authorization", text, scheme=f"{self.scheme} ", encoded=True),)
