"""What the bar above the response says: how it ended or how far it has come. Words with their roles, nothing drawn."""

from __future__ import annotations

from typing import Final

from rpcexplorer.model.exchange import Exchange, OutcomeName
from rpcexplorer.transport.port import Progress
from rpcexplorer.views.cells import clipped, columns
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import (
    SIGNS,
    duration,
    explanation,
    outcome_words,
    size,
    status_word,
    transport_line,
)

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
WHOSE: Final = 24
"""Columns of a method's name in the bar."""
STEP: Final = 44
"""Columns of how far it is."""
LEAST: Final = 12
"""Columns of an outcome's words that stay in the bar whatever happens: ``error -32601``."""


def ended(exchange: Exchange, room: int) -> list[tuple[str, str]]:
    """Sign and word; where there is no room for an error's message, its code alone."""
    name = exchange.counts_as
    role, word = ROLES[name], in_short(exchange)
    if columns(word) > max(room, LEAST):
        word = " ".join(word.split(" ")[:2]).rstrip(":")
    return [(f"{SIGNS[name]} ", role), (word, f"{role} bold")]


def in_short(exchange: Exchange) -> str:
    """How it ended, without the sentence that ``reason`` has."""
    return status_word(exchange.outcome) or SHORT.get(exchange.outcome_name) or outcome_words(exchange.outcome)


def reason(exchange: Exchange) -> str:
    """The sentence of an outcome that ``in_short`` leaves out; empty where it leaves out none."""
    if exchange.outcome_name not in SHORT:
        return ""
    sentence = outcome_words(exchange.outcome)
    if status_word(exchange.outcome):
        sentence = sentence.partition(": ")[2]
        sentence = sentence[:1].upper() + sentence[1:]
    return sentence.removeprefix(f"{exchange.outcome_name}: ")


def beside(exchange: Exchange, method: str) -> list[tuple[str, str]]:
    """What stands beside it: whose reply it is where that is not the method in the editor, and the transport."""
    transport = transport_line(exchange)
    is_other = exchange.method not in {method, ""}
    whose = [("  of ", "middle"), (clipped(exchange.method, WHOSE), "careful")] if is_other else []
    return [*whose, (f"   {transport}" if transport else "", "middle")]


def told(exchange: Exchange, room: int) -> list[tuple[str, str]]:
    """Everything else that is worth a line: what had no room above, what it means, what happened by the way."""
    said: list[tuple[str, str]] = []
    sentence, explained = outcome_words(exchange.outcome), explanation(exchange.outcome)
    if exchange.outcome_name in SHORT:
        said.append((reason(exchange), "text"))
        if exchange.outcome_name in {"malformed", "unreached"}:
            said.append((f"called {printable(exchange.url)}", "middle"))
    elif columns(sentence) > max(room, LEAST):
        message = " ".join(sentence.split(" ")[2:])
        said += [] if explained.lower().startswith(message.lower()) else [(message, "text")]
    if explained:
        said.append((explained, "middle"))
    said += [(note, "middle") for note in exchange.notes]
    said += [(remark, "careful") for remark in exchange.remarks]
    if exchange.response.cut:
        said.append((f"the record holds the first {size(len(exchange.response.body))}", "careful"))
    if exchange.response.proxy:
        said.append((f"through the proxy {exchange.response.proxy}", "middle"))
    return said


def running(what: str, whose: str, progress: Progress | None, elapsed: float, step: str = "") -> list[tuple[str, str]]:
    """What is done for which method, elapsed time, bytes so far, and a track where the length is known.

    ``step``: how far that is which makes many calls.
    """
    words = [("◐ ", "careful"), (STEPS.get(progress.step, what) if progress and not step else what, "careful bold")]
    told = clipped(step, STEP) if step else clipped(whose, WHOSE)
    words += [(f"  {told}", "middle")] if told else []
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
        "refused": "The call itself was not sent." if exchange.seconds else "Nothing was sent.",
    }.get(exchange.outcome_name, "The reply has no body.")
    return [[], [(f"      {words}", "dim")]]
