"""The login call, the session that it opens, and the session cookie."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.cookies import session_cookie
from rpcexplorer.auth.credentials import login_fields, planted
from rpcexplorer.auth.flow import FlowPart, Keep, Message, Received, Say
from rpcexplorer.auth.kind import Kind
from rpcexplorer.jsontext.pointers import at_pointer
from rpcexplorer.jsontext.scan import decoded
from rpcexplorer.model.exchange import Refused, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret, placeholder
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result

SAYS_NO = re.compile(rb"false|\[[ ]*[1-9][0-9]{0,2}[ ]*\]")
"""Results that refuse a login: false, as Deluge has it, or a status alone that is not 0, as ubus has it."""
SHORT_TEXT = re.compile(rb'"[^"\\]{1,200}"')


class NewSession(Struct, frozen=True):
    """A login that brought a session."""

    session: Secret
    received: Received
    """The login's own answer."""


def open_session(
    kind: Kind,
    profile: Profile,
    id: str,
    now: datetime,
) -> FlowPart[NewSession | Received | Refused]:
    """Log in and return the session; or the send that did not arrive, or why no session came of it."""
    template = json.dumps(profile.login.params, ensure_ascii=False)
    if refused := planted(profile, profile.login.method, profile.username, template):
        return refused
    message = Message("call", (Call(profile.login.method, login_params(profile), id),))
    send = yield from kind.ready(profile, message, bare=True)
    if isinstance(send, Refused):
        return send
    received: Received = yield replace(send, login=True)
    if isinstance(received.outcome, Unreached):
        sentence = f"While logging in: {received.outcome.sentence}"
        return replace(received, outcome=replace(received.outcome, sentence=sentence, maybe_ran=False))
    value = _session_value(kind, profile, received, now)
    if isinstance(value, Refused):
        return value
    session = Secret(value, profile.label("session"), "session")
    yield Keep(session)
    yield Say(f"logged in to {profile.origin}")
    return NewSession(session, received)


def login_params(profile: Profile) -> str:
    """The params of a profile's login call, with placeholders where secrets will stand."""
    return json.dumps(_filled(profile.login.params, profile), ensure_ascii=False, separators=(",", ":"))


def _filled(template: Any, profile: Profile) -> Any:
    """The login's params with ``{username}`` and ``{password}`` replaced: by the name, or by placeholders."""
    if isinstance(template, dict):
        return {name: _filled(value, profile) for name, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, profile) for value in template]
    if template == "{username}":
        return profile.username if profile.username is not None else placeholder(profile.label("username"))
    return placeholder(profile.label("password")) if template == "{password}" else template


def _session_value(kind: Kind, profile: Profile, received: Received, now: datetime) -> str | Refused:
    """The session's id from Set-Cookie, else from the reply where the profile says it stands."""
    cookie = kind.session_cookie
    said = session_cookie(received.response.headers, cookie, now) if cookie else None
    if said and not said.deleted:
        return said.value if said.sendable else _failed(profile, f"its {cookie} cookie cannot be sent back.")
    match received.outcome:
        case ErrorObject() as error:
            return _refused(profile, _said(error))
        case Malformed(reason=reason):
            return _failed(profile, f"{reason} (HTTP {received.response.status})")
        case Result(value=value) if SAYS_NO.fullmatch(value):
            return _refused(profile, bytes(value).decode())
        case Result() as result if profile.login.session is not None or not cookie:
            pointer = profile.login.session or ""
            found = _pointed_at(result, pointer)
            if found is not None and kind.sendable(found):
                return found
            where = f"at {pointer}" if pointer else "as its whole result: say where it stands in login.session"
            return _failed(profile, f"the reply has no usable session id {where}.")
    return _failed(
        profile,
        f"the reply sets no {cookie} cookie. Name the cookie in auth.cookie, or where the id stands in the "
        f"reply in login.session, or paste one: rpcexplorer profiles secret {profile.name} session",
    )


def _refused(profile: Profile, answer: str) -> Refused:
    said = f"the server answered: {answer.rstrip('.')}. Check the credentials: {_how(profile)}"
    return replace(_failed(profile, said), missing=_given(profile))


def _said(error: ErrorObject) -> str:
    """An error in a line. Some servers say in its data alone what is wrong."""
    more = decoded(bytes(error.data).decode()) if error.data and SHORT_TEXT.fullmatch(error.data) else ""
    first = " ".join(part for part in ("" if error.code is None else str(error.code), error.message) if part)
    return " ".join(filter(None, [first.rstrip(".") + ":" if first and more else first, more]))


def _failed(profile: Profile, why: str) -> Refused:
    return Refused("credentials", f"Login with {profile.login.method} on profile {profile.name} failed: {why}")


def _given(profile: Profile) -> str:
    return "password" if "password" in login_fields(profile) else "session"


def _how(profile: Profile) -> str:
    """How its secret is given: a login that takes no password brings none, and the session is pasted."""
    field = _given(profile)
    return f"set {profile.variable(field)}, or run: rpcexplorer profiles secret {profile.name} {field}"


def _pointed_at(result: Result, pointer: str) -> str | None:
    """The string that a pointer names, which starts at the result; or, also understood, at the whole reply."""
    text = result.value.decode("utf-8", "replace")
    found = at_pointer(text, pointer) or at_pointer(f'{{"result":{text}}}', pointer)
    if not found or found[0] in "{[" or found in {"null", "true", "false", '""'}:
        return None
    return decoded(found) if found.startswith('"') else found  # a number counts as it was written
