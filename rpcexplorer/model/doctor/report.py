"""What an examination has shown so far, as steps in their order: each with what proved it.

The words may hold text from the server: whoever shows them makes them printable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.model.complaint import listed
from rpcexplorer.model.doctor.connection_test import (
    HTTP,
    LOGIN,
    MALFORMED,
    REFUSED,
    UNREACHED,
    Check,
    CheckState,
    login_not_reached,
    steps,
)
from rpcexplorer.model.doctor.examination import Examination
from rpcexplorer.model.doctor.finding import Finding
from rpcexplorer.model.doctor.proposal import Proposal, asked_at_once
from rpcexplorer.model.doctor.signs import names_in
from rpcexplorer.model.exchange import Cancelled
from rpcexplorer.model.profile import Auth, HeaderHandshake
from rpcexplorer.model.secrets.certificate import ShownCertificate
from rpcexplorer.protocol.messages import Result

FORM_ROWS: Final = (("content_type", "Content type"), ("accept", "Accept"), ("empty_params", "Empty params"))
"""Keys that have a row of their own, with its label."""
UNSEEN: Final = "cannot be seen before a login"


class Asked(Struct, frozen=True):
    """A call that was made, and what came of it."""

    method: str
    path: str
    said: str


class Report(Struct, frozen=True):
    """A test of the connection, as far as it has come."""

    checks: tuple[Check, ...] = ()
    proposal: Proposal | None = None
    asked: tuple[Asked, ...] = ()
    """The calls that were made, in their order."""
    requests: int = 0
    """How many were sent for them."""
    certificate: ShownCertificate | None = None
    """What an https server shows to whoever only looks."""
    under_way: str = ""
    """What is being asked now; empty where nothing is."""

    @property
    def exit_code(self) -> int:
        """That of a call which comes as far as the first step that failed."""
        return next((check.code for check in self.checks if check.state == "failed"), 0)


Tell = Callable[[Report], None]
"""Is told how far a test has come."""


def asked(examination: Examination) -> tuple[Asked, ...]:
    return tuple(Asked(heard.exchange.method, heard.form.path, heard.said) for heard in examination.heard)


def checks_of(examination: Examination) -> list[Check]:
    """The rows, without what is only seen with credentials."""
    if not examination.heard:
        return []
    found = examination.found
    at = found or next((heard for heard in reversed(examination.heard) if not heard.ended), examination.heard[-1])
    first = next(heard for heard in examination.heard if heard.form.url == at.form.url)
    way = steps(first.exchange, first.form)
    if first.ended and found is None:
        return way
    rows = [*way[:HTTP], _http(at), *_form(examination), _login(examination)]
    return _not_found_out(rows, examination) if examination.over and examination.cut_short else rows


def _not_found_out(rows: list[Check], examination: Examination) -> list[Check]:
    """The rows where the test was cut short: what the missing replies would have told is not known.

    The first of them has failed, with the exit code of that, unless it was the person who ended the test.
    """
    last, found = examination.cut_short, examination.found
    assert last is not None
    ended_here = isinstance(last.exchange.outcome, Cancelled)
    why = "you ended the test" if ended_here else last.said
    wanting = [] if found and found.speaks else ["Address"]
    wanting += [] if examination.preset else ["Server"]
    wanting += [] if rows[-1].state == "failed" else [rows[-1].label]
    at = [number for number, row in enumerate(rows) if row.label in wanting]
    for number in at:
        state: CheckState = "failed" if number == at[0] and not ended_here else "unknown"
        rows[number] = Check(rows[number].label, state, f"not found out: {why}", code=UNREACHED)
    return rows


def _http(heard: Finding) -> Check:
    response = heard.exchange.response
    if heard.ended:
        return steps(heard.exchange, heard.form)[HTTP]
    server = response.header("server")
    words = f"HTTP {response.status}{f' by {server}' if server else ''}"
    return Check("HTTP", "failed" if response.status == 407 else "well", words, response.phases.wait, MALFORMED)


def _form(examination: Examination) -> list[Check]:
    found = examination.found
    rows = [_address(examination)]
    if found is None:
        return [*rows, Check("JSON-RPC", "unknown", "not reached")]
    rows += [row for key, label in FORM_ROWS if (row := _row(examination, found, key, label))]
    if found.form.handshake is not None:
        rows.append(_handshake(examination, found))
    rows.append(_rpc(found))
    if examination.over:
        rows.append(_server(examination))
    return rows


def _address(examination: Examination) -> Check:
    found, own = examination.found, examination.profile.path
    others = [path for path in examination.tried if found is None or path != found.form.path]
    if found is None:
        looked = ", ".join(others)
        if not examination.over:
            return Check("Address", "unknown", f"looked at {looked}")
        moved = next((heard for heard in examination.heard if heard.moved_to), examination.heard[0])
        told = next((heard for heard in examination.heard if heard.form.path == own and not moved.moved_to), moved)
        words = f"no JSON-RPC at {looked}; {told.form.path}: {told.said}"
        return Check("Address", "failed", words, code=MALFORMED)
    if not found.speaks:
        locked = [heard.form.path for heard in examination.heard if heard.asks_for_login]
        if examination.is_bare and not examination.preset and set(locked) - {found.form.path}:
            return Check("Address", "unknown", "every path asks for a login, so that none can be told from another")
    verb = "speaks JSON-RPC" if found.speaks else "asks for a login"
    where = found.form.path if found.form.url == examination.profile.url else found.form.endpoint
    words = f"{where} {verb}"
    if examination.is_bare or (found.form.path, found.form.url) == (own, examination.profile.url):
        return Check("Address", "well", f"{words}{f'; not {_few(others)}' if others else ''}")
    said = next((heard.said for heard in examination.heard if heard.form.path == own), "")
    return Check("Address", "failed", f"{own}: {said or 'nothing'}. {words}", code=MALFORMED)


def _few(paths: list[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if paths[3:] else "")


def _row(examination: Examination, found: Finding, key: str, label: str) -> Check | None:
    """Whether a value of the form is taken; what was refused before, and in which words."""
    before, now = getattr(examination.profile, key), getattr(found.form, key)
    refused = next((heard for heard in examination.heard if _refuses(heard, key, now)), None)
    if refused:
        was = getattr(refused.form, key)
        state: CheckState = "failed" if was == before and not examination.profile.ad_hoc else "well"
        return Check(label, state, f"{now}; {was} is refused: {refused.said}", code=MALFORMED)
    if now != before:
        return Check(label, "well", f"{now}, as {examination.preset or 'such'} servers want it")
    if key == "accept":
        return None
    return Check(label, "well", f"{now} is taken") if found.speaks else Check(label, "unknown", UNSEEN)


def _refuses(heard: Finding, key: str, now: Any) -> bool:
    return key in dict(heard.form_changes) and getattr(heard.form, key) != now


def _handshake(examination: Examination, found: Finding) -> Check:
    wanted = found.form.handshake
    fails = wanted != examination.profile.handshake and not examination.profile.ad_hoc
    if isinstance(wanted, HeaderHandshake):
        words = f"the server hands out {wanted.header} and wants it back"
    else:
        words = "the server speaks MCP and is initialized first"
        fails = fails and found.speaks
    seen = found.speaks or found.exchange.response.status == 409
    if not seen:
        return Check("Handshake", "unknown", UNSEEN)
    return Check("Handshake", "failed" if fails else "well", words, code=MALFORMED)


def _rpc(found: Finding) -> Check:
    if not found.speaks:
        return Check("JSON-RPC", "unknown", UNSEEN)
    listed = names_in(found.exchange)
    said = f"a list of {len(listed):,}" if listed else found.said
    if not isinstance(found.exchange.outcome, Result):
        said = f"an error object: {found.said.removeprefix('error ')}"
    return Check("JSON-RPC", "well", f"{found.form.envelope}; {found.exchange.method}: {said}")


def _server(examination: Examination) -> Check:
    if examination.preset:
        description = examination.presets[examination.preset].description
        words = f"looks like {description or examination.preset} (preset {examination.preset})"
        return Check("Server", "well", words)
    return Check("Server", "skipped", "like none of the presets")


def _login(examination: Examination) -> Check:
    """Who is asked for, as far as that shows without credentials."""
    found, profile = examination.found, examination.profile
    if found is None:
        return login_not_reached(profile, ())
    for heard in filter(None, (found, examination.private)):
        if heard.asks_for_login and not profile.secrets:
            known = heard.hint.sentence if heard.auth_changes and heard.hint else f"asked for: {heard.said}"
            if kinds := examination.asked_kinds:
                known += f"; of which kind could not be seen: ask who runs it. The kinds of auth are {listed(kinds)}"
            return Check("Login", "failed", known, code=REFUSED)
    if examination.private and isinstance(examination.private.exchange.outcome, Result):
        return Check("Login", "skipped", f"{examination.private.exchange.method} was answered without one")
    preset = examination.presets.get(examination.preset)
    if preset and preset.values.secrets and not profile.secrets and not asked_at_once(preset.values.auth):
        kind = preset.values.auth.kind
        return Check("Login", "unknown", f"not asked for yet; such servers want one for most methods: {kind}")
    label = steps(found.exchange, profile)[LOGIN].label
    if profile.auth.kind == Auth.kind:
        return Check(label, "skipped", "not asked for" if profile.ad_hoc else "this profile needs none")
    return Check(label, "unknown", "not tried yet")
