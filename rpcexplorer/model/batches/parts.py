"""What came of each call of a batch: exchanges like any other, made of the one exchange that was sent and recorded.

A part is on view, copied and loaded like a call; it is in no history, where the batch stands as a whole.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.typed.params import Problem
from rpcexplorer.model.draft import draft_of, sent_draft, to_calls
from rpcexplorer.model.exchange import ErrorObject, Exchange, Malformed, Outcome, Response, Result, Sent
from rpcexplorer.protocol.batches import BatchReply, Matched, matched
from rpcexplorer.protocol.ids import spellings
from rpcexplorer.protocol.messages import Call, MessageForm
from rpcexplorer.protocol.replies import short

NO_REPLY: Final = "No reply came to this call."
EMPTY: Final = "No reply came to this call: the server answered the batch with an empty array."
CUT: Final = "The recorded reply was cut, so that nobody can tell what came of this call."
UNASKED: Final = "no call has the id"
SECOND: Final = "there was a reply before to"
NOBODYS: Final = "it names no call"


class BatchParts(Struct, frozen=True):
    """A batch, taken apart."""

    calls: tuple[Exchange, ...] = ()
    """Each call in order, with the outcome of its own; a notification was sent, and that is all."""
    unexpected: tuple[Exchange, ...] = ()
    """Replies to nothing that was asked, and second ones. Nobody called them: they have no method."""
    apart: bool = False
    """There is a reply for each, or none; else one outcome is that of them all."""


def parts_of(exchange: Exchange) -> BatchParts:
    """What came of each call. Empty where the text of the batch cannot be read, and so was never sent."""
    typed, sent = to_calls(draft_of(exchange), exchange.id), to_calls(sent_draft(exchange), exchange.id)
    if isinstance(typed, Problem) or isinstance(sent, Problem) or len(typed) != len(sent):
        return BatchParts()
    is_answered = isinstance(exchange.outcome, Result | ErrorObject | Malformed) and any(
        call.id is not None for call in sent
    )
    found = _found(exchange, sent) if is_answered else exchange.outcome
    missing = NO_REPLY if isinstance(found, Matched) and (found.others or any(found.own)) else EMPTY
    calls = []
    for place, (one, other) in enumerate(zip(typed, sent, strict=True)):
        outcome, body = (Sent(), b"") if is_answered and other.id is None else _came(found, place, missing)
        calls.append(_part(exchange, f"{exchange.id}.{place + 1}", (one, other), outcome, body))
    if not isinstance(found, Matched):
        return BatchParts(tuple(calls))
    asked = {spelling for call in sent if call.id is not None for spelling in spellings(call.id)}
    strange = (_unexpected(exchange, number, each, asked) for number, each in enumerate(found.others, start=1))
    return BatchParts(tuple(calls), tuple(strange), apart=True)


def _found(exchange: Exchange, calls: tuple[Call, ...]) -> Matched | Outcome:
    """The reply to each call, or the one outcome that they have in common."""
    if exchange.response.cut:
        return Malformed(CUT)
    found = matched(exchange.response.body, calls, MessageForm(exchange.envelope))
    # what a status means stands in the exchange alone
    return exchange.outcome if isinstance(found, Malformed) and isinstance(exchange.outcome, Malformed) else found


def _came(found: Matched | Outcome, place: int, missing: str) -> tuple[Outcome, bytes | None]:
    """The outcome of a call, and the part of the body that is its own; None where there are no parts.

    ``missing`` is said where no reply is its own.
    """
    if not isinstance(found, Matched):
        return found, None
    if (own := found.own[place]) is not None:
        return own.reply, own.text
    return Malformed(missing), b""


def _part(exchange: Exchange, id: str, call: tuple[Call, Call], outcome: Outcome, body: bytes | None) -> Exchange:
    """One call, as it was typed and as it was sent, with what came of it."""
    typed, sent = call
    return replace(
        exchange,
        id=id,
        method=typed.method,
        params=typed.params,
        params_sent=None if typed.params == sent.params else sent.params,
        kind="notification" if sent.id is None else "call",
        outcome=outcome,
        response=exchange.response if body is None else _with_body(exchange.response, body),
        notes=(),
        name="",
        note="",
    )


def _unexpected(exchange: Exchange, number: int, came: BatchReply, asked: set[bytes]) -> Exchange:
    why = NOBODYS
    if came.id is not None and came.id != b"null":
        why = f"{SECOND if came.id in asked else UNASKED} {short(came.id)}"
    return replace(
        exchange,
        id=f"{exchange.id}.unexpected.{number}",
        method="",
        params="[]",
        params_sent=None,
        kind="call",
        outcome=replace(came.reply, remarks=(f"an unexpected reply: {why}", *came.reply.remarks)),
        response=_with_body(exchange.response, came.text),
        notes=(),
        name="",
        note="",
    )


def _with_body(response: Response, body: bytes) -> Response:
    """The same answer of the server, with a part of its body."""
    return replace(response, body=body, size=len(body))
