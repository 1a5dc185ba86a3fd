"""What was found in a text from elsewhere: calls, the credentials that came with them, and what cannot be used.

Such a text is somebody else's. Its credentials are kept apart from everything that is shown or written, and nothing in
its params opens a secret or is filled in.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.model.importing.variables import without_meaning
from rpcexplorer.model.secret import Secret, defused

CredentialWay = Literal["scheme", "cookie", "header", "query", "address", "member", "params"]
"""How a credential went out: under a scheme of HTTP, in a cookie, a header, the query, before the host, in the body."""
WAY_WORDS: Final = {
    "scheme": "Authorization: {}",
    "cookie": "cookie {}",
    "header": "header {}",
    "query": "?{}= in the address",
    "address": "before the host of the address",
    "member": "member {} beside method",
    "params": "{} in the params",
}


class FoundCredential(Struct, frozen=True):
    """A credential that a request was written down with."""

    field: str
    """username, password, session or token."""
    way: CredentialWay
    name: str
    """Of the scheme, cookie, header, parameter or member."""
    secret: Secret

    @property
    def place(self) -> str:
        return WAY_WORDS[self.way].format(self.name)


class ImportedCall(Struct, frozen=True):
    """One call, as a draft can take it."""

    number: int
    """Of the request that it stood in, from 1."""
    method: str
    params: str
    """JSON text, each token as it was; empty where there were none."""
    address: str = ""
    """Where it went, without credentials; empty where nothing says it."""
    notification: bool = False
    in_batch: bool = False
    """It shared its request with others."""
    name: str = ""
    """What it was called where it comes from, with its folders."""
    credentials: tuple[FoundCredential, ...] = ()
    notes: tuple[str, ...] = ()
    """What does not come along, or is done another way here."""
    times: int = 1
    """So often it stood there, letter by letter."""


class Skipped(Struct, frozen=True):
    """A request that no draft can be made of."""

    number: int
    why: str
    """As a clause: "it is a GET"."""


class Imported(Struct, frozen=True):
    """All that was found."""

    form: str
    """What the text is, in words; empty where nobody knows it."""
    calls: tuple[ImportedCall, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    """What is to be said of the whole, or why nothing could be used."""


def literal(text: str) -> str:
    """Params in which nothing is opened or filled in here: the same value is sent, letter by letter."""
    return without_meaning(defused(text))


def without_repeats(calls: Iterable[ImportedCall]) -> tuple[ImportedCall, ...]:
    """Each call once, where it stood first; what a page asks every second is one call."""
    found: dict[tuple[str, str, str, bool], ImportedCall] = {}
    for call in calls:
        key = (call.address, call.method, call.params, call.notification)
        before = found.get(key)
        found[key] = _again(before) if before else call
    return tuple(found.values())


def _again(call: ImportedCall) -> ImportedCall:
    return replace(call, times=call.times + 1)
