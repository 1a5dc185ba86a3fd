"""Encode requests and decode responses, for each JSON-RPC version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.scan import elements, long_number, members, oddities
from rpcexplorer.jsontext.slices import Text, fault
from rpcexplorer.rpc.messages import (
    USUAL_FORM,
    Call,
    EnvelopeForm,
    ErrorObject,
    Malformed,
    MessageForm,
    Reply,
    Result,
    array_of,
    spelled,
    spellings,
    wire_id,
)

LARGE = 1024 * 1024
"""Larger responses, in bytes, share their memory with the result."""
MAX_SCANNED = 64 * 1024
"""Bytes above which a response is not searched for duplicate members.

Only the slow scanner sees those: it takes up to 2 s for 1 MB.
"""
MAX_LENIENT = 64 * 1024 * 1024
"""Bytes above which only strict JSON is read."""
MAX_DEEP = 256 * 1024
"""Bytes above which the slow scanner does not read what is nested too deeply for msgspec, or describe odd JSON."""
SPELLED_STRICTLY = (
    (b"-Infinity", b"[       ]"),
    (b"Infinity", b"[      ]"),
    (b"NaN", b"[ ]"),
    (rb"\ud", rb"\u0"),
    (rb"\uD", rb"\u0"),
)
"""Texts that strict JSON does not allow, with a replacement of the same length that is valid in the same place."""
NO_CONTROLS = bytes.maketrans(bytes(range(32)), b"X" * 9 + b"  " + b"XX" + b" " + b"X" * 18)
"""Replaces raw control characters: whitespace by a blank, others by a character that is valid in strings only."""


class _Native(msgspec.Struct):
    """The members of a response or of its error that have a meaning."""

    jsonrpc: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    version: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    tag: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    method: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    arguments: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    code: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    message: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    data: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


FIELDS = _Native.__struct_fields__
ERROR_FIELDS = {"code", "message", "data"}
REPLY_FIELDS = {*FIELDS} - ERROR_FIELDS
LONG_FIELDS = {"result", "arguments"}


class Envelope(Struct, frozen=True):
    """The parts of a response or of an error object, as the server wrote them."""

    jsonrpc: bytes | None = None
    version: bytes | None = None
    id: bytes | None = None
    tag: bytes | None = None
    method: bytes | None = None
    result: Text | None = None
    """A view of the text, not a copy, if the response is large."""
    arguments: Text | None = None
    """The result in Transmission's format, where ``result`` is a word."""
    error: bytes | None = None
    code: bytes | None = None
    message: bytes | None = None
    data: bytes | None = None
    remarks: tuple[str, ...] = ()


def open_object(text: bytes, *, error: bool = False, max_deep: int = MAX_DEEP) -> Envelope | None:
    """Return the members of an object, or None if the text is not one.

    Text that is not strict JSON is read leniently, up to a size.
    """
    remarks: tuple[str, ...] = ()
    found: Mapping[str, bytes] | None = native_parts(text)
    if found is None:
        found = _lenient_parts(text, max_deep)
        if found is None:
            return None
        remarks = oddities(text.decode()) if len(text) <= MAX_DEEP else (ODD_JSON,)
    elif digits := long_number(text):
        remarks = (digits,)
    parts: dict[str, Any] = {}
    for name, raw in found.items():
        is_view = name in LONG_FIELDS and len(text) > LARGE
        parts[name] = memoryview(raw) if is_view else bytes(raw)
    twice = _duplicates(text, parts, ERROR_FIELDS if error else REPLY_FIELDS)
    return Envelope(**parts, remarks=(*remarks, *twice))


def native_parts(text: bytes) -> dict[str, msgspec.Raw] | None:
    """Return the members of strict JSON as they are in the text, or None."""
    try:
        return _members_of(msgspec.json.decode(text, type=_Native))
    except (msgspec.DecodeError, RecursionError):
        return None


def _members_of(native: _Native) -> dict[str, msgspec.Raw]:
    found = {name: getattr(native, name) for name in FIELDS}
    return {name: raw for name, raw in found.items() if raw is not msgspec.UNSET}


def _lenient_parts(text: bytes, max_deep: int) -> Mapping[str, bytes] | None:
    try:
        return _members_of(_decode_leniently(text, _Native))
    except msgspec.DecodeError:
        return None
    except RecursionError:
        if len(text) > max_deep:
            return None
        whole = text.decode()
        deep = members(whole)
        if deep is None:
            return None
        return {member.name: whole[slice(*member.value)].encode() for member in deep if member.name in FIELDS}


def _decode_leniently(text: bytes, kind: Any) -> Any:
    """Decode JSON as servers write it, nearly as fast as strict JSON."""
    text.decode()  # The parser does not look at texts that it skips.
    if len(text) > MAX_LENIENT:
        raise msgspec.DecodeError
    buffer = bytearray(_strictly(text))
    found = msgspec.json.decode(buffer, type=kind)
    buffer[:] = text  # Its parts are views of the buffer: now they are as the server wrote them.
    return found


def _strictly(text: bytes) -> bytes:
    """Return strict JSON with the same places, if the text is lenient JSON."""
    for odd, strict in SPELLED_STRICTLY:
        text = text.replace(odd, strict)
    return text.translate(NO_CONTROLS)


def is_native(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def open_array(text: bytes) -> list[bytes] | None:
    """Return the elements of an array, or None if the text is not one."""
    try:
        return [bytes(raw) for raw in msgspec.json.decode(text, type=list[msgspec.Raw])]
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        return [bytes(raw) for raw in _decode_leniently(text, list[msgspec.Raw])]
    except msgspec.DecodeError:
        return None
    except RecursionError:
        if len(text) > MAX_DEEP:
            return None
        whole = text.decode()
        spans = elements(whole)
        if spans is None:
            return None
        return [whole[start:end].encode() for start, end in spans]


def _duplicates(text: bytes, parts: dict[str, Any], fields: set[str]) -> tuple[str, ...]:
    """Report duplicate members; a compact object is recognised by its length."""
    compact = 1 + sum(len(name) + 4 + len(value) for name, value in parts.items())
    if len(text) == compact or len(text) > MAX_SCANNED:
        return ()
    counts = Counter(member.name for member in members(text.decode()) or ())
    twice = sorted(name for name in fields if counts[name] > 1)
    return tuple(f"the member {name} appears twice: the last one counts" for name in twice)


ODD_JSON: Final = "it has NaN, Infinity, a control character or a lone surrogate, which are not JSON"


def broken_json(text: bytes) -> str:
    """Return why a text is not read as JSON, not even leniently."""
    if len(text) > MAX_LENIENT and not is_native(text):
        return f"The response is not strict JSON. Other JSON is read up to {MAX_LENIENT // LARGE} MiB only."
    try:
        msgspec.json.decode(_strictly(text), type=msgspec.Raw)
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return "The response is incomplete JSON: the server or a gateway cut it off."
        detail = str(error).removeprefix("JSON is malformed: ")
        return f"The response is not valid JSON: {detail}."
    except RecursionError:
        if len(text) > MAX_DEEP:
            return f"The response is nested too deeply to be read: such JSON can have {MAX_DEEP // 1024} KiB."
        return "The response is not valid JSON: its very deeply nested brackets do not match."
    return "The response is not valid JSON: its brackets do not match."


MISSING_IDS = (None, b"null")


def read_object(text: bytes, id: str | None, form: MessageForm) -> Reply:
    envelope = open_object(text)
    if envelope is None:
        return Malformed(broken_json(text))
    return meant(envelope, id, form)


def meant(envelope: Envelope, id: str | None, form: MessageForm) -> Reply:
    """Return the outcome of these members; an id of None is not checked."""
    if form.envelope == "transmission":
        return _of_transmission(envelope, id, form)
    quirks = _quirks(envelope, form.envelope)
    remarks = (*envelope.remarks, *_version_remarks(envelope, form.envelope), *_id_remarks(envelope.id, id, form))
    # JSON-RPC 1.0 servers send both members. The call failed if the error is not null.
    if envelope.error is not None and envelope.error != b"null":
        if envelope.result not in {None, b"null"}:
            remarks += ("both result and error are present",)
        return _error(envelope.error, remarks, quirks, form.envelope)
    remarks_of_none = (*quirks, *remarks)
    is_unmarked = envelope.jsonrpc is envelope.version is envelope.id is envelope.error is None
    if id is not None and is_unmarked and envelope.result is not None:
        sentence = "Not a JSON-RPC response: it has a result, but no jsonrpc, id or error."
        return Malformed(sentence, remarks_of_none, "bare result")
    if envelope.result is None:
        if envelope.method is not None:
            return Malformed("The response is a server request, not a response to the call.", remarks_of_none)
        return Malformed("The response is a JSON object without result or error.", remarks_of_none)
    return Result(envelope.result, remarks, quirks)


def id_of(text: bytes, form: MessageForm) -> bytes | None:
    envelope = open_object(text)
    return None if envelope is None else _id_in(envelope, form)


def _id_in(envelope: Envelope, form: MessageForm) -> bytes | None:
    return envelope.tag if form.envelope == "transmission" else envelope.id


def _of_transmission(envelope: Envelope, id: str | None, form: MessageForm) -> Reply:
    remarks = (*envelope.remarks, *_id_remarks(envelope.tag, id, form, "tag"))
    if envelope.error is not None and envelope.error != b"null":
        return _error(envelope.error, (*remarks, "the response has the format of JSON-RPC"), (), "2.0")
    other_format = 'If the server uses JSON-RPC, set envelope = "2.0" in the profile.'
    if envelope.result is None:
        return Malformed(f"Not a response in the Transmission format: it has no result. {other_format}", remarks)
    word = _string(bytes(envelope.result))
    if word is None:
        lacks = "it has a result that is not a string"
        return Malformed(f"Not a response in the Transmission format: {lacks}. {other_format}", remarks)
    if word != "success":
        data = None
        if envelope.arguments not in {None, b"{}", b"null"}:
            data = bytes(envelope.arguments or b"")
        return ErrorObject(None, word, data, bytes(envelope.result), remarks)
    if envelope.arguments is None:
        return Result(envelope.result, (*remarks, "arguments is missing"))
    return Result(envelope.arguments, remarks)


def _error(text: bytes, remarks: tuple[str, ...], quirks: tuple[str, ...], version: EnvelopeForm) -> Reply:
    members = open_object(text, error=True) if text.startswith(b"{") else None
    if members is None:
        message = _string(text)
        kind = "not an object" if message is None else "a plain string"
        return ErrorObject(None, message or "", None, text, (*remarks, f"error is {kind}"), quirks)
    remarks += tuple(remark for remark in members.remarks if remark not in remarks)
    message = ""
    if members.message is not None:
        message = _string(members.message)
        if message is None:
            message = members.message.decode()
            remarks += ("error.message is not a string",)
    elif version != "1.0":  # JSON-RPC 1.0 does not say what an error contains.
        remarks += ("error.message is missing",)
    code = None
    if members.code is not None:
        code = _code(members.code)
        if code is None:
            remarks += ("error.code is not an integer",)
    elif version != "1.0":
        remarks += ("error.code is missing",)
    data = members.data
    if data is None and version == "1.1":
        data = members.error
    return ErrorObject(code, message, data, text, remarks, quirks)


def _code(text: bytes) -> int | None:
    digits = text.removeprefix(b"-")
    return int(text) if digits.isdigit() and len(digits) <= 18 else None


def _quirks(envelope: Envelope, version: EnvelopeForm) -> tuple[str, ...]:
    """Return quirks that all responses of such a server have."""
    both = envelope.result is not None and envelope.error is not None
    if version == "1.1" and envelope.version is None and envelope.jsonrpc is None:
        return ("version is missing",)
    if version != "2.0":
        if envelope.jsonrpc == b'"2.0"':
            return (f'jsonrpc is "2.0", though the profile says {version}',)
        return ()
    if envelope.jsonrpc is None:
        if both:
            return ("jsonrpc is missing, and both result and error are present, as in JSON-RPC 1.0",)
        return ("jsonrpc is missing",)
    if both and envelope.error == b"null":
        return ('"error": null next to the result',)
    return ()


def _version_remarks(envelope: Envelope, version: EnvelopeForm) -> list[str]:
    members = {"jsonrpc": envelope.jsonrpc}
    if version == "1.1":
        members["version"] = envelope.version
    accepted = {f'"{version}"'.encode(), b'"2.0"'}
    remarks = []
    for name, text in members.items():
        if text is not None and text not in accepted:
            remarks.append(f'{name} is {short(text)}, not "{version}"')
    return remarks


OF_ANOTHER: Final = "it may belong to another call"
"""The end of the remark about an id that is not ours."""


def _id_remarks(received: bytes | None, id: str | None, form: MessageForm, member: str = "id") -> tuple[str, ...]:
    if id is None:
        return ()
    if received is None:
        return (f"{member} is missing",)
    sent = wire_id(id, form)
    if received == sent.encode() or (sent[0] == '"' and _string(received) == id):
        return ()
    return (f"{member} is {short(received)}, not {short(sent.encode())}: {OF_ANOTHER}",)


def _string(text: bytes) -> str | None:
    if not text.startswith(b'"'):
        return None
    try:
        return msgspec.json.decode(text, type=str)
    except msgspec.DecodeError:
        import json  # It accepts lone surrogates and raw control characters.

        value = json.loads(text, strict=False)
        return value if isinstance(value, str) else None


def short(text: bytes, limit: int = 60) -> str:
    """Return a text if it is short enough for a warning.

    A part of a longer one could be a part of a secret, which redaction does not find.
    """
    shown = text.decode()
    if len(shown) > limit:
        return f"a text of {len(shown):,} characters"
    return shown


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def with_remarks(reply: Reply, remarks: tuple[str, ...]) -> Reply:
    if not remarks:
        return reply
    return replace(reply, remarks=(*remarks, *reply.remarks))


_FIELDS: Final = {b"", b"data", b"event", b"id", b"retry"}
"""Names of the fields of an event; a comment has none."""


def event_payloads(text: bytes) -> list[bytes] | None:
    """Return the data of each event, or None if this is not an event stream.

    The last event counts without an empty line after it. The parser of the data notices if it is incomplete.
    """
    text = _with_newlines(text).lstrip(b"\n")
    if not text or not _is_line_of_event(text.partition(b"\n")[0]):
        return None
    payloads = _payloads(text)
    if not payloads and not all(map(_is_line_of_event, text.split(b"\n"))):
        return None
    return payloads


def _is_line_of_event(line: bytes) -> bool:
    return line.partition(b":")[0] in _FIELDS


def _with_newlines(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _payloads(text: bytes) -> list[bytes]:
    payloads = []
    for event in text.split(b"\n\n"):
        lines = []
        for line in event.split(b"\n"):
            name, _, value = line.partition(b":")
            if name == b"data":
                lines.append(value.removeprefix(b" "))
        if any(lines):
            payloads.append(b"\n".join(lines))
    return payloads


class EventStreamDecoder:
    """Decodes an event stream while it arrives. Each byte is read once, however the network cuts the stream."""

    def __init__(self) -> None:
        self._begun = bytearray()
        self._after_return = False

    @property
    def unfinished(self) -> int:
        """Return the bytes of the event that has not ended."""
        return len(self._begun)

    def feed(self, data: bytes) -> list[bytes]:
        """Return the data of the events that end in these bytes."""
        if self._after_return:  # The first byte may be half of a line's end.
            data = data.removeprefix(b"\n")
        self._after_return = data[-1:] == b"\r"
        start = max(len(self._begun) - 1, 0)
        self._begun += _with_newlines(data)
        end = self._begun.rfind(b"\n\n", start)
        if end < 0:
            return []
        text = bytes(self._begun[:end])
        del self._begun[: end + 2]
        return _payloads(text.removeprefix(UTF8_BOM))

    def finish(self) -> list[bytes]:
        """Return the data of the last event, which may be incomplete."""
        return _payloads(bytes(self._begun))


def messages_in(payloads: list[bytes]) -> list[bytes]:
    found: list[bytes] = []
    for payload in payloads:
        inside = open_array(payload) if payload.lstrip().startswith(b"[") else None
        if inside is None:
            found.append(payload)
        else:
            found += inside
    return found


def reply_in(payloads: list[bytes], id: str | None, form: MessageForm) -> Reply:
    """Return the message with this id, else an error that names no call.

    Several messages with this id are the parts of one result, and the last one is returned.
    """
    replies = _replies_in(payloads, id, form)
    if id is None:
        own = replies[:1]
    else:
        own = _with_id(replies, id)
    if not own:
        own = [found for found in replies if found[1] in MISSING_IDS and isinstance(found[2], ErrorObject)][:1]
    if not own:
        return no_reply_in(payloads)
    at, _, reply = own[-1]
    others = at - len(own) + 1
    if len(own) > 1:
        reply = replace(reply, parts=_values_of(own))
    # An event stream is not a deviation: some servers answer with nothing else.
    if others == 0:
        return reply
    return with_remarks(reply, (f"the response is an event stream, with {counted(others, 'other event')} before it",))


_Found = tuple[int, bytes | None, Result | ErrorObject]
"""The place of a message among the events, its id, and its meaning."""


def _replies_in(payloads: list[bytes], id: str | None, form: MessageForm) -> list[_Found]:
    replies = []
    for at, text in enumerate(messages_in(payloads)):
        envelope = open_object(text)
        if envelope is None:
            continue
        reply = meant(envelope, id, form)
        if not isinstance(reply, Malformed):
            replies.append((at, _id_in(envelope, form), reply))
    return replies


def _with_id(replies: list[_Found], id: str) -> list[_Found]:
    known = spellings(id)
    return [found for found in replies if found[1] in known]


def _values_of(replies: list[_Found]) -> tuple[Text, ...]:
    return tuple(reply.text if isinstance(reply, Result) else reply.value for _, _, reply in replies)


def parts_in(body: bytes, id: str) -> tuple[Text, ...]:
    """Return the results that came in an event stream, even if the stream is incomplete."""
    payloads = [payload for payload in EventStreamDecoder().feed(body) if fault(payload) is None]
    return _values_of(_with_id(_replies_in(payloads, id, USUAL_FORM), id))


def no_reply_in(payloads: list[bytes]) -> Malformed:
    """Return why an event stream has no response among its messages."""
    events = counted(len(payloads), "event")
    return Malformed(f"The response is an event stream of {events} without a response to this call.")


UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
VERSIONS: Final[Mapping[EnvelopeForm, Mapping[str, str]]] = {
    "2.0": {"jsonrpc": '"2.0"'},
    "1.1": {"version": '"1.1"'},
    "1.0": {},
}


def encode(call: Call, form: MessageForm = USUAL_FORM) -> bytes:
    """Return a call as one JSON object."""
    id = None if call.id is None else call.id_text(form)
    params: str | None = call.params
    if params == "[]":
        params = None if form.empty_params == "omit" else form.empty_params
    method = f'"method":{spelled(call.method)}'
    if form.envelope == "transmission":
        members = [method]
        if params is not None:  # Transmission needs its arguments to be an object, even an empty one.
            members.append(f'"arguments":{"{}" if params == "[]" else params}')
        if id is not None:
            members.append(f'"tag":{id}')
    else:
        members = [f'"{name}":{text}' for name, text in VERSIONS[form.envelope].items()]
        if id is not None:
            members.append(f'"id":{id}')
        elif form.envelope == "1.0":  # A notification of JSON-RPC 1.0 has the id null.
            members.append('"id":null')
        members.append(method)
        if params is not None:
            members.append(f'"params":{params}')
    members += [f"{spelled(name)}:{text}" for name, text in call.members]
    return ("{" + ",".join(members) + "}").encode()


def encode_batch(calls: Iterable[Call], form: MessageForm = USUAL_FORM) -> bytes:
    return array_of(encode(call, form) for call in calls)


def encode_answer(id: bytes, member: bytes, envelope: EnvelopeForm) -> bytes:
    """Return the answer to a request of the server.

    ``id`` is as the server wrote it; ``member`` is the result or the error, with its name.
    """
    written = [f'"{name}":{text}'.encode() for name, text in VERSIONS.get(envelope, {}).items()]
    written += [b'"id":' + id, member]
    if envelope == "1.0":  # It needs both members: one of them is null.
        written.append(b'"result":null' if member.startswith(b'"error"') else b'"error":null')
    return b"{" + b",".join(written) + b"}"


def decode(body: bytes, id: str | None, form: MessageForm = USUAL_FORM) -> Reply:
    """Return the outcome of a response body; an id of None is not checked."""
    text, remarks = read_text(body)
    if isinstance(text, Malformed):
        return text
    head = text.lstrip()[:1]
    if head == b"{":
        reply = read_object(text, id, form)
    elif head == b"[":
        elements = open_array(text)
        if elements is None:
            reply = Malformed(broken_json(text))
        elif len(elements) != 1:
            reply = Malformed(f"The response is an array of {len(elements)}, but one call was sent.")
        else:
            reply = with_remarks(read_object(elements[0], id, form), ("the response is wrapped in an array",))
    elif (payloads := event_payloads(text)) is not None:
        reply = reply_in(payloads, id, form)
    elif (start := text.lstrip()[:200].lower()).startswith((b"<!doctype html", b"<html")):
        reply = Malformed("The response is an HTML page, not JSON: check the path, or whether a gateway sent it.")
    elif start.startswith(b"<"):
        reply = Malformed("The response is XML or HTML, not JSON: check the path.")
    elif is_native(text):
        reply = Malformed("The response is a bare JSON value, not a JSON-RPC response.")
    else:
        reply = Malformed("The response is plain text, not JSON.")
    return with_remarks(reply, remarks)


def read_text(body: bytes) -> tuple[bytes | Malformed, tuple[str, ...]]:
    """Return the body as UTF-8 without a byte order mark, or the problem."""
    if not body or body.isspace():
        return Malformed("The response is empty: it has no body."), ()
    remarks: tuple[str, ...] = ()
    if body.startswith(UTF16_BOMS) or body[:4].count(0) >= 2:
        return Malformed("The response is not UTF-8: it looks like UTF-16 or UTF-32, which JSON-RPC does not use."), ()
    if body.startswith(UTF8_BOM):
        body, remarks = body[3:], ("the response starts with a byte order mark",)
    if (at := fault(body)) is not None:
        return Malformed(f"The response is not UTF-8: byte {at} is 0x{body[at]:02x}."), remarks
    return body, remarks
