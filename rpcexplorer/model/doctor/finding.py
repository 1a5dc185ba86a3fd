"""A question of an examination and what came of it: whether JSON-RPC is spoken, and what is in the way."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from rpcexplorer.model.exchange import Cancelled, ErrorObject, Exchange, Malformed, Refused, Result, Unreached
from rpcexplorer.model.hints.addresses import MOVED
from rpcexplorer.model.hints.hint import Changes, Hint
from rpcexplorer.model.login_asked import asks_for_login
from rpcexplorer.model.profile import Profile
from rpcexplorer.protocol.codes import METHOD_NOT_FOUND
from rpcexplorer.protocol.envelope import open_object
from rpcexplorer.protocol.messages import EnvelopeForm

FORM: Final = ("path", "content_type", "accept", "empty_params", "envelope", "id", "handshake")
"""The keys of a profile that say where and in which form calls are made, whoever calls."""

REFUSING: Final = frozenset({400, 406, 409, 412, 415, 426})
"""Statuses that refuse the form of a request, and so an address where requests are expected."""

OF_THE_TEST: Final = frozenset({"request", "size"})
"""Steps at which the limits of a test end a question, and the server is there all the same."""

LONGEST_ADDRESS: Final = 200
"""Letters of an address that a server names."""

_USER = re.compile(r"//[^/]*@")
_JSON_RPC = re.compile(rb'"jsonrpc"\s*:')


class TrialCall(Struct, frozen=True):
    """A call that is wanted, in the form of a profile that has no credentials."""

    form: Profile
    method: str


class Finding(Struct, frozen=True):
    """A question, and what came of it."""

    form: Profile
    exchange: Exchange
    hint: Hint | None = None
    """What would make the next one succeed."""

    @property
    def ended(self) -> bool:
        """No reply came: nothing more is to be asked."""
        return isinstance(self.exchange.outcome, Unreached | Cancelled | Refused)

    @property
    def stopped(self) -> bool:
        """The person ended it, or no more requests were left."""
        outcome = self.exchange.outcome
        return isinstance(outcome, Cancelled) or (isinstance(outcome, Unreached) and outcome.step == "request")

    @property
    def cut_short(self) -> bool:
        """The server went away, or the person ended it: what was still to be asked is not known."""
        outcome = self.exchange.outcome
        return isinstance(outcome, Cancelled) or (isinstance(outcome, Unreached) and outcome.step not in OF_THE_TEST)

    @property
    def asks_for_login(self) -> bool:
        return asks_for_login(self.form.login, self.exchange.outcome, self.exchange.response.status)

    @property
    def speaks(self) -> bool:
        """It is a reply of JSON-RPC, and not just an error of a web server that happens to be JSON."""
        match self.exchange.outcome:
            case Result():
                return True
            case ErrorObject():
                body = self.exchange.response.body.lstrip()
                members = open_object(body) if body[:1] == b"{" and _is_text(body) else None
                if members is None:
                    return _JSON_RPC.search(body) is not None
                known = (members.jsonrpc, members.id, members.result)
                return self.form.envelope == "transmission" or any(part is not None for part in known)
        return False

    @property
    def rank(self) -> int:
        """How near this came to a result."""
        outcome, status = self.exchange.outcome, self.exchange.response.status
        if isinstance(outcome, Result):
            return 4
        if self.speaks:
            assert isinstance(outcome, ErrorObject)
            return 3 if outcome.code == METHOD_NOT_FOUND or self.asks_for_login else 2
        return 1 if self.asks_for_login or status in REFUSING or isinstance(outcome, ErrorObject) else 0

    @property
    def form_changes(self) -> Changes:
        """What of address and form the hint would change; nothing that leads to another host, or away from https."""
        if self.hint is None or (self.hint.careful and not self._stays_with_host(self.hint)):
            return ()
        return tuple(each for each in self.hint.changes if each[0] in {"url", *FORM})

    @property
    def auth_changes(self) -> Changes:
        """The kind of auth that the server asks for by name."""
        return tuple(each for each in self.hint.changes if each[0].startswith("auth.")) if self.hint else ()

    @property
    def said(self) -> str:
        """The reply in a few words."""
        outcome, status = self.exchange.outcome, self.exchange.response.status
        match outcome:
            case Result():
                return "a result"
            case ErrorObject(code=code, message=message):
                number = "" if code is None else f" {code}"
                return f"error{number} {message}".strip()
            case Unreached(sentence=sentence) | Refused(sentence=sentence):
                return sentence
            case Malformed(reason=reason) if status is None or 200 <= status < 300:
                return reason
            case Cancelled():
                return "stopped here"
        return f"HTTP {status}{f' to {self.moved_to}' if self.moved_to else ''}"

    @property
    def moved_to(self) -> str:
        """Where a redirect leads, without what may be a secret of somebody; empty where there is none."""
        location = self.exchange.response.header("location") or ""
        if self.exchange.response.status not in MOVED:
            return ""
        return _USER.sub("//", re.split(r"[?#]", location)[0])[:LONGEST_ADDRESS]

    def _stays_with_host(self, hint: Hint) -> bool:
        """Another port of the same host, as safe as the one before: nobody else hears of the questions there."""
        here, there = urlsplit(self.form.url), urlsplit(dict(hint.changes).get("url", ""))
        return here.hostname == there.hostname and (here.scheme, there.scheme) != ("https", "http")

    @property
    def shape(self) -> EnvelopeForm:
        """The version of JSON-RPC that the reply is written in, as far as it shows."""
        body = self.exchange.response.body.lstrip()
        if self.form.envelope != "2.0" or not self.speaks or body[:1] != b"{" or not _is_text(body):
            return self.form.envelope
        members = open_object(body)
        if members is None or members.jsonrpc is not None:
            return "2.0"
        if re.search(rb'"version"\s*:\s*"1\.1"', body[:2_000]):
            return "1.1"
        return "1.0" if members.result is not None and members.error is not None else "2.0"


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
