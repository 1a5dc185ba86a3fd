"""The trials of a connection test over a connection that stays open.

Each trial opens a connection of its own and makes one call. What comes back, or that nothing does, suggests the change
of one setting for the next trial. Rules that hints share read the bytes; presets and paths that nothing suggests are
tried last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.client.hints import hint_for, refuses_request
from rpcexplorer.client.probe import Proposal, TrialResult
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Cancelled, Exchange, Refused, Sent, Unreached
from rpcexplorer.model.problem import Changes
from rpcexplorer.model.profile import INITIALIZE, WITH_TLS, Auth, Preset, Profile
from rpcexplorer.rpc.messages import ErrorObject, Result

PATHS: Final = ("/rpc", "/ws", "/jsonrpc", "/websocket", "/mopidy/ws")
"""Usual paths of WebSocket servers besides the root, most frequent first."""
AT_OWN_PATHS: Final = ("truenas", "deribit")
"""Presets of WebSocket servers with paths that no other server has."""
HANDSHAKES: Final = ("lsp", "mcp")
"""Presets of servers that answer nothing, or end, before their handshake."""
STRICT: Final = ("electrum", "ovsdb")
"""Presets of servers that end a connection with other messages than theirs."""
HTTP: Final = {"tcp": "http", "tls": "https", "ws": "http", "wss": "https", "unix": "http+unix", "ws+unix": "http+unix"}
GREETING: Final = Draft(INITIALIZE, '{"protocolVersion":1,"clientCapabilities":{}}')
"""A call of ACP, which agents answer, and small servers of MCP, too."""
GUESSED: Final = frozenset({"preset", "handshake", "framing"})
MUTE: Final = frozenset({"", "silent", "unexplained"})
"""Reasons of failures that say nothing of the form that the server needs."""
FORM: Final = frozenset({"url", "path", "framing", "preset", "handshake", "envelope", "id"})
"""Keys that a trial may change: they describe address and form of calls, but not credentials."""


class Step(Struct, frozen=True):
    """One setting that was changed."""

    key: str
    value: Any
    why: str
    """What the trial before it showed."""
    was_needed: bool = True
    """Whether that was a failure."""

    @property
    def words(self) -> str:
        return f"{self.key} {self.value}"


class Trial(Struct, frozen=True):
    """What to open next, and how that differs from the tested profile."""

    form: Profile
    steps: tuple[Step, ...] = ()

    @property
    def words(self) -> str:
        """Its last change in words."""
        return self.steps[-1].words if self.steps else ""

    @property
    def changes(self) -> Changes:
        return tuple({step.key: step.value for step in self.steps}.items())


class _Initialized(Struct, frozen=True):
    protocolVersion: int | str  # noqa: N815 - of ACP, or of MCP


class OpenResult(Struct, frozen=True):
    """A trial and its outcome."""

    trial: Trial
    method: str
    opened: Exchange
    called: Exchange
    """The call; the opening itself if that failed, or if its handshake is the call."""
    greeted: Exchange | None = None
    """``GREETING``, if it was sent after the call."""

    @property
    def form(self) -> Profile:
        return self.trial.form

    @property
    def was_opened(self) -> bool:
        return isinstance(self.opened.outcome, Sent)

    @property
    def was_stopped(self) -> bool:
        return isinstance(self.called.outcome, Cancelled | Refused)

    @property
    def is_right(self) -> bool:
        """Whether calls work so: the server answered a call in the form that it was sent."""
        outcome = self.called.outcome
        if isinstance(outcome, Result | Sent):
            return True
        if self.trial.steps and refuses_request(self.called):
            return False
        return (
            isinstance(outcome, ErrorObject) and TrialResult(self.form, self.called).speaks and self.hint_changes == ()
        )

    @property
    def is_blocked(self) -> bool:
        """Whether the form is right, and something else stands in the way: a certificate, or an error of the server."""
        outcome = self.opened.outcome
        return isinstance(outcome, Unreached) and outcome.reason in {"untrusted", "not greeted"}

    @property
    def greeted_by(self) -> str:
        """The preset that its answer to the greeting shows; empty without one."""
        if self.greeted is None or not isinstance(self.greeted.outcome, Result):
            return ""
        try:
            version = msgspec.json.decode(self.greeted.outcome.value, type=_Initialized).protocolVersion
        except (msgspec.DecodeError, RecursionError):
            return ""
        return "acp" if isinstance(version, int) else "mcp"

    @property
    def rank(self) -> int:
        """How close it is to a call that works."""
        if self.greeted_by:  # Its calls work, and are better with the preset.
            return 2
        if self.is_right or self.is_blocked:
            return 3
        if isinstance(self.called.outcome, ErrorObject):
            return 2
        return int(self.was_opened)

    @property
    def hint_changes(self) -> Changes:
        """The change of address or form that the failure suggests."""
        hint = hint_for(self.called, self.form, tested=True)
        if hint is None or hint.careful:
            return ()
        return tuple(change for change in hint.changes if change[0] in FORM)

    @property
    def is_mute(self) -> bool:
        """Whether the server was reached, but said nothing of use: it may wait for a handshake."""
        outcome = self.called.outcome
        return self.was_opened and isinstance(outcome, Unreached) and outcome.reason in MUTE

    @property
    def was_cut(self) -> bool:
        """Whether the server ended the connection without a word, as one with TLS does."""
        outcome = self.called.outcome
        return isinstance(outcome, Unreached) and outcome.reason == "unexplained"

    @property
    def is_elsewhere(self) -> bool:
        """Whether there is a web server without WebSocket at this path."""
        outcome = self.called.outcome
        return isinstance(outcome, Unreached) and outcome.step == "upgrade" and outcome.reason == ""

    @property
    def summary(self) -> str:
        return TrialResult(self.form, self.called).summary


Trials = Generator[Trial, OpenResult, None]


class OpenProbe:
    """The trials so far, and which one was right."""

    def __init__(
        self,
        profile: Profile,
        presets: Mapping[str, Preset],
        changed: Callable[[Profile, Changes], Profile | None],
        *,
        most: int,
        chosen: Collection[str] = (),
    ) -> None:
        """Prepare the trials; ``chosen`` are the keys that are set in a file or on the command line."""
        self.profile, self._presets, self._changed = profile, presets, changed
        self._most, self._chosen = most, frozenset(chosen)
        self.results: list[OpenResult] = []
        self.elsewhere: tuple[Profile, str] | None = None
        """The address with HTTP, and why, if there may be no connection that stays open."""

    @property
    def best(self) -> OpenResult:
        """The trial that came closest, the first one of several."""
        return max(self.results, key=lambda result: result.rank)

    def run(self) -> Trials:
        waiting = [Trial(self.profile)]
        while waiting and len(self.results) < self._most:
            trial = waiting.pop(0)
            if any(result.form == trial.form for result in self.results):
                continue
            if not trial.form.is_open_connection:
                self.elsewhere = (trial.form, trial.steps[-1].why)
                return
            result = yield trial
            self.results.append(result)
            if name := result.greeted_by:
                seen = f"The server answered initialize as {name.upper()} does, which needs preset {name}."
                waiting = [*self._with(result, (("preset", name),), seen)]
                continue
            if result.is_right or result.was_stopped or result.is_blocked:
                return
            waiting = [*self._suggested(result), *waiting, *self._guessed(result)]

    @property
    def proposal(self) -> Proposal | None:
        """What to change, if a trial was right; without changes, the profile is."""
        best = self.best
        if not best.is_right and not (best.is_blocked and best.trial.changes):
            return None
        changes = dict(best.trial.changes)
        preset = self._presets.get(changes.get("preset", ""))
        secrets: tuple[str, ...] = ()
        if preset and not self.profile.secrets:
            proposed = self._changed(self.profile, best.trial.changes)
            secrets = proposed.secrets if proposed else ()
        return Proposal(best.trial.changes, preset, tuple(field for field in secrets if field != "session"))

    def _suggested(self, result: OpenResult) -> Iterator[Trial]:
        """Yield the trials that the server's response suggests."""
        if result.hint_changes and not result.is_mute:
            yield from self._with(result, result.hint_changes)
            if result.hint_changes == (("preset", "lsp"),):  # Other servers have such headers, too.
                yield from self._with(result, (("framing", "length"),))

    def _guessed(self, result: OpenResult) -> Iterator[Trial]:
        """Yield trials that only experience suggests, for settings that nobody has chosen."""
        form = result.form
        scheme, _, place = form.url.partition("://")
        if result.was_cut and form is self.profile and scheme in WITH_TLS:
            yield from self._with(result, (("url", f"{WITH_TLS[scheme]}://{place}"),))
        if form.connection_kind == "websocket":
            if result.is_elsewhere and form.path == "/" and "path" not in self._chosen:
                for path in PATHS:
                    yield from self._with(result, (("path", path),))
                for name in AT_OWN_PATHS:
                    yield from self._with(result, (("preset", name),))
        elif result.is_mute and form is self.profile and self._chosen.isdisjoint(GUESSED):
            words = " ".join(form.command)
            presets = sorted(HANDSHAKES, key=lambda name: name not in words)
            if result.was_cut and form.connection_kind == "stream":
                presets = [*STRICT, *presets]
            for name in presets:
                yield from self._with(result, (("preset", name),))
            yield from self._with(result, (("framing", "length"),))
        is_answered = result.is_mute or result.is_elsewhere
        if is_answered and form is self.profile and scheme in HTTP:
            yield from self._with(result, (("url", f"{HTTP[scheme]}://{place}"),))

    def _with(self, result: OpenResult, changes: Changes, seen: str = "") -> Iterator[Trial]:
        form = self._changed(result.form, changes)
        if form is None or urlsplit(form.url).hostname != urlsplit(self.profile.url).hostname:
            return
        if (form.url, form.path) != (self.profile.url, self.profile.path):
            # Nobody chose to send credentials there.
            form = replace(form, auth=Auth(), assumes_auth=False, openings=())
        why = seen or f"{result.summary.partition('. ')[0].rstrip('.')}."
        steps = tuple(Step(key, value, why, was_needed=not seen) for key, value in changes)
        yield Trial(form, (*result.trial.steps, *steps))
