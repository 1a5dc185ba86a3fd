"""Driving a dialect by hand."""

from __future__ import annotations

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import Answered, Asking, Question, Several


def drive(asking: Asking, *answers: Answered) -> tuple[list[Question], Listing]:
    """Send a dialect its answers; the questions it had, and what it made of it all."""
    questions: list[Question] = []
    rest = list(answers)
    step = next(asking)
    while True:
        asked = step.questions if isinstance(step, Several) else (step,)
        questions += asked
        if len(rest) < len(asked):
            raise AssertionError(f"it wants to know more: {asked}")
        told, rest = rest[: len(asked)], rest[len(asked) :]
        try:
            step = asking.send(Answered(answers=tuple(told)) if isinstance(step, Several) else told[0])
        except StopIteration as stop:
            assert not rest, f"it does not want to know {rest}"
            return questions, stop.value
