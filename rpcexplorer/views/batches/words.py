"""What came of a batch in words: each call by its number and method, missing and unexpected replies by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from rpcexplorer.model.batch import BatchParts
from rpcexplorer.model.exchange import Exchange, Sent
from rpcexplorer.rpc.messages import Malformed
from rpcexplorer.views.cells import clipped, columns
from rpcexplorer.views.history_rows import came
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.outcome import ROLES
from rpcexplorer.views.words.sentences import SIGNS, WordLine, outcome_words

LOOKED_AT: Final = 400
"""Characters of params that are looked at for a line of them."""


def failed_lines(parts: BatchParts) -> Iterator[str]:
    """A line for each call that got no result, and for each reply that nobody asked for.

    None where one outcome is that of them all: it is told of the whole.
    """
    if not parts.apart:
        return
    for number, call in enumerate(parts.calls, start=1):
        if call.exit_code:
            yield f"call {number}, {printable(call.method)}: {part_words(call)}"
    yield from map(unexpected_words, parts.unexpected)


def failed_count(parts: BatchParts) -> str:
    """Return how many calls have no result, without their messages: each has a line of its own."""
    awaited = [call for call in parts.calls if not isinstance(call.outcome, Sent)]
    failed = [call for call in awaited if call.exit_code]
    missing = sum(isinstance(call.outcome, Malformed) and not call.response.body for call in failed)
    counts = ((len(failed) - missing, "failed"), (missing, "got no response"))
    of = f"of {len(awaited)} call{'s' * (len(awaited) != 1)}"
    return ", ".join(f"{count} {of} {words}" for count, words in counts if count)


def part_words(call: Exchange) -> str:
    """What came of one call, in one line."""
    if isinstance(call.outcome, Malformed) and not call.response.body:
        return call.outcome.reason.rstrip(".")
    return "sent, no reply is expected" if isinstance(call.outcome, Sent) else outcome_words(call.outcome)


def unexpected_words(reply: Exchange) -> str:
    """What came that nobody asked for: why that is so, and what it is."""
    return f"{printable(reply.remarks[0])}: {outcome_words(reply.outcome)}"


def kind_word(*, notification: bool) -> str:
    return "notification" if notification else "call"


def on_one_line(params: str) -> str:
    """The beginning of what was typed, on one line."""
    return printable(" ".join(params[:LOOKED_AT].split())) or "[]"


def outcome_pieces(call: Exchange, room: int) -> WordLine:
    """Sign and words of what came of a call, in so many columns."""
    name = call.outcome_name
    told: WordLine = [(f"{SIGNS[name]} ", ROLES[name])]
    room -= 2
    if isinstance(call.outcome, Malformed) and not call.response.body:
        return [*told, (clipped(part_words(call), room), "middle")]
    for text, role in came(replace(call, kind="call")):  # the kind stands in a column of its own
        told.append((clipped(text, room), role))
        room = max(room - columns(told[-1][0]), 0)
    return told
