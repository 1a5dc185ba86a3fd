"""What of an exchange may be shown, and what may be written down: never a secret, but the name of it instead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from msgspec.structs import replace

from rpcexplorer.jsontext.large import envelope_in_steps
from rpcexplorer.jsontext.members import LARGE
from rpcexplorer.jsontext.steps import Steps, at_once
from rpcexplorer.model.complaint import cut, listed
from rpcexplorer.model.exchange import Exchange, Outcome, Refused, Sent, Unreached
from rpcexplorer.model.profile import CookieAuth, InlineAuth, Profile
from rpcexplorer.model.secrets.placeholders import UNRECORDED
from rpcexplorer.model.secrets.secret import Secret
from rpcexplorer.protocol.messages import ErrorObject, Malformed, Result
from rpcexplorer.redaction.addresses import hidden as address
from rpcexplorer.redaction.addresses import secrets_in
from rpcexplorer.redaction.large import hidden
from rpcexplorer.redaction.logins import hidden as without_session
from rpcexplorer.redaction.logins import is_login, without_password, without_passwords
from rpcexplorer.redaction.redactor import Redactor

MARGIN = 64 * 1024
"""Bytes beyond the limit that are searched as well, so that no secret is cut in half and missed."""


HEADERS = 8 * 1024
"""Bytes of a reply's headers that are recorded."""
NAMED = 5
"""Headers that are named where some are not."""

HIDDEN = "a secret stood in the reply; its name is shown instead, such as «profile.password»"


def shown(exchange: Exchange, profile: Profile, secrets: Iterable[Secret]) -> Exchange:
    """The exchange as anybody may see it: all that came, but for secrets, whoever told them to the server.

    They are hidden by value; by position only those too short for it, because a member ``password`` of a reply may be
    what was asked for.
    """
    return at_once(shown_in_steps(exchange, profile, secrets))


def shown_in_steps(exchange: Exchange, profile: Profile, secrets: Iterable[Secret]) -> Steps[Exchange]:
    """The same in steps, where the body is large."""
    hide = Redactor(secrets, profile=profile.name, places=secret_places(profile))
    exchange = _told(exchange, hide)
    came = exchange.response.body
    body = hide.body(came) if len(came) <= LARGE else (yield from hidden(came, hide))
    if body == came:
        return exchange
    response = replace(exchange.response, body=body, remarks=(*exchange.response.remarks, HIDDEN))
    outcome = exchange.outcome
    if not isinstance(outcome, Result) or len(body) <= LARGE:
        return replace(exchange, outcome=_parts(outcome, hide), response=response)
    envelope = yield from envelope_in_steps(body)
    text = envelope.result if envelope else (yield from hidden(outcome.value, hide))
    return replace(exchange, outcome=replace(outcome, text=text), response=response)


def recorded(exchange: Exchange, profile: Profile, secrets: Iterable[Secret], body_limit: int) -> Exchange:
    """The exchange as history may hold it. The value of a result is left as it is: the body is what is recorded.

    Behind keys that are named like a secret nothing is written down, in params and replies alike, nor what an address
    holds that looks like one, nor the session that a login answers.
    """
    hide = for_records(profile, secrets)
    exchange = _told(exchange, hide)
    response, outcome = exchange.response, exchange.outcome
    headers, missing = _short_enough(response.headers)
    head = hide.body(response.body[: body_limit + MARGIN])
    params = hide.params(exchange.params)
    if is_login(exchange.method, own := profile.login.method):
        without = partial(without_passwords, own=own) if exchange.kind == "batch" else without_password
        head, params = without_session(head), without(params)
    cut = response.cut or body_limit + MARGIN < len(response.body)
    return replace(
        exchange,
        method=hide.text(exchange.method),
        params=params,
        url=hide.text(address(exchange.url)),
        outcome=_parts(outcome, hide) if isinstance(outcome, ErrorObject) else outcome,
        response=replace(response, headers=headers, body=head, cut=cut, remarks=(*response.remarks, *missing)),
    )


def _short_enough(headers: Sequence[tuple[str, str]]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The headers that are recorded, in their order, and what is said of the others.

    Where there is no room for all, the long ones go: what an operator asks for, such as the id of a request, is short.
    """
    sizes = [len(f'"{name}: {value}", '.encode("utf-8", "surrogatepass")) for name, value in headers]
    shortest = sorted(range(len(headers)), key=sizes.__getitem__)
    together = accumulate(sizes[at] for at in shortest)
    kept = {at for at, size in zip(shortest, together, strict=True) if size <= HEADERS}
    long = dict.fromkeys(cut(name) for at, (name, _) in enumerate(headers) if at not in kept)
    many = f"{len(headers) - len(kept):,} of {len(headers):,} headers are not recorded, for want of room"
    return tuple(headers[at] for at in sorted(kept)), (f"{many}: {listed(long, NAMED)}",) if long else ()


def for_records(profile: Profile, secrets: Iterable[Secret]) -> Redactor:
    """What hides secrets, and what may be one, in whatever is kept and shared of a profile's calls."""
    own = [Secret(each, UNRECORDED.strip("«»")) for each in secrets_in(profile.endpoint)]
    return Redactor([*own, *secrets], profile=profile.name, places=secret_places(profile), unrecorded=True)


def secret_places(profile: Profile) -> Iterable[str]:
    """The members that a profile puts secrets into.

    A shared file names them, so that they only tell where a short secret may stand: whatever else stands there stays.
    """
    match profile.auth:
        case CookieAuth(cookie=cookie):
            yield cookie
            yield from _places(profile.login.params, "{password}")
            if profile.login.session:
                yield profile.login.session.rpartition("/")[2]
        case InlineAuth(password_member=member):
            yield member


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


def _told(exchange: Exchange, hide: Redactor) -> Exchange:
    """The exchange with nothing to be hidden left in all that is told of the reply; its body stays as it is."""
    response, outcome = exchange.response, exchange.outcome
    headers = tuple((hide.text(name), hide.header(name, value)) for name, value in response.headers)
    if isinstance(outcome, Malformed):  # its sentence may quote where the server redirects to
        for (name, was), (_, put) in zip(response.headers, headers, strict=True):
            if was != put and name.lower() == "location":
                outcome = replace(outcome, reason=outcome.reason.replace(was, put))
    return replace(
        exchange,
        outcome=_outcome(outcome, hide),
        response=replace(
            response,
            reason=hide.text(response.reason),
            headers=headers,
            remarks=tuple(map(hide.text, response.remarks)),
        ),
        notes=tuple(map(hide.text, exchange.notes)),
    )


def _outcome(outcome: Outcome, hide: Redactor) -> Outcome:
    if isinstance(outcome, Result | ErrorObject | Malformed | Sent):
        outcome = replace(outcome, remarks=tuple(map(hide.text, outcome.remarks)))
    match outcome:
        case ErrorObject(message=message):
            return replace(outcome, message=hide.text(message))
        case Malformed(reason=reason):
            return replace(outcome, reason=hide.text(reason))
        case Unreached(sentence=sentence) | Refused(sentence=sentence):
            return replace(outcome, sentence=hide.text(sentence))
    return outcome


def _parts(outcome: Outcome, hide: Redactor) -> Outcome:
    """The outcome with nothing left in what are parts of the body."""
    match outcome:
        case Result(value=value):
            return replace(outcome, text=hide.body(value))
        case ErrorObject(data=data, value=value):
            return replace(outcome, data=None if data is None else hide.body(data), value=hide.body(value))
    return outcome
