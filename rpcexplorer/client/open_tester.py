"""The test of a connection that stays open: it opens, answers a call, and sends messages."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rpcexplorer.client.call import certificate_of
from rpcexplorer.client.connection_test import MAX_SECONDS, REPLY_LIMIT
from rpcexplorer.client.hints import FailedCall, framing, hint_for, refuses_request, websocket_path
from rpcexplorer.client.probe import INITIALIZE, Proposal, TrialResult, connection_method
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.client.report import (
    MALFORMED,
    NOT_REACHED,
    REFUSED,
    Check,
    Report,
    ShowReport,
    TestCall,
    error_words,
    login_label,
    login_row,
)
from rpcexplorer.client.surroundings import Surroundings
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import EXIT_CODES, Cancelled, Exchange, Refused, Sent, Stop, Unreached
from rpcexplorer.model.problem import counted, joined_words
from rpcexplorer.model.profile import Auth
from rpcexplorer.rpc.messages import ErrorObject, Malformed
from rpcexplorer.transport.port import ShownCertificate, Unreachable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcexplorer.auth.credentials import CredentialSource
    from rpcexplorer.model.destination import ProcessCommand
    from rpcexplorer.model.event import Event
    from rpcexplorer.model.profile import Preset, Profile

LISTEN_SECONDS: Final = 1.0
"""From the opening of the connection, in which messages of the server are counted."""
NAMED: Final = 3
"""Methods of messages to name."""
_ROW: Final = {"start": "Start", "upgrade": "Upgrade", "tls": "TLS"}
"""The rows of steps that have their own; all others belong to the first row."""
_WITHOUT_METHOD: Final = {"response": "a response", "unreadable": "data that is not a message"}


class OpenTester:
    """One test of one profile. It suggests nothing but to pin a certificate."""

    def __init__(
        self,
        profile: Profile,
        credentials: CredentialSource,
        command: Callable[[], ProcessCommand | Refused],
        presets: Mapping[str, Preset],
    ) -> None:
        self._method = connection_method(profile, presets)
        has_some = any(credentials.is_known(profile, field) for field in profile.secrets)
        if profile.assumes_auth and not has_some:  # Calls have no credentials either.
            profile = replace(profile, auth=Auth(), assumes_auth=False)
        self._profile = profile
        self._seen: Counter[str] = Counter()
        around = Surroundings(on_event=self._see, command=command)
        self._client = ProfileClient(profile, credentials, reply_limit=REPLY_LIMIT, around=around)
        self._certificate: ShownCertificate | None = None
        self._calls: tuple[TestCall, ...] = ()

    async def run(self, show: ShowReport, stop: Stop) -> Report:
        """Run the test; call ``show`` with each new state."""
        show(self._report([], under_way="opening the connection"))
        opened = await self._client.open(stop=stop)
        await self._look_at_certificate(stop)
        rows = self._opening(opened)
        if not isinstance(opened.outcome, Sent):
            return self._report(rows)
        show(self._report(rows, under_way=self._method))
        called, summary = opened, "result"
        if self._method != INITIALIZE[0]:  # The handshake is an answered call.
            timeout = min(self._profile.timeout, MAX_SECONDS)
            called = await self._client.send(Draft(self._method), timeout=timeout, stop=stop)
            summary = called.outcome_name
        self._calls = (TestCall(self._method, "", summary),)
        rows = [*rows, *self._answered(called)]
        if not isinstance(called.outcome, Cancelled):
            show(self._report(rows, under_way="messages of the first second"))
            await self._listen(stop)
        return self._report([*rows, self._messages()])

    async def close(self) -> None:
        await self._client.close()

    def _see(self, event: Event) -> None:
        self._seen[event.method or _WITHOUT_METHOD[event.kind]] += 1

    async def _look_at_certificate(self, stop: Stop) -> None:
        if self._profile.is_encrypted and not stop.pressed:
            with suppress(Unreachable):
                self._certificate = await certificate_of(self._profile)

    async def _listen(self, stop: Stop) -> None:
        """Wait until the first second is over, or the connection."""
        connection = self._client.connection
        if connection is None or connection.since is None:
            return
        left = LISTEN_SECONDS - (datetime.now(UTC) - connection.since).total_seconds()
        task = asyncio.ensure_future(connection.wait_closed())
        stop.watch(task)
        with suppress(TimeoutError, asyncio.CancelledError):
            await asyncio.wait_for(task, max(left, 0))
        stop.watch(None)

    def _opening(self, opened: Exchange) -> list[Check]:
        """Return the rows up to the handshake."""
        outcome = opened.outcome
        rows = list(self._rows_of_opening())
        if isinstance(outcome, Sent):
            return [replace(rows[0], seconds=opened.seconds), *rows[1:]]
        labels = [row.label for row in rows]
        at, state, code = 0, "failed", opened.exit_code
        if isinstance(outcome, Unreached):
            label = "Handshake" if outcome.in_handshake else _ROW.get(outcome.step, "")
            at = labels.index(label) if label in labels else 0
            hint = websocket_path(FailedCall.of(opened, self._profile))
            words = " ".join([outcome.sentence, *([hint.sentence] if hint else [])])
        elif isinstance(outcome, Refused):
            words, code = outcome.sentence, REFUSED if outcome.why == "credentials" else 2
        else:
            words, state = "You ended the connection test.", "unknown"
        failed = Check(labels[at], "failed" if state == "failed" else "unknown", words, code=code)
        later = [*labels[at + 1 :], "JSON-RPC", login_label(self._profile)]
        return [*rows[:at], failed, *(Check(label, "unknown", NOT_REACHED) for label in later)]

    def _rows_of_opening(self) -> list[Check]:
        """Return the rows of a connection that has opened."""
        profile, kind = self._profile, self._profile.connection_kind
        rows = [Check("Start", "well", "The process runs.")]
        if kind != "process":
            rows = [Check("Connection", "well", f"Connected to {profile.origin}.")]
        if profile.is_encrypted:
            words = "The server has the pinned certificate." if profile.certificate else "The certificate is valid."
            rows.append(Check("TLS", "well", f"Encrypted. {words}"))
        if kind == "websocket":
            rows.append(Check("Upgrade", "well", "The server accepted WebSocket."))
        if profile.handshake:
            rows.append(Check("Handshake", "well", "The server answered initialize."))
        return rows

    def _answered(self, called: Exchange) -> list[Check]:
        """Return the rows of the call."""
        outcome, login = called.outcome, login_row(called, self._profile, locked=False)
        match outcome:
            case Refused(why="credentials", sentence=sentence):
                rpc = Check("JSON-RPC", "unknown", NOT_REACHED)
                login = replace(login, state="failed", words=sentence, code=REFUSED)
            case Refused(sentence=words):
                rpc = Check("JSON-RPC", "failed", words, code=MALFORMED)
            case Unreached(sentence=words):
                hint = framing(FailedCall.of(called, self._profile))
                words = f"{words} {hint.sentence}" if hint else words
                rpc = Check("JSON-RPC", "failed", f"{self._method}: {words}")
            case Cancelled():
                rpc = Check("JSON-RPC", "unknown", "You ended the connection test.")
            case Malformed(reason=words):
                rpc = Check("JSON-RPC", "failed", words, code=MALFORMED)
            case ErrorObject() if not TrialResult(self._profile, called).speaks:
                words = f"Neither jsonrpc nor id are in the response, so it is not JSON-RPC ({error_words(outcome)})."
                rpc = Check("JSON-RPC", "failed", words, code=MALFORMED)
            case ErrorObject() if refuses_request(called) and login.state != "failed":
                words = f"The server refused the request ({error_words(outcome)})."
                hint = hint_for(called, self._profile, tested=True)
                words = f"{words} {hint.sentence}" if hint else words
                rpc = Check("JSON-RPC", "failed", words, code=EXIT_CODES["error"])
            case ErrorObject():
                words = f"{self._method} returned an error object ({error_words(outcome)})."
                rpc = Check("JSON-RPC", "well", words, called.seconds)
                if self._profile.envelope == "2.0" and "jsonrpc is missing" in outcome.habits:
                    words = f"{words} It has no jsonrpc. If calls fail, set envelope to 1.0."
                    rpc = replace(rpc, state="unknown", words=words)
            case Sent():  # This is the handshake, whose time is that of the first row.
                rpc = Check("JSON-RPC", "well", f"{self._method} returned a result.")
            case _:
                rpc = Check("JSON-RPC", "well", f"{self._method} returned a result.", called.seconds)
        if rpc.state != "well" and login.state != "failed":
            login = Check(login.label, "unknown", NOT_REACHED)
        return [rpc, login]

    def _messages(self) -> Check:
        count = self._seen.total()
        if not count:
            return Check("Messages", "skipped", "The server sent no other message in the first second.")
        names = joined_words([name for name, _ in self._seen.most_common()], NAMED)
        return Check("Messages", "well", f"The server sent {counted(count, 'other message')}: {names}.")

    def _report(self, checks: list[Check], under_way: str = "") -> Report:
        shown, trusted = self._certificate, self._profile.certificate
        proposal = None
        if shown and any(check.label == "TLS" and check.state == "failed" for check in checks):
            fingerprint = shown.certificate.fingerprint
            if fingerprint != trusted and (shown.problem or trusted):
                proposal = Proposal((("certificate", fingerprint),))
        return Report(tuple(checks), proposal, self._calls, len(self._calls), shown, under_way)
