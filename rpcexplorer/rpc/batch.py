"""Batches: calls in one body, and the responses matched by id."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.rpc.codec import (
    MISSING_IDS,
    broken_json,
    counted,
    event_payloads,
    id_of,
    messages_in,
    no_reply_in,
    open_array,
    read_object,
    read_text,
    short,
    with_remarks,
)
from rpcexplorer.rpc.messages import (
    USUAL_FORM,
    Call,
    ErrorObject,
    Malformed,
    MessageForm,
    Reply,
    Result,
    array_of,
    spellings,
)

NAMED = 10
ONE_FOR_ALL: Final = "the server sent one response for the whole batch"


class BatchReply(Struct, frozen=True):
    id: bytes | None
    text: bytes
    reply: Reply


class Matched(Struct, frozen=True):
    own: tuple[BatchReply | None, ...]
    """Responses in the order of the calls; None for a missing one."""
    others: tuple[BatchReply, ...] = ()


class _Opened(Struct, frozen=True):
    text: bytes
    texts: Sequence[bytes]
    is_array: bool
    """Whether each call can have its own response.

    False for one response to all calls: an object, or an array with only an error without an id.
    """
    remarks: tuple[str, ...]

    def parts(self, form: MessageForm) -> list[BatchReply]:
        return [BatchReply(id_of(part, form), part, read_object(part, None, form)) for part in self.texts]


def decode_batch(body: bytes, calls: Sequence[Call], form: MessageForm = USUAL_FORM) -> Reply:
    """Return the outcome of a batch; its text is the whole response.

    Without calls, as for a recorded batch, only the responses are judged.
    """
    opened = _opened(body, form)
    if isinstance(opened, Malformed):
        return opened
    parts, remarks = opened.parts(form), opened.remarks
    if not opened.is_array:
        remarks += (ONE_FOR_ALL,)
        whole = _for_all(parts[0])
        if whole is not None:
            return with_remarks(whole, remarks)
    return _settled(opened.text, parts, calls, form, remarks)


def matched(body: bytes, calls: Sequence[Call], form: MessageForm = USUAL_FORM) -> Matched | Reply:
    """Return the response to each call, or the one for all of them.

    A record does not say whether its ids were sent as numbers, so both spellings match.
    """
    opened = _opened(body, form)
    if isinstance(opened, Malformed):
        return opened
    parts = opened.parts(form)
    if not opened.is_array and (whole := _for_all(parts[0])) is not None:
        return with_remarks(whole, (ONE_FOR_ALL,))
    own: list[BatchReply | None] = [None] * len(calls)
    others = []
    places: dict[bytes, deque[int]] = {}
    for place, call in enumerate(calls):
        if call.id is not None:
            for spelling in spellings(call.id):
                places.setdefault(spelling, deque()).append(place)
    for part in parts:
        free = places.get(part.id or b"", deque())
        while free and own[free[0]] is not None:  # taken by the id in another spelling
            free.popleft()
        if free:
            own[free.popleft()] = part
        else:
            others.append(part)
    return Matched(tuple(own), tuple(others))


def _opened(body: bytes, form: MessageForm) -> _Opened | Malformed:
    text, remarks = read_text(body)
    if isinstance(text, Malformed):
        return text
    head = text.lstrip()[:1]
    if head == b"[":
        texts = open_array(text)
        if texts is None:
            return Malformed(broken_json(text), remarks)
        is_refusal = len(texts) == 1 and id_of(texts[0], form) in MISSING_IDS
        if is_refusal and isinstance(read_object(texts[0], None, form), ErrorObject):
            return _Opened(texts[0], texts, False, remarks)
        return _Opened(text, texts, True, remarks)
    if head != b"{" and (payloads := event_payloads(text)) is not None:
        messages = messages_in(payloads)
        texts = [part for part in messages if not isinstance(read_object(part, None, form), Malformed)]
        if not texts:
            return replace(no_reply_in(payloads), remarks=remarks)
        if others := len(messages) - len(texts):
            remarks += (f"the response is an event stream, with {counted(others, 'other event')}",)
        if len(texts) == 1 and id_of(texts[0], form) in MISSING_IDS:
            return _Opened(texts[0], texts, False, remarks)
        return _Opened(array_of(texts), texts, True, remarks)
    return _Opened(text, [text], False, remarks)


def _for_all(part: BatchReply) -> ErrorObject | Malformed | None:
    """Return the response that rejects the whole batch, or None."""
    if isinstance(part.reply, Malformed):
        return part.reply
    if isinstance(part.reply, ErrorObject) and part.id in MISSING_IDS:
        return part.reply
    return None


def _settled(
    text: bytes, parts: Sequence[BatchReply], calls: Sequence[Call], form: MessageForm, remarks: tuple[str, ...]
) -> Reply:
    """Return the outcome of the batch: its worst response counts."""
    awaited = {call.id_text(form).encode(): call for call in calls if call.id is not None}
    ids = [part.id for part in parts]
    known = set(ids)  # A look-up in a list for each call would be quadratic.
    missing = [id for id in awaited if id not in known]
    unexpected = [id for id in ids if id not in awaited] if awaited else []
    remarks += _remarks(awaited, ids, missing, unexpected, parts)
    failed = [part.reply for part in parts if isinstance(part.reply, ErrorObject)]
    broken = [part.reply for part in parts if isinstance(part.reply, Malformed)]
    failures, also = "", ""
    if failed:
        failures = f"{len(failed)} of {len(parts)} calls failed: {failed[0].message}"
        also = f" {failures}."
    # A response with an unknown id may belong to one of the calls without a response.
    lacking = len(missing) - len(unexpected)
    if lacking > 0:
        which = ", ".join(f"{awaited[id].method} ({short(id)})" for id in missing[:NAMED])
        if len(missing) > NAMED:
            which += f" and {len(missing) - NAMED} more"
        if unexpected:
            which = f"one of {which}"
        return Malformed(f"{lacking} of {len(awaited)} calls got no response: {which}.{also}", remarks)
    if broken:
        verb = "is" if len(broken) == 1 else "are"
        return Malformed(f"{len(broken)} of {len(parts)} responses {verb} malformed: {broken[0].reason}{also}", remarks)
    quirks = set[str]()
    for part in parts:
        if not isinstance(part.reply, Malformed):
            quirks.update(part.reply.habits)
    if failed:
        return ErrorObject(failed[0].code, failures, None, text, remarks, tuple(sorted(quirks)))
    return Result(text, remarks, tuple(sorted(quirks)))


def _remarks(
    awaited: dict[bytes, Call],
    ids: list[bytes | None],
    missing: list[bytes],
    unexpected: list[bytes | None],
    parts: Sequence[BatchReply],
) -> tuple[str, ...]:
    remarks = []
    seen = Counter(ids)
    if unexpected:
        names = ", ".join(short(id or b"(no id)") for id in unexpected[:NAMED])
        remarks.append(f"responses that match no call: {names}")
    twice = [id.decode() for id in awaited if seen[id] > 1]
    if twice:
        remarks.append(f"ids with more than one response: {', '.join(twice)}")
    if not missing and not unexpected and awaited and ids != list(awaited):
        remarks.append("the responses are not in the order of the calls")
    of_parts = set[str]()
    for part in parts:
        of_parts.update(part.reply.remarks)
    return (*remarks, *sorted(of_parts))
