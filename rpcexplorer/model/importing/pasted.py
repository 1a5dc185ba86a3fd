"""What was pasted where params are typed, and is more than params: a whole request, several, or a curl command.

It is looked at after each key, so that whatever else is typed costs next to nothing here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from rpcexplorer.model.importing.imported import ImportedCall

_COMMAND: Final = re.compile(r"\s*(?:[$%>] +)?(?:[A-Za-z_]\w*=\S* +)?curl(?:\.exe)?\s")
_REQUEST: Final = re.compile(r"\ufeff?\s*[\[{]")
LONGEST: Final = 1_000_000
"""Characters."""


class Pasted(Struct, frozen=True):
    """Something that can be taken apart."""

    what: str
    """What the text is."""
    calls: tuple[ImportedCall, ...]
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What taking it apart does, as an order."""
        more = f"method {self.calls[0].method}" if len(self.calls) == 1 else f"{len(self.calls):,} calls"
        return f"take it apart: {more}"


def is_command(text: str) -> bool:
    """Whether a text begins as a curl command does."""
    return _COMMAND.match(text) is not None


def pasted(text: str) -> Pasted | None:
    """What can be taken apart in a text; None for params, right or wrong."""
    if len(text) > LONGEST:
        return None
    if is_command(text):
        from rpcexplorer.model.importing.forms import imported

        found = imported(text)
        said = tuple(f"Request {each.number} was left out: {each.why}." for each in found.skipped)
        return Pasted("A curl command, not JSON.", found.calls, (*found.notes, *said)) if found.calls else None
    if '"jsonrpc"' not in text or not _REQUEST.match(text):
        return None
    from rpcexplorer.model.importing.envelopes import whole
    from rpcexplorer.model.importing.imported import ImportedCall

    calls = whole(text)
    made = (ImportedCall(1, each.method, each.params, notification=each.notification) for each in calls)
    what = "A whole request, not only its params." if len(calls) == 1 else "Whole requests, not params."
    return Pasted(what, tuple(made)) if calls else None
