"""Driving a dialect by hand."""

from __future__ import annotations

from rpcexplorer.client.discovery.questions import Answered, Asking, Question
from rpcexplorer.model.methods.listing import Listing


def drive(asking: Asking, *answers: Answered) -> tuple[list[Question], Listing]:
    """Send a dialect its answers; the questions it had, and what it made of it all."""
    questions = [next(asking)]
    for answer in answers:
        try:
            questions.append(asking.send(answer))
        except StopIteration as stop:
            return questions, stop.value
    raise AssertionError(f"it wants to know more: {questions[-1]}")
