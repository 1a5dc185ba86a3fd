"""The login call, the session that it opens, and the session cookie."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.credentials import (
    AuthCall,
    AuthFlow,
    AuthResponse,
    Event,
    Message,
    Note,
    SessionEnded,
    SessionOpened,
    login_fields,
    planted,
)
from rpcexplorer.jsontext.pointers import at_pointer
from rpcexplorer.jsontext.scan import decoded
from rpcexplorer.model.exchange import Exchange, Outcome, Refused, Sent, Unreached
from rpcexplorer.model.profile import Auth, Login, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result

FORBIDDEN = set('\x7f ";,\\')
"""Printable ASCII characters that a cookie cannot contain, and DEL."""


class SetCookie(Struct, frozen=True):
    value: str
    deleted: bool


def sendable(value: str) -> bool:
    """Return whether a value is valid in a Cookie header, maybe in quotes."""
    inner = value
    if len(value) > 1 and value[0] == value[-1] == '"':
        inner = value[1:-1]
    return bool(inner) and all("!" <= character <= "~" and character not in FORBIDDEN for character in inner)


def session_cookie(headers: Iterable[tuple[str, str]], name: str, now: datetime) -> SetCookie | None:
    """Return the last Set-Cookie of that name, or None."""
    found = None
    for header, text in headers:
        if header.lower() == "set-cookie":
            pair, *attributes = text.split(";")
            cookie, equals, value = pair.partition("=")
            if equals and cookie.strip() == name:
                value = value.strip()
                found = SetCookie(value, not value or _over(attributes, now))
    return found


def _over(attributes: list[str], now: datetime) -> bool:
    """Return whether the attributes end the cookie at once; Max-Age wins."""
    values = {}
    for attribute in attributes:
        name, _, value = attribute.partition("=")
        values[name.strip().lower()] = value.strip()
    seconds = values.get("max-age", "")
    if seconds.removeprefix("-").isdecimal():
        return int(seconds[:9]) <= 0
    if not values.get("expires"):
        return False
    from email.utils import parsedate_to_datetime  # Start-up does not need it, and it loads many modules.

    try:
        when = parsedate_to_datetime(values["expires"])
    except (ValueError, IndexError, OverflowError):
        return False  # An unreadable date ends nothing.
    if not when.tzinfo:
        when = when.replace(tzinfo=UTC)
    return when <= now


SAYS_NO = regex(rb"false|\[[ ]*[1-9][0-9]{0,2}[ ]*\]")
"""Results that refuse a login: false (Deluge), or a status but 0 (ubus)."""
SHORT_TEXT = regex(rb'"[^"\\]{1,200}"')


def open_session(kind: AuthType, call: AuthCall, id: str, first: Sequence[str] = ()) -> AuthFlow:
    """Log in and put the session into the call; return the login's response.

    ``first`` are the secrets of the call itself, which are asked for before the login is sent.
    """
    profile = call.profile
    template = json.dumps(profile.login.params, ensure_ascii=False)
    if refused := planted(profile, profile.login.method, profile.username, template):
        return refused
    message = Message("call", (Call(profile.login.method, login_params(profile), id),))
    request = kind.request(profile, message, bare=True)
    if isinstance(request, Refused):
        return request
    response = yield replace(request, fields=tuple(dict.fromkeys([*first, *request.fields])), is_ahead=True)
    if isinstance(response, Refused):
        return response
    if isinstance(response.outcome, Unreached):
        sentence = f"The login failed: {response.outcome.sentence}"
        return replace(response, outcome=replace(response.outcome, sentence=sentence))
    value = _session_value(kind, profile, response, call.now)
    if isinstance(value, Refused):
        return value
    call.session = Secret(value, profile.label("session"), "session")
    call.events += [SessionOpened(call.session), Note(f"logged in to {profile.origin}")]
    return response


def login_params(profile: Profile) -> str:
    return json.dumps(_filled(profile.login.params, profile), ensure_ascii=False, separators=(",", ":"))


def _filled(template: Any, profile: Profile) -> Any:
    """Return the login's params with user name and secret reference inserted."""
    if isinstance(template, dict):
        return {name: _filled(value, profile) for name, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, profile) for value in template]
    if template == "{username}":
        return profile.username if profile.username is not None else profile.references["username"]
    if template == "{password}":
        return profile.references["password"]
    return template


def _session_value(kind: AuthType, profile: Profile, received: AuthResponse, now: datetime) -> str | Refused:
    """Return the session id from Set-Cookie, else from the response."""
    cookie = kind.session_cookie
    sent = session_cookie(received.response.headers, cookie, now) if cookie else None
    if sent and not sent.deleted:
        if sendable(sent.value):
            return sent.value
        return _failed(profile, f"the {cookie} cookie cannot be sent back.")
    match received.outcome:
        case ErrorObject() as error:
            return _refused(profile, _error_text(error))
        case Malformed(reason=reason):
            return _failed(profile, f"{reason} (HTTP {received.response.status})")
        case Result(value=value) if SAYS_NO.fullmatch(value):
            return _refused(profile, bytes(value).decode())
        case Result() as result if profile.login.session is not None or not cookie:
            pointer = profile.login.session or ""
            found = _pointed_at(result, pointer)
            if found is not None and kind.sendable(found):
                return found
            if pointer:
                return _failed(profile, f"the response has no usable session id at {pointer}. Correct login.session.")
            return _failed(profile, "the result is not a session id. Set login.session to the JSON pointer of the id.")
    return _failed(
        profile,
        f"the response sets no {cookie} cookie. Set auth.cookie to the name of the cookie, or login.session to the "
        "JSON pointer of the session id. Or store the session id of another login in the secret `session`.",
    )


def _refused(profile: Profile, response: str) -> Refused:
    # If the login takes no password, the session is pasted.
    field = "password" if "password" in login_fields(profile) else "session"
    failed = _failed(profile, f"the server rejected it ({response.rstrip('.')}).")
    return replace(failed, missing=field, rejected=True)


def _error_text(error: ErrorObject) -> str:
    """Return an error in one line, with the text in its data."""
    words = [] if error.code is None else [str(error.code)]
    if error.message:
        words.append(error.message)
    text = " ".join(words)
    if not error.data or not SHORT_TEXT.fullmatch(error.data):
        return text
    more = decoded(bytes(error.data).decode())
    return f"{text.rstrip('.')}: {more}" if text else more


def _failed(profile: Profile, why: str) -> Refused:
    place = profile.origin if profile.ad_hoc else profile.name
    return Refused("credentials", f"The login to {place} (method {profile.login.method}) failed: {why}")


def _pointed_at(result: Result, pointer: str) -> str | None:
    """Return the string at a pointer into the result, or into the response."""
    text = result.value.decode("utf-8", "replace")
    found = at_pointer(text, pointer) or at_pointer(f'{{"result":{text}}}', pointer)
    if not found or found[0] in "{[" or found in {"null", "true", "false", '""'}:
        return None
    if found.startswith('"'):
        return decoded(found)
    return found  # A number is kept as it was written.


UNAUTHORIZED: Final = 401
MISSING: Final = r"\b(?:required|missing|(?:not|were not|was not) (?:provided|supplied|given|sent))\b"
"""Words of a refusal if credentials are missing, not if they are wrong."""
SHORT: Final = 1000
"""Characters of a text that may say it; longer ones are tracebacks."""
LARGEST: Final = 64 * 1024
"""Bytes of ``error.data`` that are parsed."""
SPEAKING: Final = ("message", "name", "detail", "reason")
"""Its members that may explain the error."""
_IDENTIFIER = regex(r"[\w.]+")
_JOINT = regex(r"(?<=[a-z0-9])(?=[A-Z])|_")
"""The boundaries of words in an identifier."""
_NAMED_BEFORE = regex(
    r"(?:\b(?:argument|parameter|param|field|member|key|variable|column|attribute|property|option|keyword|too many)"
    r"s?\W+|['\"`])$",
    re.IGNORECASE,
)
_NAMED_AFTER = regex(
    r"['\"`]|\W+(?:types?|names?|kinds?|methods?|modes?|class(?:es)?|variables?|fields?|param(?:eter)?s?|arguments?"
    r"|attributes?|propert(?:y|ies)|options?|settings?|config(?:uration)?|sources?|modules?|backends?|providers?"
    r"|plugins?|templates?|history|logs?|tables?|columns?|attempts?|counts?|limits?|models?|files?|servers?|services?"
    r"|users?|enabled?|disabled?|unknown|already (?:enabled|exists|taken|in use|registered)|(?:is )?taken)\b",
    re.IGNORECASE,
)
"""Quotes, or a word that gives the next one another meaning."""
_FOR_AN_ACTION = (None, regex(r"\s+(?:to|for)\b", re.IGNORECASE))
_NOT_FOUND = (None, regex(r".{0,60}?\b(?:not found|not exist)", re.IGNORECASE))
_OTHERWISE = {
    "log in": (regex(r"\b(?:the|see|error)\s+$", re.IGNORECASE), None),
    "access denied": (regex(r"\w"), regex(r".*\w", re.DOTALL)),
    "not authorized": _FOR_AN_ACTION,
    "not authorised": _FOR_AN_ACTION,
    "unauthorized": _FOR_AN_ACTION,
    "unauthorised": _FOR_AN_ACTION,
    "credential": _NOT_FOUND,
    "credentials": _NOT_FOUND,
    "login": _NOT_FOUND,
}
"""Texts before and after words that give them another meaning; for a denial, any text."""


def asks_for_login(login: Login, outcome: Outcome, status: int | None) -> bool:
    """Return whether the outcome asks for a login: by status, code or words."""
    if isinstance(outcome, Malformed | ErrorObject | Sent) and status in login.ended_status:
        return True
    if not isinstance(outcome, ErrorObject):
        return False
    return outcome.code in login.ended_codes or any(_says(login.ended_words, text) for text in _texts(outcome))


def rejects_credentials(exchange: Exchange, profile: Profile) -> bool:
    """Return whether the server rejects the credentials of a profile."""
    outcome, status = exchange.outcome, exchange.response.status
    if isinstance(outcome, Refused):
        return outcome.rejected
    if not profile.secrets or profile.assumes_auth or not isinstance(outcome, Malformed | ErrorObject | Sent):
        return False
    is_asked = status == UNAUTHORIZED or asks_for_login(profile.login_signs, outcome, status)
    return is_asked and not misses_credentials(exchange, profile)


def misses_credentials(exchange: Exchange, profile: Profile) -> bool:
    """Return whether the server did not see the credentials that were sent.

    The method expects them elsewhere: in a cookie, not in the params. For an ended session, and for an HTTP 401,
    servers say the same, so these do not count.
    """
    note = profile.methods.get(exchange.method)
    if note and note.auth not in {None, Auth.kind, profile.auth.kind}:
        return True
    if profile.has_sessions or not isinstance(exchange.outcome, ErrorObject):
        return False
    return exchange.response.status != UNAUTHORIZED and any(
        re.search(MISSING, text, re.IGNORECASE) for text in _texts(exchange.outcome)
    )


def _texts(error: ErrorObject) -> Iterator[str]:
    """Yield the message, and the texts in the error's data."""
    yield error.message[:SHORT]
    if error.data is None or len(error.data) > LARGEST:
        return
    try:
        data = msgspec.json.decode(error.data)
    except (msgspec.DecodeError, RecursionError):  # Only lenient parsers accept it, so it is ignored.
        return
    texts = [data]
    if isinstance(data, dict):
        texts = [data.get(name) for name in SPEAKING]
    for text in texts:
        if isinstance(text, str) and len(text) <= SHORT:
            yield text


def _says(words: tuple[str, ...], text: str) -> bool:
    if _IDENTIFIER.fullmatch(text):  # Examples are odoo.http.SessionExpiredException and SESSION_INVALID.
        last = text.rpartition(".")[2]
        return _says_in(words, last) or _says_in(words, _JOINT.sub(" ", last))
    return _says_in(words, text)


def _says_in(words: tuple[str, ...], text: str) -> bool:
    longest_first = sorted(words, key=len, reverse=True)
    either = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first) or "(?!)"
    found = re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text, re.IGNORECASE)
    return any(not _names_a_thing(text[: match.start()], match[0], text[match.end() :]) for match in found)


def _names_a_thing(before: str, word: str, after: str) -> bool:
    own_before, own_after = _OTHERWISE.get(" ".join(word.lower().split()), (None, None))
    if _NAMED_BEFORE.search(before) or _NAMED_AFTER.match(after):
        return True
    if own_before and own_before.search(before):
        return True
    return bool(own_after and own_after.match(after))


def requests_in_session(kind: AuthType, call: AuthCall) -> AuthFlow:
    """Yield the call with its session; log in first, or again if it has ended."""
    profile, message, session = call.profile, call.message, call.session
    is_public = kind.is_free(profile, message)
    logs_in = session is None and not is_public and (not profile.assumes_auth or call.can_log_in())
    is_open = session is None and not logs_in
    typed = kind.request(profile, message, bare=True)
    # A cookie does no harm to a call that needs none.
    is_bare = is_open if kind.session_cookie else is_public
    request = typed if is_bare else kind.request(profile, message)
    if isinstance(typed, Refused):
        return typed
    if isinstance(request, Refused):
        return request
    login_id = f"{message.calls[0].id or 'notification'}.login"
    if logs_in:
        opened = yield from open_session(kind, call, login_id, typed.fields)
        if call.session is None:
            return opened
        session = call.session
    response = yield request
    if isinstance(response, Refused):
        return response
    call.events += _session_events(kind, call, response)
    # If no login is set, HTTP may ask for other credentials.
    in_words = isinstance(response.outcome, ErrorObject) and response.response.header("www-authenticate") is None
    ended = has_ended(profile.login_signs, message, response) and (in_words or not is_open)
    if logs_in or is_public or not ended:
        return response
    if session is not None:
        call.events += [
            SessionEnded(),
            Note("the session had expired, so rpcexplorer logged in again and resent the call"),
        ]
        call.session = None
    opened = yield from open_session(kind, call, login_id)
    if isinstance(opened, Refused):
        if is_open and not call.can_log_in():
            return response  # Without credentials, the server's own answer is the result.
        outcome = response.outcome
        why = outcome.message if isinstance(outcome, ErrorObject) else f"HTTP {response.response.status}"
        return replace(opened, sentence=f"The session has ended ({why}). {opened.sentence}")
    if call.session is None:
        return opened
    request = kind.request(profile, message)
    if isinstance(request, Refused):
        return request
    retried = yield request
    call.events += _session_events(kind, call, retried)
    return retried


def _session_events(kind: AuthType, call: AuthCall, received: AuthResponse | Refused) -> list[Event]:
    """Return the events of the response's session cookie."""
    cookie, session = kind.session_cookie, call.session
    if not cookie or isinstance(received, Refused):
        return []
    sent = session_cookie(received.response.headers, cookie, call.now)
    if sent is None or (sent.deleted and session is None):
        return []
    if sent.deleted:
        return [SessionEnded(), Note(f"the server ended the session ({cookie})")]
    if not sendable(sent.value):
        return [Note(f"the server set a {cookie} cookie that cannot be sent back, so the session is unchanged")]
    if session is not None and sent.value == session.reveal():
        return []
    opened = SessionOpened(Secret(sent.value, call.profile.label("session"), "session"))
    return [opened, Note(f"the server sent a new session ({cookie}), which is used from now on")]


def has_ended(login: Login, message: Message, received: AuthResponse) -> bool:
    """Return whether the response asks for a new login.

    A batch that was answered call by call never counts: some of it may have run.
    """
    outcome = received.outcome
    if message.kind == "batch" and isinstance(outcome, ErrorObject) and outcome.value.lstrip().startswith(b"["):
        return False
    return asks_for_login(login, outcome, received.response.status)
