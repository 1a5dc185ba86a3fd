"""Messages that more than one widget posts; all others are nested in the widget that posts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar, dataclass_transform

from textual.message import Message

from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange

if TYPE_CHECKING:
    from rpcexplorer.model.filter import HistoryFilter

MessageType = TypeVar("MessageType", bound=Message)


@dataclass_transform(eq_default=False)
def message(made_of: type[MessageType]) -> type[MessageType]:
    """Make a message of a class with fields. Nobody compares or prints one, and a start makes dozens of them."""
    return dataclass(eq=False, repr=False)(made_of)


class Wanted(Message):
    """Something that opens over the screen it is asked for on, or on top of all."""

    group: ClassVar[str]
    """What is asked for of one group is done one after the other."""


@message
class CopyCallWanted(Wanted):
    """A recorded call is to be copied in one of several forms."""

    group: ClassVar = "copy"
    exchange: Exchange


@message
class ReportWanted(Wanted):
    """A request to copy the report of a call, or of two calls and their differences."""

    group: ClassVar = "copy"
    exchange: Exchange
    other: Exchange | None = None
    ignore: Sequence[str] = ()
    """JSON pointers that are left out of what is compared."""


@message
class SendAgainWanted(Message):
    """A recorded call is wanted in the editor and sent at once."""

    exchange: Exchange


@message
class ComparisonWanted(Wanted):
    """A reply is to be compared with another; where none is named, with the one before of the same call."""

    group: ClassVar = "comparison"
    exchange: Exchange
    other: Exchange | None = None
    is_live: bool = False
    """It is as the server sent it, and no record."""


@message
class ProfilesCompared(Wanted):
    """One call is wanted on several profiles, which are asked for, and what they answer compared."""

    group: ClassVar = "replay"
    draft: Draft
    whole: bool = False
    """Nothing in it is sent as typed that stands for a value."""


@message
class ReplayWanted(Wanted):
    """Recorded calls are to be sent again, on a profile that is asked for, and compared."""

    group: ClassVar = "replay"
    records: Sequence[Exchange]


@message
class ExportWanted(Wanted):
    """Recorded calls are to be written into a file as a case; where is asked."""

    group: ClassVar = "export"
    records: Sequence[Exchange]


@message
class StatisticsWanted(Wanted):
    """Calls of the history are to be counted."""

    group: ClassVar = "statistics"
    wanted: HistoryFilter
    narrow: Callable[[str], object]
    """Takes the words of a filter for some of them that somebody wants to see."""


class ConnectionTestWanted(Wanted):
    """The user starts a connection test."""

    group: ClassVar = "test"


class BatchWanted(Wanted):
    """The calls that are collected for one body are wanted on view."""

    group: ClassVar = "batch"


class FormWanted(Wanted):
    """The params in the editor are wanted as a form."""

    group: ClassVar = "form"
