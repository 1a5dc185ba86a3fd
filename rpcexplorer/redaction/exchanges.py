"""An exchange without secrets, by one function, before anybody shows, copies or records it.

Where a secret stood is its name instead, or a mark that nothing is recorded there. What is hidden beside the secrets
that are known is said by a policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.steps import Steps, at_once
from rpcexplorer.model.exchange import Exchange, Outcome, Refused, Sent, Unreached
from rpcexplorer.model.problem import cut, listed
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.drafts import redacted_params, redactor_of
from rpcexplorer.redaction.large import redacted_in_pieces
from rpcexplorer.redaction.logins import is_login, own_login, without_session
from rpcexplorer.redaction.redactor import Redactor
from rpcexplorer.rpc.codec import LARGE, envelope_in_steps
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result


class Policy(Struct, frozen=True):
    """What becomes of an exchange, beside that secrets are hidden wherever they stand in it."""

    guesses: bool = False
    """What may be a secret goes too: whatever stands behind keys that are named like one, in params and replies
    alike, what an address holds that looks like one, the session that a login answers. The value of a result is left
    as it is, for it is the body that is kept."""
    body_limit: int | None = None
    """So many bytes of the body are left."""


SHOW: Final = Policy()
"""Whoever made the call sees all that came: a member ``password`` of a reply may be what was asked for."""
COPY: Final = Policy(guesses=True, body_limit=1024 * 1024)
"""For what is pasted elsewhere; a ticket shows less of a body."""


def for_history(body_limit: int | None) -> Policy:
    """For files, which others may come to read."""
    return Policy(guesses=True, body_limit=body_limit)


MARGIN: Final = 64 * 1024
"""Bytes beyond the limit that are searched as well, so that no secret is cut in half and missed."""
HEADERS: Final = 8 * 1024
"""Bytes of a reply's headers that are recorded."""
NAMED: Final = 5
"""Headers that are named where some are not."""
HIDDEN: Final = "a secret stood in the reply; its name is shown instead, such as «profile.password», or «not recorded»"


def redacted(exchange: Exchange, policy: Policy, profile: Profile, secrets: Iterable[Secret]) -> Exchange:
    return at_once(redacted_in_steps(exchange, policy, profile, secrets))


def redacted_in_steps(
    exchange: Exchange, policy: Policy, profile: Profile, secrets: Iterable[Secret]
) -> Steps[Exchange]:
    """Like ``redacted``, in steps where all of a large body is wanted."""
    hide = redactor_of(profile, secrets, guesses=policy.guesses)
    exchange = _told(exchange, hide)
    if policy.guesses:
        return _kept(exchange, policy, profile, hide)
    return (yield from _shown(exchange, hide))


def clipped(body: bytes, limit: int | None) -> tuple[bytes, bool]:
    """The first ``limit`` bytes at most, never ending inside a character of UTF-8; and whether any are missing."""
    if limit is None or len(body) <= limit:
        return body, False
    end = limit
    while end > max(0, limit - 3) and body[end] & 0xC0 == 0x80:
        end -= 1
    return body[:end], True


def _shown(exchange: Exchange, hide: Redactor) -> Steps[Exchange]:
    came = exchange.response.body
    body = hide.body(came) if len(came) <= LARGE else (yield from redacted_in_pieces(came, hide))
    if body == came:
        return exchange
    response = replace(exchange.response, body=body, remarks=(*exchange.response.remarks, HIDDEN))
    outcome = exchange.outcome
    if not isinstance(outcome, Result) or len(body) <= LARGE:
        return replace(exchange, outcome=_parts(outcome, hide), response=response)
    envelope = yield from envelope_in_steps(body)
    text = envelope.result if envelope else (yield from redacted_in_pieces(outcome.value, hide))
    return replace(exchange, outcome=replace(outcome, text=text), response=response)


def _kept(exchange: Exchange, policy: Policy, profile: Profile, hide: Redactor) -> Exchange:
    response, outcome = exchange.response, exchange.outcome
    headers, missing = _short_enough(response.headers)
    searched, more = clipped(response.body, None if policy.body_limit is None else policy.body_limit + MARGIN)
    body = hide.body(searched)
    if is_login(exchange.method, own_login(profile, exchange.params)):
        body = without_session(body)
    body, too_long = clipped(body, policy.body_limit)
    method, sent = None if exchange.kind == "batch" else exchange.method, exchange.params_sent
    return replace(
        exchange,
        method=hide.text(exchange.method),
        params=redacted_params(exchange.params, method, profile, hide),
        params_sent=None if sent is None else redacted_params(sent, method, profile, hide),
        url=hide.text(redacted_address(exchange.url)),
        name=hide.text(exchange.name),
        note=hide.text(exchange.note),
        outcome=_parts(outcome, hide) if isinstance(outcome, ErrorObject) else outcome,
        response=replace(
            response,
            headers=headers,
            body=body,
            cut=response.cut or more or too_long,
            remarks=(*response.remarks, *missing),
        ),
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
        case ErrorObject(message=message) | Result(message=message):
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
