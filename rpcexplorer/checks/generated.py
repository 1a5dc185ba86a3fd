"""Generated checks: calls made from the schemas of methods, and what was found wrong in their responses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final, Literal

from hypothesis import HealthCheck, Phase, Verbosity, given, reject, seed, settings
from hypothesis.errors import HypothesisException
from hypothesis.strategies import DataObject, SearchStrategy, data
from msgspec import Struct

from rpcexplorer.checks.generate import ParamsMaker
from rpcexplorer.checks.judge import Failure
from rpcexplorer.checks.run import Check, CheckResult
from rpcexplorer.client.profile_client import ProfileClient
from rpcexplorer.explorer import MAX_COMPARED_BYTES, Explorer
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Exchange, Refused, Stop, Unreached
from rpcexplorer.model.expectation import SERVICE, Expectation
from rpcexplorer.model.method import Described, Method, SavedCall
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.rpc.codec import OF_ANOTHER
from rpcexplorer.rpc.messages import INVALID_PARAMS, ErrorObject, Malformed, Result
from rpcexplorer.text.exchange import duration, outcome_words
from rpcexplorer.transport.port import Watch
from rpcexplorer.variables.references import inert_value

Params = Literal["valid", "invalid"]
BOTH: Final[tuple[Params, ...]] = ("valid", "invalid")
MOST_SILENT: Final = 3
"""Calls of a method without a response, and calls in a row that could not be sent: then no more follow."""
MOST_UNFIT: Final = 100
"""Params in a row, from the first on, that are not valid or invalid as planned: then none will be."""
NO_RESPONSE: Final = "no response"
WITHIN: Final = "within"
SKIPPED: Final = "skipped"
"""The kind of params that were not sent, because they are not valid or invalid as planned."""


class _EndedError(Exception):
    """The run of a method ends, without a finding."""


class FoundError(Exception):
    """Makes Hypothesis shrink a call. Each kind of finding has a type of its own."""


class Finding(Struct):
    """One kind of wrong response of a method, with the smallest call that gets it."""

    failure: Failure
    exchange: Exchange
    count: int = 1

    @property
    def size(self) -> tuple[int, str]:
        return (len(self.exchange.params), self.exchange.params)


class Planned(Struct, frozen=True):
    """A method, and which params to make for it."""

    method: Method
    described: Described
    params: Params


def planned_of(method: Method, described: Described, params: Sequence[Params] = BOTH) -> list[Planned]:
    """Return what can be checked of a method: without params, one call shows whether its result fits."""
    if described.is_checked:
        return [Planned(method, described, each) for each in params]
    if isinstance(described.result, dict) and not described.params and "valid" in params:
        return [Planned(method, described, "valid")]
    return []


class MethodRun(Struct):
    """The generated calls of one method with valid or with invalid params."""

    method: Method
    params: Params
    within: float | None = None
    """Seconds that a response may take."""
    sent: int = 0
    findings: dict[str, Finding] = {}
    """By their kind."""
    why_not: str = ""
    """Why calls could not be made or sent."""
    unchecked: str = ""
    """Why params or results could not be compared with their schema."""
    code: int = 0
    """Exit code, if nothing more can be sent to the server."""
    is_over: bool = False
    """Whether no more calls of this method are sent; Hypothesis may still ask for some."""

    @property
    def name(self) -> str:
        return f"{self.method.name}: {self.params} params"

    def expectation(self, finding: Finding) -> dict[str, Any]:
        """Return what a saved check of a finding expects."""
        if finding.failure.place == WITHIN and self.within is not None:
            return {"within": round(self.within * 1000, 3)}
        if self.params == "invalid":
            return {"code": INVALID_PARAMS}
        if finding.failure.place == "schema":
            return {"schema": SERVICE}
        return {"outcome": "result"}


class GeneratedChecks:
    """Sends generated calls to one profile, method by method."""

    def __init__(
        self,
        explorer: Explorer,
        profile: Profile,
        *,
        examples: int,
        seed: int,
        within: float | None = None,
        stop: Stop,
        watch: Watch | None = None,
        show: Callable[[MethodRun], None] = lambda _: None,
    ) -> None:
        """Prepare a run. Nothing of it is recorded; ``show`` gets each method after each of its calls."""
        self._explorer, self._profile, self._stop, self._watch = explorer, profile, stop, watch
        self._show = show
        self._examples, self._seed, self._within = examples, seed, within
        self._client: ProfileClient | None = None
        self._unsent = 0
        """Calls in a row that could not be sent."""

    async def run(self, planned: Planned) -> MethodRun:
        """Send the calls of one method. Hypothesis runs in a thread, the calls in this one."""
        run, drawn = MethodRun(planned.method, planned.params, self._within), count(1)
        maker = ParamsMaker(planned.described)
        strategy = maker.valid() if planned.params == "valid" else maker.invalid()
        loop = asyncio.get_running_loop()
        if self._client is None:
            self._client = await (await self._explorer.client_of(self._profile)).beside(self._profile)
        client = self._client

        def is_over() -> bool:
            return run.is_over or self._stop.pressed or (next(drawn) > MOST_UNFIT and not run.sent)

        def judge(value: Any) -> str:
            judged = self._judged(client, run, planned.described, value)
            return asyncio.run_coroutine_threadsafe(judged, loop).result()

        await asyncio.to_thread(_explore, strategy, is_over, judge, self._examples, self._seed)
        if not run.sent and not run.why_not and not self._stop.pressed:
            run.why_not = f"no {run.params} params could be made from its schema"
            if run.unchecked:
                run.why_not += f": {run.unchecked}"
        return run

    async def _judged(self, client: ProfileClient, run: MethodRun, described: Described, value: Any) -> str:
        """Send one call; return the kind of what is wrong with its response, or ""."""
        text = inert_value(value)  # A schema chooses no secret and no variable.
        if described.is_checked and not await self._is_wanted(run, described, text):
            return SKIPPED
        draft = Draft(run.method.name, text)
        exchange = await client.send(draft, watch=self._watch, stop=self._stop)
        if self._stop.pressed:
            raise _EndedError
        if isinstance(exchange.outcome, Refused) and exchange.outcome.why == "params":
            run.unchecked = exchange.outcome.sentence
            return SKIPPED
        self._refuse_to_go_on(run, exchange)
        run.sent += 1
        failure = await self._failure(run, described, exchange)
        if failure is not None:
            self._note(run, failure, exchange)
        self._show(run)
        return failure.place if failure else ""

    def _note(self, run: MethodRun, failure: Failure, exchange: Exchange) -> None:
        """Count a wrong response, and keep the call if it is the smallest of its kind."""
        known = run.findings.get(failure.place)
        if known is not None:
            known.count += 1
        if known is None or (len(exchange.params), exchange.params) < known.size:
            recorded = self._explorer.journal.as_recorded(exchange, self._profile, MAX_COMPARED_BYTES)
            run.findings[failure.place] = Finding(failure, recorded, known.count if known else 1)
        if failure.place == NO_RESPONSE and run.findings[NO_RESPONSE].count >= MOST_SILENT:
            run.is_over = True  # Each of them may take as long as the timeout.

    async def _is_wanted(self, run: MethodRun, described: Described, text: str) -> bool:
        """Return whether params are valid or invalid as planned."""
        checked = await self._explorer.checker.params(described, text, by=described.by)
        if checked.why_not and not checked.problems:
            run.unchecked = checked.why_not
            return False
        return bool(checked.problems) == (run.params == "invalid")

    def _refuse_to_go_on(self, run: MethodRun, exchange: Exchange) -> None:
        """End the run of all methods if nothing can be sent, or the server is down."""
        outcome = exchange.outcome
        is_down = isinstance(outcome, Unreached) and not outcome.maybe_ran
        self._unsent = self._unsent + 1 if is_down else 0
        if isinstance(outcome, Refused) or self._unsent >= MOST_SILENT:
            run.why_not, run.code, run.is_over = outcome_words(outcome), exchange.exit_code, True
            raise _EndedError

    async def _failure(self, run: MethodRun, described: Described, exchange: Exchange) -> Failure | None:
        """Return what is wrong with a response. Its place is the kind of the finding."""
        params, outcome, words = run.params, exchange.outcome, outcome_words(exchange.outcome)
        status = exchange.response.status
        if isinstance(outcome, Unreached):
            return Failure(NO_RESPONSE, "", outcome.sentence)
        if status is not None and status >= 500:
            return Failure(f"HTTP {status}", "a response of JSON-RPC", words)
        if isinstance(outcome, Malformed):
            return Failure("malformed", "", outcome.reason)
        for remark in exchange.remarks:
            if remark.endswith(OF_ANOTHER):
                return Failure("id", "", remark)
        if isinstance(outcome, ErrorObject):
            is_declared = any(error.code == outcome.code for error in described.errors)
            if not is_declared and (params == "valid" or outcome.code != INVALID_PARAMS):
                kind = "error without code" if outcome.code is None else f"error {outcome.code}"
                return Failure(kind, _expected(params), words)
        elif params == "invalid":
            if exchange.counts_as == "result":
                return Failure("result", _expected(params), words)
        elif isinstance(outcome, Result) and isinstance(described.result, dict) and not outcome.message:
            checked = await self._explorer.checker.result(described, outcome.value.decode(errors="replace"))
            if checked.problems:
                return Failure("schema", "", checked.problems[0].sentence)
            run.unchecked = run.unchecked or checked.why_not
        return self._slow(exchange)

    def _slow(self, exchange: Exchange) -> Failure | None:
        took = exchange.response.phases.total
        if self._within is None or took <= self._within:
            return None
        return Failure(WITHIN, duration(self._within), duration(took))


def _expected(params: Params) -> str:
    return "a result or a declared error" if params == "valid" else f"error {INVALID_PARAMS} or a declared one"


def _explore(
    strategy: SearchStrategy[Any],
    is_over: Callable[[], bool],
    judge: Callable[[Any], str],
    examples: int,
    number: int,
) -> None:
    """Draw params, let them be judged, and shrink those of each kind of finding."""
    types: dict[str, type[FoundError]] = {}

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @seed(number)
    @given(data())
    def send(source: DataObject) -> None:
        if is_over():
            raise _EndedError
        kind = judge(source.draw(strategy))
        if kind == SKIPPED:
            reject()
        if kind:
            raise types.setdefault(kind, type("FoundError", (FoundError,), {}))(kind)

    # ``judge`` keeps the findings; the errors add nothing.
    with suppress(FoundError, _EndedError, HypothesisException, ExceptionGroup):
        send()


def as_result(run: MethodRun, profile: Profile, explorer: Explorer) -> CheckResult:
    """Return the findings of one method as the result of a check, without secrets."""
    hide = explorer.redactor().text
    findings = sorted(run.findings.values(), key=lambda finding: -finding.count)
    exchange = findings[0].exchange if findings else None
    call = SavedCall(run.name, run.method.name, exchange.params if exchange else "")
    failures = []
    for finding in findings:
        failure = finding.failure
        calls = f"{finding.count:,} of {counted(run.sent, 'call')}"
        got = f"{hide(failure.got)} ({calls}, such as {finding.exchange.params})"
        failures.append(Failure(failure.place, failure.wanted, got))
    expect = Expectation(outcome="error" if run.params == "invalid" else "result")
    check = Check(call, expect, profile)
    return CheckResult(check, tuple(failures), hide(run.why_not), run.code, exchange=exchange)
