"""The dialects in which services are asked for their methods, in the order of how much they tell.

A dialect is a generator: it yields questions, is sent answers and returns a listing, so it needs no socket and a test
drives it by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.client.discovery.openrpc import read_openrpc
from rpcexplorer.client.discovery.system import read_names, with_help, with_signature
from rpcexplorer.model.catalogue import Listing
from rpcexplorer.model.draft import spelled

MOST_EXPLAINED = 200
"""Methods whose help is asked for one by one."""
ENOUGH = 3
"""Refusals after which a question that was never answered is not asked of the next method."""

NOT_OFFERED = "not offered"
TIME_IS_UP = "the time was up"


class Question(Struct, frozen=True):
    """What a dialect wants to know."""

    method: str
    params: str = ""
    """JSON text; empty for none, in whichever spelling the service takes."""
    aside: bool = False
    """Only adds detail: if it fails, or all of its kind take too long, what is known stays good."""


class Answered(Struct, frozen=True):
    """What a dialect is told."""

    value: Any = None
    refusal: str = ""
    """Why there is no value, as in ``not offered (-32601)``; empty where there is one."""


Asking = Generator[Question, Answered, Listing]


class Dialect(Struct, frozen=True):
    """One way of asking."""

    name: str
    ask: Callable[[Collection[str]], Asking]
    """Is told the names that are described already."""


def openrpc(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
    """A document that describes every method."""
    answer = yield Question("rpc.discover")
    return Listing(refusal=answer.refusal) if answer.refusal else read_openrpc(answer.value)


def list_methods(described: Collection[str]) -> Asking:
    """A list of names; help and signature of each that nobody has described are asked for one by one."""
    answer = yield Question("system.listMethods")
    listing = Listing(refusal=answer.refusal) if answer.refusal else read_names(answer.value)
    methods = {method.name: method for method in listing.methods}
    wanted = [name for name in methods if name not in described]
    said = list(listing.skipped)
    for companion, explained in (("system.methodHelp", with_help), ("system.methodSignature", with_signature)):
        refusals: list[str] = []
        for asked, name in enumerate(wanted[:MOST_EXPLAINED], start=1):
            answer = yield Question(companion, f"[{spelled(name)}]", aside=True)
            if not answer.refusal:
                methods[name] = explained(methods[name], answer.value)
                continue
            refusals.append(answer.refusal)
            is_never_answered = len(refusals) == asked and (asked == ENOUGH or answer.refusal.startswith(NOT_OFFERED))
            if is_never_answered or answer.refusal == TIME_IS_UP:
                break
        if refusals:
            count = f", for {len(refusals)} of {asked}" if len(refusals) < asked else ""
            said.append(f"{companion}: {refusals[-1]}{count}")
    if len(wanted) > MOST_EXPLAINED:
        said.append(f"help was asked for the first {MOST_EXPLAINED} of {len(wanted):,} only")
    return replace(listing, methods=tuple(methods.values()), skipped=tuple(said))


DIALECTS = (Dialect("rpc.discover", openrpc), Dialect("system.listMethods", list_methods))
"""In the order of how much they tell: the first to name a method describes it."""
