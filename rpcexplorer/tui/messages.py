"""How messages are made; each is nested in its widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

from textual.message import Message

MessageType = TypeVar("MessageType", bound=Message)


@dataclass_transform(eq_default=False)
def message(made_of: type[MessageType]) -> type[MessageType]:
    """Make a message class with fields, without comparison and repr.

    Making these would slow down the start.
    """
    return dataclass(eq=False, repr=False)(made_of)
