"""Who is logged in: sessions by token, with the time of their last use. Knows no HTTP and no cookie."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

LIFETIME = 30 * 60
"""Seconds a session lives after its last use."""


@dataclass(slots=True)
class Session:
    token: str
    user: str
    opened: float
    used: float


class Sessions:
    """All that are open. A token that is not among them was closed, ran out, or was never given out."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._open: dict[str, Session] = {}

    def open(self, user: str) -> Session:
        """Begin one, under a token that nobody can guess."""
        now = self._clock()
        self._open = {token: session for token, session in self._open.items() if now < session.used + LIFETIME}
        session = Session(secrets.token_urlsafe(24), user, now, now)
        self._open[session.token] = session
        return session

    def use(self, token: str) -> Session | None:
        """The session of this token, which thereby lives on; None where it has ended."""
        now = self._clock()
        session = self._open.get(token)
        if session is None or now >= session.used + LIFETIME:
            return None
        session.used = now
        return session

    def close(self, session: Session) -> None:
        """End it; its token is worthless from now on."""
        self._open.pop(session.token, None)

    def age(self, session: Session) -> int:
        """Whole seconds since the login."""
        return int(self._clock() - session.opened)
