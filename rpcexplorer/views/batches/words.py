"""What came of a batch in words: each call by its number and method, missing and unexpected replies by name."""

from __future__ import annotations

from collections.abc import Iterator

from rpcexplorer.model.batches.parts import BatchParts
from rpcexplorer.model.exchange import Exchange, Malformed, Sent
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import outcome_words


def failed_lines(parts: BatchParts) -> Iterator[str]:
    """A line for each call that got no result, and for each reply that nobody asked for.

    None where one outcome is that of them all: it is told of the whole.
    """
    if not parts.apart:
        return
    for number, call in enumerate(parts.calls, start=1):
        if call.exit_code:
            yield f"call {number}, {printable(call.method)}: {part_words(call)}"
    for came in parts.unexpected:
        yield unexpected_words(came)


def part_words(call: Exchange) -> str:
    """What came of one call, in one line."""
    if isinstance(call.outcome, Malformed) and not call.response.body:
        return call.outcome.reason.rstrip(".")
    return "sent, no reply is expected" if isinstance(call.outcome, Sent) else outcome_words(call.outcome)


def unexpected_words(came: Exchange) -> str:
    """What came that nobody asked for: why that is so, and what it is."""
    return f"{printable(came.remarks[0])}: {outcome_words(came.outcome)}"
