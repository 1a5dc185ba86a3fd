"""Where a client's credentials come from: what it asks for, and the plainest thing that answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rpcexplorer.auth.credentials import login_fields
from rpcexplorer.model.destination import RouteChanged
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret


class CredentialSource(Protocol):
    """The credentials of one profile, wherever they are kept."""

    async def secret(self, profile: Profile, field: str) -> Secret | Refused:
        """The value of a field, or a sentence that says how to give one."""

    def at_hand(self, profile: Profile, field: str) -> bool:
        """Whether a field is known, so that nobody has to be asked for it."""

    def can_log_in(self, profile: Profile) -> bool:
        """Return whether all credentials of a login were given, even for another destination."""

    async def session(self, profile: Profile) -> Secret | RouteChanged | Refused | None:
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
