"""The rows of a connection test, and its report.

The words may contain text of the server: printable() is applied where they are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.login import asks_for_login, misses_credentials
from rpcexplorer.client.hints import OLD_MCP, FailedCall, hint_for, refuses_request, was_read
from rpcexplorer.client.open_probe import OpenProbe
from rpcexplorer.client.probe import SIGNS, Probe, Proposal, TrialResult, asked_at_once, names_in, proposed
from rpcexplorer.model.exchange import EXIT_CODES, Cancelled, Exchange, Refused, Sent, Unreached
from rpcexplorer.model.mcp import MCP_DISCOVER
from rpcexplorer.model.problem import counted, joined_words, provide_secret
from rpcexplorer.model.profile import Auth, HeaderHandshake, Profile
from rpcexplorer.model.secret import FIELD_WORDS
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.messages import INVALID_PARAMS, ErrorObject, Malformed, Result
from rpcexplorer.transport.port import Phases, ShownCertificate

CheckState = Literal["well", "failed", "skipped", "unknown"]
"""``skipped``: not needed. ``unknown``: not reached, or not visible."""
NAME, TCP, TLS, HTTP, RPC, LOGIN = range(6)
"""The steps of a call over HTTP in their order."""
NOT_REACHED: Final = "Not reached."
ENDED_BY_USER: Final = "You ended the connection test."
UNREACHED, MALFORMED, REFUSED = EXIT_CODES["unreached"], EXIT_CODES["malformed"], 3
"""Exit codes of calls that fail at a step."""
_FAILS_AT: Final = {
    "url": NAME, "name": NAME, "connect": TCP, "proxy": TCP, "tls": TLS,
    "request": HTTP, "send": HTTP, "wait": HTTP, "body": HTTP, "size": HTTP,
}  # fmt: skip
"""The step that failed. For a timeout, the phases show it."""
_ROW_OF_STEP: Final = {"start": "Start", "upgrade": "Upgrade", "tls": "TLS"}
"""The rows of an open connection for steps that have their own; all others belong to the first row."""
MAX_NAMED: Final = 3
"""Methods of messages, and paths, to name."""


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
    """The certificate that a server with TLS shows."""
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


def _ended(rows: Sequence[Check], at: int, state: CheckState, words: str, code: int = UNREACHED) -> list[Check]:
    """Return the rows of an exchange that ended at one of them."""
    ended = Check(rows[at].label, state, words, code=code)
    return [*rows[:at], ended, *(_not_reached(row) for row in rows[at + 1 :])]


def _not_reached(row: Check, words: str = NOT_REACHED) -> Check:
    return row if row.state == "skipped" else Check(row.label, "unknown", words)


def _tls_row(profile: Profile, seconds: float | None = None) -> Check:
    words = "The server has the pinned certificate." if profile.certificate else "The certificate is valid."
    return Check("TLS", "well", f"Encrypted. {words}", seconds)


# Calls over HTTP, one after the other.


def steps(exchange: Exchange, profile: Profile, *, locked: bool = False) -> list[Check]:
    """Return the six steps in order; those after a failed one are not reached.

    ``locked``: a call without credentials was asked for a login.
    """
    rows = [*_connected(exchange, profile), *_replied(exchange, profile, locked=locked)]
    furthest = _furthest(exchange.response.phases)
    match exchange.outcome:
        case Refused() as refused:
            return _refused(rows, refused, profile, is_login_sent=exchange.seconds > 0)
        case Unreached(step=step, sentence=sentence):
            return _ended(rows, _FAILS_AT.get(step, furthest), "failed", sentence)
        case Cancelled():
            return _ended(rows, furthest, "unknown", "You cancelled the call.")
    return rows


def _furthest(phases: Phases) -> int:
    """Return the step of the last phase that has a time."""
    if any(phase is not None for phase in (phases.send, phases.wait, phases.transfer)):
        return HTTP
    if phases.tls is not None:
        return TLS
    if phases.connect is None and phases.name is not None:
        return NAME
    return TCP


def _refused(rows: list[Check], refused: Refused, profile: Profile, *, is_login_sent: bool) -> list[Check]:
    """Return the rows of a call that was not sent, perhaps because its login failed."""
    if is_login_sent:
        passed = [*rows[:HTTP], Check("HTTP", "well", "The server responded to the login.")]
        rest = [_not_reached(row) for row in rows[RPC:]]
    else:
        passed = []
        rest = [_not_reached(row, "Nothing was sent.") for row in rows]
    rows = [*passed, *rest]
    at, words, code = RPC, refused.sentence, MALFORMED
    if refused.why == "credentials":
        at, code = LOGIN, REFUSED
    if refused.rejected and refused.missing:
        words = f"{words} {_enter_again(profile, refused.missing)}"
    rows[at] = Check(rows[at].label, "failed", words, code=code)
    return rows


def _connected(exchange: Exchange, profile: Profile) -> Iterator[Check]:
    """Yield name, TCP and TLS of an exchange that passed them."""
    phases, proxy = exchange.response.phases, exchange.response.proxy
    if profile.socket:
        yield Check("Name", "skipped", "A Unix socket has no host name.")
        yield Check("TCP", "well", "Connected to the Unix socket.", phases.connect)
        yield Check("TLS", "skipped", "The connection stays on this machine.")
        return
    if _has_ip_address(exchange.url):
        yield Check("Name", "skipped", "The URL has an IP address.")
    elif phases.name is None and proxy:
        yield Check("Name", "skipped", "The proxy resolves the host name.")
    else:
        yield Check("Name", "well", "The host name was resolved.", phases.name)
    connected = f"Connected through the proxy {proxy}." if proxy else "Connected."
    yield Check("TCP", "well", connected, phases.connect)
    if exchange.url.lower().startswith("https:"):
        yield _tls_row(profile, phases.tls)
    else:
        yield Check("TLS", "skipped", "Plain HTTP is not encrypted.")


def _has_ip_address(url: str) -> bool:
    import ipaddress  # Only a test needs it.

    try:
        ipaddress.ip_address(urlsplit(url).hostname or "")
    except ValueError:
        return False
    return True


def _replied(exchange: Exchange, profile: Profile, *, locked: bool) -> list[Check]:
    """Return HTTP, JSON-RPC and login of an exchange with a complete response."""
    outcome, status = exchange.outcome, exchange.response.status
    rpc, login = Check("JSON-RPC", "unknown", NOT_REACHED), login_row(exchange, profile, locked=locked)
    if isinstance(outcome, Result):
        rpc = Check("JSON-RPC", "well", "The response is a result.")
    elif isinstance(outcome, ErrorObject):
        is_refused = refuses_request(exchange) and login.state != "failed"
        words = f"The response is an error object ({error_words(outcome)})."
        rpc = Check("JSON-RPC", "failed" if is_refused else "well", words, code=EXIT_CODES["error"])
    rows = [Check("HTTP", "well", f"Status {status}", exchange.response.phases.wait), rpc, login]
    if not isinstance(outcome, Malformed) or login.state == "failed":
        return rows
    if status is not None and 200 <= status < 300:
        return _ended(rows, 1, "failed", outcome.reason, MALFORMED)
    words = outcome.reason if outcome.kind == "status" else f"HTTP {status}: {outcome.reason}"
    return _ended(rows, 0, "failed", words, MALFORMED)


# The login.


def login_label(profile: Profile) -> str:
    return "Credentials" if profile.call_secrets and not profile.has_sessions else "Login"


def login_row(exchange: Exchange, profile: Profile, *, locked: bool) -> Check:
    outcome, status, label = exchange.outcome, exchange.response.status, login_label(profile)
    if asks_for_login(profile.login_signs, outcome, status):
        reason = TrialResult(profile, exchange).summary
        if isinstance(outcome, ErrorObject):
            reason = error_words(outcome)
        if not profile.call_secrets:
            words = f"The server asks for credentials ({reason}). Set auth in the profile."
        elif misses_credentials(exchange, profile):
            words = f"The server found no credentials ({reason}). {exchange.method} may need another auth type."
        else:
            field = next((name for name in profile.call_secrets if name not in {"username", "session"}), "session")
            words = f"The server rejected the credentials ({reason}). {_enter_again(profile, field)}"
        return Check(label, "failed", words, code=REFUSED)
    if not profile.call_secrets:
        return Check(label, "skipped", "Calls are sent without credentials.")
    accepted = "The server accepted the session." if profile.has_sessions else "The server accepted the credentials."
    if isinstance(outcome, Result):
        is_login = exchange.method == profile.login.method and profile.has_sessions
        return Check(label, "well", "The login opened a session." if is_login else accepted)
    if locked and (isinstance(outcome, ErrorObject) or status == 200):
        return Check(label, "well", f"Credentials are required. {accepted}")
    return Check(label, "unknown", "This response shows nothing about the login. Call a method that needs credentials.")


def login_not_reached(profile: Profile, missing: Sequence[str]) -> Check:
    """Return the last row if a step before it failed, with missing secrets."""
    words = NOT_REACHED
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        words = f"{words} The {_fields(missing)} {verb} missing."
    return Check(login_label(profile), "unknown", words)


def _fields(names: Iterable[str]) -> str:
    return " and the ".join(FIELD_WORDS.get(name, name) for name in names)


def _enter_again(profile: Profile, field: str) -> str:
    return f"Enter the {field} again." if profile.ad_hoc else provide_secret(profile, field)


def error_words(outcome: ErrorObject) -> str:
    code = "" if outcome.code is None else str(outcome.code)
    return f"{code} {outcome.message}".strip() or "no code"


# A connection that stays open.


def opening_rows(opened: Exchange, profile: Profile, method: str) -> list[Check]:
    """Return the rows up to the handshake; if one failed, all later ones, too.

    ``method`` is the one that is called then.
    """
    outcome, rows = opened.outcome, _rows_of_opening(profile, method)
    if isinstance(outcome, Sent):
        return [replace(rows[0], seconds=opened.seconds), *rows[1:]]
    labels = [row.label for row in rows]
    rows += [Check("JSON-RPC", "unknown", NOT_REACHED), Check(login_label(profile), "unknown", NOT_REACHED)]
    if isinstance(outcome, Unreached):
        label = "Handshake" if outcome.in_handshake else _ROW_OF_STEP.get(outcome.step, "")
        at = labels.index(label) if label in labels else 0
        return _ended(rows, at, "failed", _with_hint(outcome.sentence, opened, profile), opened.exit_code)
    if isinstance(outcome, Refused) and outcome.rejected and "Handshake" in labels:
        return _ended(rows, labels.index("Handshake"), "failed", outcome.sentence, opened.exit_code)
    if isinstance(outcome, Refused) and outcome.missing:
        credentials = replace(rows[-1], state="failed", words=outcome.sentence, code=opened.exit_code)
        return [*(_not_reached(row, UNSEEN) for row in rows[:-1]), credentials]
    if isinstance(outcome, Refused):
        return _ended(rows, 0, "failed", outcome.sentence, opened.exit_code)
    return _ended(rows, 0, "unknown", ENDED_BY_USER)


def _rows_of_opening(profile: Profile, method: str) -> list[Check]:
    """Return the rows of a connection that has opened."""
    if profile.connection_kind == "process":
        rows = [Check("Start", "well", "The process runs.")]
    else:
        rows = [Check("Connection", "well", f"Connected to {profile.origin}.")]
    if profile.is_encrypted:
        rows.append(_tls_row(profile))
    if profile.connection_kind == "websocket":
        rows.append(Check("Upgrade", "well", "The server accepted WebSocket."))
    if profile.handshake:
        words = "The server answered initialize."
        if method == MCP_DISCOVER:
            words = "The server needs none in the version of MCP that it speaks."
        rows.append(Check("Handshake", "well", words))
    elif answered := [opening.method for opening in profile.openings if not opening.notification]:
        rows.append(Check("Handshake", "well", f"The server answered {joined_words(answered)}."))
    return rows


_FORM_LABELS: Final = {"url": "Address", "path": "Address", "framing": "Framing", "preset": "Preset", "id": "Ids"}


def changed_rows(probe: OpenProbe) -> list[Check]:
    """Return what the best trial over an open connection changed."""
    best, rows = probe.best, list[Check]()
    state: CheckState = "well" if probe.profile.ad_hoc else "failed"
    for step in best.trial.steps:
        words = f"Calls need {step.words}. Without it: {step.why}" if step.was_needed else step.why
        rows.append(Check(_FORM_LABELS.get(step.key, "Form"), state, words, code=MALFORMED))
    return rows


def vain_rows(probe: OpenProbe) -> list[Check]:
    """Return the row of the changes that did not help, if there were any."""
    last = [result.trial.steps[-1] for result in probe.results if result.trial.steps]
    others = [step.words for step in last if step not in probe.best.trial.steps]
    return [Check("Tried", "skipped", f"Without success: {joined_words(others)}.")] if others else []


def called_rows(called: Exchange, method: str, profile: Profile) -> list[Check]:
    """Return the rows of a call over an open connection, the handshake included."""
    login = login_row(called, profile, locked=False)
    if isinstance(called.outcome, Refused) and called.outcome.why == "credentials":
        login = replace(login, state="failed", words=called.outcome.sentence, code=REFUSED)
    rpc = _called_row(called, method, profile, has_login=login.state != "failed")
    if rpc.state != "well" and login.state != "failed":
        login = Check(login.label, "unknown", NOT_REACHED)
    return [rpc, login]


def _called_row(called: Exchange, method: str, profile: Profile, *, has_login: bool) -> Check:
    result = TrialResult(profile, called)
    match called.outcome:
        case Refused(why="credentials"):
            return Check("JSON-RPC", "unknown", NOT_REACHED)
        case Refused(sentence=words):
            return Check("JSON-RPC", "failed", words, code=MALFORMED)
        case Unreached(sentence=words):
            return Check("JSON-RPC", "failed", f"{method}: {_with_hint(words, called, profile)}")
        case Cancelled():
            return Check("JSON-RPC", "unknown", ENDED_BY_USER)
        case Malformed(reason=words):
            return Check("JSON-RPC", "failed", _with_hint(words, called, profile), code=MALFORMED)
        case ErrorObject() as error if not result.speaks:
            words = f"Neither jsonrpc nor id are in the response, so it is not JSON-RPC ({error_words(error)})."
            return Check("JSON-RPC", "failed", words, code=MALFORMED)
        case ErrorObject() as error if refuses_request(called) and has_login:
            words = _with_hint(f"The server refused the request ({error_words(error)}).", called, profile)
            return Check("JSON-RPC", "failed", words, code=EXIT_CODES["error"])
        case ErrorObject() as error:
            words = f"{method} returned an error object ({error_words(error)})."
            members = result.members
            if profile.envelope == "2.0" and members and members.jsonrpc is members.result is None:
                return Check("JSON-RPC", "unknown", f"{words} It has no jsonrpc. If calls fail, set envelope to 1.0.")
            return Check("JSON-RPC", "well", words, called.seconds)
        case Sent():  # This is the handshake, whose time is that of the first row.
            return Check("JSON-RPC", "well", f"{method} returned a result.")
    return Check("JSON-RPC", "well", f"{method} returned a result.", called.seconds)


def _with_hint(words: str, exchange: Exchange, profile: Profile) -> str:
    hint = hint_for(exchange, profile, tested=True)
    if hint is None or hint.tests:
        return words
    return f"{words} {hint.sentence}"


def messages_row(seen: Counter[str]) -> Check:
    count = seen.total()
    if not count:
        return Check("Messages", "skipped", "The server sent no other message in the first second.")
    names = joined_words([name for name, _ in seen.most_common()], MAX_NAMED)
    return Check("Messages", "well", f"The server sent {counted(count, 'other message')}: {names}.")


# Calls without credentials, which find address and form.

FORM_ROWS: Final = (("content_type", "Content type"), ("accept", "Accept"), ("empty_params", "Empty params"))
"""Keys that have their own row, with its label."""
UNSEEN: Final = "Unknown before a login."


def advice_of(probe: Probe) -> str:
    """Return advice if no JSON-RPC was found, unless you ended the test."""
    if not probe.results or (probe.found and not probe.is_ambiguous):
        return ""
    outcome = probe.results[-1].exchange.outcome
    if isinstance(outcome, Cancelled):
        return ""
    if isinstance(outcome, Unreached) and outcome.step in {"name", "connect"}:
        return "There was no connection. Start the server, or try another URL."
    for result in probe.results:
        if hint := OLD_MCP(FailedCall.of(result.exchange, result.form)):
            return hint.sentence
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
        return [Check("Redirect", "well", words), *steps(blocked.exchange, blocked.form)]
    found = probe.found
    at = found or next((result for result in reversed(probe.results) if not result.ended), probe.results[-1])
    first = next(result for result in probe.results if result.form.url == at.form.url)
    way = steps(first.exchange, first.form)
    if first.ended and found is None:
        return way
    http = steps(at.exchange, at.form)[HTTP] if at.ended else _http(at)
    rows = [*way[:HTTP], http, _address(probe)]
    if found is None:
        rows.append(Check("JSON-RPC", "unknown", NOT_REACHED))
    else:
        form_rows = [_form_row(probe, found, key, label) for key, label in FORM_ROWS]
        rows += [row for row in form_rows if row]
        if found.form.handshake is not None:
            rows.append(_handshake(probe, found))
        rows.append(_json_rpc(found, probe.profile))
        if probe.over:
            rows.append(_server(probe))
    rows.append(_open_login(probe))
    if probe.over and probe.cut_short:
        return _not_found_out(rows, probe, probe.cut_short)
    return rows


def _http(result: TrialResult) -> Check:
    response = result.exchange.response
    words = f"Status {response.status}"
    if server := response.header("server"):
        words += f" from {server}"
    return Check("HTTP", "failed" if response.status == 407 else "well", words, response.phases.wait, MALFORMED)


def _not_found_out(rows: list[Check], probe: Probe, last: TrialResult) -> list[Check]:
    """Return the rows of a test that ended early, with the reason.

    The first row without a result has failed, unless you ended the test.
    """
    found = probe.found
    is_ended_by_user = isinstance(last.exchange.outcome, Cancelled)
    reason = ENDED_BY_USER if is_ended_by_user else last.summary
    wanting = set()
    if not (found and found.speaks):
        wanting.add("Address")
    if not probe.preset:
        wanting.add("Server")
    if rows[-1].state != "failed":
        wanting.add(rows[-1].label)
    state: CheckState = "unknown" if is_ended_by_user else "failed"
    for number, row in enumerate(rows):
        if row.label in wanting:
            rows[number] = Check(row.label, state, f"Unknown. {reason}", code=UNREACHED)
            state = "unknown"
    return rows


def _address(probe: Probe) -> Check:
    found, own, results = probe.found, probe.profile.path, probe.results
    tried = list(dict.fromkeys(result.path for result in results))
    if found is None:
        paths = ", ".join(tried)
        if not probe.over:
            return Check("Address", "unknown", f"Tried {paths}")
        shown = next((result for result in results if result.moved_to), results[0])
        if not shown.moved_to:
            shown = next((result for result in results if result.form.path == own), shown)
        return Check("Address", "failed", f"No JSON-RPC at {paths}. At {shown.path}: {shown.summary}", code=MALFORMED)
    if probe.is_ambiguous:
        return Check("Address", "unknown", "Several paths ask for credentials. Enter the complete URL with its path.")
    is_at_home = found.form.url == probe.profile.url
    address = found.path if is_at_home else redacted_address(found.form.endpoint)
    words = f"{address} accepts JSON-RPC calls." if found.speaks else f"{address} asks for credentials."
    if (probe.is_bare and probe.profile.ad_hoc) or (found.form.path == own and is_at_home):
        others = joined_words((path for path in tried if path != found.path), MAX_NAMED)
        if others:
            words += f" Tried without success: {others}"
        return Check("Address", "well", words)
    summary = next((result.summary for result in results if result.form.path == own), "not tried").rstrip(".")
    return Check("Address", "failed", f"No JSON-RPC at {redacted_address(own)}: {summary}. {words}", code=MALFORMED)


def _form_row(probe: Probe, found: TrialResult, key: str, label: str) -> Check | None:
    """Return the row of a key: its accepted value, and the refused one."""
    before, now = getattr(probe.profile, key), getattr(found.form, key)
    for result in probe.results:
        was = getattr(result.form, key)
        if was != now and key in dict(result.form_changes):
            words = f"The test uses {now}. The server refused {was}: {result.summary}"
            is_wrong = was == before and not probe.profile.ad_hoc
            return Check(label, "failed" if is_wrong else "well", words, code=MALFORMED)
    if now != before and probe.preset:
        return Check(label, "well", f"Preset {probe.preset} uses {now}.")
    if now != before and not (key == "content_type" and probe.has_usual_type):
        return Check(label, "well", f"The server needs {now}.")
    if key == "accept":
        return None
    if not found.speaks:
        return Check(label, "unknown", UNSEEN)
    is_invalid = key == "empty_params" and getattr(found.exchange.outcome, "code", None) == INVALID_PARAMS
    if refuses_request(found.exchange) or is_invalid:
        return Check(label, "unknown", f"The server may not accept {now}: {found.summary}.")
    if not was_read(found.exchange):
        return Check(label, "unknown", f"The server may not accept {now}: its response has no id.")
    return Check(label, "well", f"The server accepts {now}.")


def _handshake(probe: Probe, found: TrialResult) -> Check:
    wanted = found.form.handshake
    is_wrong = wanted != probe.profile.handshake and not probe.profile.ad_hoc
    if not found.speaks and found.exchange.response.status != 409:
        return Check("Handshake", "unknown", UNSEEN)
    if isinstance(wanted, HeaderHandshake):
        words = f"The server sends the header {wanted.header} and needs it in every request."
    else:
        words = "The server uses MCP."
        is_wrong = is_wrong and found.speaks
    return Check("Handshake", "failed" if is_wrong else "well", words, code=MALFORMED)


def _json_rpc(found: TrialResult, profile: Profile) -> Check:
    if not found.speaks:
        return Check("JSON-RPC", "unknown", UNSEEN)
    outcome, names, members = found.exchange.outcome, names_in(found.exchange), found.members
    summary = f"a list of {counted(len(names), 'name')}" if names else "a result"
    if isinstance(outcome, ErrorObject):
        summary = f"an error object ({error_words(outcome)})"
    form = f"JSON-RPC {found.form.envelope}"
    if found.form.envelope == "transmission":
        form = "Transmission format"
    elif found.form.envelope == "2.0" and members and members.jsonrpc is members.id is None:
        form = "Old JSON-RPC version, without jsonrpc and id"
    state: CheckState = "well"
    if refuses_request(found.exchange) and not found.asks_for_login:  # With credentials, a server may accept it.
        state = "unknown" if profile.call_secrets else "failed"
    return Check("JSON-RPC", state, f"{form}. {found.exchange.method} returned {summary}.", code=EXIT_CODES["error"])


def _server(probe: Probe) -> Check:
    if probe.preset:
        description = probe.presets[probe.preset].description or probe.preset
        words = f"The server looks like {description} (preset {probe.preset})."
        if probe.card and probe.found:
            other = probe.card.about_addresses(probe.found.form.endpoint)
            words = f"{words} Its agent card describes {probe.card.title}. {other}".rstrip()
        return Check("Server", "well", words)
    words = "No preset matches."
    for sign in SIGNS:
        if sign.path and probe.found and sign.path == probe.found.form.path:
            words = f"{words} This is the usual path of preset {sign.preset}."
            break
    return Check("Server", "skipped", words)


def _open_login(probe: Probe) -> Check:
    """Return the login row, as far as calls without credentials show it."""
    found, profile, private = probe.found, probe.profile, probe.private
    if found is None:
        return login_not_reached(profile, ())
    if probe.wants_service_login:
        words = f"The server asks for credentials ({found.summary}). {profile.login.name} opens a session."
        return Check("Login", "failed", f"{words} Enter the user name and the password.", code=REFUSED)
    asking = next((result for result in (found, private) if result and result.asks_for_login), None)
    if asking and not profile.call_secrets:
        words = f"The server asks for credentials ({asking.summary})."
        if asking.auth_changes and asking.hint:
            words = asking.hint.sentence
        proposal = proposed(probe)
        if kinds := probe.asked_kinds:
            words += f" Ask the owner of the server which auth type to use, one of {joined_words(kinds)}."
        elif proposal and proposal.secrets:
            words += f" Enter the {_fields(proposal.secrets)}."
        return Check("Login", "failed", words, code=REFUSED)
    if private and isinstance(private.exchange.outcome, Result):
        return Check("Login", "skipped", f"{private.exchange.method} works without credentials.")
    preset = probe.presets.get(probe.preset)
    if preset and preset.values.secrets and not profile.call_secrets and not asked_at_once(preset.values.auth):
        kind = preset.values.auth.kind
        words = f"Not requested yet. Preset {probe.preset} uses auth type {kind} for most methods."
        return Check("Login", "unknown", words)
    if profile.auth.kind != Auth.kind:
        return Check(login_label(profile), "unknown", probe.doubted_auth or "Not tried yet.")
    if profile.ad_hoc or probe.assumes_login:
        return Check(login_label(profile), "skipped", "The server asks for no credentials.")
    return Check(login_label(profile), "skipped", "Calls are sent without credentials.")
