"""Calls with a session, as flows: it is opened by a login where there is none, and once more when it has ended."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from rpcexplorer.auth.cookies import session_cookie
from rpcexplorer.auth.credentials import Fields
from rpcexplorer.auth.flow import Drop, Errand, Flow, Keep, Landed, Say, Steps, Trip
from rpcexplorer.auth.kind import Kind
from rpcexplorer.auth.login import NewSession, open_session
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.login_asked import asks_for_login
from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.protocol.messages import ErrorObject


def with_session(kind: Kind, profile: Profile, errand: Errand, session: Secret | None, now: datetime) -> Flow:
    """The call with the session: logs in when there is none, and once more when it has ended."""
    secrets = yield from Fields(profile).named_in(errand)
    if isinstance(secrets, Refused):
        return secrets
    public = kind.is_free(profile, errand)
    fresh = session is None and not public
    if fresh:
        opened = yield from open_session(profile, kind.session_cookie, _login_id(errand), now)
        if not isinstance(opened, NewSession):
            return opened
        session = opened.session
    landed: Landed = yield Trip(errand, () if session is None else kind.headers(profile), secrets, session)
    yield from _heed(kind, landed, session, profile, now)
    if fresh or public or not has_ended(profile.login, errand, landed):
        return landed
    yield Drop()
    yield Say("the session had ended: logged in again and tried once more")
    opened = yield from open_session(profile, kind.session_cookie, _login_id(errand), now)
    if not isinstance(opened, NewSession):
        return _no_way_back(landed, opened)
    landed = yield Trip(errand, kind.headers(profile), secrets, opened.session)
    yield from _heed(kind, landed, opened.session, profile, now)
    return landed


def session_alone(kind: Kind, profile: Profile, id: str, now: datetime) -> Flow:
    """Nothing but a new session; what landed is the login's own answer."""
    answer = yield from open_session(profile, kind.session_cookie, id, now)
    return answer.landed if isinstance(answer, NewSession) else answer


def _heed(kind: Kind, landed: Landed, session: Secret | None, profile: Profile, now: datetime) -> Steps[None]:
    """Do what the server said about the session's cookie: adopt a new one, forget a deleted one."""
    cookie = kind.session_cookie
    said = session_cookie(landed.response.headers, cookie, now)
    if said is None:
        return
    if said.deleted:
        if session is not None:
            yield Drop()
            yield Say(f"the server ended the session ({cookie})")
    elif not said.sendable:
        yield Say(f"the server set a {cookie} cookie that cannot be sent back; the session stays as it was")
    elif session is None or said.value != session.reveal():
        yield Keep(Secret(said.value, profile.label("session"), "session"))
        yield Say(f"adopted a new session ({cookie}) for {profile.origin}")


def has_ended(login: Login, errand: Errand, landed: Landed) -> bool:
    """Whether the answer means "please log in": by the status, the code or the words that the profile names.

    A batch that was answered call by call never counts: some of it may have run.
    """
    if errand.kind == "batch" and _answered_singly(landed.outcome):
        return False
    return asks_for_login(login, landed.outcome, landed.response.status)


def _answered_singly(outcome: object) -> bool:
    return isinstance(outcome, ErrorObject) and outcome.value.lstrip().startswith(b"[")


def _no_way_back(landed: Landed, opened: Landed | Refused) -> Landed | Refused:
    """The session ended and the second login failed: say both."""
    if isinstance(opened, Landed):
        return opened
    said = landed.outcome.message if isinstance(landed.outcome, ErrorObject) else f"HTTP {landed.response.status}"
    return replace(opened, sentence=f"The session has ended (the server said: {said}). {opened.sentence}")


def _login_id(errand: Errand) -> str:
    """The login's id tells which call it was made for."""
    return f"{errand.calls[0].id or 'notification'}.login"
