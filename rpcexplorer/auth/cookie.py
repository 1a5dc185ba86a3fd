"""Authentication as generators: each yields what it wants next and returns how the errand ended.

They never see a socket, a file or the value of a secret, so a test drives them by hand.
"""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from rpcexplorer.auth.cookies import session_cookie
from rpcexplorer.auth.credentials import Fields, inline_params
from rpcexplorer.auth.flow import Drop, Errand, Flow, Keep, Landed, Say, Steps, Trip
from rpcexplorer.auth.login import Opened, open_session
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.login_asked import asks_for_login
from rpcexplorer.model.profile import CookieAuth, InlineAuth, Login, NoAuth, Profile
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.protocol.messages import ErrorObject


def flow(profile: Profile, errand: Errand, session: Secret | None, now: datetime) -> Flow:
    """The way of an errand under the profile's kind of auth. ``session`` is the one remembered, if any."""
    match profile.auth:
        case CookieAuth() as auth:
            return cookie(profile, auth, errand, session, now)
        case InlineAuth() as auth:
            return inline(profile, auth, errand)
        case NoAuth():
            return plain(profile, errand)


def plain(profile: Profile, errand: Errand) -> Flow:
    """Just the call; placeholders that the person wrote into it are filled all the same."""
    secrets = yield from Fields(profile).named_in(errand)
    if isinstance(secrets, Refused):
        return secrets
    landed: Landed = yield Trip(errand, secrets=secrets)
    return landed


def inline(profile: Profile, auth: InlineAuth, errand: Errand) -> Flow:
    """The call with the credentials put into its params, but for methods noted as needing none."""
    calls = []
    for call in errand.calls:
        note = profile.methods.get(call.method)
        params = call.params if note and note.auth == "none" else inline_params(call, auth, profile)
        if isinstance(params, Refused):
            return params
        calls.append(replace(call, params=params))
    return (yield from plain(profile, replace(errand, calls=tuple(calls))))


def cookie(profile: Profile, auth: CookieAuth, errand: Errand, session: Secret | None, now: datetime) -> Flow:
    """The call with the session's cookie: logs in when there is none, and once more when it has ended."""
    secrets = yield from Fields(profile).named_in(errand)
    if isinstance(secrets, Refused):
        return secrets
    public = all(_is_public(profile, call.method) for call in errand.calls)
    fresh = session is None and not public
    if fresh:
        opened = yield from open_session(profile, auth, _login_id(errand), now)
        if not isinstance(opened, Opened):
            return opened
        session = opened.session
    landed: Landed = yield Trip(errand, session, secrets)
    yield from _heed(auth, landed, session, profile, now)
    if fresh or public or not has_ended(profile.login, errand, landed):
        return landed
    yield Drop()
    yield Say("the session had ended: logged in again and tried once more")
    opened = yield from open_session(profile, auth, _login_id(errand), now)
    if not isinstance(opened, Opened):
        return _no_way_back(landed, opened)
    landed = yield Trip(errand, opened.session, secrets)
    yield from _heed(auth, landed, opened.session, profile, now)
    return landed


def _login_id(errand: Errand) -> str:
    """The login's id tells which call it was made for."""
    return f"{errand.calls[0].id or 'notification'}.login"


def _is_public(profile: Profile, method: str) -> bool:
    """Whether a method is called without a session if there is none: the login itself, and what is noted so."""
    note = profile.methods.get(method)
    return method == profile.login.method or (note is not None and note.auth in {"none", "inline"})


def _heed(auth: CookieAuth, landed: Landed, session: Secret | None, profile: Profile, now: datetime) -> Steps[None]:
    """Do what the server said about the session's cookie: adopt a new one, forget a deleted one."""
    said = session_cookie(landed.response.headers, auth.cookie, now)
    if said is None:
        return
    if said.deleted:
        if session is not None:
            yield Drop()
            yield Say(f"the server ended the session ({auth.cookie})")
    elif not said.sendable:
        yield Say(f"the server set a {auth.cookie} cookie that cannot be sent back; the session stays as it was")
    elif session is None or said.value != session.reveal():
        yield Keep(Secret(said.value, profile.label("session"), "session"))
        yield Say(f"adopted a new session ({auth.cookie}) for {profile.origin}")


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


def login_only(profile: Profile, id: str, now: datetime) -> Flow:
    """Nothing but a new session; what landed is the login's own answer."""
    if not isinstance(profile.auth, CookieAuth):
        return Refused("profile", f"Profile {profile.name} has no sessions: its auth is {profile.auth.kind}.")
    answer = yield from open_session(profile, profile.auth, id, now)
    return answer.landed if isinstance(answer, Opened) else answer
