"""The connection test: open calls first, then one with credentials.

It sends at most ``MOST`` requests, one at a time over one connection, and records none. Credentials are sent only if
the profile's address and form were right.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec.structs import replace

from rpcexplorer.auth.credentials import CredentialSource
from rpcexplorer.auth.registry import auth_of
from rpcexplorer.client.call import CAN_PIN, MAYBE_RAN, certificate_of, connect
from rpcexplorer.client.hints import hint_for, is_nothing
from rpcexplorer.client.probe import MOST, Probe, Proposal, TrialResult, behind_login, proposed
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.client.report import (
    HTTP,
    LOGIN,
    RPC,
    Check,
    Report,
    ShowReport,
    TestCall,
    advice_for,
    advice_of,
    checks_of,
    login_not_reached,
    steps,
)
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Stop, Unreached
from rpcexplorer.model.problem import Changes, Problem
from rpcexplorer.model.profile import TOKEN_MARK, Preset, Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.transport.port import Partial, Request, Response, ShownCertificate, Transport, Unreachable, Watch

REPLY_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of one response: no call of the test has a longer one."""
MAX_SECONDS: Final = 10.0
"""Seconds for one response, if the profile does not allow less."""
WITH_CREDENTIALS: Final = 4
"""Requests that are reserved for a challenge, a handshake and a login."""


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
        missing: Sequence[str],
        *,
        presets: Mapping[str, Preset],
        chosen: Collection[str],
        change: Callable[[Profile, Changes], Profile | Problem],
    ) -> None:
        """Prepare a test.

        ``missing`` are the secrets without a value, ``chosen`` the keys that are set in a file or on the command line.
        ``change`` returns the profile with changes, or the problem that a file with them would have.
        """
        self._profile, self._credentials, self._missing, self._change = profile, credentials, missing, change
        self._show_report: ShowReport = lambda _: None
        self._stop = Stop()
        self._clients: list[ProfileClient] = []
        self._transport: LimitedTransport | None = None
        self._certificate: ShownCertificate | None = None
        self._probe = Probe(
            profile,
            presets,
            self._changed,
            # The default login is tried only if its address, one of the first to be tested, asks for it.
            most=MOST - (WITH_CREDENTIALS if profile.secrets and not profile.assumes_auth else 0),
            chosen=chosen,
        )

    async def run(self, show: ShowReport, stop: Stop) -> Report:
        """Run the test; call ``show`` with each new state."""
        self._show_report, self._stop = show, stop
        self._transport = LimitedTransport(await connect(self._profile, REPLY_LIMIT), MOST)
        if TOKEN_MARK in self._profile.path:  # Without its token, the URL is a different one.
            return await self._with_credentials([])
        trials = self._probe.run()
        trial = next(trials, None)
        while trial is not None:
            self._show(f"{trial.method} at {redacted_address(trial.form.path)}")
            exchange = await self._sent(trial.form, trial.method)
            try:
                trial = trials.send(exchange)
            except StopIteration:
                trial = None
        await self._look_at_certificate()
        checks = checks_of(self._probe)
        stopped = isinstance(self._probe.results[-1].exchange.outcome, Cancelled)
        if not self._has_credentials() or stopped or self._probe.cut_short:
            return self._report(checks)
        return await self._with_credentials(checks)

    def _has_credentials(self) -> bool:
        """Return whether a last call is made with credentials."""
        if not self._profile.assumes_auth:
            return bool(self._profile.secrets)
        return self._probe.wants_service_login and self._credentials.can_log_in(self._profile)

    async def close(self) -> None:
        if self._transport is not None:
            await self._transport.close()

    async def _look_at_certificate(self) -> None:
        """Read the certificate that the server shows, if it uses TLS."""
        form = self._probe.form
        if form.url.lower().startswith("https:") and not self._stop.pressed:
            with suppress(Unreachable):
                self._certificate = await certificate_of(form)

    async def _with_credentials(self, checks: list[Check]) -> Report:
        """Call with credentials, if the profile's address and form were right."""
        if checks and (self._probe.found is None or any(check.state == "failed" for check in checks[:-1])):
            last = login_not_reached(self._profile, self._missing)
            if doubted := self._probe.doubted_auth:
                last = replace(last, words=f"{last.words} {doubted}")
            return self._report([*checks[:-1], last])
        method = behind_login(self._profile, self._probe.presets) or auth_of(self._profile).harmless
        login = self._profile.has_sessions and not await self._has_session_alone()
        self._show(f"{self._profile.login.method if login else method} with credentials")
        exchange = await self._sent(self._profile, method, login=login)
        open_ = self._probe.found
        tried = steps(exchange, self._profile, locked=open_ is not None and open_.asks_for_login)
        if not checks:
            return self._report(tried, exchange)
        result = TrialResult(self._profile, exchange)
        if result.ended and tried[LOGIN].state != "failed":  # Neither the login nor the call got a response.
            return self._report([*checks[:-1], _unreached(tried)], exchange)
        if open_ and not open_.speaks and not login:  # Only this call shows whether the server uses JSON-RPC.
            if result.speaks:
                self._probe.found = result
                checks = checks_of(self._probe)
            elif not result.ended:
                rows = {check.label: check for check in (tried[HTTP], tried[RPC])}
                checks = [rows.get(check.label, check) for check in checks]
        last, doubted = tried[LOGIN], self._probe.doubted_auth
        if last.state == "failed" and doubted:  # A command is last.
            last = replace(last, words=f"{doubted} {last.words}")
        return self._report([*checks[:-1], last], exchange)

    async def _has_session_alone(self) -> bool:
        """Return whether a session is stored, but not all secrets of a login."""
        return bool(self._missing) and isinstance(await self._credentials.session(self._profile), Secret)

    async def _sent(self, form: Profile, method: str, *, login: bool = False) -> Exchange:
        client = next((client for client in self._clients if client.profile == form), None)
        if client is None:
            client = ProfileClient(form, self._credentials, reply_limit=REPLY_LIMIT, transport=self._transport)
            self._clients.append(client)
        if login:
            return await client.login(stop=self._stop)
        timeout = min(form.timeout, MAX_SECONDS)
        exchange = await client.send(Draft(method), timeout=timeout, stop=self._stop)
        if _was_closed(exchange) and not form.secrets:
            # The server closed the connection between two harmless calls, so a new connection is tried.
            exchange = await client.send(Draft(method), timeout=timeout, stop=self._stop)
        if isinstance(outcome := exchange.outcome, Unreached):  # This is advice for other calls.
            sentence = outcome.sentence.removesuffix(f" {MAYBE_RAN}").removesuffix(f" {CAN_PIN}")
            outcome = replace(outcome, sentence=sentence)
        return replace(exchange, outcome=outcome)

    def _show(self, under_way: str) -> None:
        self._show_report(self._report(checks_of(self._probe), under_way=under_way))

    def _report(self, checks: Sequence[Check], tried: Exchange | None = None, under_way: str = "") -> Report:
        found, result = self._probe.found, TrialResult(self._profile, tried) if tried else None
        has_nothing = tried is not None and is_nothing(tried)
        is_unfinished = under_way or (result and result.cut_short)
        proposal = None if is_unfinished or has_nothing else proposed(self._probe)
        if has_nothing and tried and found and not found.speaks:
            proposal = self._slash_added(tried)
        elif proposal and tried and (hint := hint_for(tried, self._profile, tested=True)) and not hint.careful:
            fresh = tuple(change for change in hint.changes if change[0] not in proposal.values)
            proposal = replace(proposal, changes=(*proposal.changes, *fresh))
        if proposal and result and self._probe.has_usual_type and result.speaks:
            # The server accepted the default, which was sent with the credentials.
            proposal = proposal.without("content_type")
        if self._distrusted(checks) and not under_way and self._certificate:
            url = self._probe.form.url
            moved = (("url", url),) if url != self._profile.url else ()
            proposal = Proposal((*moved, ("certificate", self._certificate.certificate.fingerprint)))
        calls = tuple(TestCall(trial.exchange.method, trial.path, trial.summary) for trial in self._probe.results)
        if result:
            calls += (TestCall(f"{result.exchange.method} with credentials", result.path, result.summary),)
        sent = self._transport.sent if self._transport else 0
        advice = advice_for(self._profile) if has_nothing else advice_of(self._probe)
        advice = "" if proposal or under_way else advice
        return Report(tuple(checks), proposal, calls, sent, self._certificate, under_way, advice)

    def _slash_added(self, tried: Exchange) -> Proposal | None:
        """Propose the path of a redirect that repeats calls, or only adds a slash."""
        hint = hint_for(tried, self._profile, tested=True)
        path = str(dict(hint.changes).get("path", "")) if hint else ""
        repeats = tried.response.status in {307, 308} or path.rstrip("/") == self._profile.path.rstrip("/")
        return Proposal(hint.changes) if hint and path and repeats and not hint.careful else None

    def _distrusted(self, checks: Sequence[Check]) -> bool:
        """Return whether the test failed because the certificate is not trusted."""
        shown, trusted = self._certificate, self._profile.certificate
        if shown is None or shown.certificate.fingerprint == trusted or not (shown.problem or trusted):
            return False
        return any(check.label == "TLS" and check.state == "failed" for check in checks)

    def _changed(self, profile: Profile, changes: Changes) -> Profile | None:
        made = self._change(profile, changes)
        return made if isinstance(made, Profile) else None


def _unreached(tried: Sequence[Check]) -> Check:
    """Return the last row with the reason of the step that failed before it."""
    failed = next((check for check in tried if check.state == "failed"), tried[LOGIN])
    return replace(tried[LOGIN], state=failed.state, words=failed.words, code=failed.code)


def _was_closed(exchange: Exchange) -> bool:
    """Return whether a kept connection ended before a response began."""
    outcome = exchange.outcome
    return isinstance(outcome, Unreached) and outcome.step in {"send", "wait"} and exchange.response.phases.kept
