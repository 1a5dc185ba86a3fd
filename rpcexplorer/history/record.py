"""One recorded exchange as a TOML block."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time
from typing import Any, Final, cast, get_args
from zlib import crc32

from msgspec.structs import replace

from rpcexplorer.model.exchange import (
    OUTCOMES,
    CallKind,
    Cancelled,
    Damaged,
    Exchange,
    Outcome,
    RecordKind,
    Sent,
    ServerEvent,
    Unreached,
)
from rpcexplorer.model.settings import MIB
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import EnvelopeForm, ErrorObject, Malformed, MessageForm, Reply, Result
from rpcexplorer.transport.port import Phases, Response, Step

SURROGATE = regex("[\ud800-\udfff]")
"""Half of a pair, which UTF-8 cannot hold: such a text is stored as Base64."""
BASE64 = "_base64"
ALWAYS = ("id", "time", "kind", "outcome")


def to_record(exchange: Exchange) -> dict[str, Any]:
    outcome, response = exchange.outcome, exchange.response
    reason = getattr(outcome, "reason", None)
    if isinstance(outcome, Unreached):
        reason = outcome.sentence
    values = {
        "id": exchange.id,
        "time": exchange.when.astimezone(UTC),
        "profile": exchange.profile,
        "url": exchange.url,
        "method": exchange.method,
        "kind": exchange.kind,
        "outcome": exchange.outcome_name,
        "status": response.status,
        "code": getattr(outcome, "code", None),
        "message": getattr(outcome, "message", None),
        "params": exchange.params,
        "params_sent": exchange.params_sent,
        "envelope": None if exchange.envelope == "2.0" else exchange.envelope,
        "ms": round(exchange.seconds * 1000, 3),
        "sent": exchange.sent,
        "received": response.size,
        "reused": response.phases.kept,
        **{f"{name}_ms": took for name, took in phases_ms(response.phases).items()},
        "reply": response.body,
        "reply_cut": response.cut,
        "step": getattr(outcome, "step", None),
        "maybe_ran": getattr(outcome, "maybe_ran", None),
        "reason": reason,
        "remarks": list(getattr(outcome, "remarks", ())),
        "http_reason": response.reason,
        "http_remarks": list(response.remarks),
        "headers": [f"{name}: {value}" for name, value in response.headers],
        "name": exchange.name,
        "note": exchange.note,
        "notes": list(exchange.notes),
        "rounds": list(exchange.rounds),
        "expect": exchange.expect,
        "foreign": exchange.foreign,
    }
    return _written(values)


def phases_ms(phases: Phases) -> dict[str, float]:
    """Return the milliseconds of each known phase, by its name in files and in ``--json``."""
    seconds = {
        "lookup": phases.name,
        "connect": phases.connect,
        "tls": phases.tls,
        "send": phases.send,
        "wait": phases.wait,
        "transfer": phases.transfer,
    }
    return {name: round(took * 1000, 3) for name, took in seconds.items() if took is not None}


def changed(record: dict[str, Any], change: Callable[[str, Any], Any]) -> dict[str, Any]:
    """Return a record with each value changed.

    ``change`` gets each key, without its suffix ``_base64``, and the value.
    """
    return _written({key: change(key, value) for key, value in map(_read, record, record.values())})


def renamed(record: dict[str, Any], **given: str | None) -> dict[str, Any]:
    """Return a record with another name or note; an empty text removes it."""
    kept = {key: value for key, value in record.items() if given.get(key.removesuffix(BASE64)) is None}
    return kept | _written(given)


def _written(values: dict[str, Any]) -> dict[str, Any]:
    written = {}
    for key, value in values.items():
        is_empty = value is None or value is False or value in ("", b"", [])
        if key in ALWAYS or not is_empty:
            key, value = _spelled(key, value)  # noqa: PLW2901 - its spelling takes its place
            written[key] = value
    return written


def _spelled(key: str, value: Any) -> tuple[str, Any]:
    match value:
        case str() if SURROGATE.search(value):
            return key + BASE64, _base64(value)
        case list() if any(map(SURROGATE.search, value)):
            return key + BASE64, [_base64(text) for text in value]
        case bytes():
            text = value.decode(errors="surrogateescape")
            if not value.isascii() and SURROGATE.search(text):
                return key + BASE64, b64encode(value).decode()
            return key, text
    return key, value


def _base64(text: str) -> str:
    return b64encode(text.encode(errors="surrogatepass")).decode()


def to_exchange(record: dict[str, Any]) -> Exchange | Damaged:
    """Rebuild the exchange; its outcome is read from the reply itself."""
    try:
        values = dict(_read(key, value) for key, value in record.items())
    except ValueError:
        return Damaged("", "a value is not valid base64", "")
    if reason := _problem(values):
        return Damaged("", reason, "")
    body = values.get("reply", b"")
    if isinstance(body, str):
        body = body.encode()
    when = values["time"]
    return Exchange(
        id=values["id"],
        when=when if when.tzinfo else when.replace(tzinfo=UTC),
        profile=values.get("profile", ""),
        url=values.get("url", ""),
        method=values.get("method", ""),
        params=values.get("params", ""),
        kind=values["kind"],
        outcome=_outcome(values, body),
        seconds=values.get("ms", 0.0) / 1000,
        sent=values.get("sent", 0),
        response=Response(
            status=values.get("status"),
            reason=values.get("http_reason", ""),
            headers=tuple(map(_header, values.get("headers", ()))),
            body=body,
            size=values.get("received", 0),
            cut=values.get("reply_cut", False),
            remarks=tuple(values.get("http_remarks", ())),
            phases=_phases(values),
        ),
        name=values.get("name", ""),
        note=values.get("note", ""),
        notes=tuple(values.get("notes", ())),
        rounds=tuple(values.get("rounds", ())),
        expect=values.get("expect", ""),
        envelope=values.get("envelope", "2.0"),
        params_sent=values.get("params_sent"),
        foreign=values.get("foreign", False),
    )


def _phases(values: dict[str, Any]) -> Phases:
    def seconds(key: str) -> float | None:
        return values[key] / 1000 if key in values else None

    return Phases(
        name=seconds("lookup_ms"),
        connect=seconds("connect_ms"),
        tls=seconds("tls_ms"),
        send=seconds("send_ms"),
        wait=seconds("wait_ms"),
        transfer=seconds("transfer_ms"),
        kept=values.get("reused", False),
    )


def _header(spelled: str) -> tuple[str, str]:
    name, _, value = spelled.partition(":")
    return name, value.removeprefix(" ")


def _read(key: str, value: Any) -> tuple[str, Any]:
    """Undo ``_spelled``; raise ValueError if a text is not base64."""
    if not key.endswith(BASE64):
        return key, value
    key = key.removesuffix(BASE64)
    if isinstance(value, list):
        return key, [text_of(text) for text in value]
    if key == "reply":
        return key, b64decode(str(value), validate=True)
    return key, text_of(value)


def text_of(base64: Any) -> str:
    """Decode base64 text; raise ValueError if it is not base64."""
    return b64decode(str(base64), validate=True).decode(errors="surrogatepass")


def _outcome(values: dict[str, Any], body: bytes) -> Outcome:
    remarks = tuple(values.get("remarks", ()))
    maybe_ran = values.get("maybe_ran", False)
    match values["outcome"]:
        case "malformed":
            return Malformed(values.get("reason", ""), remarks)
        case "unreached":
            return Unreached(values.get("step", "wait"), values.get("reason", ""), maybe_ran)
        case "cancelled":
            return Cancelled(maybe_ran)
        case "sent":
            return Sent(remarks)
        case "event":
            return ServerEvent(remarks, values.get("answer", ""), values.get("of", ""), values.get("missed", 0))
    return _reply(values, body, remarks)


def _reply(values: dict[str, Any], body: bytes, remarks: tuple[str, ...]) -> Result | ErrorObject:
    wanted = Result if values["outcome"] == "result" else ErrorObject
    if values.get("reply_cut"):
        remark = f"the recorded response was cut at {len(body):,} of {values.get('received', 0):,} bytes"
    else:
        reply = _read_again(values, body)
        if isinstance(reply, Result) and wanted is Result:
            return replace(reply, remarks=remarks, message=values.get("message", ""))
        if isinstance(reply, wanted):
            return replace(reply, remarks=remarks)
        remark = "the recorded response can no longer be read"
    if remark not in remarks:  # A case contains it if the history already did.
        remarks = (*remarks, remark)
    if wanted is Result:
        return Result(b"", remarks, message=values.get("message", ""))
    return ErrorObject(values.get("code"), values.get("message", ""), None, b"", remarks)


def _read_again(values: dict[str, Any], body: bytes) -> Reply:
    form = MessageForm(values.get("envelope", "2.0"))
    if values["kind"] == "batch":
        return decode_batch(body, (), form)
    reply = decode(body, values["id"], form)
    if isinstance(reply, Malformed):  # On a stream, the response to a notification has another id.
        return decode(body, None, form)
    return reply


def _one_of(words: tuple[str, ...]) -> tuple[Callable[[Any], bool], str]:
    return lambda value: value in words, f"one of {', '.join(words)}"


_TEXT: Final = (lambda value: isinstance(value, str), "text")
_WHOLE_NUMBER: Final = (lambda value: type(value) is int, "a whole number")
_SMALL_NUMBER: Final = (lambda value: type(value) is int and abs(value) < 2**53, "a whole number")
# This excludes inf and nan.
_NUMBER: Final = (lambda value: type(value) in {int, float} and abs(value) < 2**53, "a number")
_FLAG: Final = (lambda value: isinstance(value, bool), "true or false")
_TEXTS: Final = (
    lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value),
    "a list of strings",
)
SHAPE: dict[str, tuple[Callable[[Any], bool], str]] = {
    # In these years, the time exists in every time zone.
    "time": (lambda value: isinstance(value, datetime) and MINYEAR < value.year < MAXYEAR, "a date and time"),
    "reply": (lambda value: isinstance(value, str | bytes), "text"),
    "code": _WHOLE_NUMBER,
    "kind": _one_of(get_args(RecordKind)),
    "outcome": _one_of(OUTCOMES),
    "step": _one_of(get_args(Step)),
    "envelope": _one_of(get_args(EnvelopeForm)),
    **dict.fromkeys(("id", "profile", "url", "method", "message", "params", "params_sent"), _TEXT),
    **dict.fromkeys(("reason", "http_reason", "name", "note", "expect", "answer", "of"), _TEXT),
    **dict.fromkeys(("status", "sent", "received", "missed"), _SMALL_NUMBER),
    **dict.fromkeys(("ms", "lookup_ms", "connect_ms", "tls_ms", "send_ms", "wait_ms", "transfer_ms"), _NUMBER),
    **dict.fromkeys(("reply_cut", "maybe_ran", "foreign", "reused"), _FLAG),
    **dict.fromkeys(("notes", "rounds", "remarks", "http_remarks", "headers"), _TEXTS),
}


def _problem(values: dict[str, Any]) -> str:
    """Return which key is missing or mistyped; unknown keys are ignored."""
    for key in ALWAYS:
        if key not in values:
            return f"its {key} is missing"
    for key, value in values.items():
        if key in SHAPE:
            fits, words = SHAPE[key]
            if not fits(value):
                return f"its {key} must be {words}"
    return ""


HEADER = b"[[call]]\n"
HEADER_CRC = crc32(HEADER)
END = b'end = "%08x"\n\n'
END_LENGTH = len(END % 0)
SEAL = regex(rb"""\n[ \t]*end[ \t]*=[ \t]*["']([0-9a-f]{8})["'][ \t]*(?:\#[^\n]*)?\s*\Z""")
"""The last line of a block, also as people and formatters spell it."""
LEFT = 256 * 1024
"""Bytes of an unreadable record to show."""
BY_HAND_MOST = 8 * MIB
BY_HAND_LINES = 1_000
"""Bytes and lines of an edited record. Parsing a larger one takes many seconds."""
BOM = b"\xef\xbb\xbf"
BARE_KEY = regex(r"[A-Za-z0-9_-]+")
UNUSUAL = regex(r"[^\x20-\x7e]+")
PLAIN_ID = regex(rb'\nid = "([^"\\\r\n]*)"')
_BEGINNING: Final = regex(
    rb'id = ("[^\n]*")\ntime = ([0-9T:.-]+)Z\n(?:profile = ("[^\n]*")\n)?(?:url = [^\n]*\n)?(?:method = ("[^\n]*")\n)?'
    rb'kind = "(call|notification|batch|opening)"\noutcome = "(%s)"\n'
    rb"(?:status = ([0-9]{1,9})\n)?(?:code = (-?[0-9]{1,18})\n)?"
    rb"(message(?:_base64)? = )?" % "|".join(OUTCOMES).encode()
)
_TOOK: Final = regex(rb"\nms = ([0-9]{1,12}(?:\.[0-9]{1,9})?)\n(?:sent = [0-9]+\n)?received = ([0-9]{1,12})\n")
_WITHOUT: Final[dict[bytes, Outcome]] = {
    b"result": Result(b""),
    b"malformed": Malformed(""),
    b"unreached": Unreached("wait", ""),
    b"cancelled": Cancelled(),
    b"sent": Sent(),
}
_TOOL_FAILED: Final = Result(b"", message="not read")
BY_HAND = "this call was changed by hand after it was recorded"


def to_block(exchange: Exchange) -> str:
    return spell(to_record(exchange))


def spell(record: Mapping[str, Any]) -> str:
    """Spell a record as a block, blank line included."""
    sealed = HEADER.decode() + _lines(record)
    return f'{sealed}end = "{crc32(sealed.encode()):08x}"\n\n'


def _lines(record: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in record.items())


def event_head(profile: str, url: str, method: str, of: str) -> str:
    """Return the lines that the records of many events share. ``of``: the id of the call of their subscription."""
    values = {"profile": profile, "url": url, "method": method, "kind": "event", "outcome": "event", "of": of}
    return _lines(_written(values))


def event_block(id: str, when: datetime, head: str, reply: bytes, *, received: int, more: Mapping[str, Any]) -> bytes:
    """Spell the record of an event as ``spell`` does, in a fifth of the time.

    ``when`` is in UTC. ``more``: the other values, which few events have.
    """
    key, text = _spelled("reply", reply)
    time = when.isoformat(timespec="milliseconds").removesuffix("+00:00")
    lines = f'id = "{id}"\ntime = {time}Z\n{head}received = {received}\n{key} = {quoted(text)}\n'
    if more:
        lines += _lines(_written(dict(more)))
    sealed = HEADER + lines.encode()
    return sealed + END % crc32(sealed)


_encoded: Final = json.JSONEncoder(ensure_ascii=False).encode
"""``json.dumps`` takes three times as long, because it makes an encoder each time."""


def quoted(text: str) -> str:
    """Spell text as a TOML string on one line, unprintables as escapes.

    JSON's spelling is valid TOML, and native: 2 ms per megabyte, against 70 ms with tomli-w.
    """
    spelled = _encoded(text)
    if spelled.isascii() and "\x7f" not in spelled:  # This check takes a tenth of the time.
        return spelled
    return UNUSUAL.sub(lambda run: "".join(map(_visible, run[0])), spelled)


def _visible(letter: str) -> str:
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def _key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else quoted(key)


def _value(value: Any) -> str:
    """Spell a TOML value; nested ones only come from edits by hand."""
    match value:
        case str():
            return quoted(value)
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        case date() | time():
            return value.isoformat()
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return "{" + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + "}"
    return repr(value)


def read_block(raw: bytes, file: str = "") -> Exchange | Damaged | None:
    """Read one block; return None if it has no call, only a comment."""
    record = read_record(raw, file)
    if not isinstance(record, dict):
        return record
    found = to_exchange(record)
    if isinstance(found, Damaged):
        return _damaged(raw, file, found.reason)
    return found if untouched(raw) else replace(found, notes=(*found.notes, BY_HAND))


def read_record(raw: bytes, file: str = "") -> dict[str, Any] | Damaged | None:
    """Read the keys of a block; unedited ones without a TOML parser."""
    lines = untouched(raw)
    record = None if lines is None else _own(lines)
    if record is not None:
        return record
    parsed = _any_toml(raw)
    return _damaged(raw, file, parsed) if isinstance(parsed, str) else parsed


def outline(raw: bytes) -> Exchange | None:
    """Read a call without params and response; return None if that fails."""
    lines = untouched(raw)
    if lines is None or not (begins := _BEGINNING.match(lines)):
        return None
    took = _TOOK.search(lines, begins.end() - 1)
    if not took:
        return None
    id, moment, profile, method, kind, outcome, status, code, message = begins.groups()
    try:
        when = datetime.fromisoformat(f"{moment.decode()}+00:00")
        names = [json.loads(text or b'""') for text in (id, profile, method)]
    except ValueError:  # An escape that JSON lacks.
        return None
    if not MINYEAR < when.year < MAXYEAR:
        return None
    if message and outcome == b"result":
        found: Outcome = _TOOL_FAILED
    else:
        found = _WITHOUT.get(outcome) or ErrorObject(int(code) if code else None, "", None, b"")
    response = Response(int(status) if status else None, size=int(took[2]))
    seconds = float(took[1]) / 1000
    own_kind = cast("CallKind", kind.decode())
    return Exchange(names[0], when, names[1], "", names[2], "", own_kind, found, seconds, response=response)


def untouched(raw: bytes) -> bytes | None:
    """Return the lines of a block if its checksum is right, else None."""
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
    seal = _seal(raw)
    if seal is None:
        return None
    sealed = raw[: seal.start() + 1].removeprefix(BOM).lstrip()
    if not sealed.startswith(HEADER) or crc32(sealed) != int(seal[1], 16):
        return None
    return sealed[len(HEADER) :]


def all_untouched(stretch: bytes) -> bool:
    """Return whether a stretch consists of untouched blocks only."""
    before, *blocks = stretch.split(HEADER)  # No value contains a line end.
    return not before and all(block.endswith(END % crc32(block[:-END_LENGTH], HEADER_CRC)) for block in blocks)


def is_sealed(raw: bytes) -> bool:
    """Return whether the block's last line is its end."""
    return _seal(raw) is not None


def _seal(raw: bytes) -> re.Match[bytes] | None:
    """Find the end in the last line."""
    return SEAL.search(raw, max(0, raw.rfind(b"\n", 0, len(raw.rstrip()))))


def id_of(raw: bytes) -> str:
    if plain := _plain_id(raw):
        return plain
    record = read_record(raw)  # An id written by hand can contain anything.
    if not isinstance(record, dict):
        return ""
    encoded = record.get("id" + BASE64)
    if encoded is None:
        return str(record.get("id", ""))
    with suppress(ValueError):
        return text_of(encoded)
    return ""


def _own(lines: bytes) -> dict[str, Any] | None:
    """Read lines as ``spell`` writes them, where JSON and TOML agree."""
    members, moment = [], ""
    try:
        for line in lines.decode().split("\n")[:-1]:
            key, _, value = line.partition(" = ")
            if key == "time":
                moment, value = value, "0"  # This keeps the order of the keys.
            members.append(f'"{key}":{value}')
        record: dict[str, Any] = json.loads("{" + ",".join(members) + "}")
        record["time"] = datetime.fromisoformat(moment)
    except (ValueError, RecursionError):
        return None  # An escape that JSON lacks, or an edited block: parse it as TOML.
    return record


def _any_toml(raw: bytes) -> dict[str, Any] | str | None:
    """Read a block that was edited as TOML; a string says why it fails."""
    if raw.count(b"\n") > BY_HAND_LINES:
        return f"it was changed by hand and has more than {BY_HAND_LINES:,} lines"
    if len(raw) > BY_HAND_MOST:
        return f"it was changed by hand and is larger than {BY_HAND_MOST // MIB} MiB"
    import tomllib  # The import takes longer than reading a hundred blocks.

    from rpcexplorer.files.toml import layout, printable

    try:
        text = raw.removeprefix(BOM).decode()
        if layout(text).too_deep is not None:  # tomllib would take minutes or overflow the stack.
            return "a key or a value has too many levels"
        document = printable(tomllib.loads(text))
    except UnicodeDecodeError as error:
        return f"byte {error.start} is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        return f"it is not TOML: {error}"
    except ValueError:  # The only other reason is an integer of more than 4,300 digits.
        return "a number has too many digits"
    if not document:
        return None
    calls = document.get("call")
    if not isinstance(calls, list) or not calls or not isinstance(calls[0], dict):
        return "its first line must be [[call]]"
    if len(calls) > 1:
        return "it contains several calls. Begin each call with the line [[call]]"
    return {key: value for key, value in calls[0].items() if key != "end"}


def _damaged(raw: bytes, file: str, reason: str) -> Damaged:
    return Damaged(file, reason, left_of(raw), _plain_id(raw))


def left_of(raw: bytes) -> str:
    shown = raw[:LEFT].decode(errors="backslashreplace")
    if len(raw) > LEFT:
        shown += f"\n… and {len(raw) - LEFT:,} more bytes"
    return shown


def _plain_id(raw: bytes) -> str:
    found = PLAIN_ID.search(raw)
    return found[1].decode(errors="replace") if found else ""
