"""How a profile is logged in, in a few words with their roles, what is missing first; and what goes with a method."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from rpcexplorer.auth.registry import auth_of
from rpcexplorer.model.destination import RouteChanged
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELD_WORDS, Secret
from rpcexplorer.rpc.messages import Call
from rpcexplorer.views.words.sentences import age


def auth_words(
    profile: Profile,
    state: Mapping[str, Secret | RouteChanged | None],
    since: datetime | None,
    now: datetime,
    *,
    rejected: bool = False,
    short: bool = False,
) -> list[tuple[str, str]]:
    """Return the state of the credentials: ``● session 12 min``, ``! password missing``, or nothing if none is needed.

    ``rejected``: the server has rejected them. ``short``: there is little room.
    """
    session = state.get("session")
    if isinstance(session, Secret):
        if rejected:
            return [("✗ ", "wrong bold"), ("session rejected", "wrong")]
        lasted = f" {age((now - since).total_seconds())}" if since else ""
        return [("● ", "well"), (f"session{lasted}", "text")]
    if profile.assumes_auth and not any(state.values()):
        return []
    if moved := [FIELD_WORDS.get(field, field) for field, found in state.items() if isinstance(found, RouteChanged)]:
        return [("! ", "careful bold"), (f"{moved[0]} blocked", "careful")]
    if missing := [
        FIELD_WORDS.get(field, field) for field, found in state.items() if found is None and field != "session"
    ]:
        return [("! ", "careful bold"), (f"{missing[0]} missing", "careful")]
    if not profile.secrets:
        return []
    field = next(each for each in reversed(profile.secrets) if each != "session")
    if rejected:
        return [("✗ ", "wrong bold"), (f"{FIELD_WORDS.get(field, field)} rejected", "wrong")]
    if profile.has_sessions:
        return [("○ ", "middle"), ("no session yet", "middle")]
    word = state_word(state.get(field))
    word = word.replace("environment", "env") if short else word
    return [("● ", "well"), (f"{FIELD_WORDS.get(field, field)} {word}", "text")]


def state_word(found: Secret | RouteChanged | None) -> str:
    """Return the state of one secret."""
    match found:
        case Secret(source="environment"):
            return "from environment"
        case Secret(source="secrets.toml" | "keyring"):
            return "stored"
        case Secret():
            return "entered"
        case RouteChanged():
            return "blocked"
    return "missing"


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
