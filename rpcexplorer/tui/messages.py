"""What widgets say to whoever is above them: classes with a few fields, nested in the widget that says it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

from textual.message import Message

Said = TypeVar("Said", bound=Message)


@dataclass_transform(eq_default=False)
def message(said: type[Said]) -> type[Said]:
    """Make a message of a class with fields, the first of which is the widget that says it: Textual's ``control``.

    Nobody compares or prints one, and a start makes dozens of them.
    """
    made: Any = dataclass(eq=False, repr=False)(said)
    made.control = property(attrgetter(fields(made)[0].name))
    return said
