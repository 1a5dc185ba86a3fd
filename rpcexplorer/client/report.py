"""What a connection test shows: each step from the name to the login, with what proved it, and the report.

The words may hold text from the server: whoever shows them makes them printable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from rpcexplorer.auth.login import asks_for_login, misses_credentials
from rpcexplorer.client.hints import was_read
from rpcexplorer.client.probe import Examination, Proposal, TrialResult, asked_at_once, names_in, proposed
from rpcexplorer.model.exchange import EXIT_CODES, Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.problem import joined_words
from rpcexplorer.model.profile import Auth, HeaderHandshake, Profile
from rpcexplorer.model.secret import FIELD_WORDS
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Phases, ShownCertificate

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
_ADDRESS = regex(r"[^/?#]*//(?:[^/?#]*@)?(?:\[[^\]]*\]|\d{1,3}(?:\.\d{1,3}){3})(?::\d*)?(?:[/?#]|\Z)")
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


def steps(exchange: Exchange, profile: Profile, *, locked: bool = False) -> list[Check]:
    """Return the six steps in their order. Nothing is reached after one that failed.

    ``locked``: a call without credentials was asked for a login.
    """
    rows = [*_connected(exchange, profile), *_replied(exchange, profile, locked=locked)]
    match exchange.outcome:
        case Refused(why=why, sentence=sentence):
            rows = _refused(rows, LOGIN if why == "credentials" else RPC, sentence, sent=exchange.seconds > 0)
        case Unreached(step=step, sentence=sentence):
            rows = _ended(rows, _FAILS_AT.get(step, _furthest(exchange.response.phases)), "failed", sentence)
        case Cancelled():
            rows = _ended(rows, _furthest(exchange.response.phases), "unknown", "stopped here")
    return rows


def login_not_reached(profile: Profile, missing: Sequence[str]) -> Check:
    """Return the last step if the way to the server ended before it, with the secrets that are ``missing``."""
    fields = " and ".join(FIELD_WORDS.get(field, field) for field in missing)
    return Check(_login_label(profile), "unknown", f"not reached; {fields} missing" if fields else "not reached")


def _furthest(phases: Phases) -> int:
    """The step that the last phase with a time belongs to."""
    if any(phase is not None for phase in (phases.send, phases.wait, phases.transfer)):
        return HTTP
    if phases.tls is not None:
        return TLS
    return NAME if phases.name is not None and phases.connect is None else TCP


def _ended(rows: list[Check], at: int, state: CheckState, words: str, code: int = UNREACHED) -> list[Check]:
    """The rows of an exchange that ended at one of them."""
    ended = Check(rows[at].label, state, words, code=code)
    return [*rows[:at], ended, *(_not_reached(row) for row in rows[at + 1 :])]


def _refused(rows: list[Check], at: int, sentence: str, *, sent: bool) -> list[Check]:
    """The rows of a call that was not sent; ``sent``: a login was, and brought no session."""
    rows = [row if sent and number < RPC else _not_reached(row, "nothing was sent") for number, row in enumerate(rows)]
    if sent:
        rows[HTTP] = Check(rows[HTTP].label, "well", "the login was answered")
        rows[RPC] = Check(rows[RPC].label, "unknown", "see the row of the login")
    rows[at] = Check(rows[at].label, "failed", sentence, code=REFUSED if at == LOGIN else MALFORMED)
    return rows


def _not_reached(row: Check, words: str = "not reached") -> Check:
    return row if row.state == "skipped" else Check(row.label, "unknown", words)


def _connected(exchange: Exchange, profile: Profile) -> Iterator[Check]:
    """Name, TCP and TLS of an exchange that came past them."""
    phases, proxy = exchange.response.phases, exchange.response.proxy
    if _ADDRESS.match(exchange.url):
        yield Check("Name", "skipped", "the URL has an IP address")
    elif phases.name is None and proxy:
        yield Check("Name", "skipped", "resolved by the proxy")
    else:
        yield Check("Name", "well", "the host name was resolved", phases.name)
    yield Check("TCP", "well", f"connected{f' through the proxy {proxy}' if proxy else ''}", phases.connect)
    if not exchange.url.lower().startswith("https:"):
        yield Check("TLS", "skipped", "http is not encrypted")
    else:
        good = "the pinned one" if profile.certificate else "good"
        yield Check("TLS", "well", f"encrypted, and the certificate is {good}", phases.tls)


def _replied(exchange: Exchange, profile: Profile, *, locked: bool) -> list[Check]:
    """HTTP, JSON-RPC and login of an exchange with a whole response."""
    outcome, status = exchange.outcome, exchange.response.status
    rpc, login = Check("JSON-RPC", "unknown", "not reached"), _login(exchange, profile, locked=locked)
    if isinstance(outcome, Result):
        rpc = Check("JSON-RPC", "well", "a result")
    elif isinstance(outcome, ErrorObject):
        rpc = Check("JSON-RPC", "well", f"an error object: {_error(outcome)}")
    rows = [Check("HTTP", "well", f"HTTP {status}", exchange.response.phases.wait), rpc, login]
    if not isinstance(outcome, Malformed) or login.state == "failed":
        return rows
    if status is not None and 200 <= status < 300:
        return _ended(rows, 1, "failed", outcome.reason, MALFORMED)
    reason = outcome.reason if outcome.reason.startswith(f"HTTP {status} ") else f"HTTP {status}: {outcome.reason}"
    return _ended(rows, 0, "failed", reason, MALFORMED)


def _login(exchange: Exchange, profile: Profile, *, locked: bool) -> Check:
    outcome, status, label = exchange.outcome, exchange.response.status, _login_label(profile)
    if asks_for_login(profile.login, outcome, status):
        reason = _error(outcome) if isinstance(outcome, ErrorObject) else f"HTTP {status}"
        words = f"rejected by the server ({reason}): enter the credentials again"
        if not profile.secrets:
            words = f"the server asks for credentials ({reason}): set auth in the profile"
        elif misses_credentials(exchange, profile):
            words = f"the server found none ({reason}): {exchange.method} may need another auth type"
        return Check(label, "failed", words, code=REFUSED)
    if not profile.secrets:
        return Check(label, "skipped", "this profile needs none")
    accepted = f"the {'session was' if profile.has_sessions else 'credentials were'} accepted"
    if not isinstance(outcome, Result):
        if locked and (isinstance(outcome, ErrorObject) or status == 200):
            return Check(label, "well", f"{accepted}, and needed")
        return Check(label, "unknown", "this response does not show it: call a method that needs credentials")
    if exchange.method == profile.login.method and profile.has_sessions:
        return Check(label, "well", "a session was opened")
    return Check(label, "well", accepted)


def _login_label(profile: Profile) -> str:
    return "Credentials" if profile.secrets and not profile.has_sessions else "Login"


def _error(outcome: ErrorObject) -> str:
    code = "without code" if outcome.code is None else str(outcome.code)
    return f"{code} {outcome.message}".strip()


# --- the report ------------------------------------------------------------------------------------------------------

FORM_ROWS: Final = (("content_type", "Content type"), ("accept", "Accept"), ("empty_params", "Empty params"))
"""Keys that have a row of their own, with its label."""
UNSEEN: Final = "not known before a login"


class Asked(Struct, frozen=True):
    """A call that was made, and its outcome in a few words."""

    method: str
    path: str
    said: str


class Report(Struct, frozen=True):
    """A connection test, as far as it has come."""

    checks: tuple[Check, ...] = ()
    proposal: Proposal | None = None
    asked: tuple[Asked, ...] = ()
    """The calls that were made, in their order."""
    requests: int = 0
    """How many were sent for them."""
    certificate: ShownCertificate | None = None
    """The certificate that an https server shows."""
    under_way: str = ""
    """The call that runs now, if one does."""
    advice: str = ""
    """What to try if nothing was found."""

    @property
    def exit_code(self) -> int:
        """The exit code of a call that comes as far as the first step that failed."""
        return next((check.code for check in self.checks if check.state == "failed"), 0)


Tell = Callable[[Report], None]
"""Is called with each new state of a test."""


def what_to_try(examination: Examination) -> str:
    """Return advice if no address with JSON-RPC was found, unless the person ended the test."""
    if not examination.heard or (examination.found and not examination.is_ambiguous):
        return ""
    if isinstance(examination.heard[-1].exchange.outcome, Cancelled):
        return ""
    return advice_for(examination.profile)


def advice_for(profile: Profile) -> str:
    """Return what to try if nothing was found at the address of a profile."""
    https = "https instead of http, " if profile.url.lower().startswith("http:") else ""
    return f"No JSON-RPC was found. Try the whole address with its path, {https}or another port."


def checks_of(examination: Examination) -> list[Check]:
    """Return the rows that open calls can show."""
    if not examination.heard:
        return []
    if blocked := examination.blocked:
        moved = next(each for each in reversed(examination.heard) if each.moved_to)
        redirect = Check("Redirect", "well", f"{moved.form.path}: {moved.said}")
        return [redirect, *steps(blocked.exchange, blocked.form)]
    found = examination.found
    at = found or next((heard for heard in reversed(examination.heard) if not heard.ended), examination.heard[-1])
    first = next(heard for heard in examination.heard if heard.form.url == at.form.url)
    way = steps(first.exchange, first.form)
    if first.ended and found is None:
        return way
    response = at.exchange.response
    server = response.header("server")
    words = f"HTTP {response.status}{f' by {server}' if server else ''}"
    http = Check("HTTP", "failed" if response.status == 407 else "well", words, response.phases.wait, MALFORMED)
    rows = [*way[:HTTP], steps(at.exchange, at.form)[HTTP] if at.ended else http, _address(examination)]
    if found is None:
        rows.append(Check("JSON-RPC", "unknown", "not reached"))
    else:
        rows += [row for key, label in FORM_ROWS if (row := _form_row(examination, found, key, label))]
        if found.form.handshake is not None:
            rows.append(_handshake(examination, found))
        rows.append(_json_rpc(found))
        if examination.over:
            rows.append(_server(examination))
    rows.append(_open_login(examination))
    return _not_found_out(rows, examination) if examination.over and examination.cut_short else rows


def _not_found_out(rows: list[Check], examination: Examination) -> list[Check]:
    """The rows of a test that was cut short: the missing responses are named.

    The first of them has failed, unless the person ended the test.
    """
    last, found = examination.cut_short, examination.found
    assert last is not None
    ended_here = isinstance(last.exchange.outcome, Cancelled)
    why = "you ended the connection test" if ended_here else last.said
    wanting = [] if found and found.speaks else ["Address"]
    wanting += [] if examination.preset else ["Server"]
    wanting += [] if rows[-1].state == "failed" else [rows[-1].label]
    at = [number for number, row in enumerate(rows) if row.label in wanting]
    for number in at:
        state: CheckState = "failed" if number == at[0] and not ended_here else "unknown"
        rows[number] = Check(rows[number].label, state, f"not found out: {why}", code=UNREACHED)
    return rows


def _address(examination: Examination) -> Check:
    found, own, heard = examination.found, examination.profile.path, examination.heard
    tried = [*dict.fromkeys(each.form.path for each in heard)]
    if found is None:
        looked = ", ".join(tried)
        if not examination.over:
            return Check("Address", "unknown", f"looked at {looked}")
        moved = next((each for each in heard if each.moved_to), heard[0])
        told = next((each for each in heard if each.form.path == own and not moved.moved_to), moved)
        words = f"no JSON-RPC at {looked}; {told.form.path}: {told.said}"
        return Check("Address", "failed", words, code=MALFORMED)
    if examination.is_ambiguous:
        return Check("Address", "unknown", "several paths ask for credentials: type the whole address, with its path")
    at_home = found.form.url == examination.profile.url
    verb = "speaks JSON-RPC" if found.speaks else "asks for credentials"
    words = f"{found.form.path if at_home else found.form.endpoint} {verb}"
    if (examination.is_bare and examination.profile.ad_hoc) or (found.form.path == own and at_home):
        others = [path for path in tried if path != found.form.path]
        more = f" and {len(others) - 3} more" if others[3:] else ""
        return Check("Address", "well", f"{words}; not {', '.join(others[:3])}{more}" if others else words)
    said = next((each.said for each in heard if each.form.path == own), "")
    return Check("Address", "failed", f"{own}: {said or 'nothing'}. {words}", code=MALFORMED)


def _form_row(examination: Examination, found: TrialResult, key: str, label: str) -> Check | None:
    """Whether a value of the form is accepted; which one was refused before, and in which words."""
    before, now = getattr(examination.profile, key), getattr(found.form, key)
    for heard in examination.heard:
        was = getattr(heard.form, key)
        if was != now and key in dict(heard.form_changes):
            state: CheckState = "failed" if was == before and not examination.profile.ad_hoc else "well"
            return Check(label, state, f"{now}; {was} is refused: {heard.said}", code=MALFORMED)
    if now != before and not (key == "content_type" and examination.has_usual_type and not examination.preset):
        return Check(label, "well", f"{now}, as {examination.preset or 'such'} servers need it")
    if key == "accept":
        return None
    if not found.speaks:
        return Check(label, "unknown", UNSEEN)
    if not was_read(found.exchange):
        return Check(label, "unknown", f"{now}; the response has no id, so the server may not have read the call")
    return Check(label, "well", f"{now} is taken")


def _handshake(examination: Examination, found: TrialResult) -> Check:
    wanted = found.form.handshake
    fails = wanted != examination.profile.handshake and not examination.profile.ad_hoc
    if not found.speaks and found.exchange.response.status != 409:
        return Check("Handshake", "unknown", UNSEEN)
    if isinstance(wanted, HeaderHandshake):
        words = f"the server sends {wanted.header} and needs it back"
    else:
        words, fails = "the server speaks MCP and needs a handshake first", fails and found.speaks
    return Check("Handshake", "failed" if fails else "well", words, code=MALFORMED)


def _json_rpc(found: TrialResult) -> Check:
    if not found.speaks:
        return Check("JSON-RPC", "unknown", UNSEEN)
    names = names_in(found.exchange)
    said = f"a list of {len(names):,}" if names else found.said
    if not isinstance(found.exchange.outcome, Result):
        said = f"an error object: {found.said.removeprefix('error ')}"
    remarks = getattr(found.exchange.outcome, "remarks", ())
    is_old = "id is missing" in remarks and "jsonrpc is missing" in getattr(found.exchange.outcome, "habits", ())
    form = "old JSON-RPC version, without jsonrpc and id" if is_old else found.form.envelope
    return Check("JSON-RPC", "well", f"{form}; {found.exchange.method}: {said}")


def _server(examination: Examination) -> Check:
    if not examination.preset:
        return Check("Server", "skipped", "no preset matches")
    description = examination.presets[examination.preset].description
    return Check("Server", "well", f"looks like {description or examination.preset} (preset {examination.preset})")


def _open_login(examination: Examination) -> Check:
    """Who is asked for, as far as that shows without credentials."""
    found, profile, private = examination.found, examination.profile, examination.private
    if found is None:
        return login_not_reached(profile, ())
    if examination.wants_service_login:
        words = f"asked for: {found.said}; at this address {profile.login.method} opens a session"
        return Check("Login", "failed", f"{words}: enter user name and password", code=REFUSED)
    for heard in filter(None, (found, private)):
        if heard.asks_for_login and not profile.secrets:
            known = heard.hint.sentence if heard.auth_changes and heard.hint else f"asked for: {heard.said}"
            if kinds := examination.asked_kinds:
                known += "; of which type is not known. Ask the owner of the server. "
                known += f"The auth types are {joined_words(kinds)}"
            elif proposal := proposed(examination):
                fields = [FIELD_WORDS.get(field, field) for field in proposal.secrets]
                known = f"{known.rstrip('.')}. Enter {' and '.join(fields)}" if fields else known
            return Check("Login", "failed", known, code=REFUSED)
    if private and isinstance(private.exchange.outcome, Result):
        return Check("Login", "skipped", f"{private.exchange.method} was answered without one")
    preset = examination.presets.get(examination.preset)
    if preset and preset.values.secrets and not profile.secrets and not asked_at_once(preset.values.auth):
        kind = preset.values.auth.kind
        return Check("Login", "unknown", f"not asked for yet; such servers need {kind} for most methods")
    label = _login_label(profile)
    if profile.auth.kind == Auth.kind:
        unchosen = profile.ad_hoc or examination.assumes_login
        return Check(label, "skipped", "not asked for" if unchosen else "this profile needs none")
    return Check(label, "unknown", examination.doubted_auth or "not tried yet")
