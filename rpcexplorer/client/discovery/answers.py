"""What an exchange means to a dialect: the value that it asked for, or why there is none, and whether all ends here."""

from __future__ import annotations

import re
from typing import Any

from rpcexplorer.auth.login import asks_for_login
from rpcexplorer.client.discovery.cleaning import clean, forgiving
from rpcexplorer.client.discovery.limits import line_of
from rpcexplorer.client.discovery.questions import NOT_OFFERED, Answered, Question
from rpcexplorer.client.statuses import MEANINGS
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.messages import METHOD_NOT_FOUND, ErrorObject, Malformed, Result, decoded

OTHER_PARAMS = (-32600, -32602)
"""Codes that may mean no more than that empty params should be written differently."""
NOT_OFFERED_CODES = (METHOD_NOT_FOUND, -32700, 1, 2, 500)
NOT_OFFERED_STATUS = (400, 404, 405, 500)
NOT_OFFERED_WORDS = re.compile(
    r"not found|unknown|no such|no handler|not supported|unsupported|does not exist|not implemented", re.IGNORECASE
)
NOT_INITIALIZED = re.compile(
    r"not (?:been )?initiali[sz]ed|uninitiali[sz]ed|(?:missing|no valid) session id", re.IGNORECASE
)
"""What servers say that want a handshake before anything else."""


def wants_login(exchange: Exchange, profile: Profile) -> bool:
    """Whether the service asks for credentials, and not for the handshake that some have."""
    if isinstance(exchange.outcome, ErrorObject) and NOT_INITIALIZED.search(exchange.outcome.message):
        return False
    return asks_for_login(profile.login, exchange.outcome, exchange.response.status)


def answer_of(exchange: Exchange, profile: Profile, *, asks_for_login: bool) -> Answered:
    """The result, or why there is none, as far as a dialect needs to know."""
    match exchange.outcome:
        case Result() as result:
            return value_of(result.value)
        case ErrorObject(code=code, message=message):
            said = " ".join([*([] if code is None else [str(code)]), *filter(None, [line_of(message)])])
            if code == METHOD_NOT_FOUND:
                return Answered(refusal=f"{NOT_OFFERED} (-32601)")
            return Answered(refusal=_refusal(exchange, said, profile, asks_for_login=asks_for_login))
        case Malformed(reason=reason):
            status = exchange.response.status
            if status in MEANINGS:
                return Answered(refusal=reason)
            not_offered = status in NOT_OFFERED_STATUS
            return Answered(refusal=f"{NOT_OFFERED} (HTTP {status})" if not_offered else f"unreadable: {reason}")
        case Unreached(sentence=sentence) | Refused(sentence=sentence):
            return Answered(refusal=sentence)
    return Answered(refusal=f"ended as {exchange.outcome_name}")


def value_of(text: bytes) -> Answered:
    """What JSON text stands for."""
    try:
        return Answered(clean(_read(text)))
    except (ValueError, RecursionError):
        return Answered(refusal="unreadable: it is no JSON")


def _read(text: bytes) -> Any:
    try:
        return decoded(text)
    except (ValueError, RecursionError):  # Python has limits to what it makes values of
        return forgiving(text)


def _refusal(exchange: Exchange, said: str, profile: Profile, *, asks_for_login: bool) -> str:
    """Why an error stands where a listing should: what is missing, where it says so."""
    assert isinstance(exchange.outcome, ErrorObject)
    if asks_for_login:
        advice = "this profile sends none: set its auth" if not profile.secrets else "it did not take these"
        return f"asks for credentials ({said}); {advice}"
    if NOT_INITIALIZED.search(exchange.outcome.message) and profile.handshake != "mcp":
        return f'wants to be initialized first ({said}): set handshake = "mcp" in the profile'
    if exchange.outcome.code == -32602:
        return f"wants params that are not known ({said}): call it yourself"
    return f"{NOT_OFFERED} ({said})" if _is_not_offered(exchange) else f"answered: error {said}"


def _is_not_offered(exchange: Exchange) -> bool:
    """Whether an error says no more than that there is no such method, as servers put it."""
    assert isinstance(exchange.outcome, ErrorObject)
    code, message = exchange.outcome.code, exchange.outcome.message
    return (
        code in NOT_OFFERED_CODES
        or exchange.response.status in NOT_OFFERED_STATUS
        or NOT_OFFERED_WORDS.search(message) is not None
    )


def ends_it(exchange: Exchange, question: Question) -> bool:
    """Whether nothing can be asked any more. One answer that is too large says nothing about the next."""
    match exchange.outcome:
        case Cancelled() | Refused():
            return True
        case Unreached(step=step):
            return not question.is_extra and step != "size"
        case Malformed():
            return not question.is_extra and exchange.response.status in MEANINGS
    return False


def why_it_ended(exchange: Exchange) -> str:
    stays = "What was known before stays."
    match exchange.outcome:
        case Unreached(sentence=sentence) | Malformed(reason=sentence):
            return f"{sentence} Asked was {exchange.url}. {stays}"
        case Refused(sentence=sentence):
            return f"{sentence} {stays}"
    return f"cancelled. {stays}"
