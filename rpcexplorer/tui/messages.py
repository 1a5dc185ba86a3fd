"""Messages of several widgets; others are nested in their widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar, dataclass_transform

from textual.message import Message

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange

if TYPE_CHECKING:
    pass

MessageType = TypeVar("MessageType", bound=Message)


@dataclass_transform(eq_default=False)
def message(made_of: type[MessageType]) -> type[MessageType]:
    """Make a message class with fields, without comparison and repr.

    Making these would slow down the start.
    """
    return dataclass(eq=False, repr=False)(made_of)


class Wanted(Message):
    """A request to open something over the current screen."""

    group: ClassVar[str]
    """Requests of one group are handled one after the other."""


@message
class CopyCallWanted(Wanted):
    """A request to copy a recorded call in one of several forms."""

    group: ClassVar = "copy"
    exchange: Exchange


@message
class ReportWanted(Wanted):
    """A request to copy the report of a call."""

    group: ClassVar = "copy"
    exchange: Exchange


@message
class SendAgainWanted(Message):
    """A request to load a recorded call and send it at once."""

    exchange: Exchange


@message
class ComparisonWanted(Wanted):
    """A request to compare a response with the one before of the same call."""

    group: ClassVar = "comparison"
    exchange: Exchange


@message
class ProfilesCompared(Wanted):
    """A request to send a call to several profiles and compare the responses."""

    group: ClassVar = "replay"
    draft: Draft
    whole: bool = False
    """All variables of the call must have values."""


class ConnectionTestWanted(Wanted):
    """A request to open the connection test."""

    group: ClassVar = "test"


class BatchWanted(Wanted):
    """A request to show the batch."""

    group: ClassVar = "batch"


class ChecksWanted(Wanted):
    """A request to run all checks of the profile."""

    group: ClassVar = "checks"


class FormWanted(Wanted):
    """A request to show the params as a form."""

    group: ClassVar = "form"


class EventsWanted(Wanted):
    """A request to show the events of the profile."""

    group: ClassVar = "events"
