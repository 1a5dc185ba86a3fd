"""The login call, the session that it opens, and the session cookie."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.auth_type import AuthType
from rpcexplorer.auth.credentials import (
    UNAUTHORIZED,
    AuthCall,
    AuthFlow,
    AuthHeader,
    AuthRequest,
    AuthResponse,
    Event,
    Message,
    Note,
    SessionEnded,
    SessionOpened,
    fields_in,
    login_fields,
    planted,
)
from rpcexplorer.jsontext.pointers import at_pointer
from rpcexplorer.jsontext.scan import decoded
from rpcexplorer.model.exchange import Exchange, Outcome, Refused, Sent, Unreached
from rpcexplorer.model.profile import Auth, Login, Profile, joined
from rpcexplorer.model.secret import Secret
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import Call, ErrorObject, Malformed, Result, lacks_method

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
    if not inner:
        return False
    return all("!" <= character <= "~" and character not in FORBIDDEN for character in inner)


def session_cookie(headers: Iterable[tuple[str, str]], name: str, now: datetime) -> SetCookie | None:
    """Return the last Set-Cookie of that name, or None."""
    found = None
    for header, text in headers:
        if header.lower() == "set-cookie":
            pair, *attributes = text.split(";")
            cookie, equals, value = pair.partition("=")
            if equals and cookie.strip() == name:
                value = value.strip()
                found = SetCookie(value, deleted=not value or _is_expired(attributes, now))
    return found


def _is_expired(attributes: list[str], now: datetime) -> bool:
    """Return whether the attributes end the cookie at once; Max-Age wins."""
    values = {}
    for attribute in attributes:
        name, _, value = attribute.partition("=")
        values[name.strip().lower()] = value.strip()
    seconds = values.get("max-age", "")
    if seconds.removeprefix("-").isdecimal():
        return int(seconds[:9]) <= 0  # int() raises on thousands of digits.
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
"""A JSON string that is short enough for the sentence of a failure."""


def open_session(kind: AuthType, call: AuthCall, id: str, call_fields: Sequence[str] = ()) -> AuthFlow:
    """Log in and put the session into the call; return the login's response.

    ``call_fields`` are the secrets of the call itself, which are asked for before the login is sent.
    """
    profile = call.profile
    request = login_request(kind, profile, id)
    if isinstance(request, Refused):
        return request
    fields = tuple(dict.fromkeys([*call_fields, *request.fields]))  # Each secret is asked for once.
    response = yield replace(request, fields=fields, is_ahead=True)
    if isinstance(response, Refused):
        return response
    if isinstance(response.outcome, Unreached):
        sentence = f"The login failed: {response.outcome.sentence}"
        return replace(response, outcome=replace(response.outcome, sentence=sentence))
    value = _session_value(kind, profile, response, call.now)
    if isinstance(value, Refused):
        return value
    if profile.login.form and isinstance(response.outcome, Malformed):
        response = replace(response, outcome=Sent())  # A page or a redirect, with the cookie of a session.
    call.session = Secret(value, profile.label("session"), "session")
    call.events += [SessionOpened(call.session), Note(f"logged in to {profile.origin}")]
    return response


def login_request(kind: AuthType, profile: Profile, id: str) -> AuthRequest | Refused:
    """Return the request that opens a session: at its own path, and as a form, if the profile says so."""
    login = profile.login
    template = json.dumps(login.params, ensure_ascii=False)
    if refused := planted(profile, login.method, login.path, profile.username, template):
        return refused
    message = Message("call", (Call(login.method, login_params(profile), id),))
    request = kind.request(profile, message, bare=True)
    if isinstance(request, Refused) or not login.is_apart:
        return request
    if login.form:
        request = replace(request, message=replace(message, form=_form(profile)))
    if login.path:  # It is on the same server, whatever the path is.
        request = replace(request, address=joined(profile.address, login.path))
    request = replace(request, headers=tuple(AuthHeader(name, value) for name, value in login.headers))
    return replace(request, fields=fields_in(profile, request))


def _form(profile: Profile) -> str:
    """Return the params as the body of a form, with secret references."""
    members = []
    for name, value in _filled(profile.login.params, profile).items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text not in profile.references.values():
            text = quote(text, safe="")
        members.append(f"{quote(name, safe='')}={text}")
    return "&".join(members)


def login_params(profile: Profile) -> str:
    return filled(profile.login.params, profile)


def filled(template: Any, profile: Profile) -> str:
    """Return params with the user name and secret references inserted."""
    return json.dumps(_filled(template, profile), ensure_ascii=False, separators=(",", ":"))


def _filled(template: Any, profile: Profile) -> Any:
    if isinstance(template, dict):
        return {name: _filled(value, profile) for name, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, profile) for value in template]
    if template == "{username}":
        if profile.username is not None:
            return profile.username
        return profile.references["username"]
    if template in {"{password}", "{token}"}:
        return profile.references[template.strip("{}")]
    return template


def _session_value(kind: AuthType, profile: Profile, received: AuthResponse, now: datetime) -> str | Refused:
    """Return the session id from Set-Cookie, else from the response."""
    cookie = kind.session_cookie
    if profile.login.is_apart and (refused := _refused_apart(profile, received)):
        return refused  # Some servers set a cookie even then, which is no session.
    if cookie:
        received_cookie = session_cookie(received.response.headers, cookie, now)
        if received_cookie and not received_cookie.deleted:
            if sendable(received_cookie.value):
                return received_cookie.value
            return _failed(profile, f"the {cookie} cookie cannot be sent back.")
    match received.outcome:
        case ErrorObject() as error if lacks_method(error):
            return _failed(profile, f"the server has no such method ({_error_text(error)}). Correct login.method.")
        case ErrorObject() as error:
            return _refused(profile, _error_text(error))
        case Malformed(reason=reason):
            return _failed(profile, f"{reason} (HTTP {received.response.status})")
        case Result(value=value) if SAYS_NO.fullmatch(value):
            return _refused(profile, bytes(value).decode())
        case Result() as result if profile.login.session is not None or not cookie:
            pointer = profile.login.session or ""
            session = _pointed_at(result, pointer)
            if session is not None and kind.sendable(session):
                return session
            if pointer:
                return _failed(profile, f"the response has no usable session id at {pointer}. Correct login.session.")
            return _failed(profile, "the result is not a session id. Set login.session to the JSON pointer of the id.")
    return _failed(
        profile,
        f"the response sets no {cookie} cookie. Set auth.cookie to the name of the cookie, or login.session to the "
        "JSON pointer of the session id. Or store the session id of another login in the secret `session`.",
    )


def _refused_apart(profile: Profile, received: AuthResponse) -> Refused | None:
    """Return why a login apart from the calls failed, whatever cookie came with the response."""
    if isinstance(received.outcome, ErrorObject):
        return _refused(profile, _error_text(received.outcome))
    if received.response.status in {UNAUTHORIZED, 403}:
        return _refused(profile, f"HTTP {received.response.status}")
    if isinstance(received.outcome, Result) and received.outcome.value == b"null" and profile.login.session == "":
        return _refused(profile, "null")
    return None


def _refused(profile: Profile, response: str) -> Refused:
    # If the login takes no password, the session is pasted.
    field = "password" if "password" in login_fields(profile) else "session"
    refusal = _failed(profile, f"the server rejected it ({response.rstrip('.')}).")
    return replace(refusal, missing=field, rejected=True)


def _error_text(error: ErrorObject) -> str:
    """Return an error in one line, with the text in its data."""
    words = []
    if error.code is not None:
        words.append(str(error.code))
    if error.message:
        words.append(error.message)
    text = " ".join(words)
    if not error.data or not SHORT_TEXT.fullmatch(error.data):
        return text
    details = decoded(bytes(error.data).decode())
    if not text:
        return details
    return f"{text.rstrip('.')}: {details}"


def _failed(profile: Profile, why: str) -> Refused:
    login = profile.login.path or f"method {profile.login.method}"
    place = profile.name
    if profile.ad_hoc:  # Its name is not one that the user gave.
        place = profile.origin
    return Refused("credentials", f"The login to {place} ({login}) failed: {why}")


def _pointed_at(result: Result, pointer: str) -> str | None:
    """Return the string at a pointer into the result, or into the response."""
    text = result.value.decode("utf-8", "replace")
    value = at_pointer(text, pointer)
    if not value:
        value = at_pointer(f'{{"result":{text}}}', pointer)
    if not value or value[0] in "{[" or value in {"null", "true", "false", '""'}:
        return None
    if value.startswith('"'):
        return decoded(value)
    return value  # A number is kept as it was written.


MISSING: Final = r"\b(?:required|missing|(?:not|were not|was not) (?:provided|supplied|given|sent))\b"
"""Words of a refusal if credentials are missing, not if they are wrong."""
MAX_TEXT: Final = 1000
"""Characters of a text that may say it; longer ones are tracebacks."""
MAX_DATA_BYTES: Final = 64 * 1024
"""Bytes of ``error.data`` that are parsed."""
TEXT_MEMBERS: Final = ("message", "name", "detail", "reason")
"""Its members that may explain the error."""
_IDENTIFIER = regex(r"[\w.]+")
"""A name of an error without blanks; its words are found by their capitals and underscores."""
_WORD_BOUNDARY = regex(r"(?<=[a-z0-9])(?=[A-Z])|_")
"""The boundaries of words in an identifier."""


class _Context(NamedTuple):
    """Texts around words that give them another meaning."""

    before: re.Pattern[str] | None = None
    after: re.Pattern[str] | None = None


# For example, "invalid parameter 'session'" and "login history" do not ask for a login.
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
_FOR_AN_ACTION = _Context(after=regex(r"\s+(?:to|for)\b", re.IGNORECASE))
_NOT_FOUND = _Context(after=regex(r".{0,60}?\b(?:not found|not exist)", re.IGNORECASE))
_CONTEXTS = {
    "log in": _Context(before=regex(r"\b(?:the|see|error)\s+$", re.IGNORECASE)),
    # With any other text, the denial is about one thing, not about the login.
    "access denied": _Context(before=regex(r"\w"), after=regex(r".*\w", re.DOTALL)),
    "not authorized": _FOR_AN_ACTION,
    "not authorised": _FOR_AN_ACTION,
    "unauthorized": _FOR_AN_ACTION,
    "unauthorised": _FOR_AN_ACTION,
    "credential": _NOT_FOUND,
    "credentials": _NOT_FOUND,
    "login": _NOT_FOUND,
}
"""Contexts of single words, in addition to those of all words."""


def asks_for_login(login: Login, outcome: Outcome, status: int | None) -> bool:
    """Return whether the outcome asks for a login: by status, code or words."""
    if isinstance(outcome, Malformed | ErrorObject | Sent) and status in login.ended_status:
        return True
    if not isinstance(outcome, ErrorObject):
        return False
    if outcome.code in login.ended_codes:
        return True
    return any(_says(login.ended_words, text) for text in _texts(outcome))


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
    if exchange.response.status == UNAUTHORIZED:
        return False
    return any(re.search(MISSING, text, re.IGNORECASE) for text in _texts(exchange.outcome))


def _texts(error: ErrorObject) -> Iterator[str]:
    """Yield the message, and the texts in the error's data."""
    yield error.message[:MAX_TEXT]
    if error.data is None or len(error.data) > MAX_DATA_BYTES:
        return
    try:
        data = msgspec.json.decode(error.data)
    except (msgspec.DecodeError, RecursionError):  # Only lenient parsers accept it, so it is ignored.
        return
    texts = [data]
    if isinstance(data, dict):
        texts = [data.get(name) for name in TEXT_MEMBERS]
    for text in texts:
        if isinstance(text, str) and len(text) <= MAX_TEXT:
            yield text


def _says(words: tuple[str, ...], text: str) -> bool:
    if not _IDENTIFIER.fullmatch(text):
        return _has_words(words, text)
    # Examples of identifiers are odoo.http.SessionExpiredException and SESSION_INVALID.
    name = text.rpartition(".")[2]
    return _has_words(words, name) or _has_words(words, _WORD_BOUNDARY.sub(" ", name))


def _has_words(words: tuple[str, ...], text: str) -> bool:
    """Return whether a text has one of the words, and means a login by it."""
    if not words:
        return False
    longest_first = sorted(words, key=len, reverse=True)
    either = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first)
    for match in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text, re.IGNORECASE):
        if not _has_other_meaning(text[: match.start()], match[0], text[match.end() :]):
            return True
    return False


def _has_other_meaning(before: str, word: str, after: str) -> bool:
    if _NAMED_BEFORE.search(before) or _NAMED_AFTER.match(after):
        return True
    context = _CONTEXTS.get(" ".join(word.lower().split()), _Context())
    if context.before and context.before.search(before):
        return True
    return bool(context.after and context.after.match(after))


def requests_in_session(kind: AuthType, call: AuthCall) -> AuthFlow:
    """Yield the call with its session; log in first, or again if it has ended."""
    profile, message = call.profile, call.message
    is_public = kind.is_free(profile, message)
    logs_in_first = False
    if call.session is None and not is_public:
        # If no file sets the auth type, the server may need no login.
        logs_in_first = not profile.assumes_auth or call.can_log_in()
    bare_request = kind.request(profile, message, bare=True)
    if isinstance(bare_request, Refused):
        return bare_request
    is_bare = is_public
    if kind.session_cookie:
        # A cookie does no harm to a call that needs none.
        is_bare = call.session is None and not logs_in_first
    request = bare_request
    if not is_bare:
        with_session = kind.request(profile, message)
        if isinstance(with_session, Refused):
            return with_session
        request = with_session
    login_id = f"{message.calls[0].id or 'notification'}.login"
    if logs_in_first:
        login = yield from open_session(kind, call, login_id, bare_request.fields)
        if call.session is None:
            return login
    response = yield request
    if isinstance(response, Refused):
        return response
    call.events += _session_events(kind, call, response)
    if logs_in_first or is_public or not has_ended(profile.login_signs, message, response):
        return response
    if call.session is None:
        # Over HTTP, the server may ask for the credentials of another auth type.
        in_words = isinstance(response.outcome, ErrorObject) and response.response.header("www-authenticate") is None
        if not in_words:
            return response
    return (yield from _resend_in_new_session(kind, call, response, login_id))


def _resend_in_new_session(kind: AuthType, call: AuthCall, response: AuthResponse, login_id: str) -> AuthFlow:
    """Log in after a response that asks for it, and send the call again."""
    had_session = call.session is not None
    if had_session:
        call.events += [
            SessionEnded(),
            Note("the session had ended, so rpcexplorer logged in again and resent the call"),
        ]
        call.session = None
    login = yield from open_session(kind, call, login_id)
    if isinstance(login, Refused):
        if not had_session and not call.can_log_in():
            return response  # Without credentials, the server's own answer is the result.
        why = f"HTTP {response.response.status}"
        if isinstance(response.outcome, ErrorObject):
            why = response.outcome.message
        return replace(login, sentence=f"The session has ended ({why}). {login.sentence}")
    if call.session is None:
        return login
    request = kind.request(call.profile, call.message)
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
    received_cookie = session_cookie(received.response.headers, cookie, call.now)
    if received_cookie is None:
        return []
    if received_cookie.deleted:
        if session is None:
            return []
        return [SessionEnded(), Note(f"the server ended the session ({cookie})")]
    if not sendable(received_cookie.value):
        return [Note(f"the server set a {cookie} cookie that cannot be sent back, so the session is unchanged")]
    if session is not None and received_cookie.value == session.reveal():
        return []
    opened = SessionOpened(Secret(received_cookie.value, call.profile.label("session"), "session"))
    return [opened, Note(f"the server sent a new session ({cookie}), which is used from now on")]


def has_ended(login: Login, message: Message, received: AuthResponse) -> bool:
    """Return whether the response asks for a new login.

    A batch that was answered call by call never counts: some of it may have run.
    """
    outcome = received.outcome
    if message.kind == "batch" and isinstance(outcome, ErrorObject) and outcome.value.lstrip().startswith(b"["):
        return False
    return asks_for_login(login, outcome, received.response.status)
