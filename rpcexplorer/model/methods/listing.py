"""What discovery brings: a listing is what one dialect's answer says, a discovery what all of them do.

How an answer is read is in client/discovery/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.method import Described, Method

if TYPE_CHECKING:
    from rpcexplorer.model.methods.changes import MethodChange


class DiscoveryStep(Struct, frozen=True):
    """How far a discovery has come."""

    dialect: str
    """The question that it is about."""
    words: str
    """``asked``, ``help 12 of 29``, or what came of it."""
    methods: int
    """How many are known by now."""


TellStep = Callable[[DiscoveryStep], None]


class Listing(Struct, frozen=True):
    """What one dialect's answer says."""

    methods: tuple[Method, ...] = ()
    about: str = ""
    """What the answer says of itself: ``OpenRPC 1.3.2, "demo 1.0"``."""
    skipped: tuple[str, ...] = ()
    """What of it could not be used, in sentences."""
    refusal: str = ""
    """Why there is no listing, as in ``not offered (-32601)``; empty where there is one."""
    described: Mapping[str, Described] = {}
    """What it says of each method in full, by name."""
    events: tuple[Method, ...] = ()
    """What the server sends of itself: the name of each and what stands in it."""


class Learned(Struct, frozen=True):
    """What discovery has brought for a profile, and when."""

    methods: tuple[Method, ...]
    when: datetime


class Discovery(Struct, frozen=True):
    """What came of asking a service which methods it has."""

    when: datetime
    methods: tuple[Method, ...] = ()
    """What all answers say together; empty where it was ended early."""
    sentences: tuple[str, ...] = ()
    """What happened, at least one sentence for each dialect that was asked."""
    ended: Exchange | None = None
    """The exchange that ended it before all was asked: unreached, refused or cancelled."""
    new: tuple[str, ...] = ()
    """Names that were not discovered before."""
    gone: tuple[str, ...] = ()
    """Names that were, and are not any more."""
    changed: tuple[MethodChange, ...] = ()
    """All that differs from what was known before: new, gone, and what is said otherwise. None at the first time."""
    described: Mapping[str, Described] = {}
    """What they say of each method in full, by name."""
    events: tuple[Method, ...] = ()
    """What the server sends of itself."""

    def __repr__(self) -> str:
        """In a line: asyncio asks for one, and all that is said in full would take minutes."""
        return f"Discovery({len(self.methods)} methods, {len(self.sentences)} sentences)"

    @property
    def found(self) -> bool:
        """Whether the service told of any method. If not, what was known before stays."""
        return bool(self.methods)

    @property
    def exit_code(self) -> int:
        """What a shell learns of it. A service that offers no discovery is in order."""
        return self.ended.exit_code if self.ended else 0
