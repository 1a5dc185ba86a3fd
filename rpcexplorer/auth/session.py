"""Calls with a session, as flows: it is opened by a login where there is none, and once more when it has ended.

A profile whose auth nobody has chosen logs in if its credentials were given, or once the server has asked for a login.
"""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from rpcexplorer.auth.cookies import session_cookie
from rpcexplorer.auth.flow import CanLogIn, Drop, Flow, FlowPart, Keep, Message, Received, Say, Send
from rpcexplorer.auth.kind import Kind
from rpcexplorer.auth.login import NewSession, open_session
from rpcexplorer.model.exchange import Refused
from rpcexplorer.model.login_asked import asks_for_login
from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.rpc.messages import ErrorObject


def with_session(kind: Kind, profile: Profile, message: Message, session: Secret | None, now: datetime) -> Flow:
    """The call with the session: logs in when there is none, and once more when it has ended."""
    public = kind.is_free(profile, message)
    fresh = session is None and not public
    if fresh and profile.assumes_auth:
        fresh = yield CanLogIn()
    is_open = session is None and not fresh
    bare = public if not kind.session_cookie else session is None  # a cookie does no harm where none is needed
    typed = yield from kind.ready(profile, message, bare=True)  # what stands in the params is asked for first
    wrong = typed if public or is_open else kind.put(profile, message)
    for each in (typed, wrong):
        if isinstance(each, Refused):
            return each
    assert isinstance(typed, Send)
    if fresh:
        opened = yield from open_session(kind, profile, _login_id(message), now)
        if not isinstance(opened, NewSession):
            return opened
        session, bare = opened.session, False
    known = typed.secrets if session is None else (session, *typed.secrets)
    send = yield from kind.ready(profile, message, known, bare=bare)
    if isinstance(send, Refused):
        return send
    received: Received = yield send
    yield from _heed(kind, received, session, profile, now)
    ended = has_ended(profile.login, message, received) and (not is_open or _asks_in_words(received))
    if fresh or public or not ended:
        return received
    if session is not None:
        yield Drop()
        yield Say("the session had ended: logged in again and tried once more")
    opened = yield from open_session(kind, profile, _login_id(message), now)
    if is_open and isinstance(opened, Refused) and not (yield CanLogIn()):
        return received  # without credentials, the server's own answer counts
    if not isinstance(opened, NewSession):
        return _no_way_back(received, opened)
    send = yield from kind.ready(profile, message, (opened.session, *typed.secrets))
    if isinstance(send, Refused):
        return send
    received = yield send
    yield from _heed(kind, received, opened.session, profile, now)
    return received


def session_alone(kind: Kind, profile: Profile, id: str, now: datetime) -> Flow:
    """Nothing but a new session; what is received is the login's own reply."""
    answer = yield from open_session(kind, profile, id, now)
    return answer.received if isinstance(answer, NewSession) else answer


def _heed(kind: Kind, received: Received, session: Secret | None, profile: Profile, now: datetime) -> FlowPart[None]:
    """Do what the server said about the session's cookie: adopt a new one, forget a deleted one."""
    cookie = kind.session_cookie
    said = session_cookie(received.response.headers, cookie, now) if cookie else None
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


def has_ended(login: Login, message: Message, received: Received) -> bool:
    """Whether the answer means "please log in": by the status, the code or the words that the profile names.

    A batch that was answered call by call never counts: some of it may have run.
    """
    if message.kind == "batch" and _answered_singly(received.outcome):
        return False
    return asks_for_login(login, received.outcome, received.response.status)


def _asks_in_words(received: Received) -> bool:
    """Return whether an error of the service asks for a login, and not HTTP for credentials of its own."""
    return isinstance(received.outcome, ErrorObject) and received.response.header("www-authenticate") is None


def _answered_singly(outcome: object) -> bool:
    return isinstance(outcome, ErrorObject) and outcome.value.lstrip().startswith(b"[")


def _no_way_back(received: Received, opened: Received | Refused) -> Received | Refused:
    """The session ended and the second login failed: say both."""
    if isinstance(opened, Received):
        return opened
    said = received.outcome.message if isinstance(received.outcome, ErrorObject) else f"HTTP {received.response.status}"
    return replace(opened, sentence=f"The session has ended (the server said: {said}). {opened.sentence}")


def _login_id(message: Message) -> str:
    """The login's id tells which call it was made for."""
    return f"{message.calls[0].id or 'notification'}.login"
