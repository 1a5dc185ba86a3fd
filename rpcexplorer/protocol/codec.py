"""Calls to bytes, and whatever bytes arrive to replies.

The decoder is total: a reply comes out of anything. It takes the envelope apart without touching the parts, so
that a result keeps every digit, key order and duplicate the server wrote. Deviations become remarks; only what
cannot be a reply at all is malformed.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.jsontext.utf8 import fault, faults
from rpcexplorer.protocol.envelope import Envelope, open_array, open_object
from rpcexplorer.protocol.event_stream import event_payloads
from rpcexplorer.protocol.large import envelope_in_steps
from rpcexplorer.protocol.messages import Call, EmptyParams, ErrorObject, Malformed, Reply, Result, spelled

UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


# --- out ---------------------------------------------------------------------------------------------------------


def encode(call: Call, empty_params: EmptyParams = "[]") -> bytes:
    """Spell a call as one JSON object: ``jsonrpc``, ``id``, ``method``, ``params``, then its other members."""
    members = ['"jsonrpc":"2.0"']
    if call.id is not None:
        members.append(f'"id":{spelled(call.id)}')
    members.append(f'"method":{spelled(call.method)}')
    params = empty_params if call.params == "[]" else call.params
    if params != "omit":
        members.append(f'"params":{params}')
    members += (f"{spelled(name)}:{text}" for name, text in call.members)
    return ("{" + ",".join(members) + "}").encode()


def encode_batch(calls: Iterable[Call], empty_params: EmptyParams = "[]") -> bytes:
    """Spell several calls as one JSON array."""
    return b"[" + b",".join(encode(call, empty_params) for call in calls) + b"]"


# --- back --------------------------------------------------------------------------------------------------------


def decode(body: bytes, id: str | None) -> Reply:
    """Read the bytes that answered the call with this id. ``None`` leaves the reply's id unchecked."""
    text, remarks = read_text(body)
    if isinstance(text, Malformed):
        return text
    head = text.lstrip()[:1]
    if head == b"{":
        reply = read_object(text, id)
    elif head == b"[":
        reply = _only_element(text, id)
    elif (payloads := event_payloads(text)) is not None:
        reply = _from_stream(payloads, id)
    else:
        reply = Malformed(_what_it_is_instead(text))
    return with_remarks(reply, remarks)


def decode_large(body: bytes, id: str | None) -> Steps[Reply | None]:
    """Read the usual large reply in steps of a millisecond; None for any other, which takes ``decode``."""
    for at in faults(body):
        if at is not None:
            return None
        yield
    envelope = yield from envelope_in_steps(body)
    return None if envelope is None else _meant(envelope, id)


def read_text(body: bytes) -> tuple[bytes | Malformed, tuple[str, ...]]:
    """The body as UTF-8 without its mark, or why it is none."""
    if not body or body.isspace():
        return Malformed("The reply is empty: the server answered without a body."), ()
    remarks: tuple[str, ...] = ()
    if body.startswith(UTF16_BOMS) or body[:4].count(0) >= 2:
        return Malformed("The reply is not UTF-8; it looks like UTF-16 or UTF-32, which JSON-RPC does not use."), ()
    if body.startswith(UTF8_BOM):
        body, remarks = body[3:], ("the reply starts with a byte order mark",)
    if (at := fault(body)) is not None:
        return Malformed(f"The reply is not UTF-8: byte {at} is 0x{body[at]:02x}."), remarks
    return body, remarks


def read_object(text: bytes, id: str | None) -> Reply:
    envelope = open_object(text)
    return Malformed(broken_json(text)) if envelope is None else _meant(envelope, id)


def _meant(envelope: Envelope, id: str | None) -> Reply:
    habits = _habits(envelope)
    remarks = (*envelope.remarks, *_version_remarks(envelope), *_id_remarks(envelope, id))
    # servers of the 1.0 kind send both members: it failed if and only if there is an error that is not null
    if envelope.error is not None and envelope.error != b"null":
        if envelope.result not in {None, b"null"}:
            remarks += ("result and error are both there",)
        return _error(envelope.error, remarks, habits)
    remarks_of_none = (*habits, *remarks)
    if id is not None and envelope.jsonrpc is envelope.id is envelope.error is None and envelope.result is not None:
        return Malformed(
            "The reply has a result, but no jsonrpc, no id and no error: it is none of JSON-RPC.", remarks_of_none
        )
    if envelope.result is None:
        if envelope.method is not None:
            return Malformed("The reply is a request of the server's own, not an answer to the call.", remarks_of_none)
        return Malformed("The reply is a JSON object without result and without error.", remarks_of_none)
    return Result(envelope.result, remarks, habits)


def _error(text: bytes, remarks: tuple[str, ...], habits: tuple[str, ...]) -> Reply:
    members = open_object(text, error=True) if text[:1] == b"{" else None
    if members is None:
        message = _string(text)
        form = "a plain string" if message is not None else "not an object"
        return ErrorObject(None, message or "", None, text, (*remarks, f"error is {form}"), habits)
    remarks += tuple(remark for remark in members.remarks if remark not in remarks)
    code, code_remark = _code(members.code)
    message = "" if members.message is None else _string(members.message)
    if members.message is None:
        remarks += ("error.message is missing",)
    elif message is None:
        remarks += ("error.message is not a string",)
        message = members.message.decode()
    return ErrorObject(code, message or "", members.data, text, remarks + code_remark, habits)


def _code(text: bytes | None) -> tuple[int | None, tuple[str, ...]]:
    if text is None:
        return None, ("error.code is missing",)
    digits = text[1:] if text.startswith(b"-") else text
    if digits.isdigit() and len(digits) <= 18:
        return int(text), ()
    if digits.rstrip(b"0").rstrip(b".").isdigit() and b"." in digits and len(digits) <= 18:
        return int(float(text)), (f"error.code is written as {text.decode()}",)
    return None, ("error.code is not an integer",)


def _only_element(text: bytes, id: str | None) -> Reply:
    parts = open_array(text)
    if parts is None:
        return Malformed(broken_json(text))
    if len(parts) != 1:
        return Malformed(f"The reply is an array of {len(parts)}, but one call was made.")
    return with_remarks(read_object(parts[0], id), ("the reply came wrapped in an array",))


def _from_stream(payloads: list[bytes], id: str | None) -> Reply:
    """The reply among the events of a stream: the one with the id, else the last that is a reply at all."""
    replies = [(payload, read_object(payload, id)) for payload in payloads if payload.lstrip()[:1] == b"{"]
    replies = [pair for pair in replies if not isinstance(pair[1], Malformed)]
    if not replies:
        return Malformed(f"The reply is an event stream of {len(payloads)} events, and none of them is a reply.")
    named = [pair for pair in replies if id is not None and id_of(pair[0]) == spelled(id).encode()]
    payload, reply = (named or replies)[-1]
    before = payloads.index(payload)
    return with_remarks(reply, (f"came as an event stream, {before} other event(s) before it",))


def _habits(envelope: Envelope) -> tuple[str, ...]:
    """What is odd about the members that are there, where a whole server writes its replies like that."""
    both = envelope.result is not None and envelope.error is not None
    if envelope.jsonrpc is None:
        old = ", and result and error stand side by side, as in JSON-RPC 1.0"
        return (f"jsonrpc is missing{old if both else ''}",)
    return ('"error": null beside the result',) if both and envelope.error == b"null" else ()


def _version_remarks(envelope: Envelope) -> tuple[str, ...]:
    if envelope.jsonrpc is None or envelope.jsonrpc == b'"2.0"':
        return ()
    return (f'jsonrpc is {short(envelope.jsonrpc)}, not "2.0"',)


def _id_remarks(envelope: Envelope, id: str | None) -> tuple[str, ...]:
    if id is None:
        return ()
    if envelope.id is None:
        return ("id is missing",)
    if _string(envelope.id) == id:
        return ()
    return (f"id is {short(envelope.id)}, not {short(spelled(id).encode())}: it may answer another call",)


def id_of(text: bytes) -> bytes | None:
    """The id of a reply, as the server wrote it."""
    envelope = open_object(text)
    return envelope.id if envelope else None


def _string(text: bytes) -> str | None:
    """The string that ``text`` spells, or None where it spells something else."""
    if text[:1] != b'"':
        return None
    try:
        return msgspec.json.decode(text, type=str)
    except msgspec.DecodeError:
        import json  # takes lone surrogates and raw control characters

        value = json.loads(text, strict=False)
        return value if isinstance(value, str) else None


def short(text: bytes, limit: int = 60) -> str:
    """The text, or as much of it as fits into a remark."""
    shown = text.decode()
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def with_remarks(reply: Reply, remarks: tuple[str, ...]) -> Reply:
    return replace(reply, remarks=(*remarks, *reply.remarks)) if remarks else reply


def broken_json(text: bytes) -> str:
    """What is wrong with a text that begins like JSON."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return (
                "The reply starts like JSON and ends in the middle of it: the server, or what is between, cut it off."
            )
        detail = str(error).removeprefix("JSON is malformed: ")
        return f"The reply starts like JSON but is not: {detail}."
    except RecursionError:
        return "The reply starts like JSON but its brackets, which nest very deep, do not match."
    return "The reply starts like JSON but its brackets do not match."


def _what_it_is_instead(text: bytes) -> str:
    start = text.lstrip()[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "The reply is an HTML page, not JSON: is this the right path, or did a gateway answer?"
    if start.startswith((b"<?xml", b"<")):
        return "The reply is XML or HTML, not JSON: is this the right path?"
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return "The reply is plain text, not JSON."
    return "The reply is a bare JSON value, not a JSON-RPC reply object."
