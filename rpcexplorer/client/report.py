"""The rows of a connection test, from lookup to login, and its report.

The words may contain text of the server: printable() is applied where they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from rpcexplorer.auth.login import asks_for_login, misses_credentials
from rpcexplorer.client.hints import was_read
from rpcexplorer.client.probe import Probe, Proposal, TrialResult, asked_at_once, names_in, proposed
from rpcexplorer.model.exchange import EXIT_CODES, Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.problem import joined_words
from rpcexplorer.model.profile import Auth, HeaderHandshake, Profile
from rpcexplorer.model.secret import FIELD_WORDS
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Phases, ShownCertificate

CheckState = Literal["well", "failed", "skipped", "unknown"]
"""``skipped``: not needed. ``unknown``: not reached, or not visible."""
NAME, TCP, TLS, HTTP, RPC, LOGIN = range(6)
"""The steps in their order."""
UNREACHED, MALFORMED, REFUSED = EXIT_CODES["unreached"], EXIT_CODES["malformed"], 3
"""Exit codes of calls that fail at a step."""
_FAILS_AT: Final = {
    "url": NAME, "name": NAME, "connect": TCP, "proxy": TCP, "tls": TLS,
    "request": HTTP, "send": HTTP, "wait": HTTP, "body": HTTP, "size": HTTP,
}  # fmt: skip
"""The step that failed. For a timeout, the phases show it."""
_ADDRESS = regex(r"[^/?#]*//(?:[^/?#]*@)?(?:\[[^\]]*\]|\d{1,3}(?:\.\d{1,3}){3})(?::\d*)?(?:[/?#]|\Z)")
"""A URL with an IP address, which needs no lookup."""


class Check(Struct, frozen=True):
    """One step and its outcome."""

    label: str
    state: CheckState
    words: str
    """The observation, or the problem and what to do next."""
    seconds: float | None = None
    """Duration, if it was measured."""
    code: int = UNREACHED
    """For a failed step: the exit code of a call that fails there."""


def steps(exchange: Exchange, profile: Profile, *, locked: bool = False) -> list[Check]:
    """Return the six steps in order; those after a failed one are not reached.

    ``locked``: a call without credentials was asked for a login.
    """
    rows = [*_connected(exchange, profile), *_replied(exchange, profile, locked=locked)]
    match exchange.outcome:
        case Refused(why=why, sentence=sentence):
            rows = _refused(rows, LOGIN if why == "credentials" else RPC, sentence, sent=exchange.seconds > 0)
        case Unreached(step=step, sentence=sentence):
            rows = _ended(rows, _FAILS_AT.get(step, _furthest(exchange.response.phases)), "failed", sentence)
        case Cancelled():
            rows = _ended(rows, _furthest(exchange.response.phases), "unknown", "cancelled here")
    return rows


def login_not_reached(profile: Profile, missing: Sequence[str]) -> Check:
    """Return the last row if a step before it failed, with missing secrets."""
    fields = " and ".join(FIELD_WORDS.get(field, field) for field in missing)
    return Check(_login_label(profile), "unknown", f"not reached; {fields} missing" if fields else "not reached")


def _furthest(phases: Phases) -> int:
    """Return the step of the last phase that has a time."""
    if any(phase is not None for phase in (phases.send, phases.wait, phases.transfer)):
        return HTTP
    if phases.tls is not None:
        return TLS
    return NAME if phases.name is not None and phases.connect is None else TCP


def _ended(rows: list[Check], at: int, state: CheckState, words: str, code: int = UNREACHED) -> list[Check]:
    """Return the rows of an exchange that ended at one of them."""
    ended = Check(rows[at].label, state, words, code=code)
    return [*rows[:at], ended, *(_not_reached(row) for row in rows[at + 1 :])]


def _refused(rows: list[Check], at: int, sentence: str, *, sent: bool) -> list[Check]:
    """Return the rows of a call that was not sent; ``sent``: its login was."""
    rows = [row if sent and number < RPC else _not_reached(row, "nothing was sent") for number, row in enumerate(rows)]
    if sent:
        rows[HTTP] = Check(rows[HTTP].label, "well", "the server answered the login")
        rows[RPC] = Check(rows[RPC].label, "unknown", "not reached")
    rows[at] = Check(rows[at].label, "failed", sentence, code=REFUSED if at == LOGIN else MALFORMED)
    return rows


def _not_reached(row: Check, words: str = "not reached") -> Check:
    return row if row.state == "skipped" else Check(row.label, "unknown", words)


def _connected(exchange: Exchange, profile: Profile) -> Iterator[Check]:
    """Yield name, TCP and TLS of an exchange that passed them."""
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
        words = "the server has the pinned certificate" if profile.certificate else "the certificate is valid"
        yield Check("TLS", "well", f"encrypted, and {words}", phases.tls)


def _replied(exchange: Exchange, profile: Profile, *, locked: bool) -> list[Check]:
    """Return HTTP, JSON-RPC and login of an exchange with a complete response."""
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
            words = f"the server found no credentials ({reason}): {exchange.method} may need another auth type"
        return Check(label, "failed", words, code=REFUSED)
    if not profile.secrets:
        return Check(label, "skipped", "this profile sends no credentials")
    accepted = f"the {'session was' if profile.has_sessions else 'credentials were'} accepted"
    if not isinstance(outcome, Result):
        if locked and (isinstance(outcome, ErrorObject) or status == 200):
            return Check(label, "well", f"required, and {accepted}")
        return Check(label, "unknown", "unknown from this response: call a method that needs credentials")
    if exchange.method == profile.login.method and profile.has_sessions:
        return Check(label, "well", "a session was opened")
    return Check(label, "well", accepted)


def _login_label(profile: Profile) -> str:
    return "Credentials" if profile.secrets and not profile.has_sessions else "Login"


def _error(outcome: ErrorObject) -> str:
    code = "without code" if outcome.code is None else str(outcome.code)
    return f"{code} {outcome.message}".strip()


FORM_ROWS: Final = (("content_type", "Content type"), ("accept", "Accept"), ("empty_params", "Empty params"))
"""Keys that have their own row, with its label."""
UNSEEN: Final = "unknown before a login"


class TestCall(Struct, frozen=True):
    """A call of the test, and its outcome in a few words."""

    method: str
    path: str
    summary: str


class Report(Struct, frozen=True):
    """A connection test in its current state."""

    checks: tuple[Check, ...] = ()
    proposal: Proposal | None = None
    calls: tuple[TestCall, ...] = ()
    """The calls in order."""
    requests: int = 0
    """Number of requests that they needed."""
    certificate: ShownCertificate | None = None
    """The certificate that an https server shows."""
    under_way: str = ""
    """The current call, if there is one."""
    advice: str = ""
    """What to try if nothing was found."""

    @property
    def exit_code(self) -> int:
        """The exit code of a call that fails at the first failed step."""
        return next((check.code for check in self.checks if check.state == "failed"), 0)


ShowReport = Callable[[Report], None]
"""Called with each new state of a test."""


def advice_of(probe: Probe) -> str:
    """Return advice if no JSON-RPC was found, unless you ended the test."""
    if not probe.results or (probe.found and not probe.is_ambiguous):
        return ""
    if isinstance(probe.results[-1].exchange.outcome, Cancelled):
        return ""
    return advice_for(probe.profile)


def advice_for(profile: Profile) -> str:
    """Return what to try if nothing was found at the profile's address."""
    https = "https instead of http, " if profile.url.lower().startswith("http:") else ""
    return f"No JSON-RPC was found. Try the complete URL with its path, {https}or another port."


def checks_of(probe: Probe) -> list[Check]:
    """Return the rows that calls without credentials can show."""
    if not probe.results:
        return []
    if blocked := probe.blocked:
        moved = next(each for each in reversed(probe.results) if each.moved_to)
        redirect = Check("Redirect", "well", f"{moved.form.path}: {moved.summary}")
        return [redirect, *steps(blocked.exchange, blocked.form)]
    found = probe.found
    at = found or next((result for result in reversed(probe.results) if not result.ended), probe.results[-1])
    first = next(result for result in probe.results if result.form.url == at.form.url)
    way = steps(first.exchange, first.form)
    if first.ended and found is None:
        return way
    response = at.exchange.response
    server = response.header("server")
    words = f"HTTP {response.status}{f' by {server}' if server else ''}"
    http = Check("HTTP", "failed" if response.status == 407 else "well", words, response.phases.wait, MALFORMED)
    rows = [*way[:HTTP], steps(at.exchange, at.form)[HTTP] if at.ended else http, _address(probe)]
    if found is None:
        rows.append(Check("JSON-RPC", "unknown", "not reached"))
    else:
        rows += [row for key, label in FORM_ROWS if (row := _form_row(probe, found, key, label))]
        if found.form.handshake is not None:
            rows.append(_handshake(probe, found))
        rows.append(_json_rpc(found))
        if probe.over:
            rows.append(_server(probe))
    rows.append(_open_login(probe))
    return _not_found_out(rows, probe) if probe.over and probe.cut_short else rows


def _not_found_out(rows: list[Check], probe: Probe) -> list[Check]:
    """Return the rows of a test that ended early, with the reason.

    The first row without a result has failed, unless you ended the test.
    """
    last, found = probe.cut_short, probe.found
    assert last is not None
    ended_here = isinstance(last.exchange.outcome, Cancelled)
    why = "you ended the connection test" if ended_here else last.summary
    wanting = [] if found and found.speaks else ["Address"]
    wanting += [] if probe.preset else ["Server"]
    wanting += [] if rows[-1].state == "failed" else [rows[-1].label]
    at = [number for number, row in enumerate(rows) if row.label in wanting]
    for number in at:
        state: CheckState = "failed" if number == at[0] and not ended_here else "unknown"
        rows[number] = Check(rows[number].label, state, f"unknown: {why}", code=UNREACHED)
    return rows


def _address(probe: Probe) -> Check:
    found, own, results = probe.found, probe.profile.path, probe.results
    tried = [*dict.fromkeys(each.form.path for each in results)]
    if found is None:
        looked = ", ".join(tried)
        if not probe.over:
            return Check("Address", "unknown", f"tried {looked}")
        moved = next((each for each in results if each.moved_to), results[0])
        shown = next((each for each in results if each.form.path == own and not moved.moved_to), moved)
        words = f"no JSON-RPC at {looked}; {shown.form.path}: {shown.summary}"
        return Check("Address", "failed", words, code=MALFORMED)
    if probe.is_ambiguous:
        return Check("Address", "unknown", "several paths ask for credentials: enter the complete URL with its path")
    at_home = found.form.url == probe.profile.url
    verb = "speaks JSON-RPC" if found.speaks else "asks for credentials"
    words = f"{found.form.path if at_home else found.form.endpoint} {verb}"
    if (probe.is_bare and probe.profile.ad_hoc) or (found.form.path == own and at_home):
        others = [path for path in tried if path != found.form.path]
        more = f" and {len(others) - 3} more" if others[3:] else ""
        return Check("Address", "well", f"{words}; not {', '.join(others[:3])}{more}" if others else words)
    summary = next((each.summary for each in results if each.form.path == own), "")
    return Check("Address", "failed", f"{own}: {summary or 'nothing'}. {words}", code=MALFORMED)


def _form_row(probe: Probe, found: TrialResult, key: str, label: str) -> Check | None:
    """Return the row of a key: its accepted value, and the refused one."""
    before, now = getattr(probe.profile, key), getattr(found.form, key)
    for result in probe.results:
        was = getattr(result.form, key)
        if was != now and key in dict(result.form_changes):
            state: CheckState = "failed" if was == before and not probe.profile.ad_hoc else "well"
            return Check(label, state, f"{now}; the server refused {was}: {result.summary}", code=MALFORMED)
    if now != before and not (key == "content_type" and probe.has_usual_type and not probe.preset):
        return Check(
            label,
            "well",
            f"{now}, which {f'{probe.preset} servers need' if probe.preset else 'this server needs'}",
        )
    if key == "accept":
        return None
    if not found.speaks:
        return Check(label, "unknown", UNSEEN)
    if not was_read(found.exchange):
        return Check(label, "unknown", f"{now}; the response has no id, so the server may not have read the call")
    return Check(label, "well", f"{now} is accepted")


def _handshake(probe: Probe, found: TrialResult) -> Check:
    wanted = found.form.handshake
    fails = wanted != probe.profile.handshake and not probe.profile.ad_hoc
    if not found.speaks and found.exchange.response.status != 409:
        return Check("Handshake", "unknown", UNSEEN)
    if isinstance(wanted, HeaderHandshake):
        words = f"the server sends {wanted.header} and needs it in every request"
    else:
        words, fails = "the server speaks MCP and needs a handshake first", fails and found.speaks
    return Check("Handshake", "failed" if fails else "well", words, code=MALFORMED)


def _json_rpc(found: TrialResult) -> Check:
    if not found.speaks:
        return Check("JSON-RPC", "unknown", UNSEEN)
    names = names_in(found.exchange)
    summary = f"a list of {len(names):,} names" if names else found.summary
    if not isinstance(found.exchange.outcome, Result):
        summary = f"an error object: {found.summary.removeprefix('error ')}"
    remarks = getattr(found.exchange.outcome, "remarks", ())
    is_old = "id is missing" in remarks and "jsonrpc is missing" in getattr(found.exchange.outcome, "habits", ())
    form = "old JSON-RPC version, without jsonrpc and id" if is_old else found.form.envelope
    return Check("JSON-RPC", "well", f"{form}; {found.exchange.method}: {summary}")


def _server(probe: Probe) -> Check:
    if not probe.preset:
        return Check("Server", "skipped", "no preset matches")
    description = probe.presets[probe.preset].description
    return Check("Server", "well", f"looks like {description or probe.preset} (preset {probe.preset})")


def _open_login(probe: Probe) -> Check:
    """Return the login row, as far as calls without credentials show it."""
    found, profile, private = probe.found, probe.profile, probe.private
    if found is None:
        return login_not_reached(profile, ())
    if probe.wants_service_login:
        words = f"the server asks for credentials ({found.summary}); {profile.login.method} opens a session"
        return Check("Login", "failed", f"{words}: enter user name and password", code=REFUSED)
    for result in filter(None, (found, private)):
        if result.asks_for_login and not profile.secrets:
            known = f"the server asks for credentials ({result.summary})"
            if result.auth_changes and result.hint:
                known = result.hint.sentence
            if kinds := probe.asked_kinds:
                known += f". Ask the owner of the server for the auth type: {joined_words(kinds)}"
            elif proposal := proposed(probe):
                fields = [FIELD_WORDS.get(field, field) for field in proposal.secrets]
                known = f"{known.rstrip('.')}. Enter the {' and '.join(fields)}" if fields else known
            return Check("Login", "failed", known, code=REFUSED)
    if private and isinstance(private.exchange.outcome, Result):
        return Check("Login", "skipped", f"{private.exchange.method} works without credentials")
    preset = probe.presets.get(probe.preset)
    if preset and preset.values.secrets and not profile.secrets and not asked_at_once(preset.values.auth):
        kind = preset.values.auth.kind
        return Check(
            "Login",
            "unknown",
            f"not requested yet; {probe.preset} servers need auth type {kind} for most methods",
        )
    label = _login_label(profile)
    if profile.auth.kind == Auth.kind:
        unchosen = profile.ad_hoc or probe.assumes_login
        return Check(
            label, "skipped", "the server asks for no credentials" if unchosen else "this profile sends no credentials"
        )
    return Check(label, "unknown", probe.doubted_auth or "not tried yet")
