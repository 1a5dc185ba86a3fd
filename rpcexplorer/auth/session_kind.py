"""What all kinds have in common that can send a session, which a login opens."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from rpcexplorer.auth.credentials import leaves, login_fields
from rpcexplorer.auth.flow import Flow, Message
from rpcexplorer.auth.kind import Kind
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret


class SessionKind(Kind, frozen=True):
    def opens_session(self, profile: Profile) -> bool:
        """Whether calls go out with a session."""
        raise NotImplementedError

    def secrets(self, profile: Profile) -> tuple[str, ...]:
        return (*login_fields(profile), "session") if self.opens_session(profile) else super().secrets(profile)

    def places(self, profile: Profile) -> Iterable[str]:
        if self.opens_session(profile):
            yield from (name for name, value in leaves(profile.login.params) if name and value == "{password}")
            if session := (profile.login.session or "").rpartition("/")[2]:
                yield session

    def flow(self, profile: Profile, message: Message, session: Secret | None, now: datetime) -> Flow:
        if not self.opens_session(profile):
            return super().flow(profile, message, session, now)
        from rpcexplorer.auth.session import with_session  # no start needs it

        return with_session(self, profile, message, session, now)

    def login(self, profile: Profile, id: str, now: datetime) -> Flow:
        if not self.opens_session(profile):
            return super().login(profile, id, now)
        from rpcexplorer.auth.session import session_alone  # no start needs it

        return session_alone(self, profile, id, now)
