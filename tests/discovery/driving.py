"""Helpers that drive a discovery protocol without a socket."""

from __future__ import annotations

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import Answer, Dialogue, Question, Questions


def drive(asking: Dialogue, *answers: Answer) -> tuple[list[Question], Listing]:
    """Send a protocol its answers; return its questions and its listing."""
    questions: list[Question] = []
    rest = list(answers)
    step = next(asking)
    while True:
        asked = step.questions if isinstance(step, Questions) else (step,)
        questions += asked
        if len(rest) < len(asked):
            raise AssertionError(f"it wants to know more: {asked}")
        given, rest = rest[: len(asked)], rest[len(asked) :]
        try:
            step = asking.send(Answer(answers=tuple(given)) if isinstance(step, Questions) else given[0])
        except StopIteration as stop:
            assert not rest, f"it does not want to know {rest}"
            return questions, stop.value
