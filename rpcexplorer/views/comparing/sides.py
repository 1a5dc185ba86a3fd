"""What is said around a comparison: which two replies it is of, and what came of a call that was sent again."""

from __future__ import annotations

from datetime import date, tzinfo
from typing import TYPE_CHECKING, Final

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.views.cells import clipped
from rpcexplorer.views.comparing.summary import PROFILE, names_of, summary
from rpcexplorer.views.history_rows import moment_words
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.outcome import ROLES, in_short, reason
from rpcexplorer.views.words.sentences import SIGNS, duration, outcome_words, size

if TYPE_CHECKING:
    from rpcexplorer.client.replay import Replayed

METHOD: Final = 24
OUTCOME: Final = 120
"""Columns that a name and an outcome's words get at most; who draws them cuts what has no room."""


def side(
    exchange: Exchange, today: date, zone: tzinfo | None = None, *, with_method: bool = False
) -> list[tuple[str, str]]:
    """One of the two: profile, moment, outcome, how long it took; a stranger's profile is none of this person's."""
    name = exchange.counts_as
    method = [(f"{clipped(exchange.method, METHOD)}  ", "text bold")] if with_method else []
    whose = [(" of a case", "careful")] if exchange.foreign else []
    return [
        *method,
        (clipped(exchange.profile, PROFILE), "text" if with_method else "text bold"),
        *whose,
        (f"  {moment_words(exchange.when, today, zone)}", "middle"),
        (f"  {SIGNS[name]} ", ROLES[name]),
        (clipped(in_short(exchange), OUTCOME), f"{ROLES[name]} bold"),
        (f"  {duration(exchange.seconds)}", "dim"),
    ]


def reasons(left: Exchange, right: Exchange) -> list[str]:
    """Why there is no reply on a side, or none that can be read; each sentence once."""
    told = [reason(each) if reason(each) != in_short(each) else "" for each in (left, right)]
    if all(told) and told[0] != told[1]:
        names = names_of(left, right)
        sides = [f"in {name}" for name in names] if names else ["on the left", "on the right"]
        return [f"{side}: {sentence}" for side, sentence in zip(sides, told, strict=True)]
    return list(dict.fromkeys(filter(None, told)))


def replayed_words(replayed: Replayed) -> tuple[str, str]:
    """What came of a call that was sent again: a word, and how or why."""
    comparison, live = replayed.comparison, replayed.live
    if replayed.why or comparison is None or live is None:
        return replayed.verdict, printable(" ".join(replayed.why.split()))
    if replayed.verdict == "same":
        return "same", f"{outcome_words(live.outcome)}  {size(live.response.size)}"
    return replayed.verdict, summary(comparison, names_of(replayed.recorded, live))
