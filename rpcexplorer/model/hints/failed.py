"""A call that failed, as the hints look at it: what was sent how, and what the server says of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from rpcexplorer.model.exchange import ErrorObject, Exchange, Malformed
from rpcexplorer.model.hints.hint import Changes, Hint, setting
from rpcexplorer.model.profile import Auth, Profile

LONGEST: Final = 2_000
"""Letters of what a server says that are looked at: a hint is in none of its tracebacks."""

_TAGS = re.compile(r"<(?:style|script)\b.*?(?:</|\Z)|<[^>]{0,500}(?:>|\Z)", re.DOTALL | re.IGNORECASE)


class FailedCall(Struct, frozen=True):
    exchange: Exchange
    profile: Profile
    """How it was sent."""
    kinds: Mapping[str, type[Auth]]
    """The kinds of auth there are."""
    text: str
    """What the server says, without tags: the status line's words, then its error's message and data, or its body."""

    @classmethod
    def of(cls, exchange: Exchange, profile: Profile, kinds: Mapping[str, type[Auth]]) -> FailedCall:
        outcome, response = exchange.outcome, exchange.response
        said = [response.reason[:LONGEST]]
        if isinstance(outcome, ErrorObject):
            said += [outcome.message[:LONGEST], _read(outcome.data or b"").replace('\\"', '"')]
        elif isinstance(outcome, Malformed):
            said.append(_TAGS.sub(" ", _read(response.body)))
        return cls(exchange, profile, kinds, " ".join(" ".join(said).split()))

    @property
    def status(self) -> int | None:
        return self.exchange.response.status

    @property
    def code(self) -> int | None:
        """That of the error object; None where there is none."""
        return self.exchange.outcome.code if isinstance(self.exchange.outcome, ErrorObject) else None

    @property
    def was_read(self) -> bool:
        """The server took the request for a call: its error has the id of it."""
        return not re.search(rb'"id"\s*:\s*null', self.exchange.response.body[-LONGEST:])

    def headers(self, name: str) -> list[str]:
        """The values of every header of that name."""
        return [value for key, value in self.exchange.response.headers if key.lower() == name]

    def says(self, pattern: str) -> bool:
        return re.search(pattern, self.text, re.IGNORECASE) is not None

    def told(self, sentence: str, changes: Changes = (), secret: str = "", *, careful: bool = False) -> Hint:
        """A hint with the commands that it comes to."""
        commands = setting(self.profile, self.exchange.url, changes, secret) if changes or secret else ()
        return Hint(sentence, changes, secret, commands, careful)


def _read(text: bytes) -> str:
    return text[:LONGEST].decode("utf-8", "replace")
