"""The pages of a reply beside its body: headers and timing, as lines of words with their roles."""

from __future__ import annotations

import re

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.views.words.sentences import WordLine, duration, size
from rpcexplorer.views.words.timing import bars, drawn

LABEL = 18
COOKIE = re.compile("=[^;]*")


def headers_page(exchange: Exchange) -> list[WordLine]:
    """Status line and headers as they came, then what else is known of the way."""
    response = exchange.response
    if response.status is None:
        return [[("  No HTTP reply came, so there are no headers.", "dim")]]
    lines: list[WordLine] = [[("  " + f"{response.version} {response.status} {response.reason}".strip(), "bold")], []]
    if not response.headers:
        lines.append([("  No headers came, or they were not recorded.", "dim")])
    widest = min(max((len(name) for name, _ in response.headers), default=0), 30)
    lines += [
        [(f"  {name:<{widest}}", "json-key"), ("  ", "text"), (_shown(name, value), "text")]
        for name, value in response.headers
    ]
    lines += [[], *_facts(exchange)]
    return lines


def _shown(name: str, value: str) -> str:
    """A header's value; what a cookie holds is a session, and nobody's to read over a shoulder."""
    return COOKIE.sub("=••••••••", value, count=1) if name.lower() == "set-cookie" else value


def timing_page(exchange: Exchange, width: int) -> list[WordLine]:
    """The phases of the way as bars on one scale, then sizes and the moment."""
    lines: list[WordLine] = []
    for bar, track in zip(
        bars(exchange.response.phases, exchange.seconds, width),
        drawn(bars(exchange.response.phases, exchange.seconds, width), max(width - LABEL - 14, 10)),
        strict=True,
    ):
        lines.append([(f"  {bar.label:<{LABEL - 2}}", "middle"), (track, "accent"), (f"  {bar.took:>8}", "text")])
    if not lines:
        lines.append([("  There is no breakdown of the time: only the total is known.", "dim")])
    total = f"  {duration(exchange.seconds):>8}"
    lines += [[(f"  {'total':<{LABEL - 2}}", "bold"), (total.strip(), "bold")], [], *_facts(exchange)]
    return lines


def _facts(exchange: Exchange) -> list[WordLine]:
    response = exchange.response
    facts = {
        "sent": size(exchange.sent) if exchange.sent else "",
        "received": size(response.size) if response.status is not None else "",
        "when": f"{exchange.when.astimezone():%Y-%m-%d %H:%M:%S %z}",
        "id": exchange.id,
        "proxy": response.proxy or "",
    }
    return [[(f"  {label:<{LABEL - 2}}", "dim"), (text, "text")] for label, text in facts.items() if text]
