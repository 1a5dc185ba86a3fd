"""The messages of an event stream: some servers answer with one, notifications before the reply."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from rpcexplorer.protocol.envelope import is_cut, open_array, open_object
from rpcexplorer.protocol.ids import spellings
from rpcexplorer.protocol.messages import ErrorObject, Malformed, MessageForm, Reply
from rpcexplorer.protocol.replies import NOBODYS, id_in, id_of, meant, read_object, short, with_remarks

NAMED: Final = 5
"""Kinds of messages that are named where none is the reply."""

FIELD = re.compile(rb"(?:data|event|id|retry)(?::|$)|:", re.MULTILINE)
"""How the first line of an event stream starts."""
_LINE = re.compile(rb"(?:(?:data|event|id|retry)(?::.*)?|:.*|)")
"""A line of one that holds nothing unknown."""


def event_payloads(text: bytes) -> list[bytes] | None:
    """The data of each event in order; None where the text is not an event stream.

    A last event without the empty line that ends it counts as well: it is for the reader to see whether it is whole.
    """
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").lstrip(b"\n")
    if not FIELD.match(text):
        return None
    payloads = []
    for event in text.split(b"\n\n"):
        lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line == b"data" or line[:5] == b"data:"]
        if any(lines):
            payloads.append(b"\n".join(lines))
    if not payloads and not all(map(_LINE.fullmatch, text.split(b"\n"))):
        return None
    return payloads


def messages_in(payloads: list[bytes]) -> list[bytes]:
    """What the events hold: a message each, or several in an array."""
    found: list[bytes] = []
    for payload in payloads:
        inside = open_array(payload) if payload.lstrip()[:1] == b"[" else None
        found += [payload] if inside is None else inside
    return found


def reply_in(payloads: list[bytes], id: str | None, form: MessageForm) -> Reply:
    """The reply among the messages of a stream: the one with the id, else an error that names no call at all."""
    came = messages_in(payloads)
    replies = [(at, id_of(text, form), read_object(text, id, form)) for at, text in enumerate(came)]
    replies = [each for each in replies if not isinstance(each[2], Malformed)]
    own = replies if id is None else [each for each in replies if each[1] in spellings(id)]
    own = own or [each for each in replies if each[1] in NOBODYS and isinstance(each[2], ErrorObject)]
    if not own:
        return no_reply_in(payloads, form)
    at, _, reply = own[-1]
    # a stream is no deviation: there are servers that answer with nothing else
    return with_remarks(reply, (f"came as an event stream, {at} other event(s) before it",) if at else ())


def no_reply_in(payloads: list[bytes], form: MessageForm) -> Malformed:
    """What came on a stream that does not answer what was sent."""
    kinds = Counter(_kind(text, form) for text in messages_in(payloads))
    named = [kind if count == 1 else f"{kind} {count} times" for kind, count in list(kinds.items())[:NAMED]]
    rest = len(kinds) - len(named)
    came = ", ".join([*named, *([f"and {rest} more kinds of messages"] if rest else [])]) or "only comments"
    events = f"{len(payloads)} event{'' if len(payloads) == 1 else 's'}"
    return Malformed(f"The reply is an event stream of {events}, and none of them is a reply to this: {came}.")


def _kind(text: bytes, form: MessageForm) -> str:
    """What a message is that is no reply to the call, in a few words."""
    envelope = open_object(text)
    if envelope is None:
        return "one cut off in the middle" if is_cut(text) else "one that is no JSON object"
    if envelope.method is not None:
        whose = "notification" if envelope.id is None else "request of the server's own"
        return f"{whose} ({short(envelope.method)})"
    if isinstance(meant(envelope, None, form), Malformed):
        return "one that is no JSON-RPC"
    id = id_in(envelope, form)
    return "reply without an id" if id is None else f"reply to {short(id)}"
