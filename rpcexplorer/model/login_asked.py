"""Whether a server says "please log in", decided here for whoever asks: a flow, a connection test, discovery.

To take an ordinary error for that costs a second login and a call that is sent twice. So the words that say it are
read as whole words, in short texts alone, and not where they name a thing: a *session type*, the argument *'login'*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from rpcexplorer.model.exchange import Exchange, Outcome, Sent
from rpcexplorer.model.profile import Login, Profile
from rpcexplorer.rpc.messages import ErrorObject, Malformed

UNAUTHORIZED: Final = 401
SHORT: Final = 1000
"""Characters of a text that may say it; a traceback is longer, and speaks of much."""
LARGEST: Final = 64 * 1024
"""Bytes of ``error.data`` that are taken apart."""
SPEAKING: Final = ("message", "name", "detail", "reason")
"""Its members that say what went wrong."""
_IDENTIFIER = re.compile(r"[\w.]+")
_JOINT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
"""Where the words of an identifier meet."""
_NAMED_BEFORE = re.compile(
    r"(?:\b(?:argument|parameter|param|field|member|key|variable|column|attribute|property|option|keyword|too many)"
    r"s?\W+|['\"`])$",
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    r"['\"`]|\W+(?:types?|names?|kinds?|methods?|modes?|class(?:es)?|variables?|fields?|param(?:eter)?s?|arguments?"
    r"|attributes?|propert(?:y|ies)|options?|settings?|config(?:uration)?|sources?|modules?|backends?|providers?"
    r"|plugins?|templates?|history|logs?|tables?|columns?|attempts?|counts?|limits?|models?|files?|servers?|services?"
    r"|users?|enabled?|disabled?|unknown|already (?:enabled|exists|taken|in use|registered)|(?:is )?taken)\b",
    re.IGNORECASE,
)
"""A word between quotes, or that tells more closely what the next one means."""
_OTHERWISE = {
    "log in": (re.compile(r"\b(?:the|see|error)\s+$", re.IGNORECASE), None),
    "access denied": (re.compile(r"\w"), re.compile(r".*\w", re.DOTALL)),
    "not authorized": (None, re.compile(r"\s+(?:to|for)\b", re.IGNORECASE)),
    "credential": (None, re.compile(r".{0,60}?\b(?:not found|not exist)", re.IGNORECASE)),
}
"""What stands before or behind these words where they mean something else: a log file, a right, a thing
that is kept; of a denial, anything."""
_OTHERWISE |= {
    **dict.fromkeys(("not authorised", "unauthorized", "unauthorised"), _OTHERWISE["not authorized"]),
    **dict.fromkeys(("credentials", "login"), _OTHERWISE["credential"]),
}


def asks_for_login(login: Login, outcome: Outcome, status: int | None) -> bool:
    """By the status, the code or the words that the profile names; the words also in what comes with the error."""
    if isinstance(outcome, Malformed | ErrorObject | Sent) and status in login.ended_status:
        return True
    if not isinstance(outcome, ErrorObject):
        return False
    return outcome.code in login.ended_codes or any(_says(login.ended_words, text) for text in _texts(outcome))


def rejects_credentials(exchange: Exchange, profile: Profile) -> bool:
    """Return whether the server answers that it does not accept the credentials of a profile."""
    outcome, status = exchange.outcome, exchange.response.status
    if not profile.secrets or profile.assumes_auth or not isinstance(outcome, Malformed | ErrorObject | Sent):
        return False
    return status == UNAUTHORIZED or asks_for_login(profile.login, outcome, status)


def _texts(error: ErrorObject) -> Iterator[str]:
    """The message, and of what comes with it a text or the members that speak."""
    yield error.message[:SHORT]
    if error.data is None or len(error.data) > LARGEST:
        return
    try:
        data = msgspec.json.decode(error.data)
    except (msgspec.DecodeError, RecursionError):  # what only lenient parsers take says nothing here
        return
    said = [data.get(name) for name in SPEAKING] if isinstance(data, dict) else [data]
    yield from (text for text in said if isinstance(text, str) and len(text) <= SHORT)


def _says(words: tuple[str, ...], text: str) -> bool:
    if _IDENTIFIER.fullmatch(text):  # such as odoo.http.SessionExpiredException or SESSION_INVALID
        last = text.rpartition(".")[2]
        return _says_in(words, last) or _says_in(words, _JOINT.sub(" ", last))
    return _says_in(words, text)


def _says_in(words: tuple[str, ...], text: str) -> bool:
    longest_first = sorted(words, key=len, reverse=True)
    either = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first) or "(?!)"
    found = re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text, re.IGNORECASE)
    return any(not _names_a_thing(text[: each.start()], each[0], text[each.end() :]) for each in found)


def _names_a_thing(before: str, word: str, after: str) -> bool:
    own_before, own_after = _OTHERWISE.get(" ".join(word.lower().split()), (None, None))
    return bool(
        _NAMED_BEFORE.search(before)
        or _NAMED_AFTER.match(after)
        or (own_before and own_before.search(before))
        or (own_after and own_after.match(after))
    )
