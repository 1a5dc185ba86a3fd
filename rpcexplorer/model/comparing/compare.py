"""Two exchanges compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from rpcexplorer.jsontext.scan import is_value
from rpcexplorer.jsontext.steps import Steps, at_once
from rpcexplorer.model.comparing.comparison import ComparedPlace, Comparison, Difference
from rpcexplorer.model.comparing.ignoring import patterns_of
from rpcexplorer.model.comparing.parts import is_native
from rpcexplorer.model.comparing.replies import text_of, why_not
from rpcexplorer.model.comparing.walk import Walk, parts_of, whole
from rpcexplorer.model.exchange import Exchange, OutcomeName
from rpcexplorer.rpc.messages import spelled

Outcomes: TypeAlias = tuple[OutcomeName, OutcomeName]


def compared(left: Exchange, right: Exchange, ignore: Sequence[str] = ()) -> Steps[Comparison]:
    """What differs between two replies, in steps of a few milliseconds: who stops taking them stops the work.

    ``ignore`` holds JSON pointers from the result on, ``*`` for any member or element. A result and an error differ as
    a whole; what is inside of them is not set against each other.
    """
    outcomes = (left.outcome_name, right.outcome_name)
    if why := why_not(left, right):
        return Comparison("not comparable", outcomes, why=why)
    one, two = text_of(left), text_of(right)
    if outcomes[0] != outcomes[1]:
        places = ComparedPlace("", *whole(one)), ComparedPlace("", *whole(two))
        return Comparison("differs", outcomes, one, two, (Difference("changed", *places),))
    return (yield from _compared(one, two, ignore, outcomes))  # the codec has read both: they are JSON


def compared_texts(left: bytes, right: bytes, ignore: Sequence[str] = ()) -> Steps[Comparison]:
    """What differs between two JSON texts; one that is none is compared as the string of its letters."""
    left, right = (yield from _json_of(left)), (yield from _json_of(right))
    return (yield from _compared(left, right, ignore, ("result", "result")))


def _compared(left: bytes, right: bytes, ignore: Sequence[str], outcomes: Outcomes) -> Steps[Comparison]:
    walk = Walk(*(yield from parts_of(left, right)))
    yield from walk.run(patterns_of(ignore))
    return Comparison(
        "differs" if walk.differences else "same",
        outcomes,
        left,
        right,
        tuple(walk.differences),
        tuple(walk.passed),
        walk.hidden,
        tuple(walk.unaligned),
    )


def _json_of(text: bytes) -> Steps[bytes]:
    if (yield from is_native(text)) or is_value(text.decode("latin-1")):
        return text
    return spelled(text.decode("utf-8", "backslashreplace")).encode()


def compared_at_once(left: Exchange, right: Exchange, ignore: Sequence[str] = ()) -> Comparison:
    """For those who have nothing else to do."""
    return at_once(compared(left, right, ignore))
