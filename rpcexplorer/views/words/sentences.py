"""An exchange in words: its outcome, its transport, durations, sizes, ages. One line each, all of it printable."""

from __future__ import annotations

import re
from math import isfinite
from typing import Final

from rpcexplorer.model.exchange import Cancelled, Exchange, Outcome, OutcomeName, Refused, Sent, Unreached
from rpcexplorer.rpc.messages import RESERVED, ErrorObject, Malformed, Result, explain
from rpcexplorer.views.printable import printable

WordLine = list[tuple[str, str]]
"""Pieces of text, each with the role it is drawn in."""
SIGNS: Final[dict[OutcomeName, str]] = {
    "result": "✓",
    "error": "✗",
    "malformed": "!",
    "unreached": "⨯",  # noqa: RUF001 - the sign is meant
    "cancelled": "◌",
    "sent": "→",
    "refused": "!",
}
"""What an outcome is known by at a glance; a word stands near by."""
_BY_STATUS = re.compile(r"HTTP \d{3} ([A-Z][A-Za-z ]+): ")
"""How a sentence begins that says what a status means: that this is no reply of JSON-RPC goes without saying."""
_MAY_HAVE_RUN = ", but the server may have run it"


def outcome_line(exchange: Exchange) -> str:
    """Sign and words: ``✗ error -32602 Invalid params``."""
    return f"{SIGNS[exchange.counts_as]} {outcome_words(exchange.outcome)}"


def outcome_words(outcome: Outcome) -> str:
    """How it ended, in one line without a sign."""
    match outcome:
        case Result(message=message):
            return f"tool failed: {printable(message)}" if message else "result"
        case ErrorObject(code=code, message=message):
            name = printable(message) or RESERVED.get(code or 0, ("",))[0]
            return " ".join(part for part in ("error", "without code" if code is None else str(code), name) if part)
        case Malformed(reason=reason):
            return f"{'' if status_word(outcome) else 'malformed: '}{printable(reason)}"
        case Unreached(sentence=sentence):
            return f"unreached: {printable(sentence)}"
        case Cancelled(maybe_ran=maybe_ran):
            return "cancelled" + _MAY_HAVE_RUN * maybe_ran
        case Sent():
            return "sent"
        case Refused(sentence=sentence):
            return f"refused: {printable(sentence)}"


def status_word(outcome: Outcome) -> str:
    """What an HTTP status is called by which no reply of JSON-RPC came: ``Unauthorized``; else empty."""
    found = _BY_STATUS.match(outcome.reason) if isinstance(outcome, Malformed) else None
    return found[1] if found else ""


def transport_line(exchange: Exchange) -> str:
    """The transport's side: ``HTTP 200 · 34 ms · 1.2 kB``; empty where nothing was sent."""
    if isinstance(exchange.outcome, Refused):
        return ""
    took, response = duration(exchange.seconds), exchange.response
    if response.status is None and not response.size:
        return took
    http = "" if response.status is None else f"HTTP {response.status} · "
    incomplete = ", incomplete" if isinstance(exchange.outcome, Unreached | Cancelled) else ""
    return f"{http}{took} · {size(response.size)}{incomplete}"


def explanation(outcome: Outcome) -> str:
    """What an error's code means where that is laid down; else empty."""
    return explain(outcome.code) if isinstance(outcome, ErrorObject) else ""


def duration(seconds: float) -> str:
    """Three digits at most: ``0.4 ms``, ``34 ms``, ``1.4 s``, ``2 min 5 s``, ``1 h 12 min``."""
    if not isfinite(seconds):
        return "? s"
    milliseconds = max(seconds, 0) * 1000
    if 0.05 <= milliseconds < 0.95:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(count: int) -> str:
    """Bytes, in decimal units: ``512 B``, ``1.2 kB``, ``38 MB``."""
    if count < 1000:
        return f"{count} B"
    amount, unit = count / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if amount < 999.5:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:.0f} {unit}"


def age(seconds: float) -> str:
    """How long ago, in one unit: ``12 s``, ``12 min``, ``3 h``, ``5 days``."""
    whole = int(max(seconds, 0))
    if whole < 60:
        return f"{whole} s"
    if whole < 60 * 60:
        return f"{whole // 60} min"
    days = whole // (24 * 60 * 60)
    return f"{days} days" if days > 1 else f"{whole // (60 * 60)} h"


def times(name: str, count: int) -> str:
    """A name, and how often it is meant where that is more than once."""
    return f"{name} ({count:,} times)" if count > 1 else name
