"""What a dialect and whoever asks for it say to each other.

A dialect is a generator: it yields questions, is sent answers and returns a listing, so it needs no socket and a test
drives it by hand. Which dialects there are is in dialects.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Sequence
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.model.method import Method
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.rpc.messages import spelled

MOST_EXPLAINED = 200
"""Methods whose help is asked for one by one."""
ENOUGH = 3
"""Refusals after which a question that was never answered is not asked of the next method."""
AT_ONCE = 4
"""Questions that are asked side by side."""
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
    guess: bool = False
    """It may well not be there: nothing follows from a refusal, and no credentials go along."""

    @property
    def is_extra(self) -> bool:
        """Whether all goes on as before where it fails."""
        return self.aside or self.guess


class Several(Struct, frozen=True):
    """Questions none of which depends on what another one is answered."""

    questions: tuple[Question, ...]
    told: str = ""
    """What somebody who waits hears of them, as in ``help 12 of 29``."""


class Answered(Struct, frozen=True):
    """What a dialect is told."""

    value: Any = None
    refusal: str = ""
    """Why there is no value, as in ``not offered (-32601)``; empty where there is one."""
    each: tuple[Answered, ...] = ()
    """The answers to several questions, in their order."""


Asking = Generator[Question | Several, Answered, Listing]
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
    companion: str,
    methods: dict[str, Method],
    wanted: Sequence[str],
    explained: Callable[[Method, Any], Method],
    asked_by: str = "",
) -> Generator[Several, Answered, list[str]]:
    """Ask the ``companion`` about each method that is ``wanted``, and write down what it says; what is to be told.

    Until it has answered once, one question is asked at a time: some services take seconds for each refusal.
    ``asked_by``: the name of its param, where that is given by name.
    """
    wanted = wanted[:MOST_EXPLAINED]
    refusals: list[str] = []
    asked = 0
    while asked < len(wanted):
        names = wanted[asked : asked + (AT_ONCE if asked > len(refusals) else 1)]
        asked += len(names)
        told = f"{companion} {asked} of {len(wanted)}"
        params = (f"{{{spelled(asked_by)}:{spelled(name)}}}" if asked_by else f"[{spelled(name)}]" for name in names)
        answered = yield Several(tuple(Question(companion, each, aside=True) for each in params), told)
        for name, answer in zip(names, answered.each, strict=True):
            if answer.refusal:
                refusals.append(answer.refusal)
            else:
                methods[name] = explained(methods[name], answer.value)
        is_never_answered = len(refusals) == asked and (asked == ENOUGH or refusals[-1].startswith(NOT_OFFERED))
        if is_never_answered or TIME_IS_UP in refusals:
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
