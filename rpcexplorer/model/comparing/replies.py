"""What of an exchange is compared: the kind of outcome, then a result, or an error's code, message and data.

Never ids or headers: they differ each time, and say nothing about what a method does.
"""

from __future__ import annotations

from typing import Final

from rpcexplorer.jsontext.scan import is_value
from rpcexplorer.jsontext.slices import fault
from rpcexplorer.model.draft import sent_draft, to_calls
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Unreached
from rpcexplorer.rpc.codec import id_of, open_array, read_object
from rpcexplorer.rpc.messages import ErrorObject, Malformed, MessageForm, Result, spelled, spellings

NOTHING: Final = b"null"
"""What is compared of a notification: that it went out is all there is."""


def why_not(left: Exchange, right: Exchange) -> str:
    """Why two exchanges cannot be compared, in a sentence; empty where they can."""
    for side, exchange in (("left", left), ("right", right)):
        came = len(exchange.response.body)
        match exchange.outcome:
            case _ if exchange.response.cut:
                return f"The record on the {side} was cut at {came:,} of {exchange.response.size:,} bytes."
            case Cancelled():
                return f"The call on the {side} was cancelled: there is no reply to compare."
            case Refused():
                return f"The call on the {side} was not sent: there is no reply to compare."
            case Result(text=text) if not text:
                return f"The recorded reply on the {side} can no longer be read."
    return ""


def text_of(exchange: Exchange) -> bytes:
    """The JSON text that is compared."""
    if exchange.kind == "batch" and (replies := _batch(exchange)) is not None:
        return replies
    match exchange.outcome:
        case Result(value=value):
            return value
        case ErrorObject() as error:
            return _error(error)
        case Malformed():
            return _body(exchange.response.body)
        case Unreached(step=step):
            return b'{"step":' + spelled(step).encode() + b"}"
    return NOTHING


def _error(error: ErrorObject) -> bytes:
    code = b"null" if error.code is None else str(error.code).encode()
    data = b"" if error.data is None else b',"data":' + error.data
    return b'{"code":' + code + b',"message":' + _string(error.message) + data + b"}"


def _body(body: bytes) -> bytes:
    """Bytes that were no reply: as JSON where they are that, else as one string."""
    text = body.decode("utf-8", "surrogateescape")
    return body if is_value(text) else _string(text)


def _string(text: str) -> bytes:
    return spelled(text).encode()


def _batch(exchange: Exchange) -> bytes | None:
    """The replies to a batch, each for the call that it answers and in the order of the calls; None if unreadable."""
    outcome, form = exchange.outcome, MessageForm(exchange.envelope)
    text = outcome.value if isinstance(outcome, Result | ErrorObject) else exchange.response.body
    texts = open_array(text) if fault(text) is None else None
    calls = to_calls(sent_draft(exchange), exchange.id)
    if texts is None or not isinstance(calls, tuple):
        return None
    replies = [(id_of(text, form), text) for text in texts]
    ordered = []
    for call in calls:
        if call.id is None:
            continue
        wanted = spellings(call.id)
        place = next((at for at, (id, _) in enumerate(replies) if id in wanted), None)
        ordered.append(b"null" if place is None else _reply(replies.pop(place)[1], form))
    ordered += [_reply(text, form) for _, text in replies]
    return b"[" + b",".join(ordered) + b"]"


def _reply(text: bytes, form: MessageForm) -> bytes:
    match read_object(text, None, form):
        case Result(value=value):
            return b'{"result":' + value + b"}"
        case ErrorObject() as error:
            return b'{"error":' + _error(error) + b"}"
    return text
