"""What was pasted where params are typed, and is more than params: a whole request, several, or a curl command.

It is looked at after each key, so that whatever else is typed costs next to nothing here.
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
LONGEST_NAME: Final = 32
LONGEST: Final = 1_000_000
"""Characters."""


class Pasted(Struct, frozen=True):
    what: str
    """What the text is."""
    calls: tuple[ImportedCall, ...]
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        method = f"method {cut(self.calls[0].method, LONGEST_NAME)}"
        return f"import it: {method if len(self.calls) == 1 else f'{len(self.calls):,} calls'}"


def is_command(text: str) -> bool:
    """Whether a text begins as a curl command does."""
    return _COMMAND.match(text) is not None


def pasted(text: str) -> Pasted | None:
    """What can be taken apart in a text; None for params, right or wrong."""
    if len(text) > LONGEST:
        return None
    if is_command(text):
        return _file(text)
    if not _REQUEST.match(text):
        return None
    if all(word in text for word in _HAR) or _COLLECTION in text:
        return _file(text)
    if '"jsonrpc"' not in text:
        return None
    from rpcexplorer.importing.request import ImportedCall, whole

    calls = whole(text)
    made = (ImportedCall(1, each.method, each.params, notification=each.notification) for each in calls)
    what = "A whole request, not only its params." if len(calls) == 1 else "Whole requests, not params."
    return Pasted(what, tuple(made)) if calls else None


def _file(text: str) -> Pasted | None:
    from rpcexplorer.importing import curl
    from rpcexplorer.importing.formats import imported

    found = imported(text)
    what = "A curl command, not JSON." if found.form == curl.FORM else f"A {found.form}, not params."
    said = tuple(f"Skipped request {each.number}: {each.why}." for each in found.skipped)
    return Pasted(what, found.calls, (*found.notes, *said)) if found.calls else None
