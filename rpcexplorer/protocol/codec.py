"""Calls to bytes, and whatever bytes arrive to replies.

The decoder is total: a reply comes out of anything. It takes the envelope apart without touching the parts, so
that a result keeps every digit, key order and duplicate the server wrote. Deviations become remarks; only what
cannot be a reply at all is malformed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.jsontext.utf8 import fault, faults
from rpcexplorer.protocol.envelope import broken_json, is_native, open_array
from rpcexplorer.protocol.event_stream import event_payloads, reply_in
from rpcexplorer.protocol.ids import wire_id
from rpcexplorer.protocol.large import envelope_in_steps
from rpcexplorer.protocol.messages import USUAL_FORM, Call, EnvelopeForm, Malformed, MessageForm, Reply, spelled
from rpcexplorer.protocol.replies import meant, read_object, with_remarks

UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")

WrittenMembers = tuple[tuple[str, str | None], ...]
"""Names and their JSON text, in order; None leaves one out."""

VERSIONS: Final[Mapping[EnvelopeForm, WrittenMembers]] = {
    "2.0": (("jsonrpc", '"2.0"'),),
    "1.1": (("version", '"1.1"'),),
    "1.0": (),
}
"""What a request begins with."""


# --- out ---------------------------------------------------------------------------------------------------------


def encode(call: Call, form: MessageForm = USUAL_FORM) -> bytes:
    """Spell a call as one JSON object: its version, ``id``, ``method``, ``params``, then its other members."""
    id = None if call.id is None else wire_id(call.id, form)
    members = _members_of_transmission(call, form, id) if form.envelope == "transmission" else _members(call, form, id)
    written = [f'"{name}":{text}' for name, text in members if text is not None]
    written += (f"{spelled(name)}:{text}" for name, text in call.members)
    return ("{" + ",".join(written) + "}").encode()


def _members(call: Call, form: MessageForm, id: str | None) -> WrittenMembers:
    """In JSON-RPC 1.0 a notification has an id that is null."""
    empty = None if form.empty_params == "omit" else form.empty_params
    return (
        *VERSIONS[form.envelope],
        ("id", "null" if id is None and form.envelope == "1.0" else id),
        ("method", spelled(call.method)),
        ("params", empty if call.params == "[]" else call.params),
    )


def _members_of_transmission(call: Call, form: MessageForm, tag: str | None) -> WrittenMembers:
    """Its arguments are an object, also where there are none."""
    empty = None if form.empty_params == "omit" else "{}"
    return (
        ("method", spelled(call.method)),
        ("arguments", empty if call.params == "[]" else call.params),
        ("tag", tag),
    )


def encode_batch(calls: Iterable[Call], form: MessageForm = USUAL_FORM) -> bytes:
    """Spell several calls as one JSON array."""
    return b"[" + b",".join(encode(call, form) for call in calls) + b"]"


# --- back --------------------------------------------------------------------------------------------------------


def decode(body: bytes, id: str | None, form: MessageForm = USUAL_FORM) -> Reply:
    """Read the bytes that answered the call with this id. ``None`` leaves the reply's id unchecked."""
    text, remarks = read_text(body)
    if isinstance(text, Malformed):
        return text
    head = text.lstrip()[:1]
    if head == b"{":
        reply = read_object(text, id, form)
    elif head == b"[":
        reply = _only_element(text, id, form)
    elif (payloads := event_payloads(text)) is not None:
        reply = reply_in(payloads, id, form)
    else:
        reply = Malformed(_what_it_is_instead(text))
    return with_remarks(reply, remarks)


def decode_large(body: bytes, id: str | None, form: MessageForm = USUAL_FORM) -> Steps[Reply | None]:
    """Read the usual large reply in steps of a millisecond; None for any other, which takes ``decode``."""
    for at in faults(body):
        if at is not None:
            return None
        yield
    envelope = yield from envelope_in_steps(body)
    return None if envelope is None else meant(envelope, id, form)


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


def _only_element(text: bytes, id: str | None, form: MessageForm) -> Reply:
    parts = open_array(text)
    if parts is None:
        return Malformed(broken_json(text))
    if len(parts) != 1:
        return Malformed(f"The reply is an array of {len(parts)}, but one call was made.")
    return with_remarks(read_object(parts[0], id, form), ("the reply came wrapped in an array",))


def _what_it_is_instead(text: bytes) -> str:
    start = text.lstrip()[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "The reply is an HTML page, not JSON: is this the right path, or did a gateway answer?"
    if start.startswith((b"<?xml", b"<")):
        return "The reply is XML or HTML, not JSON: is this the right path?"
    if is_native(text):
        return "The reply is a bare JSON value, not a JSON-RPC reply object."
    return "The reply is plain text, not JSON."
