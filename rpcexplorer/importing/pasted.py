"""Whole requests and curl commands among params that were typed or pasted.

The check runs after each key, so it must be fast for any other text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from rpcexplorer.model.problem import cut
from rpcexplorer.patterns import regex

if TYPE_CHECKING:
    from rpcexplorer.importing.request import ImportedCall

_COMMAND: Final = regex(r"\s*(?:[$%>] +)?(?:[A-Za-z_]\w*=\S* +)?curl(?:\.exe)?\s")
_REQUEST: Final = regex(r"\ufeff?\s*[\[{]")
_HAR: Final = ('"log"', '"entries"', '"request"')
_COLLECTION: Final = "schema.getpostman.com/json/collection/"
MAX_NAME: Final = 32
MAX_CHARACTERS: Final = 1_000_000
"""Characters of a text that is checked."""


class Pasted(Struct, frozen=True):
    what: str
    """Sentence about the format of the text."""
    calls: tuple[ImportedCall, ...]
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        if len(self.calls) == 1:
            return f"import method {cut(self.calls[0].method, MAX_NAME)}"
        return f"import {len(self.calls):,} calls"


def is_command(text: str) -> bool:
    """Return whether a text starts like a curl command."""
    return _COMMAND.match(text) is not None


def pasted(text: str) -> Pasted | None:
    """Return the calls in a text; None for params, valid or not."""
    if len(text) > MAX_CHARACTERS:
        return None
    if is_command(text):
        return _file(text)
    if not _REQUEST.match(text):
        return None
    if all(word in text for word in _HAR) or _COLLECTION in text:
        return _file(text)
    if '"jsonrpc"' not in text:
        return None
    from rpcexplorer.importing.request import ImportedCall, whole_requests

    calls = whole_requests(text)
    if not calls:
        return None
    what = "This is a whole request, not params." if len(calls) == 1 else "These are whole requests, not params."
    made = (ImportedCall(1, call.method, call.params, notification=call.notification) for call in calls)
    return Pasted(what, tuple(made))


def _file(text: str) -> Pasted | None:
    from rpcexplorer.importing import curl
    from rpcexplorer.importing.formats import imported

    found = imported(text)
    if not found.calls:
        return None
    what = "This is a curl command, not JSON." if found.form == curl.FORM else f"This is a {found.form}, not params."
    skipped = (f"Skipped request {request.number}: {request.why}." for request in found.skipped)
    return Pasted(what, found.calls, (*found.notes, *skipped))
