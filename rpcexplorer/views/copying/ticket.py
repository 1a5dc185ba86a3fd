"""A call as Markdown, for a ticket: what was sent, what came back, when, and how long it took.

All text from outside stands in code, between more backticks than it holds itself, and is printable: no Markdown
reader finds a link, a mention or markup in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from typing import Final

from rpcexplorer.jsontext.layout import indented
from rpcexplorer.model.exchange import Exchange, Sent
from rpcexplorer.views.printable import printable, printable_bytes, readable
from rpcexplorer.views.words.sentences import duration, outcome_line, size, transport_line
from rpcexplorer.views.words.timing import bars

SHOWN: Final = 16_000
"""Characters of a request or a reply that a ticket holds; longer ones are cut at the end of a line."""

_TICKS = re.compile("`+")


def ticket(method: str, profile: str, url: str, request: str, exchange: Exchange | None) -> str:
    """The ticket for a request, laid out as text, and for what came of it where it has been sent.

    Nothing is hidden here: secrets have to be placeholders already.
    """
    outcome = f": {exchange.outcome_name}" if exchange else ""
    facts = {"Profile": profile, "URL": url}
    lines = [f"## {code(method)}{outcome}", "", *(f"- {label}: {code(text)}" for label, text in facts.items())]
    if exchange is not None:
        lines += [f"- {label}: {text}" for label, text in _circumstances(exchange)]
    lines += ["", "### Request", "", *_block(printable(request, lines=True), "http")]
    if exchange is not None:
        lines += ["", "### Reply", "", *_reply(exchange)]
    return "\n".join(lines)


def _circumstances(exchange: Exchange) -> Iterator[tuple[str, str]]:
    yield "When", f"{exchange.when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    yield "Outcome", code(outcome_line(exchange))
    if transport := transport_line(exchange):
        yield "Transport", transport
    phases = ", ".join(f"{bar.label} {bar.took}" for bar in bars(exchange.response.phases, exchange.seconds, 1))
    yield "Took", duration(exchange.seconds) + (f" ({phases})" if phases else "")
    for text in (*exchange.notes, *exchange.remarks):
        yield "Also", code(text)


def _reply(exchange: Exchange) -> Iterator[str]:
    response, body = exchange.response, exchange.response.body
    if response.headers:
        head = [f"{response.version} {response.status} {response.reason}".strip()]
        head += [f"{name}: {value}".rstrip() for name, value in response.headers]
        yield from _block("\n".join(map(printable, head)), "http")
        yield ""
    if not body:
        yield "No reply is expected." if isinstance(exchange.outcome, Sent) else "No body came."
        return
    text = readable(body)
    shown = printable_bytes(body) if text is None else printable(indented(text), lines=True)
    whole = not exchange.response.cut
    yield from _block(shown, "json" if whole and shown[:1] in {"{", "["} else "text")
    if not whole:
        yield ""
        yield f"Of the reply, {size(exchange.response.size)} in all, only the beginning was kept."


def _block(text: str, language: str) -> Iterator[str]:
    """A fenced block, and a note under it where the text had to be cut."""
    shown = text
    if len(text) > SHOWN:
        head = text[:SHOWN]
        shown = head[: head.rfind("\n")] if "\n" in head else head
    fence = "`" * max(3, _longest_run(shown) + 1)
    yield f"{fence}{language}"
    yield shown
    yield fence
    if shown is not text:
        yield ""
        yield f"Cut here: {len(shown):,} of {len(text):,} characters are shown."


def code(text: str) -> str:
    text = printable(text) or " "
    ticks = "`" * (_longest_run(text) + 1)
    padding = " " if text.strip() and (text[0] in "` " or text[-1] in "` ") else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
