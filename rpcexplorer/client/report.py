"""The rows of a connection test, from lookup to login, and its report.

The words may contain text of the server: printable() is applied where they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal

from msgspec import Struct

from rpcexplorer.auth.login import asks_for_login, misses_credentials
from rpcexplorer.client.hints import refuses_request, was_read
from rpcexplorer.client.probe import SIGNS, Probe, Proposal, TrialResult, asked_at_once, names_in, proposed
from rpcexplorer.model.exchange import EXIT_CODES, Cancelled, Exchange, Refused, Unreached
from rpcexplorer.model.problem import counted, joined_words, provide_secret
from rpcexplorer.model.profile import Auth, HeaderHandshake, Profile
from rpcexplorer.model.secret import FIELD_WORDS
from rpcexplorer.patterns import regex
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.messages import INVALID_PARAMS, ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Phases, ShownCertificate

CheckState = Literal["well", "failed", "skipped", "unknown"]
"""``skipped``: not needed. ``unknown``: not reached, or not visible."""
NAME, TCP, TLS, HTTP, RPC, LOGIN = range(6)
"""The steps in their order."""
NOT_REACHED: Final = "Not reached."
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
        case Refused(why=why, sentence=sentence, missing=field, rejected=rejected):
            words = f"{sentence} {_enter_again(profile, field)}" if rejected and field else sentence
            rows = _refused(rows, LOGIN if why == "credentials" else RPC, words, sent=exchange.seconds > 0)
        case Unreached(step=step, sentence=sentence):
            rows = _ended(rows, _FAILS_AT.get(step, _furthest(exchange.response.phases)), "failed", sentence)
        case Cancelled():
            rows = _ended(rows, _furthest(exchange.response.phases), "unknown", "You cancelled the call.")
    return rows


def login_not_reached(profile: Profile, missing: Sequence[str]) -> Check:
    """Return the last row if a step before it failed, with missing secrets."""
    fields = _fields(missing)
    lacks = f" The {fields} {'is' if len(missing) == 1 else 'are'} missing." if missing else ""
    return Check(login_label(profile), "unknown", f"{NOT_REACHED}{lacks}")


def _fields(names: Iterable[str]) -> str:
    return " and the ".join(FIELD_WORDS.get(name, name) for name in names)


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
    rows = [row if sent and number < RPC else _not_reached(row, "Nothing was sent.") for number, row in enumerate(rows)]
    if sent:
        rows[HTTP] = Check(rows[HTTP].label, "well", "The server responded to the login.")
        rows[RPC] = Check(rows[RPC].label, "unknown", NOT_REACHED)
    rows[at] = Check(rows[at].label, "failed", sentence, code=REFUSED if at == LOGIN else MALFORMED)
    return rows


def _not_reached(row: Check, words: str = NOT_REACHED) -> Check:
    return row if row.state == "skipped" else Check(row.label, "unknown", words)


def _connected(exchange: Exchange, profile: Profile) -> Iterator[Check]:
    """Yield name, TCP and TLS of an exchange that passed them."""
    phases, proxy = exchange.response.phases, exchange.response.proxy
    if profile.socket:
        yield Check("Name", "skipped", "A Unix socket has no host name.")
        yield Check("TCP", "well", "Connected to the Unix socket.", phases.connect)
        yield Check("TLS", "skipped", "The connection stays on this machine.")
        return
    if _ADDRESS.match(exchange.url):
        yield Check("Name", "skipped", "The URL has an IP address.")
    elif phases.name is None and proxy:
        yield Check("Name", "skipped", "The proxy resolves the host name.")
    else:
        yield Check("Name", "well", "The host name was resolved.", phases.name)
    yield Check("TCP", "well", f"Connected through the proxy {proxy}." if proxy else "Connected.", phases.connect)
    if not exchange.url.lower().startswith("https:"):
        yield Check("TLS", "skipped", "Plain HTTP is not encrypted.")
    else:
        words = "The server has the pinned certificate." if profile.certificate else "The certificate is valid."
        yield Check("TLS", "well", f"Encrypted. {words}", phases.tls)


def _replied(exchange: Exchange, profile: Profile, *, locked: bool) -> list[Check]:
    """Return HTTP, JSON-RPC and login of an exchange with a complete response."""
    outcome, status = exchange.outcome, exchange.response.status
    rpc, login = Check("JSON-RPC", "unknown", NOT_REACHED), login_row(exchange, profile, locked=locked)
    if isinstance(outcome, Result):
        rpc = Check("JSON-RPC", "well", "The response is a result.")
    elif isinstance(outcome, ErrorObject):
        is_refused = refuses_request(exchange) and login.state != "failed"
        state: CheckState = "failed" if is_refused else "well"
        words = f"The response is an error object ({error_words(outcome)})."
        rpc = Check("JSON-RPC", state, words, code=EXIT_CODES["error"])
    rows = [Check("HTTP", "well", f"Status {status}", exchange.response.phases.wait), rpc, login]
    if not isinstance(outcome, Malformed) or login.state == "failed":
        return rows
    if status is not None and 200 <= status < 300:
        return _ended(rows, 1, "failed", outcome.reason, MALFORMED)
    reason = outcome.reason if outcome.reason.startswith(f"HTTP {status} ") else f"HTTP {status}: {outcome.reason}"
    return _ended(rows, 0, "failed", reason, MALFORMED)


def login_row(exchange: Exchange, profile: Profile, *, locked: bool) -> Check:
    outcome, status, label = exchange.outcome, exchange.response.status, login_label(profile)
    if asks_for_login(profile.login_signs, outcome, status):
        reason = error_words(outcome) if isinstance(outcome, ErrorObject) else TrialResult(profile, exchange).summary
        field = next((name for name in profile.secrets if name not in {"username", "session"}), "session")
        words = f"The server rejected the credentials ({reason}). {_enter_again(profile, field)}"
        if not profile.secrets:
            words = f"The server asks for credentials ({reason}). Set auth in the profile."
        elif misses_credentials(exchange, profile):
            words = f"The server found no credentials ({reason}). {exchange.method} may need another auth type."
        return Check(label, "failed", words, code=REFUSED)
    if not profile.secrets:
        return Check(label, "skipped", "Calls are sent without credentials.")
    accepted = f"The server accepted the {'session' if profile.has_sessions else 'credentials'}."
    if not isinstance(outcome, Result):
        if locked and (isinstance(outcome, ErrorObject) or status == 200):
            return Check(label, "well", f"Credentials are required. {accepted}")
        return Check(
            label, "unknown", "This response shows nothing about the login. Call a method that needs credentials."
        )
    if exchange.method == profile.login.method and profile.has_sessions:
        return Check(label, "well", "The login opened a session.")
    return Check(label, "well", accepted)


def _enter_again(profile: Profile, field: str) -> str:
    return f"Enter the {field} again." if profile.ad_hoc else provide_secret(profile, field)


def login_label(profile: Profile) -> str:
    return "Credentials" if profile.secrets and not profile.has_sessions else "Login"


def error_words(outcome: ErrorObject) -> str:
    return f"{'' if outcome.code is None else outcome.code} {outcome.message}".strip() or "no code"


FORM_ROWS: Final = (("content_type", "Content type"), ("accept", "Accept"), ("empty_params", "Empty params"))
"""Keys that have their own row, with its label."""
UNSEEN: Final = "Unknown before a login."


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
    """Sentence that says what to try if nothing was found."""

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
    outcome = probe.results[-1].exchange.outcome
    if isinstance(outcome, Cancelled):
        return ""
    if isinstance(outcome, Unreached) and outcome.step in {"name", "connect"}:
        return "There was no connection. Start the server, or try another URL."
    return advice_for(probe.profile)


def advice_for(profile: Profile) -> str:
    """Return what to try if nothing was found at the profile's address."""
    if profile.url.lower().startswith("http:"):
        return "No JSON-RPC was found. Try the complete URL with its path, https instead of http, or another port."
    return "No JSON-RPC was found. Try the complete URL with its path, or another port."


def checks_of(probe: Probe) -> list[Check]:
    """Return the rows that calls without credentials can show."""
    if not probe.results:
        return []
    if blocked := probe.blocked:
        moved = next(result for result in reversed(probe.results) if result.moved_to)
        words = f"{moved.path} redirects to {moved.moved_to} (HTTP {moved.exchange.response.status})."
        redirect = Check("Redirect", "well", words)
        return [redirect, *steps(blocked.exchange, blocked.form)]
    found = probe.found
    at = found or next((result for result in reversed(probe.results) if not result.ended), probe.results[-1])
    first = next(result for result in probe.results if result.form.url == at.form.url)
    way = steps(first.exchange, first.form)
    if first.ended and found is None:
        return way
    response = at.exchange.response
    server = response.header("server")
    words = f"Status {response.status}{f' from {server}' if server else ''}"
    http = Check("HTTP", "failed" if response.status == 407 else "well", words, response.phases.wait, MALFORMED)
    rows = [*way[:HTTP], steps(at.exchange, at.form)[HTTP] if at.ended else http, _address(probe)]
    if found is None:
        rows.append(Check("JSON-RPC", "unknown", NOT_REACHED))
    else:
        rows += [row for key, label in FORM_ROWS if (row := _form_row(probe, found, key, label))]
        if found.form.handshake is not None:
            rows.append(_handshake(probe, found))
        rows.append(_json_rpc(found, probe.profile))
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
    why = "You ended the connection test." if ended_here else last.summary
    wanting = [] if found and found.speaks else ["Address"]
    wanting += [] if probe.preset else ["Server"]
    wanting += [] if rows[-1].state == "failed" else [rows[-1].label]
    at = [number for number, row in enumerate(rows) if row.label in wanting]
    for number in at:
        state: CheckState = "failed" if number == at[0] and not ended_here else "unknown"
        rows[number] = Check(rows[number].label, state, f"Unknown. {why}", code=UNREACHED)
    return rows


def _address(probe: Probe) -> Check:
    found, own, results = probe.found, probe.profile.path, probe.results
    tried = [*dict.fromkeys(result.path for result in results)]
    if found is None:
        looked = ", ".join(tried)
        if not probe.over:
            return Check("Address", "unknown", f"Tried {looked}")
        moved = next((result for result in results if result.moved_to), results[0])
        shown = next((result for result in results if result.form.path == own and not moved.moved_to), moved)
        words = f"No JSON-RPC at {looked}. At {shown.path}: {shown.summary}"
        return Check("Address", "failed", words, code=MALFORMED)
    if probe.is_ambiguous:
        return Check("Address", "unknown", "Several paths ask for credentials. Enter the complete URL with its path.")
    at_home = found.form.url == probe.profile.url
    address = found.path if at_home else redacted_address(found.form.endpoint)
    words = f"{address} accepts JSON-RPC calls." if found.speaks else f"{address} asks for credentials."
    if (probe.is_bare and probe.profile.ad_hoc) or (found.form.path == own and at_home):
        others = joined_words((path for path in tried if path != found.path), 3)
        return Check("Address", "well", f"{words} Tried without success: {others}" if others else words)
    summary = next((result.summary for result in results if result.form.path == own), "not tried").rstrip(".")
    return Check("Address", "failed", f"No JSON-RPC at {redacted_address(own)}: {summary}. {words}", code=MALFORMED)


def _form_row(probe: Probe, found: TrialResult, key: str, label: str) -> Check | None:
    """Return the row of a key: its accepted value, and the refused one."""
    before, now = getattr(probe.profile, key), getattr(found.form, key)
    for result in probe.results:
        was = getattr(result.form, key)
        if was != now and key in dict(result.form_changes):
            state: CheckState = "failed" if was == before and not probe.profile.ad_hoc else "well"
            return Check(
                label, state, f"The test uses {now}. The server refused {was}: {result.summary}", code=MALFORMED
            )
    if now != before and not (key == "content_type" and probe.has_usual_type and not probe.preset):
        return Check(
            label, "well", f"Preset {probe.preset} uses {now}." if probe.preset else f"The server needs {now}."
        )
    if key == "accept":
        return None
    if not found.speaks:
        return Check(label, "unknown", UNSEEN)
    is_refused = refuses_request(found.exchange)
    if key == "empty_params":
        is_refused = is_refused or getattr(found.exchange.outcome, "code", None) == INVALID_PARAMS
    if is_refused:
        return Check(label, "unknown", f"The server may not accept {now}: {found.summary}.")
    if not was_read(found.exchange):
        return Check(label, "unknown", f"The server may not accept {now}: its response has no id.")
    return Check(label, "well", f"The server accepts {now}.")


def _handshake(probe: Probe, found: TrialResult) -> Check:
    wanted = found.form.handshake
    fails = wanted != probe.profile.handshake and not probe.profile.ad_hoc
    if not found.speaks and found.exchange.response.status != 409:
        return Check("Handshake", "unknown", UNSEEN)
    if isinstance(wanted, HeaderHandshake):
        words = f"The server sends the header {wanted.header} and needs it in every request."
    else:
        words, fails = "The server uses MCP and needs a handshake first.", fails and found.speaks
    return Check("Handshake", "failed" if fails else "well", words, code=MALFORMED)


def _json_rpc(found: TrialResult, profile: Profile) -> Check:
    if not found.speaks:
        return Check("JSON-RPC", "unknown", UNSEEN)
    outcome, names = found.exchange.outcome, names_in(found.exchange)
    summary = f"a list of {counted(len(names), 'name')}" if names else "a result"
    if isinstance(outcome, ErrorObject):
        summary = f"an error object ({error_words(outcome)})"
    is_old = "id is missing" in getattr(outcome, "remarks", ()) and "jsonrpc is missing" in getattr(
        outcome, "habits", ()
    )
    form = "Transmission format" if found.form.envelope == "transmission" else f"JSON-RPC {found.form.envelope}"
    if is_old:
        form = "Old JSON-RPC version, without jsonrpc and id"
    state: CheckState = "well"
    if refuses_request(found.exchange) and not found.asks_for_login:  # With credentials, a server may accept it.
        state = "unknown" if profile.secrets else "failed"
    return Check("JSON-RPC", state, f"{form}. {found.exchange.method} returned {summary}.", code=EXIT_CODES["error"])


def _server(probe: Probe) -> Check:
    if not probe.preset:
        usual = [sign.preset for sign in SIGNS if sign.path and probe.found and sign.path == probe.found.form.path]
        more = f" This is the usual path of preset {usual[0]}." if usual else ""
        return Check("Server", "skipped", f"No preset matches.{more}")
    description = probe.presets[probe.preset].description
    return Check("Server", "well", f"The server looks like {description or probe.preset} (preset {probe.preset}).")


def _open_login(probe: Probe) -> Check:
    """Return the login row, as far as calls without credentials show it."""
    found, profile, private = probe.found, probe.profile, probe.private
    if found is None:
        return login_not_reached(profile, ())
    if probe.wants_service_login:
        words = f"The server asks for credentials ({found.summary}). {profile.login.method} opens a session."
        return Check("Login", "failed", f"{words} Enter the user name and the password.", code=REFUSED)
    for result in filter(None, (found, private)):
        if result.asks_for_login and not profile.secrets:
            known = f"The server asks for credentials ({result.summary})."
            if result.auth_changes and result.hint:
                known = result.hint.sentence
            if kinds := probe.asked_kinds:
                known += f" Ask the owner of the server which auth type to use, one of {joined_words(kinds)}."
            elif (proposal := proposed(probe)) and proposal.secrets:
                known += f" Enter the {_fields(proposal.secrets)}."
            return Check("Login", "failed", known, code=REFUSED)
    if private and isinstance(private.exchange.outcome, Result):
        return Check("Login", "skipped", f"{private.exchange.method} works without credentials.")
    preset = probe.presets.get(probe.preset)
    if preset and preset.values.secrets and not profile.secrets and not asked_at_once(preset.values.auth):
        kind = preset.values.auth.kind
        return Check(
            "Login",
            "unknown",
            f"Not requested yet. Preset {probe.preset} uses auth type {kind} for most methods.",
        )
    label = login_label(profile)
    if profile.auth.kind == Auth.kind:
        if profile.ad_hoc or probe.assumes_login:
            return Check(label, "skipped", "The server asks for no credentials.")
        return Check(label, "skipped", "Calls are sent without credentials.")
    return Check(label, "unknown", probe.doubted_auth or "Not tried yet.")
