"""How a profile is logged in, in a few words with their roles, what is missing first; and what goes with a method."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secrets.route import RouteChanged
from rpcexplorer.model.secrets.secret import FIELD_WORDS, Secret
from rpcexplorer.protocol.messages import Call
from rpcexplorer.views.words.sentences import age


def auth_words(
    profile: Profile, state: Mapping[str, Secret | RouteChanged | None], since: datetime | None, now: datetime
) -> list[tuple[str, str]]:
    """``● session 12 min``, ``○ no session yet``, ``! no password``; nothing where nothing is needed."""
    session = state.get("session")
    if isinstance(session, Secret):
        lasted = f" {age((now - since).total_seconds())}" if since else ""
        return [("● ", "well"), (f"session{lasted}", "text")]
    if profile.assumes_auth and not any(state.values()):
        return []
    if moved := [FIELD_WORDS.get(field, field) for field, found in state.items() if isinstance(found, RouteChanged)]:
        return [("! ", "careful bold"), (f"{moved[0]}: its route changed", "careful")]
    if missing := [
        FIELD_WORDS.get(field, field) for field, found in state.items() if found is None and field != "session"
    ]:
        return [("! ", "careful bold"), (f"no {missing[0]}", "careful")]
    if profile.has_sessions:
        return [("○ ", "middle"), ("no session yet", "middle")]
    return [("● ", "well"), (f"{profile.secrets[-1]} known", "text")] if profile.secrets else []


def goes_with(profile: Profile, method: str) -> str:
    """What a call of this method takes along, as its profile says; no secret is looked at."""
    kind = auth_of(profile)
    if kind.session_cookie and method == profile.login.method:
        return "opens the session of this profile"
    if kind.free(profile, Call(method)):
        return "no session is opened for it" if kind.session_cookie else "goes without credentials"
    if kind.session_cookie:
        return f"goes with the session cookie of this profile{', if there is one' if profile.assumes_auth else ''}"
    return kind.words(profile)
