"""The connection test: it asks, reads the rules, changes one setting, and asks again.

Over HTTP it finds address and form with calls without credentials, and makes one with credentials only if those of the
profile were right. It sends at most ``MOST`` requests, one at a time over one connection, and records none.

A connection that stays open is opened as calls open it, and has to answer a call. If it does not, it is opened again
with one other setting, without credentials at an address that nobody chose.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rpcexplorer.auth.credentials import CredentialSource
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.agent_card import AGENT_CARD
from rpcexplorer.client.call import certificate_of, connect
from rpcexplorer.client.hints import hint_for, is_nothing
from rpcexplorer.client.open_probe import GREETING, OpenProbe, OpenResult, Trial
from rpcexplorer.client.probe import (
    MOST,
    Probe,
    Proposal,
    TrialResult,
    behind_login,
    connection_method,
    proposed,
)
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.client.report import (
    HTTP,
    LOGIN,
    MALFORMED,
    RPC,
    Check,
    CheckState,
    Report,
    ShowReport,
    TestCall,
    advice_for,
    advice_of,
    called_rows,
    changed_rows,
    checks_of,
    login_not_reached,
    messages_row,
    opening_rows,
    steps,
    vain_rows,
)
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Sent, Stop, Unreached
from rpcexplorer.model.mcp import LISTS_TOOLS, MCP_DISCOVER
from rpcexplorer.model.problem import Changes, Problem
from rpcexplorer.model.profile import INITIALIZE, TOKEN_MARK, Auth, Preset, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.rpc.messages import Malformed, lacks_method
from rpcexplorer.transport.port import Partial, Request, Response, ShownCertificate, Transport, Unreachable, Watch

if TYPE_CHECKING:
    from rpcexplorer.model.destination import ProcessCommand
    from rpcexplorer.model.event import Event

REPLY_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of one response: no call of the test has a longer one."""
MAX_SECONDS: Final = 10.0
"""Seconds for one response, if the profile does not allow less."""
WITH_CREDENTIALS: Final = 4
"""Requests that are reserved for a challenge, a handshake and a login."""
SECONDS: Final = 30.0
"""For all trials of a connection that stays open."""
SILENT_SECONDS: Final = 5.0
"""For a response without a handshake, if nobody chose that: a server that waits for one says nothing."""
LISTEN_SECONDS: Final = 1.0
"""From the opening of a connection, in which messages of the server are counted."""
_WITHOUT_METHOD: Final = {"response": "a response", "unreadable": "data that is not a message"}


class LimitedTransport:
    """A transport with a limited number of requests."""

    def __init__(self, transport: Transport, most: int) -> None:
        self._transport, self._most = transport, most
        self.sent = 0

    async def open(self) -> None:
        await self._transport.open()

    async def send(
        self, request: Request, *, deadline: float, watch: Watch | None = None, partial: Partial | None = None
    ) -> Response:
        if self.sent >= self._most:
            raise Unreachable("request", f"The connection test ends here: it sends at most {self._most} requests.")
        self.sent += 1
        return await self._transport.send(request, deadline=deadline, watch=watch, partial=partial)

    async def close(self) -> None:
        await self._transport.close()


class Tester:
    """One connection test of one profile."""

    def __init__(
        self,
        profile: Profile,
        credentials: CredentialSource,
        *,
        missing: Sequence[str],
        presets: Mapping[str, Preset],
        chosen: Collection[str],
        change: Callable[[Profile, Changes], Profile | Problem],
        command: Callable[[], ProcessCommand | Refused],
    ) -> None:
        """Prepare a test.

        ``missing`` are the secrets without a value, ``chosen`` the keys that are set in a file or on the command line.
        ``change`` returns the profile with changes, or the problem that a file with them would have. ``command``
        returns the process that may be started.
        """
        self._profile, self._credentials, self._missing, self._change = profile, credentials, missing, change
        self._presets, self._chosen = presets, chosen
        self._opened = 0
        """Connections that were opened, each for one call."""
        self._moved: tuple[Check, ...] = ()
        """The row of the address that was given, if the test goes on with another scheme."""
        self._show_report: ShowReport = lambda _: None
        self._stop = Stop()
        self._clients: list[ProfileClient] = []
        self._transport: LimitedTransport | None = None
        self._certificate: ShownCertificate | None = None
        self._messages = Counter[str]()
        """What the server sent of its own accord, by method."""
        self._around = Surroundings(on_event=self._count, command=command)
        reserved = WITH_CREDENTIALS if profile.secrets and not profile.assumes_auth else 0
        # The default login is tried only if its address, one of the first to be tested, asks for it.
        self._probe = Probe(profile, presets, self._changed, most=MOST - reserved, chosen=chosen)

    async def run(self, show: ShowReport, stop: Stop) -> Report:
        """Run the test; call ``show`` with each new state."""
        self._show_report, self._stop = show, stop
        return await self._run()

    async def _run(self) -> Report:
        if self._profile.is_open_connection:
            return await self._try_open()
        self._transport = LimitedTransport(await connect(self._profile, REPLY_LIMIT), MOST - self._opened)
        if TOKEN_MARK in self._profile.path:  # Without its token, the URL is a different one.
            return await self._with_credentials([])
        trials = self._probe.run()
        trial = next(trials, None)
        while trial is not None:
            if trial.form.is_open_connection:
                if report := await self._go_on(trial.form, self._probe.results[-1].summary):
                    return report
                break
            self._show(f"{trial.method} at {redacted_address(trial.form.path)}")
            exchange = await self._sent(trial.form, trial.method)
            try:
                trial = trials.send(exchange)
            except StopIteration:
                trial = None
        if report := await self._as_websocket():
            return report
        await self._look_at_certificate(self._probe.form)
        checks = checks_of(self._probe)
        is_stopped = isinstance(self._probe.results[-1].exchange.outcome, Cancelled)
        if not self._has_credentials() or is_stopped or self._probe.cut_short:
            return self._report(checks)
        return await self._with_credentials(checks)

    async def close(self) -> None:
        if self._transport is not None:
            await self._transport.close()
        await self._close_open()

    async def _close_open(self) -> None:
        for client in self._clients:
            if client.profile.is_open_connection:
                await client.close()

    def _client(self, form: Profile) -> ProfileClient:
        client = next((client for client in self._clients if client.profile == form), None)
        if client is None:
            client = ProfileClient(
                form,
                self._credentials,
                reply_limit=REPLY_LIMIT,
                transport=None if form.is_open_connection else self._transport,
                around=self._around,
                advises=False,
            )
            self._clients.append(client)
        return client

    async def _look_at_certificate(self, form: Profile) -> None:
        """Read the certificate that the server shows, if it uses TLS."""
        if form.is_encrypted and not self._stop.pressed:
            with suppress(Unreachable):
                self._certificate = await certificate_of(form)

    # A connection that stays open.

    async def _try_open(self) -> Report:
        """Open connections in one form after the other, until a call works."""
        profile, loop = self._profile, asyncio.get_running_loop()
        has_some = any(self._credentials.is_known(profile, field) for field in profile.secrets)
        if profile.assumes_auth and not has_some:  # Calls have no credentials either.
            profile = replace(profile, auth=Auth(), assumes_auth=False)
        left = MOST - (self._transport.sent if self._transport else 0)
        probe = OpenProbe(profile, self._presets, self._changed, most=left, chosen=self._chosen)
        trials, end = probe.run(), loop.time() + SECONDS
        trial: Trial | None = next(trials)
        while trial is not None:
            self._show_report(Report(under_way=trial.words or "opening the connection", calls=_calls_of(probe)))
            result = await self._tried(trial, end - loop.time())
            try:
                trial = trials.send(result) if loop.time() < end else None
            except StopIteration:
                trial = None
        if probe.elsewhere is not None and not self._moved and (report := await self._go_on(*probe.elsewhere)):
            return report
        best = probe.best
        first, *others = opening_rows(best.opened, best.form, best.method)
        rows = [*self._moved, first, *changed_rows(probe), *others]
        if best.was_opened:
            rows += called_rows(best.called, best.method, best.form)
            if not best.was_stopped and best is probe.results[-1]:
                self._show_report(self._opened_report(probe, rows, under_way="messages of the first second"))
                await self._listen(self._client(best.form))
            rows.append(messages_row(self._messages))
        rows += vain_rows(probe)
        await self._look_at_certificate(best.form)
        return self._opened_report(probe, rows)

    async def _as_websocket(self) -> Report | None:
        """Return the report of the same address over WebSocket, if the server hung up on HTTP and takes that."""
        last, url = self._probe.results[-1].exchange.outcome, self._profile.url
        if self._moved or not isinstance(last, Unreached) or last.reason != "hung up":
            return None
        form = self._changed(self._profile, (("url", f"ws{url.removeprefix('http')}"),))
        return await self._go_on(form, "The server closed the connection without a response.") if form else None

    async def _go_on(self, form: Profile, why: str) -> Report | None:
        """Go on with another scheme, without credentials: nobody chose to send them so.

        None if that leads nowhere.
        """
        was, probe = self._profile, self._probe
        state: CheckState = "well" if was.ad_hoc else "failed"
        words = f"{redacted_address(was.url)}: {why} The test goes on at {redacted_address(form.url)}."
        self._moved = (Check("Address", state, words, code=MALFORMED),)
        self._profile = replace(form, auth=Auth(), assumes_auth=False, has_login=False, openings=())
        left = MOST - (self._transport.sent if self._transport else self._opened)
        self._probe = Probe(self._profile, self._presets, self._changed, most=left, chosen=self._chosen)
        report = await self._run()
        proposal = report.proposal
        if proposal is None:
            self._profile, self._probe, self._moved = was, probe, ()
            return None
        if "url" not in proposal.values:
            proposal = replace(proposal, changes=(("url", form.url), *proposal.changes))
        return replace(report, proposal=proposal)

    async def _tried(self, trial: Trial, seconds: float) -> OpenResult:
        """Open a connection and make its call; the one of the trial before is closed."""
        await self._close_open()
        self._opened += 1
        self._messages.clear()
        form, method = trial.form, connection_method(trial.form, self._presets)
        patience = SILENT_SECONDS if form.ad_hoc and not form.handshake else MAX_SECONDS
        client = self._client(form)
        limit = min(form.timeout, patience, seconds)
        opened = await client.open(timeout=limit, stop=self._stop)
        called = opened
        if method == INITIALIZE and client.mcp is not None:
            if client.mcp.is_stateless:
                method = MCP_DISCOVER  # It was opened without a handshake.
            elif trial.steps:
                method = LISTS_TOOLS  # Servers of other protocols answer initialize, too.
        if isinstance(opened.outcome, Sent) and method != INITIALIZE:  # The handshake is an answered call.
            called = await client.send(Draft(method), timeout=limit, stop=self._stop)
        if self._messages[method]:  # We answered our own call.
            called = replace(called, outcome=Malformed(f"It sends {method} back: it repeats its input."))
        greeted = None
        if form.connection_kind == "process" and form.ad_hoc and not form.preset and lacks_method(called.outcome):
            greeted = await client.send(GREETING, timeout=limit, stop=self._stop)
        return OpenResult(trial, method, opened, called, greeted)

    def _opened_report(self, probe: OpenProbe, rows: list[Check], under_way: str = "") -> Report:
        proposal = self._pin(probe.best.form.url) if self._is_distrusted(rows) else probe.proposal
        calls = _calls_of(probe)
        return Report(tuple(rows), proposal, calls, len(calls), self._certificate, under_way)

    def _count(self, event: Event) -> None:
        self._messages[event.method or _WITHOUT_METHOD[event.kind]] += 1

    async def _listen(self, client: ProfileClient) -> None:
        """Wait until the first second is over, or the connection."""
        connection = client.connection
        if connection is None or connection.since is None:
            return
        left = LISTEN_SECONDS - (datetime.now(UTC) - connection.since).total_seconds()
        task = asyncio.ensure_future(connection.wait_closed())
        self._stop.watch(task)
        with suppress(TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(task, max(left, 0))
        self._stop.watch(None)

    # Calls over HTTP, one after the other.

    def _has_credentials(self) -> bool:
        """Return whether a last call is made with credentials."""
        if not self._profile.assumes_auth:
            return bool(self._profile.secrets)
        return self._probe.wants_service_login and self._credentials.can_log_in(self._profile)

    async def _with_credentials(self, checks: list[Check]) -> Report:
        """Call with credentials, if the profile's address and form were right."""
        profile, open_call = self._profile, self._probe.found
        if checks and (open_call is None or any(check.state == "failed" for check in checks[:-1])):
            last = login_not_reached(profile, self._missing)
            last = replace(last, words=f"{last.words} {self._probe.doubted_auth}".rstrip())
            return self._report([*checks[:-1], last])
        method = behind_login(profile, self._presets) or auth_of(profile).harmless
        login = auth_of(profile).opens_session(profile) and not await self._has_session_alone()
        if login:
            method = profile.login.method
        self._show(f"{method} with credentials")
        exchange = await self._sent(profile, method, login=login)
        tried = steps(exchange, profile, locked=open_call is not None and open_call.asks_for_login)
        if not checks:
            return self._report(tried, exchange)
        result, last = TrialResult(profile, exchange), tried[LOGIN]
        if result.ended and last.state != "failed":  # Neither the login nor the call got a response.
            failed = next((check for check in tried if check.state == "failed"), last)
            return self._report([*checks[:-1], replace(failed, label=last.label)], exchange)
        if open_call and not open_call.speaks and not login:  # Only this call shows whether the server uses JSON-RPC.
            if result.speaks:
                self._probe.found = result
                checks = checks_of(self._probe)
            elif not result.ended:
                rows = {check.label: check for check in (tried[HTTP], tried[RPC])}
                checks = [rows.get(check.label, check) for check in checks]
        if last.state == "failed":  # A command is last.
            last = replace(last, words=f"{self._probe.doubted_auth} {last.words}".lstrip())
        return self._report([*checks[:-1], last], exchange)

    async def _has_session_alone(self) -> bool:
        """Return whether a session is stored, but not all secrets of a login."""
        return bool(self._missing) and isinstance(await self._credentials.session(self._profile), Secret)

    async def _sent(self, form: Profile, method: str, *, login: bool = False) -> Exchange:
        client = self._client(form)
        if login:
            return await client.login(stop=self._stop)
        timeout = min(form.timeout, MAX_SECONDS)
        if method == AGENT_CARD:
            return await client.send(Draft(method), timeout=timeout, stop=self._stop, document=AGENT_CARD)
        exchange = await client.send(Draft(method), timeout=timeout, stop=self._stop)
        if _was_closed(exchange) and not form.secrets:
            # The server closed the connection between two harmless calls, so a new connection is tried.
            exchange = await client.send(Draft(method), timeout=timeout, stop=self._stop)
        return exchange

    def _show(self, under_way: str) -> None:
        self._show_report(self._report(checks_of(self._probe), under_way=under_way))

    def _report(self, checks: Sequence[Check], tried: Exchange | None = None, under_way: str = "") -> Report:
        """Return the report so far; ``tried`` is the call with credentials."""
        probe, result = self._probe, TrialResult(self._profile, tried) if tried else None
        calls = [TestCall(trial.exchange.method, trial.path, trial.summary) for trial in probe.results]
        if probe.card_result:
            calls.append(TestCall("GET", AGENT_CARD, probe.card_result.summary))
        if result:
            calls.append(TestCall(f"{result.exchange.method} with credentials", result.path, result.summary))
        proposal, advice = None, ""
        if not under_way:
            proposal = self._proposal(checks, result)
            has_nothing = result is not None and is_nothing(result.exchange)
            if proposal is None:
                advice = advice_for(self._profile) if has_nothing else advice_of(probe)
        sent = self._transport.sent if self._transport else 0
        return Report((*self._moved, *checks), proposal, tuple(calls), sent, self._certificate, under_way, advice)

    def _proposal(self, checks: Sequence[Check], result: TrialResult | None) -> Proposal | None:
        """Return what to change after the test; ``result`` is that of the call with credentials."""
        if self._is_distrusted(checks):
            return self._pin(self._probe.form.url)
        if result is None:
            return proposed(self._probe)
        hint = hint_for(result.exchange, self._profile, tested=True)
        changes = hint.changes if hint and not hint.careful else ()
        if is_nothing(result.exchange):
            found = self._probe.found
            return self._slash_added(result, changes) if found and not found.speaks else None
        proposal = None if result.cut_short else proposed(self._probe)
        if proposal is None:
            return None
        fresh = tuple(change for change in changes if change[0] not in proposal.values)
        proposal = replace(proposal, changes=(*proposal.changes, *fresh))
        if self._probe.has_usual_type and result.speaks:
            # The server accepted the default, which was sent with the credentials.
            proposal = proposal.without("content_type")
        return proposal

    def _slash_added(self, result: TrialResult, changes: Changes) -> Proposal | None:
        """Propose the path of a redirect that repeats calls, or only adds a slash."""
        path = str(dict(changes).get("path", ""))
        repeats = result.exchange.response.status in {307, 308}
        if path and (repeats or path.rstrip("/") == self._profile.path.rstrip("/")):
            return Proposal(changes)
        return None

    def _is_distrusted(self, checks: Sequence[Check]) -> bool:
        """Return whether the test failed because the certificate is not trusted."""
        shown, trusted = self._certificate, self._profile.certificate
        if shown is None or shown.certificate.fingerprint == trusted or not (shown.problem or trusted):
            return False
        return any(check.label == "TLS" and check.state == "failed" for check in checks)

    def _pin(self, url: str) -> Proposal:
        assert self._certificate is not None
        moved = (("url", url),) if url != self._profile.url else ()
        return Proposal((*moved, ("certificate", self._certificate.certificate.fingerprint)))

    def _changed(self, profile: Profile, changes: Changes) -> Profile | None:
        made = self._change(profile, changes)
        return made if isinstance(made, Profile) else None


def _calls_of(probe: OpenProbe) -> tuple[TestCall, ...]:
    return tuple(
        TestCall(result.method, redacted_address(result.form.path), result.summary) for result in probe.results
    )


def _was_closed(exchange: Exchange) -> bool:
    """Return whether a kept connection ended before a response began."""
    outcome = exchange.outcome
    return isinstance(outcome, Unreached) and outcome.step in {"send", "wait"} and exchange.response.phases.kept
