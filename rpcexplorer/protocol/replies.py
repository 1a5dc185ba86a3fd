"""What the members of a reply mean, by the envelope that the server writes; and what is odd about them.

What a version of JSON-RPC wants is no oddity where a profile says that the server speaks it.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from rpcexplorer.protocol.envelope import Envelope, broken_json, open_object
from rpcexplorer.protocol.ids import wire_id
from rpcexplorer.protocol.messages import EnvelopeForm, ErrorObject, Malformed, MessageForm, Reply, Result

NOBODYS = (None, b"null")
"""The id of a reply that says it is nobody's."""


def read_object(text: bytes, id: str | None, form: MessageForm) -> Reply:
    envelope = open_object(text)
    return Malformed(broken_json(text)) if envelope is None else meant(envelope, id, form)


def meant(envelope: Envelope, id: str | None, form: MessageForm) -> Reply:
    """The reply that these members are. ``None`` leaves the id unchecked."""
    if form.envelope == "transmission":
        return _of_transmission(envelope, id, form)
    habits = _habits(envelope, form.envelope)
    remarks = (*envelope.remarks, *_version_remarks(envelope, form.envelope), *_id_remarks(envelope.id, id, form))
    # servers of the 1.0 kind send both members: it failed if and only if there is an error that is not null
    if envelope.error is not None and envelope.error != b"null":
        if envelope.result not in {None, b"null"}:
            remarks += ("result and error are both there",)
        return _error(envelope.error, remarks, habits, form.envelope)
    remarks_of_none = (*habits, *remarks)
    is_unmarked = envelope.jsonrpc is envelope.version is envelope.id is envelope.error is None
    if id is not None and is_unmarked and envelope.result is not None:
        return Malformed(
            "The reply has a result, but no jsonrpc, no id and no error: it is none of JSON-RPC.", remarks_of_none
        )
    if envelope.result is None:
        if envelope.method is not None:
            return Malformed("The reply is a request of the server's own, not an answer to the call.", remarks_of_none)
        return Malformed("The reply is a JSON object without result and without error.", remarks_of_none)
    return Result(envelope.result, remarks, habits)


def id_of(text: bytes, form: MessageForm) -> bytes | None:
    """The id of a reply, as the server wrote it."""
    envelope = open_object(text)
    return id_in(envelope, form) if envelope else None


def id_in(envelope: Envelope, form: MessageForm) -> bytes | None:
    return envelope.tag if form.envelope == "transmission" else envelope.id


def _of_transmission(envelope: Envelope, id: str | None, form: MessageForm) -> Reply:
    remarks = (*envelope.remarks, *_id_remarks(envelope.tag, id, form, "tag"))
    if envelope.error is not None and envelope.error != b"null":
        return _error(envelope.error, (*remarks, "it is written in JSON-RPC's own envelope"), (), "2.0")
    said = None if envelope.result is None else _string(bytes(envelope.result))
    if envelope.result is None or said is None:
        lacks = "no result" if envelope.result is None else "a result that is no text"
        return Malformed(
            f"The reply has {lacks}: it is none of Transmission's own dialect. "
            'Set envelope = "2.0" in the profile if the server speaks JSON-RPC.',
            remarks,
        )
    if said != "success":
        data = envelope.arguments if envelope.arguments not in {None, b"{}", b"null"} else None
        return ErrorObject(None, said, None if data is None else bytes(data), bytes(envelope.result), remarks)
    if envelope.arguments is None:
        return Result(envelope.result, (*remarks, "arguments is missing"))
    return Result(envelope.arguments, remarks)


def _error(text: bytes, remarks: tuple[str, ...], habits: tuple[str, ...], version: EnvelopeForm) -> Reply:
    members = open_object(text, error=True) if text[:1] == b"{" else None
    if members is None:
        message = _string(text)
        kind = "a plain string" if message is not None else "not an object"
        return ErrorObject(None, message or "", None, text, (*remarks, f"error is {kind}"), habits)
    remarks += tuple(remark for remark in members.remarks if remark not in remarks)
    code, code_remark = _code(members.code)
    message = "" if members.message is None else _string(members.message)
    message_remark = ("error.message is missing",) if members.message is None else ()
    if message is None and members.message is not None:
        message_remark = ("error.message is not a string",)
        message = members.message.decode()
    if version == "1.0":  # which leaves it to the server what stands in an error
        code_remark = code_remark if members.code is not None else ()
        message_remark = message_remark if members.message is not None else ()
    data = members.error if version == "1.1" and members.data is None else members.data
    return ErrorObject(code, message or "", data, text, remarks + message_remark + code_remark, habits)


def _code(text: bytes | None) -> tuple[int | None, tuple[str, ...]]:
    if text is None:
        return None, ("error.code is missing",)
    digits = text[1:] if text.startswith(b"-") else text
    if digits.isdigit() and len(digits) <= 18:
        return int(text), ()
    if digits.rstrip(b"0").rstrip(b".").isdigit() and b"." in digits and len(digits) <= 18:
        return int(float(text)), (f"error.code is written as {text.decode()}",)
    return None, ("error.code is not an integer",)


def _habits(envelope: Envelope, version: EnvelopeForm) -> tuple[str, ...]:
    """What is odd about the members that are there, where a whole server writes its replies like that."""
    both = envelope.result is not None and envelope.error is not None
    if version == "1.1" and envelope.version is None and envelope.jsonrpc is None:
        return ("version is missing",)
    if version != "2.0":
        later = envelope.jsonrpc == b'"2.0"'
        return (f'jsonrpc is "2.0", though the profile says {version}',) if later else ()
    if envelope.jsonrpc is None:
        old = ", and result and error stand side by side, as in JSON-RPC 1.0"
        return (f"jsonrpc is missing{old if both else ''}",)
    return ('"error": null beside the result',) if both and envelope.error == b"null" else ()


def _version_remarks(envelope: Envelope, version: EnvelopeForm) -> tuple[str, ...]:
    wanted = f'"{version}"'
    said = {"jsonrpc": envelope.jsonrpc, "version": envelope.version if version == "1.1" else None}
    return tuple(
        f"{name} is {short(text)}, not {wanted}"
        for name, text in said.items()
        if text is not None and text not in {wanted.encode(), b'"2.0"'}
    )


def _id_remarks(came: bytes | None, id: str | None, form: MessageForm, member: str = "id") -> tuple[str, ...]:
    if id is None:
        return ()
    if came is None:
        return (f"{member} is missing",)
    sent = wire_id(id, form)
    if came == sent.encode() or (sent[0] == '"' and _string(came) == id):
        return ()
    return (f"{member} is {short(came)}, not {short(sent.encode())}: it may answer another call",)


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
    """The text, if it fits into a remark. No part of it: in a part nobody finds the secret that it is a part of."""
    shown = text.decode()
    return shown if len(shown) <= limit else f"a text of {len(shown):,} characters"


def with_remarks(reply: Reply, remarks: tuple[str, ...]) -> Reply:
    return replace(reply, remarks=(*remarks, *reply.remarks)) if remarks else reply
