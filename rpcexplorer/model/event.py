"""An event: what a server sends on an open connection of its own accord."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

EventKind = Literal["notification", "request", "response", "unreadable"]
"""``response``: one that no call waits for. ``unreadable``: data that is not a message."""


class Event(Struct, frozen=True):
    when: datetime
    kind: EventKind
    text: bytes
    """The message as it came, without its framing."""
    method: str = ""
    id: bytes | None = None
    """The id as the server wrote it, to answer a request."""
    remark: str = ""
    """Why a response has no call, or why data is not a message."""
    answer: bytes | None = None
    """The answer of a rule; None if the user answers, or if there is none."""
