"""What the bar above the response says: how it ended or how far it has come. Words with their roles, nothing drawn."""

from __future__ import annotations

from typing import Final

from rpcexplorer.model.exchange import Exchange, OutcomeName, Progress
from rpcexplorer.views.cells import clipped, columns
from rpcexplorer.views.sentences import SIGNS, duration, explanation, outcome_words, size, transport_line

ROLES: Final[dict[OutcomeName, str]] = {
    "result": "well",
    "error": "wrong",
    "malformed": "wrong",
    "unreached": "wrong",
    "cancelled": "careful",
    "sent": "well",
    "refused": "careful",
}
"""The colour of an outcome; a sign and a word say the same."""

STEPS: Final = {
    "connecting": "connecting",
    "tls": "TLS handshake",
    "sending": "sending",
    "waiting": "waiting for the reply",
    "receiving": "receiving",
}

SHORT: Final = {"malformed": "malformed", "unreached": "unreached", "cancelled": "cancelled", "refused": "not sent"}
"""Outcomes whose sentence has a line of its own."""

TRACK: Final = 26
WORDS: Final = 38
"""Columns of an outcome's words in the bar; longer ones are told whole below it."""


def ended(exchange: Exchange) -> list[tuple[str, str]]:
    """Sign and word first, transport beside it."""
    name = exchange.outcome_name
    role = ROLES[name]
    word = SHORT.get(name) or clipped(outcome_words(exchange.outcome), WORDS)
    transport = transport_line(exchange)
    return [(f"{SIGNS[name]} ", role), (word, f"{role} bold"), (f"   {transport}" if transport else "", "middle")]


def told(exchange: Exchange) -> list[tuple[str, str]]:
    """Everything else that is worth a line: what the outcome means, what happened by the way, what is odd."""
    said: list[tuple[str, str]] = []
    sentence = outcome_words(exchange.outcome)
    if exchange.outcome_name in SHORT or columns(sentence) > WORDS:
        said.append((sentence.removeprefix(f"{exchange.outcome_name}: "), "text"))
    if explained := explanation(exchange.outcome):
        said.append((explained, "middle"))
    said += [(note, "middle") for note in exchange.notes]
    said += [(remark, "careful") for remark in exchange.remarks]
    if exchange.response.cut:
        said.append((f"the record holds the first {size(len(exchange.response.body))}", "careful"))
    if exchange.response.proxy:
        said.append((f"through the proxy {exchange.response.proxy}", "middle"))
    return said


def running(what: str, progress: Progress | None, elapsed: float) -> list[tuple[str, str]]:
    """Elapsed time, bytes so far, and a track where the length is known."""
    words = [("◐ ", "careful"), (STEPS.get(progress.step, what) if progress else what, "careful bold")]
    words.append((f"   {duration(elapsed)}", "text"))
    if progress is None or not progress.received:
        return words
    if not progress.total:
        return [*words, (f"  ·  {size(progress.received)}", "text")]
    part = min(progress.received / progress.total, 1)
    done = round(part * TRACK)
    return [
        *words,
        (f"  ·  {size(progress.received)} of {size(progress.total)}  ", "text"),
        ("━" * done, "accent"),
        ("━" * (TRACK - done), "line"),
    ]


def nothing(exchange: Exchange | None, what: str) -> list[list[tuple[str, str]]]:
    """What stands where a body would, while there is none; nothing before the first exchange."""
    if what:
        return [[], [("      The reply appears here as soon as it is complete.", "dim")]]
    if exchange is None:
        return []
    words = {
        "sent": "A notification: no reply is expected.",
        "unreached": "No reply came. F5 sends it again.",
        "cancelled": "It was cancelled before a reply came. F5 sends it again.",
        "refused": "Nothing was sent.",
    }.get(exchange.outcome_name, "The reply has no body.")
    return [[], [(f"      {words}", "dim")]]
