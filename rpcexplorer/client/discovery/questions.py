"""What a dialect and whoever asks for it say to each other.

A dialect is a generator: it yields questions, is sent answers and returns a listing, so it needs no socket and a test
drives it by hand. Which dialects there are is in dialects.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Sequence
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.model.draft import spelled
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.methods.method import Method

MOST_EXPLAINED = 200
"""Methods whose help is asked for one by one."""
ENOUGH = 3
"""Refusals after which a question that was never answered is not asked of the next method."""

NOT_OFFERED = "not offered"
TIME_IS_UP = "the time was up"
EMPTY: Final = f"{NOT_OFFERED} (an empty result)"


class Question(Struct, frozen=True):
    """What a dialect wants to know."""

    method: str
    params: str = ""
    """JSON text; empty for none, in whichever spelling the service takes."""
    aside: bool = False
    """Only adds detail: if it fails, or all of its kind take too long, what is known stays good."""
    document: bool = False
    """No method is called: what lies at a path of the service is wanted, and ``method`` is that path."""


class Answered(Struct, frozen=True):
    """What a dialect is told."""

    value: Any = None
    refusal: str = ""
    """Why there is no value, as in ``not offered (-32601)``; empty where there is one."""


Asking = Generator[Question, Answered, Listing]
WayOfAsking = Callable[[Collection[str]], Asking]
"""Is told the names that are described already."""


class Dialect(Struct, frozen=True):
    """One way of asking."""

    name: str
    ask: WayOfAsking
    clue: re.Pattern[str] | None = None
    """What a service says to other questions that speaks this dialect; None where nothing tells."""


def told_at_once(question: Question, read: Callable[[Any], Listing]) -> WayOfAsking:
    """The way of a dialect in which one answer tells everything."""

    def ask(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
        answer = yield question
        return Listing(refusal=answer.refusal) if answer.refusal else read(answer.value)

    return ask


def one_by_one(
    companion: str, methods: dict[str, Method], wanted: Sequence[str], explained: Callable[[Method, Any], Method]
) -> Generator[Question, Answered, list[str]]:
    """Ask the ``companion`` about each method that is ``wanted``, and write down what it says; what is to be told."""
    refusals: list[str] = []
    asked = 0
    for asked, name in enumerate(wanted[:MOST_EXPLAINED], start=1):
        answer = yield Question(companion, f"[{spelled(name)}]", aside=True)
        if not answer.refusal:
            methods[name] = explained(methods[name], answer.value)
            continue
        refusals.append(answer.refusal)
        for_all = answer.refusal.startswith(NOT_OFFERED)
        is_never_answered = len(refusals) == asked and (asked == ENOUGH or for_all)
        if is_never_answered or answer.refusal == TIME_IS_UP:
            break
    if not refusals:
        return []
    count = f", for {len(refusals)} of {asked}" if len(refusals) < asked else ""
    return [f"{companion}: {refusals[-1]}{count}"]


def too_many_to_explain(wanted: Sequence[str]) -> list[str]:
    """A sentence where not all were asked about."""
    if len(wanted) <= MOST_EXPLAINED:
        return []
    return [f"help was asked for the first {MOST_EXPLAINED} of {len(wanted):,} only"]
