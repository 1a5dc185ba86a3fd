"""What the bytes mean that answered a batch: a result if every call got one, and otherwise which call got what.

A batch is no success before each of its calls is: one without a reply, or with something that is none, makes the
whole malformed. What came is kept in every case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from rpcexplorer.protocol.codec import read_text
from rpcexplorer.protocol.envelope import broken_json, open_array
from rpcexplorer.protocol.event_stream import event_payloads, messages_in, no_reply_in
from rpcexplorer.protocol.ids import wire_id
from rpcexplorer.protocol.messages import USUAL_FORM, Call, ErrorObject, Malformed, MessageForm, Reply, Result
from rpcexplorer.protocol.replies import NOBODYS, id_of, read_object, short, with_remarks

NAMED = 10
"""Calls without a reply that are named; the rest is counted."""


class _Part(Struct, frozen=True):
    """One reply of a batch."""

    id: bytes | None
    """As the server wrote it."""
    reply: Reply


def decode_batch(body: bytes, calls: Sequence[Call], form: MessageForm = USUAL_FORM) -> Reply:
    """Read the bytes that answered these calls; the value is the whole reply, untouched.

    Of a record the calls are no longer known: then only what came is judged.
    """
    text, remarks = read_text(body)
    if isinstance(text, Malformed):
        return text
    head = text.lstrip()[:1]
    if head == b"[":
        texts = open_array(text)
        if texts is None:
            return with_remarks(Malformed(broken_json(text)), remarks)
    elif head != b"{" and (payloads := event_payloads(text)) is not None:
        came = messages_in(payloads)
        texts = [part for part in came if not isinstance(read_object(part, None, form), Malformed)]
        if not texts:
            return with_remarks(no_reply_in(payloads, form), remarks)
        if others := len(came) - len(texts):
            remarks += (f"came as an event stream, {others} other event(s) among them",)
        if len(texts) == 1 and id_of(texts[0], form) in NOBODYS:
            return _whole(texts[0], calls, form, remarks)
        text = b"[" + b",".join(texts) + b"]"
    else:
        return _whole(text, calls, form, remarks)
    parts = [_Part(id_of(part, form), read_object(part, None, form)) for part in texts]
    return _settled(text, parts, calls, form, remarks)


def _whole(text: bytes, calls: Sequence[Call], form: MessageForm, remarks: tuple[str, ...]) -> Reply:
    """One reply to all of it. An error that names no call refuses the batch as such."""
    part = _Part(id_of(text, form), read_object(text, None, form))
    remarks += ("the server answered the whole batch with one reply",)
    if isinstance(part.reply, Malformed) or (part.id in NOBODYS and isinstance(part.reply, ErrorObject)):
        return with_remarks(part.reply, remarks)
    return _settled(text, [part], calls, form, remarks)


def _settled(
    text: bytes, parts: Sequence[_Part], calls: Sequence[Call], form: MessageForm, remarks: tuple[str, ...]
) -> Reply:
    """What the replies come to: the worst of them counts."""
    awaited = {wire_id(call.id, form).encode(): call for call in calls if call.id is not None}
    came = [part.id for part in parts]
    missing = [id for id in awaited if id not in came]
    strange = [id for id in came if id not in awaited] if awaited else []
    remarks += _remarks(awaited, came, missing, strange, parts)
    failed = [part.reply for part in parts if isinstance(part.reply, ErrorObject)]
    broken = [part.reply for part in parts if isinstance(part.reply, Malformed)]
    first = failed[0] if failed else None
    failures = f"{len(failed)} of {len(parts)} calls failed: {first.message}" if first else ""
    # a reply without the right id may answer one of those that seem to have none
    if (lacking := len(missing) - len(strange)) > 0:
        names = [f"{awaited[id].method} ({short(id)})" for id in missing[:NAMED]]
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        which = f"{', '.join(names)}{more}" if not strange else f"one of {', '.join(names)}{more}"
        also = f" {failures}." if failures else ""
        return Malformed(f"{lacking} of {len(awaited)} calls got no reply: {which}.{also}", remarks)
    if broken:
        also = f" {failures}." if failures else ""
        return Malformed(f"{len(broken)} of {len(parts)} replies are none: {broken[0].reason}{also}", remarks)
    habits = tuple(sorted({habit for part in parts for habit in getattr(part.reply, "habits", ())}))
    if first:
        return ErrorObject(first.code, failures, None, text, remarks, habits)
    return Result(text, remarks, habits)


def _remarks(
    awaited: dict[bytes, Call],
    came: list[bytes | None],
    missing: list[bytes],
    strange: list[bytes | None],
    parts: Sequence[_Part],
) -> tuple[str, ...]:
    remarks = []
    seen = Counter(came)
    if strange:
        names = ", ".join(short(id or b"(no id)") for id in strange[:NAMED])
        remarks.append(f"replies to nothing that was asked: {names}")
    if twice := [id.decode() for id in awaited if seen[id] > 1]:
        remarks.append(f"more than one reply to {', '.join(twice)}")
    if not missing and not strange and awaited and came != list(awaited):
        remarks.append("the replies came in another order")
    remarks += sorted({remark for part in parts for remark in part.reply.remarks})
    return tuple(remarks)
