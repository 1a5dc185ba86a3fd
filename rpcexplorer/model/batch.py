"""The collected batch, and the outcome of each of its calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from rpcexplorer.jsontext.params import Typo
from rpcexplorer.jsontext.scan import elements, members
from rpcexplorer.model.draft import MARK, Batch, Draft, draft_of, sent_draft, to_calls
from rpcexplorer.model.exchange import Exchange, Outcome, Sent
from rpcexplorer.rpc.batch import BatchReply, Matched, matched
from rpcexplorer.rpc.codec import short
from rpcexplorer.rpc.messages import USUAL_FORM, Call, ErrorObject, Malformed, MessageForm, Result, spelled, spellings

NO_RESPONSE: Final = "No response to this call."
EMPTY: Final = "No response to this call: the response to the batch is an empty array."
CUT: Final = "The recorded response was cut, so the outcome of this call is unknown."
UNKNOWN_ID: Final = "unexpected response: no call has the id {}"
SECOND: Final = "unexpected response: it is the second one with the id {}"
WITHOUT_ID: Final = "unexpected response: it has no id"


class BatchParts(Struct, frozen=True):
    calls: tuple[Exchange, ...] = ()
    """Each call in order with its own outcome; a notification is only sent."""
    unexpected: tuple[Exchange, ...] = ()
    """Responses to no call of the batch, and second ones; without a method."""
    apart: bool = False
    """Each call has its own response; False: one outcome for all of them."""


def parts_of(exchange: Exchange) -> BatchParts:
    """Return each call with its outcome; empty if the batch was never sent."""
    typed, sent = to_calls(draft_of(exchange), exchange.id), to_calls(sent_draft(exchange), exchange.id)
    if isinstance(typed, Typo) or isinstance(sent, Typo) or len(typed) != len(sent):
        return BatchParts()
    found: Matched | Outcome = exchange.outcome
    has_ids = any(call.id is not None for call in sent)
    is_answered = has_ids and isinstance(exchange.outcome, Result | ErrorObject | Malformed)
    if is_answered:
        found = _found(exchange, sent)
    missing = EMPTY
    if isinstance(found, Matched) and (found.others or any(found.own)):
        missing = NO_RESPONSE
    calls = []
    for place, (one, other) in enumerate(zip(typed, sent, strict=True)):
        outcome: Outcome
        body: bytes | None = b""  # The call's own part of the body; None if there are no parts.
        if is_answered and other.id is None:
            outcome = Sent()
        elif not isinstance(found, Matched):
            outcome, body = found, None
        elif (own := found.own[place]) is not None:
            outcome, body = own.reply, own.text
        else:
            outcome = Malformed(missing)
        part = replace(
            exchange,
            id=f"{exchange.id}.{place + 1}",
            method=one.method,
            params=one.params,
            params_sent=None if one.params == other.params else other.params,
            kind="notification" if other.id is None else "call",
        )
        calls.append(_of_part(part, outcome, body))
    if not isinstance(found, Matched):
        return BatchParts(tuple(calls))
    asked: set[bytes] = set()
    for call in sent:
        if call.id is not None:
            asked.update(spellings(call.id))
    unexpected = [
        _unexpected(exchange, number, response, asked) for number, response in enumerate(found.others, start=1)
    ]
    return BatchParts(tuple(calls), tuple(unexpected), apart=True)


class BatchExchange(Exchange, frozen=True):
    """A batch that was sent, and each of its calls with its own outcome.

    ``batch[0]`` is the exchange of the first call, ``batch["a"]`` that of the call with the id ``a``. The batch's own
    ``outcome`` is that of the whole response.
    """

    calls: tuple[Exchange, ...] = ()
    """Each call in the order in which it was sent; a call without a response is `Malformed`."""
    unexpected: tuple[Exchange, ...] = ()
    """Responses whose ids belong to no call."""

    @classmethod
    def of(cls, exchange: Exchange) -> Self:
        """Return the calls of a batch, such as one that `Explorer` sent."""
        parts = parts_of(exchange)
        sent = to_calls(sent_draft(exchange), exchange.id)
        calls: tuple[Exchange, ...] = ()
        if not isinstance(sent, Typo):
            # The id that was sent names the call here; a notification has none.
            calls = tuple(replace(part, id=call.id or part.id) for part, call in zip(parts.calls, sent, strict=False))
        return cls(**asdict(exchange), calls=calls, unexpected=parts.unexpected)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self.calls)

    def __getitem__(self, key: int | str) -> Exchange:
        """Return a call by its place or its id."""
        if isinstance(key, int):
            return self.calls[key]
        for call in self.calls:
            if call.id == key:
                return call
        raise KeyError(key)


def _found(exchange: Exchange, calls: tuple[Call, ...]) -> Matched | Outcome:
    if exchange.response.cut:
        return Malformed(CUT)
    found = matched(exchange.response.body, calls, MessageForm(exchange.envelope))
    if isinstance(found, Malformed) and isinstance(exchange.outcome, Malformed):
        return exchange.outcome  # Only the whole exchange explains the HTTP status.
    return found


def _unexpected(exchange: Exchange, number: int, response: BatchReply, asked: set[bytes]) -> Exchange:
    if response.id is None or response.id == b"null":
        remark = WITHOUT_ID
    elif response.id in asked:
        remark = SECOND.format(short(response.id))
    else:
        remark = UNKNOWN_ID.format(short(response.id))
    outcome = replace(response.reply, remarks=(remark, *response.reply.remarks))
    id = f"{exchange.id}.unexpected.{number}"
    part = replace(exchange, id=id, method="", params="[]", params_sent=None, kind="call")
    return _of_part(part, outcome, response.text)


def _of_part(exchange: Exchange, outcome: Outcome, body: bytes | None) -> Exchange:
    response = exchange.response
    if body is not None:
        response = replace(response, body=body, size=len(body))
    return replace(exchange, outcome=outcome, response=response, notes=(), name="", note="")


class BatchRow(Struct, frozen=True):
    draft: Draft
    id: str = ""
    """Its own id as JSON text; empty if its place in the batch decides."""
    exchange: Exchange | None = None
    """The latest exchange; None if the call changed since or was never sent."""


class CollectedCalls(Struct, frozen=True):
    rows: tuple[BatchRow, ...] = ()
    sent: Exchange | None = None
    unexpected: tuple[Exchange, ...] = ()
    """Other responses of the latest exchange."""

    @property
    def text(self) -> str:
        """Return the batch as text, a call a line, params as typed."""
        if not self.rows:
            return ""
        lines = ",\n".join(f"  {_spelled(row)}" for row in self.rows)
        return f"[\n{lines}\n]"

    def added(self, draft: Draft) -> CollectedCalls:
        return replace(self, rows=(*self.rows, BatchRow(draft)))

    def with_draft(self, at: int, draft: Draft) -> CollectedCalls:
        """Return the batch with the params of one call replaced."""
        row = self.rows[at]
        draft = replace(draft, notification=row.draft.notification)
        if draft == row.draft:
            return self
        return self._with(at, replace(row, draft=draft, exchange=None))

    def place_of(self, draft: Draft | None) -> int | None:
        """Return where a call is now: the same one, or the only equal one."""
        same = [at for at, row in enumerate(self.rows) if draft and _reads(row.draft) == _reads(draft)]
        for at in same:
            if self.rows[at].draft is draft:
                return at
        return same[0] if len(same) == 1 else None

    def without(self, at: int) -> CollectedCalls:
        return replace(self, rows=self.rows[:at] + self.rows[at + 1 :])

    def moved(self, at: int, by: int) -> CollectedCalls:
        to = at + by
        if not (0 <= at < len(self.rows) and 0 <= to < len(self.rows)):
            return self
        rows = list(self.rows)
        rows[at], rows[to] = rows[to], rows[at]
        return replace(self, rows=tuple(rows))

    def toggled(self, at: int) -> CollectedCalls:
        row = self.rows[at]
        draft = replace(row.draft, notification=not row.draft.notification)
        return self._with(at, replace(row, draft=draft, exchange=None))

    def with_exchange(self, exchange: Exchange, parts: BatchParts) -> CollectedCalls:
        if len(parts.calls) != len(self.rows):
            return replace(self, sent=exchange, unexpected=())
        rows = tuple(replace(row, exchange=part) for row, part in zip(self.rows, parts.calls, strict=True))
        return CollectedCalls(rows, exchange, parts.unexpected)

    def _with(self, at: int, row: BatchRow) -> CollectedCalls:
        return replace(self, rows=(*self.rows[:at], row, *self.rows[at + 1 :]))


def _reads(draft: Draft) -> tuple[str, str]:
    return draft.method, draft.text


def _spelled(row: BatchRow) -> str:
    params = row.draft.text.strip().removeprefix(MARK).strip() or "[]"
    member = ""
    if row.draft.notification:
        member = ', "id": null'
    elif row.id:
        member = f', "id": {row.id}'
    return f'{{"method": {spelled(row.draft.method)}, "params": {params}{member}}}'


def collected(text: str) -> CollectedCalls | Typo:
    """Read the calls of a batch, or the problem of its text."""
    if not text.strip():
        return CollectedCalls()
    calls = to_calls(Batch(text), "")
    if isinstance(calls, Typo):
        return calls
    spans = elements(text, int(text.startswith(MARK))) or ()
    rows = []
    for number, (span, call) in enumerate(zip(spans, calls, strict=True), start=1):
        draft = Draft(call.method, _params(text[slice(*span)]), notification=call.id is None)
        if call.id is None or call.id == f".{number}":
            rows.append(BatchRow(draft))
        else:
            rows.append(BatchRow(draft, call.id_text(USUAL_FORM)))
    return CollectedCalls(tuple(rows))


def _params(call: str) -> str:
    """Return the params of a call as typed; of duplicates the last one."""
    params = ""
    for member in members(call) or ():
        if member.name == "params":
            params = call[slice(*member.value)]
    return params
