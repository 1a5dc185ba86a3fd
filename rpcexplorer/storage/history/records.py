"""An exchange as a flat record of named values, and back: what is written down of it, and under which key.

Phases and notes are not. A header of the reply is one text, ``Name: value``. Text that no UTF-8 can hold, and a reply
that is not UTF-8, stand as base64 under the same key with ``_base64`` behind it. How a record is spelled is in
blocks.py.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Any, get_args

from msgspec.structs import replace

from rpcexplorer.model.exchange import CallKind, Cancelled, Damaged, Exchange, Outcome, Sent, Unreached
from rpcexplorer.model.filter import OUTCOMES
from rpcexplorer.rpc.batch import decode_batch
from rpcexplorer.rpc.codec import decode
from rpcexplorer.rpc.messages import EnvelopeForm, ErrorObject, Malformed, MessageForm, Reply, Result
from rpcexplorer.transport.port import Response, Step

SURROGATE = re.compile("[\ud800-\udfff]")
BASE64 = "_base64"
ALWAYS = ("id", "time", "kind", "outcome")
"""Keys that no record can do without; the others are left out where they are empty."""


# --- out ---------------------------------------------------------------------------------------------------------


def to_record(exchange: Exchange) -> dict[str, Any]:
    """What is written down of an exchange, in the order in which a person reads it."""
    outcome, response = exchange.outcome, exchange.response
    reason = outcome.sentence if isinstance(outcome, Unreached) else getattr(outcome, "reason", None)
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
        "foreign": exchange.foreign,
    }
    return _written(values)


def changed(record: dict[str, Any], change: Callable[[str, Any], Any]) -> dict[str, Any]:
    """Return a record in which every value is what `change` makes of it, given its key without `_base64`."""
    return _written({key: change(key, value) for key, value in map(_read, record, record.values())})


def renamed(record: dict[str, Any], **given: str | None) -> dict[str, Any]:
    """A record with another name or note; None leaves what is there, an empty text removes it."""
    changed = {key: text for key, text in given.items() if text is not None}
    kept = {key: value for key, value in record.items() if key.removesuffix(BASE64) not in changed}
    return kept | dict(_spelled(key, text) for key, text in changed.items() if text)


def _written(values: dict[str, Any]) -> dict[str, Any]:
    return dict(_spelled(key, value) for key, value in values.items() if key in ALWAYS or not _is_empty(value))


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value in ("", b"", [])


def _spelled(key: str, value: Any) -> tuple[str, Any]:
    """The key and value as TOML can hold them."""
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


# --- back --------------------------------------------------------------------------------------------------------


def to_exchange(record: dict[str, Any]) -> Exchange | Damaged:
    """Rebuild the exchange, its outcome from the reply itself. A key that is missing or mistyped is a damage."""
    try:
        values = dict(_read(key, value) for key, value in record.items())
    except ValueError:
        return Damaged("", "what stands as base64 in it is none", "")
    if reason := next(_troubles(values), ""):
        return Damaged("", reason, "")
    body = values.get("reply", b"")
    body = body.encode() if isinstance(body, str) else body
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
        ),
        name=values.get("name", ""),
        note=values.get("note", ""),
        envelope=values.get("envelope", "2.0"),
        params_sent=values.get("params_sent"),
        foreign=values.get("foreign", False),
    )


def _header(spelled: str) -> tuple[str, str]:
    """Its name and its value; what people write by hand need not have a space between them."""
    name, _, value = spelled.partition(":")
    return name, value.removeprefix(" ")


def _read(key: str, value: Any) -> tuple[str, Any]:
    """Undo ``_spelled``; ValueError where there is no base64."""
    if not key.endswith(BASE64):
        return key, value
    key = key.removesuffix(BASE64)
    if isinstance(value, list):
        return key, [text_of(text) for text in value]
    return key, b64decode(str(value), validate=True) if key == "reply" else text_of(value)


def text_of(base64: Any) -> str:
    """The text that stands as base64; ValueError where there is none."""
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
    return _reply(values, body, remarks)


def _reply(values: dict[str, Any], body: bytes, remarks: tuple[str, ...]) -> Result | ErrorObject:
    """The result or error that the recorded reply spells; what the record says of it where too much is missing."""
    wanted = Result if values["outcome"] == "result" else ErrorObject
    if values.get("reply_cut"):
        said = f"the recorded reply was cut at {len(body):,} of {values.get('received', 0):,} bytes"
    else:
        reply = _read_again(values, body)
        if isinstance(reply, Result) and wanted is Result:
            return replace(reply, remarks=remarks, message=values.get("message", ""))
        if isinstance(reply, wanted):
            return replace(reply, remarks=remarks)
        said = "the recorded reply can no longer be read as one"
    remarks += (said,) if said not in remarks else ()  # a case has it from the record that it was made of
    if wanted is Result:
        return Result(b"", remarks, message=values.get("message", ""))
    return ErrorObject(values.get("code"), values.get("message", ""), None, b"", remarks)


def _read_again(values: dict[str, Any], body: bytes) -> Reply:
    form = MessageForm(values.get("envelope", "2.0"))
    if values["kind"] == "batch":
        return decode_batch(body, (), form)
    reply = decode(body, values["id"], form)
    # on a stream, what answered a notification has not its id
    return decode(body, None, form) if isinstance(reply, Malformed) else reply


# --- what a record must be ---------------------------------------------------------------------------------------


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_moment(value: Any) -> bool:
    return isinstance(value, datetime) and MINYEAR < value.year < MAXYEAR  # in any zone there is


def _is_number(value: Any) -> bool:
    return type(value) in {int, float} and abs(value) < 2**53  # neither inf nor nan


def _is_small(value: Any) -> bool:
    return type(value) is int and abs(value) < 2**53


SHAPE: dict[str, tuple[Callable[[Any], bool], str]] = {
    "time": (_is_moment, "a date and time"),
    "reply": (lambda value: isinstance(value, str | bytes), "text"),
    "ms": (_is_number, "a number"),
    "code": (_is_whole, "a whole number"),
    "kind": (lambda value: value in get_args(CallKind), f"one of {', '.join(get_args(CallKind))}"),
    "outcome": (lambda value: value in OUTCOMES, f"one of {', '.join(OUTCOMES)}"),
    "step": (lambda value: value in get_args(Step), f"one of {', '.join(get_args(Step))}"),
    "envelope": (lambda value: value in get_args(EnvelopeForm), f"one of {', '.join(get_args(EnvelopeForm))}"),
    **dict.fromkeys(("id", "profile", "url", "method", "message", "params", "params_sent"), (_is_text, "text")),
    **dict.fromkeys(("reason", "http_reason", "name", "note"), (_is_text, "text")),
    **dict.fromkeys(("status", "sent", "received"), (_is_small, "a whole number")),
    **dict.fromkeys(("reply_cut", "maybe_ran", "foreign"), (_is_flag, "true or false")),
    **dict.fromkeys(("remarks", "http_remarks", "headers"), (_is_list, "a list of texts")),
}


def _troubles(values: dict[str, Any]) -> Iterator[str]:
    """What keeps a record from being read: keys that are missing or mistyped. Unknown keys are nobody's business."""
    yield from (f"its {key} is missing" for key in ALWAYS if key not in values)
    for key, value in values.items():
        fits, words = SHAPE.get(key, (lambda _: True, ""))
        if not fits(value):
            yield f"its {key} must be {words}"
