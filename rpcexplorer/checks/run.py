"""Send saved calls and judge their responses, several at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.checks.judge import Failure, Judge
from rpcexplorer.client.replay import ignored_in
from rpcexplorer.explorer import MAX_COMPARED_BYTES, Explorer
from rpcexplorer.model.draft import Batch, Draft
from rpcexplorer.model.exchange import Exchange, Refused, Stop, Unreached
from rpcexplorer.model.expectation import SERVICE, Expectation
from rpcexplorer.model.method import Described, SavedCall
from rpcexplorer.model.problem import joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import UNRECORDED
from rpcexplorer.rpc.messages import Malformed
from rpcexplorer.text.exchange import outcome_words
from rpcexplorer.transport.port import Watch
from rpcexplorer.variables.references import NOTHING
from rpcexplorer.variables.resolve import Missing, used_in

CheckVerdict = Literal["passed", "failed", "error"]
"""``error``: there is no response to judge."""
ENDS: Final = (130, 3, 4, 5, 2)
"""Exit codes of checks without a response; the first that applies."""
FAILED: Final = 6
MISSING_VARIABLE: Final = 2
USUAL_JOBS: Final = 4
MAX_NOTE_CHARACTERS: Final = 500
"""Limit of a value in the note of an exported call."""
HALTED: Final = "not sent: an earlier call had no valid credentials"


class Check(Struct, frozen=True):
    """A saved call with expectations, and the profile to send it with."""

    call: SavedCall
    expect: Expectation
    profile: Profile
    variables: Mapping[str, str] = NOTHING
    """Those of the profile and of the file that the user named; empty if there is no such file."""

    @property
    def may_open_session(self) -> bool:
        """Return whether a login or a handshake may be sent before it."""
        note = self.profile.methods.get(self.call.method)
        return not (note and note.auth == "none")

    @property
    def draft(self) -> Draft:
        return self.call.draft(notification=self.expect.outcome == "sent")


class CheckResult(Struct, frozen=True):
    """The verdict on one check. Its texts contain no secret."""

    check: Check
    failures: tuple[Failure, ...] = ()
    error: str = ""
    """Why there is no response to judge."""
    code: int = 0
    """The exit code of a call without a response."""
    seconds: float = 0.0
    id: str = ""
    """Empty if the call was not sent."""
    exchange: Exchange | None = None
    """The call as it is recorded, unless the check passed."""

    @property
    def verdict(self) -> CheckVerdict:
        if self.error:
            return "error"
        return "failed" if self.failures else "passed"

    def for_case(self) -> Exchange | None:
        """Return the call with its expectations and failures, to hand on."""
        if self.exchange is None:
            return None
        lines = [self.error]
        if not self.error:
            lines = [failure.words(MAX_NOTE_CHARACTERS) for failure in self.failures]
        return replace(
            self.exchange,
            name=self.check.call.name,
            note="\n".join(lines),
            expect="\n".join(self.check.expect.lines()),
        )


def exit_code(results: Sequence[CheckResult], *, stopped: bool) -> int:
    if stopped:
        return ENDS[0]
    codes = {result.code for result in results}
    if any(result.failures for result in results):
        codes.add(FAILED)
    return next((code for code in (*ENDS, FAILED) if code in codes), 0)


class CheckRun:
    """Runs checks of one explorer; the first call of a profile goes alone.

    So there is one login, and all others go with its session.
    """

    def __init__(
        self,
        explorer: Explorer,
        *,
        given: Mapping[str, str] | None = None,
        watch: Watch | None = None,
        until_failure: bool = False,
    ) -> None:
        """Prepare a run; ``given`` are values of variables that win over others.

        ``until_failure``: send nothing after the first failure.
        """
        self._explorer, self._given, self._watch = explorer, given or {}, watch
        self._until_failure = until_failure
        self._judge = Judge(explorer.checker)
        self._alone: dict[str, asyncio.Lock] = {}
        self._answered: set[str] = set()
        """Profiles whose first call has ended."""
        self._is_over = False
        """Whether nothing more is sent, because a check has failed."""
        self._halted: set[str] = set()
        """Profiles without valid credentials."""

    async def close(self) -> None:
        await self._judge.close()

    async def run(
        self,
        checks: Sequence[Check],
        *,
        jobs: int,
        stop: Stop,
        show: Callable[[CheckResult], None],
    ) -> list[CheckResult]:
        """Run checks; ``show`` each result in the order of the checks.

        If ``stop`` is pressed, return the results so far.
        """
        slots, tasks = asyncio.Semaphore(jobs), list[asyncio.Task[CheckResult | None]]()
        for check in checks:
            before = [*tasks] if _uses_results(check.call) else []
            tasks.append(asyncio.create_task(self._in_turn(check, before, slots)))
        stop.watch(current := asyncio.current_task())
        results: list[CheckResult] = []
        awaited = 0
        try:
            for task in tasks:
                # Cancelling the shield cancels no task: the next one would start before all are cancelled.
                result = await asyncio.shield(task)
                awaited += 1
                if result:
                    results.append(result)
                    show(result)
        except asyncio.CancelledError:
            if not stop.pressed or current is None:
                raise
            current.uncancel()
        finally:
            stop.watch(None)
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        if stop.pressed:
            for late in ended[awaited:]:
                if isinstance(late, CheckResult):
                    results.append(late)
                    show(late)
                elif isinstance(late, Exception):
                    raise late
        return results

    async def _in_turn(
        self, check: Check, before: Sequence[asyncio.Task[CheckResult | None]], slots: asyncio.Semaphore
    ) -> CheckResult | None:
        """Run a check after others; return None if one of all has failed before."""
        if before:
            await asyncio.wait(before)
        name = check.profile.name
        if check.may_open_session and name not in self._answered:
            async with self._alone.setdefault(name, asyncio.Lock()):
                if name not in self._answered:
                    async with slots:
                        return await self._unless_over(check)
        async with slots:
            return await self._unless_over(check)

    async def _unless_over(self, check: Check) -> CheckResult | None:
        if self._is_over:
            return None
        result = await self.result_of(check)
        self._is_over |= self._until_failure and result.verdict != "passed"
        return result

    async def result_of(self, check: Check) -> CheckResult:
        """Send one check and judge its response."""
        variables = {**check.variables, **self._given}
        found = self._explorer.resolved(check.draft, variables, profile=check.profile)
        if isinstance(found, Missing):
            advice = f" Set {joined_words(found.names)} in [variables] of the file." if found.names else ""
            return CheckResult(check, error=self._hide(f"not sent: {found.what}{advice}"), code=MISSING_VARIABLE)
        assert not isinstance(found, Batch)
        try:
            return await self._sent(check, found)
        finally:
            if check.may_open_session:
                self._answered.add(check.profile.name)

    async def _sent(self, check: Check, draft: Draft) -> CheckResult:
        profile = check.profile
        if profile.name in self._halted:
            return CheckResult(check, error=HALTED, code=3)
        exchange = await self._explorer.call(draft, profile=profile, watch=self._watch)
        if isinstance(exchange.outcome, Refused) and exchange.outcome.why == "credentials":
            self._halted.add(profile.name)
        return await self.judged(check, exchange)

    async def judged(self, check: Check, exchange: Exchange) -> CheckResult:
        """Judge the response of a check that was sent."""
        profile, outcome = check.profile, exchange.outcome
        if isinstance(outcome, Refused):
            return CheckResult(check, error=self._hide(outcome_words(outcome)), code=exchange.exit_code)
        result = CheckResult(check, seconds=exchange.seconds, id=exchange.id)
        if isinstance(outcome, Unreached | Malformed):
            recorded = self._recorded(exchange, profile)
            error = self._hide(outcome_words(recorded.outcome))
            return replace(result, error=error, code=exchange.exit_code, exchange=recorded)
        failures = await self._failures(check, exchange)
        if not failures:
            return result
        recorded = self._recorded(exchange, profile)
        as_recorded = [] if recorded.response.cut else await self._failures(check, recorded)
        shown = self._without_secrets(failures, as_recorded)
        return replace(result, failures=shown, exchange=recorded)

    def _recorded(self, exchange: Exchange, profile: Profile) -> Exchange:
        return self._explorer.journal.as_recorded(exchange, profile, MAX_COMPARED_BYTES)

    async def _failures(self, check: Check, exchange: Exchange) -> list[Failure]:
        described = None
        if check.expect.schema == SERVICE:
            self._explorer.read_description(check.profile)
            lists = self._explorer.method_lists
            if lists.learned(check.profile):
                described = lists.described(check.profile, check.call.method) or Described()
        ignore = ignored_in(exchange, check.profile, ())
        return await self._judge.failures(check.expect, exchange, described, ignore)

    def _without_secrets(self, failures: Sequence[Failure], recorded: Sequence[Failure]) -> tuple[Failure, ...]:
        """Return the failures with the values that a history would contain.

        A value is shown as the same expectation finds it in the recorded response, or not at all.
        """
        known: dict[tuple[str, str], list[Failure]] = {}
        for failure in recorded:
            known.setdefault((failure.place, failure.wanted), []).append(failure)
        shown: list[Failure] = []
        for failure in failures:
            if same := known.get((failure.place, failure.wanted)):
                shown.append(same.pop(0))
            elif failure.place == "within":
                shown.append(failure)
            else:
                shown.append(replace(failure, got=UNRECORDED))
        hide = self._explorer.redactor().text
        return tuple(Failure(hide(one.place), hide(one.wanted), hide(one.got)) for one in dict.fromkeys(shown))

    def _hide(self, text: str) -> str:
        return self._explorer.redactor().text(text)


def _uses_results(call: SavedCall) -> bool:
    """Return whether its params contain results of calls before it."""
    return any(reference.method for reference in used_in(call.draft()))
