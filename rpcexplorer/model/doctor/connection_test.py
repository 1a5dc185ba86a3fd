"""What one exchange proves step by step about name, TCP, TLS, HTTP, JSON-RPC and login.

Read from the exchange alone; nothing is sent here. The words may hold text from the server: whoever shows them makes
them printable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from rpcexplorer.model.exchange import (
    EXIT_CODES,
    Cancelled,
    ErrorObject,
    Exchange,
    Malformed,
    Outcome,
    Phases,
    Refused,
    Result,
    Sent,
    Unreached,
)
from rpcexplorer.model.login_asked import asks_for_login
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secrets.secret import FIELD_WORDS

CheckState = Literal["well", "failed", "skipped", "unknown"]
"""Skipped is what this connection does not need; unknown what was not reached or cannot be told."""

NAME, TCP, TLS, HTTP, RPC, LOGIN = range(6)
"""The steps in their order."""

UNREACHED, MALFORMED, REFUSED = EXIT_CODES["unreached"], EXIT_CODES["malformed"], 3
"""Exit codes of calls that come no further than a step that failed."""

_FAILS_AT: Final = {
    "url": NAME, "name": NAME, "connect": TCP, "proxy": TCP, "tls": TLS,
    "request": HTTP, "send": HTTP, "wait": HTTP, "body": HTTP, "size": HTTP,
}  # fmt: skip
"""Which step an unreached exchange failed at. Of one that ran out of time its phases tell."""

_ADDRESS = re.compile(r"[^/?#]*//(?:[^/?#]*@)?(?:\[[^\]]*\]|\d{1,3}(?:\.\d{1,3}){3})(?::\d*)?(?:[/?#]|\Z)")
"""A URL whose host needs no looking up."""


class Check(Struct, frozen=True):
    """One step of the way, and what became of it."""

    label: str
    state: CheckState
    words: str
    """What was seen, or what is wrong and what to do next."""
    seconds: float | None = None
    """How long it took, where that was measured."""
    code: int = UNREACHED
    """Of a step that failed: the exit code of a call that comes as far as this."""


def steps(exchange: Exchange, profile: Profile) -> list[Check]:
    """The six steps in their order. Behind one that failed nothing was reached."""
    rows = [_name(exchange), _tcp(exchange), _tls(exchange, profile), *_replied(exchange, profile)]
    match exchange.outcome:
        case Refused(why=why, sentence=sentence):
            rows = _refused(rows, LOGIN if why == "credentials" else RPC, sentence, sent=exchange.seconds > 0)
        case Unreached(step=step, sentence=sentence):
            rows = _ended(rows, _FAILS_AT.get(step, _furthest(exchange.response.phases)), "failed", sentence)
        case Cancelled():
            rows = _ended(rows, _furthest(exchange.response.phases), "unknown", "stopped here")
    return rows


def login_not_reached(profile: Profile, missing: Sequence[str]) -> Check:
    """The last step where the way to the server ended before it; what is ``missing`` for it is known all the same."""
    fields = " and ".join(f"no {FIELD_WORDS.get(field, field)}" for field in missing)
    return Check(_label(profile), "unknown", f"not reached; {fields} yet" if fields else "not reached")


def _furthest(phases: Phases) -> int:
    """The step that the last phase with a time belongs to."""
    if any(phase is not None for phase in (phases.send, phases.wait, phases.transfer)):
        return HTTP
    if phases.tls is not None:
        return TLS
    return NAME if phases.name is not None and phases.connect is None else TCP


def _ended(rows: list[Check], at: int, state: CheckState, words: str, code: int = UNREACHED) -> list[Check]:
    """The rows of an exchange that came to its end at one of them."""
    there = Check(rows[at].label, state, words, code=code)
    return [*rows[:at], there, *(_not_reached(row) for row in rows[at + 1 :])]


def _refused(rows: list[Check], at: int, sentence: str, *, sent: bool) -> list[Check]:
    """The rows where something was refused here; ``sent``: a login had come back, and brought no session."""
    rows = [row if sent and number < RPC else _not_reached(row, "nothing was sent") for number, row in enumerate(rows)]
    if sent:
        rows[HTTP] = Check(rows[HTTP].label, "well", "the login was answered")
        rows[RPC] = Check(rows[RPC].label, "unknown", "see what is said of the login")
    rows[at] = Check(rows[at].label, "failed", sentence, code=REFUSED if at == LOGIN else MALFORMED)
    return rows


def _not_reached(row: Check, words: str = "not reached") -> Check:
    return row if row.state == "skipped" else Check(row.label, "unknown", words)


def _name(exchange: Exchange) -> Check:
    phases = exchange.response.phases
    if _ADDRESS.match(exchange.url):
        return Check("Name", "skipped", "the URL holds an address")
    if phases.name is not None:
        return Check("Name", "well", "an address is known", phases.name)
    if exchange.response.proxy:
        return Check("Name", "skipped", "left to the proxy")
    return Check("Name", "well", "an address was known")


def _tcp(exchange: Exchange) -> Check:
    phases, proxy = exchange.response.phases, exchange.response.proxy
    through = f" through the proxy {proxy}" if proxy else ""
    if phases.connect is None:
        return Check("TCP", "well", f"a connection{through} was open")
    return Check("TCP", "well", f"connected{through}", phases.connect)


def _tls(exchange: Exchange, profile: Profile) -> Check:
    if not exchange.url.lower().startswith("https:"):
        return Check("TLS", "skipped", "http is not encrypted")
    if exchange.response.phases.tls is None:
        return Check("TLS", "well", "an encrypted connection was open")
    good = "the one that is trusted" if profile.certificate else "good"
    return Check("TLS", "well", f"encrypted, and the certificate is {good}", exchange.response.phases.tls)


def _replied(exchange: Exchange, profile: Profile) -> list[Check]:
    """HTTP, JSON-RPC and login of an exchange to which a whole reply came."""
    outcome, status = exchange.outcome, exchange.response.status
    rows = [
        Check("HTTP", "well", f"HTTP {status}", exchange.response.phases.wait),
        _rpc(outcome),
        _login(exchange, profile),
    ]
    if not isinstance(outcome, Malformed) or rows[-1].state == "failed":
        return rows
    if status is not None and 200 <= status < 300:
        return _ended(rows, 1, "failed", outcome.reason, MALFORMED)
    words = outcome.reason if outcome.reason.startswith(f"HTTP {status} ") else f"HTTP {status}: {outcome.reason}"
    return _ended(rows, 0, "failed", words, MALFORMED)


def _rpc(outcome: Outcome) -> Check:
    match outcome:
        case Result():
            return Check("JSON-RPC", "well", "a result")
        case ErrorObject():
            return Check("JSON-RPC", "well", f"an error object: {_error(outcome)}")
        case Sent():
            return Check("JSON-RPC", "unknown", "no reply is expected to a notification")
    return Check("JSON-RPC", "unknown", "not reached")


def _login(exchange: Exchange, profile: Profile) -> Check:
    outcome, status = exchange.outcome, exchange.response.status
    label = _label(profile)
    if asks_for_login(profile.login, outcome, status):
        said = _error(outcome) if isinstance(outcome, ErrorObject) else f"HTTP {status}"
        if not profile.secrets:
            return Check(label, "failed", f"the server wants a login ({said}): set auth in the profile", code=REFUSED)
        return Check(
            label, "failed", f"the server did not accept it ({said}): enter the credentials again", code=REFUSED
        )
    if not profile.secrets:
        return Check(label, "skipped", "this profile needs none")
    if not isinstance(outcome, Result):
        return Check(label, "unknown", "this reply does not tell: call a method that needs a login")
    if exchange.method == profile.login.method and profile.has_sessions:
        return Check(label, "well", "a session was opened")
    return Check(label, "well", f"the {'session was' if profile.has_sessions else 'credentials were'} accepted")


def _label(profile: Profile) -> str:
    return "Credentials" if profile.secrets and not profile.has_sessions else "Login"


def _error(outcome: ErrorObject) -> str:
    code = "without code" if outcome.code is None else str(outcome.code)
    return f"{code} {outcome.message}".strip()
