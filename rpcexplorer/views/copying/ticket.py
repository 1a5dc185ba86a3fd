"""A call as Markdown, for a ticket: what was sent, what came back, when, how long it took, and by which versions.

All text from outside stands in code, between more backticks than it holds itself, and is printable: no Markdown
reader finds a link, a mention or markup in it.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from datetime import UTC
from importlib.metadata import version
from typing import Final

from rpcexplorer.jsontext.layout import indented
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.views.copying.reply_headers import others_told, that_matter
from rpcexplorer.views.printable import printable, printable_bytes, readable
from rpcexplorer.views.words.sentences import duration, outcome_line, size, transport_line
from rpcexplorer.views.words.timing import bars

SHOWN: Final = 16_000
"""Characters of a request or a reply that a ticket holds; longer ones are cut at the end of a line."""
_NO_BODY: Final = {"sent": "No reply is expected.", "refused": "The call was not sent."}
_TICKS = re.compile("`+")


def ticket(method: str, profile: str, url: str, request: str, exchange: Exchange | None) -> str:
    """The ticket for a request, laid out as text, and for what came of it where it has been sent.

    Nothing is hidden here: secrets have to be placeholders already.
    """
    outcome = f": {exchange.counts_as}" if exchange else ""
    facts = {"Profile": profile, "URL": url}
    lines = [f"## {code(method)}{outcome}", "", *(f"- {label}: {code(text)}" for label, text in facts.items())]
    if exchange is not None:
        lines += [f"- {label}: {text}" for label, text in _circumstances(exchange)]
    lines += [f"- Versions: {code(versions())}"]
    if exchange is not None and exchange.note:
        lines += ["", "### Note", "", *block(printable(exchange.note, lines=True), "text")]
    lines += ["", "### Request", "", *block(printable(request, lines=True), "http")]
    if exchange is not None and exchange.params_sent is not None:
        lines += ["", "### Typed, with placeholders", "", *block(printable(exchange.params, lines=True), "json")]
    if exchange is not None:
        lines += ["", "### Reply", "", *reply(exchange)]
    return "\n".join(lines)


def versions() -> str:
    """What the call was looked at with, here and now: program, Python and system."""
    system = {"Darwin": "macOS"}.get(platform.system(), platform.system())
    return f"rpcexplorer {version('rpcexplorer')}, Python {platform.python_version()}, {system}"


def moment(exchange: Exchange) -> str:
    """When it was sent, for readers anywhere."""
    return f"{exchange.when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _circumstances(exchange: Exchange) -> Iterator[tuple[str, str]]:
    yield "When", moment(exchange)
    yield "Outcome", code(outcome_line(exchange))
    if transport := transport_line(exchange):
        yield "Transport", transport
    phases = ", ".join(f"{bar.label} {bar.took}" for bar in bars(exchange.response.phases, exchange.seconds, 1))
    yield "Took", duration(exchange.seconds) + (f" ({phases})" if phases else "")
    yield "Id", code(exchange.id)
    if exchange.name:
        yield "Name", code(exchange.name)
    if exchange.writer or exchange.foreign:
        yield "Recorded by", code(exchange.writer) if exchange.writer else "somebody else, whose profile it names"
    for text in (*exchange.notes, *exchange.remarks):
        yield "Also", code(text)


def reply(exchange: Exchange, most: int = SHOWN) -> Iterator[str]:
    """Blocks of what came back: the status and the headers that matter, then the body, cut at ``most`` characters."""
    response, body = exchange.response, exchange.response.body
    if response.headers:
        head = [f"{response.version} {response.status} {response.reason}".strip()]
        matter, others = that_matter(response.headers)
        head += [f"{name}: {value}".rstrip() for name, value in matter]
        yield from block("\n".join(map(printable, head)), "http")
        yield ""
        if others:
            yield from (others_told(others), "")
    if not body:
        yield _NO_BODY.get(exchange.outcome_name, "No body came.")
        return
    text = readable(body)
    shown = printable_bytes(body) if text is None else printable(indented(text), lines=True)
    whole = not exchange.response.cut
    yield from block(shown, "json" if whole and shown[:1] in {"{", "["} else "text", most)
    if not whole:
        yield ""
        yield f"Of the reply, {size(response.size)} in all, only the beginning was kept."
    elif len(shown) > most:
        yield f"The reply has {size(response.size)}."


def block(text: str, language: str, most: int = SHOWN) -> Iterator[str]:
    """A fenced block, and a note under it where the text had to be cut."""
    shown = text
    if len(text) > most:
        head = text[:most]
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
