"""What widgets say to whoever is above them: classes with a few fields, nested in the widget that says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

from textual.message import Message

Said = TypeVar("Said", bound=Message)


@dataclass_transform(eq_default=False)
def message(said: type[Said]) -> type[Said]:
    """Make a message of a class with fields. Nobody compares or prints one, and a start makes dozens of them."""
    return dataclass(eq=False, repr=False)(said)
