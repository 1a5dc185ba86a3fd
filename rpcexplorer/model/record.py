"""What of an exchange may be written down: the person's own call, with every known secret replaced by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from rpcexplorer.model.exchange import Exchange, Outcome, Unreached
from rpcexplorer.model.profile import CookieAuth, InlineAuth, Profile
from rpcexplorer.model.redaction import Redactor
from rpcexplorer.model.secret import Secret, placeholder
from rpcexplorer.protocol.messages import ErrorObject, Malformed

USERINFO = re.compile(r"//[^/?#]*@")
"""User name and password in a URL, which is refused but may have been typed."""

MARGIN = 64 * 1024
"""Bytes beyond the limit that are searched as well, so that no secret is cut in half and missed."""


def recorded(exchange: Exchange, profile: Profile, secrets: Iterable[Secret], body_limit: int) -> Exchange:
    """The exchange as history may hold it."""
    hide = Redactor(secrets, secret_members(profile))
    response = exchange.response
    head = response.body[: body_limit + MARGIN]
    response = replace(
        response,
        reason=hide.text(response.reason),
        headers=(),
        body=hide.body(head),
        cut=response.cut or len(head) < len(response.body),
    )
    return replace(
        exchange,
        method=hide.text(exchange.method),
        params=hide.text(exchange.params),
        url=hide.text(USERINFO.sub("//", exchange.url)),
        outcome=_outcome(exchange.outcome, hide),
        response=response,
        notes=tuple(map(hide.text, exchange.notes)),
    )


def secret_members(profile: Profile) -> Mapping[str, str]:
    """Members whose values are secrets wherever they stand, with the placeholder of each."""
    password, session = (placeholder(profile.label(field)) for field in ("password", "session"))
    names = {"password": password, "sessionid": session}
    match profile.auth:
        case CookieAuth(cookie=cookie):
            names[cookie] = session
            names |= dict.fromkeys(_places(profile.login.params, "{password}"), password)
            if profile.login.session:
                names[profile.login.session.rpartition("/")[2]] = session
        case InlineAuth(password_member=member):
            names[member] = password
    return names


def _places(template: Any, sought: str) -> Iterable[str]:
    """The names of the members whose value is ``sought``."""
    if isinstance(template, dict):
        for name, value in template.items():
            if value == sought:
                yield name
            yield from _places(value, sought)
    elif isinstance(template, list):
        for value in template:
            yield from _places(value, sought)


def _outcome(outcome: Outcome, hide: Redactor) -> Outcome:
    match outcome:
        case ErrorObject(message=message):
            return replace(outcome, message=hide.text(message), value=hide.body(outcome.value))
        case Malformed(reason=reason):
            return replace(outcome, reason=hide.text(reason))
        case Unreached(sentence=sentence):
            return replace(outcome, sentence=hide.text(sentence))
    return outcome
