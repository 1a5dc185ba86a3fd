"""`check --generate`: calls made from the schemas of methods."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import click
from msgspec import Struct

from rpcexplorer.checks.run import exit_code
from rpcexplorer.cli.call import confirm_many, question_about
from rpcexplorer.cli.check_reports import Reporter
from rpcexplorer.cli.output import Waiting, result_of
from rpcexplorer.cli.run import Run, fail, needs_extra
from rpcexplorer.files.io import refuse_unwritable
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import Described, Method, SavedCall, SavedMethod
from rpcexplorer.model.problem import PROGRAM, counted, joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.printable import printable

if TYPE_CHECKING:
    from rpcexplorer.checks.generated import MethodRun, Params, Planned

MAX_NAMED: Final = 5
USUAL_EXAMPLES: Final = 100
MAX_EXAMPLES: Final = 100_000
SEEDS: Final = 1_000_000
"""Random seeds are below; a short number is easy to type again."""


class Options(Struct, frozen=True):
    """The options that only generated checks have."""

    patterns: tuple[str, ...]
    examples: int
    seed: int | None
    valid: bool
    invalid: bool
    within: float | None
    save: str | None
    host_is: str | None

    @property
    def params(self) -> tuple[Params, ...]:
        """Return which params are sent."""
        if self.valid:
            return ("valid",)
        return ("invalid",) if self.invalid else ("valid", "invalid")

    def refuse(self) -> None:
        """End the command if one of them is given without ``--generate``."""
        given = {
            "-m": self.patterns,
            "--seed": self.seed is not None,
            "--valid": self.valid,
            "--invalid": self.invalid,
            "--within": self.within is not None,
            "--save": self.save is not None,
            "--host-is": self.host_is is not None,
        }
        for option, value in given.items():
            if value:
                raise click.UsageError(f"{option} needs --generate.")


def check_generated(run: Run, options: Options, reporter: Reporter) -> int:
    """Send generated calls, report what was found, and return the exit code."""
    with reporter.starting():
        if options.valid and options.invalid:
            raise click.UsageError("Name --valid or --invalid. Without them, both are sent.")
        if find_spec("hypothesis") is None:
            needs_extra("Generated checks need Hypothesis", "fuzz", "hypothesis>=6.100")
        if options.save is not None:
            refuse_unwritable(run.world.path(options.save), run.world.folder)
        profile, explorer = run.use(), run.explorer
        explorer.read_description(profile)
        planned = _planned(run, profile, options)
        _confirm(run, profile, planned, options)
    seed = secrets.randbelow(SEEDS) if options.seed is None else options.seed

    async def work(watch: Waiting) -> list[MethodRun]:
        from rpcexplorer.checks.generated import GeneratedChecks, as_result

        runs: list[MethodRun] = []
        generated = GeneratedChecks(
            explorer,
            profile,
            examples=options.examples,
            seed=seed,
            within=options.within,
            stop=run.stop,
            watch=watch,
        )
        for one in planned:
            ran = await generated.run(one)
            if run.stop.pressed and not ran.findings:
                break
            if not ran.sent and not ran.code:
                reporter.skip(ran.name, ran.why_not, watch)
                continue
            runs.append(ran)
            reporter.show(as_result(ran, profile, explorer), watch)
            for hint in _hints(ran, profile, run.server.options):
                run.world.hint(hint)
            if ran.unchecked:
                run.world.say(printable(f"not all of {ran.name} was checked: {ran.unchecked}"))
            if ran.code or run.stop.pressed:
                break
        return runs

    reporter.begin(len(planned))
    with result_of(run, work) as runs:
        from rpcexplorer.checks.generated import as_result

        results = [as_result(one, profile, explorer) for one in runs]
        reporter.finish(results, [finding.exchange for one in runs for finding in one.findings.values()])
        run.world.say(f"{counted(sum(one.sent for one in runs), 'call')} sent, with seed {seed}")
        if options.save is not None:
            _save(run, profile, runs, options.save)
    if not results and not run.stop.pressed:
        fail("No call was sent: no params could be made.")
    return exit_code(results, stopped=run.stop.pressed)


def _planned(run: Run, profile: Profile, options: Options) -> list[Planned]:
    """Return the methods that patterns name, or the safe ones; end the command if there is none with a schema."""
    from rpcexplorer.checks.generated import planned_of

    known = [method for method in run.explorer.listed_methods().values() if not isinstance(method, SavedMethod)]
    if options.patterns:
        known = [method for method in known if any(fnmatchcase(method.name, each) for each in options.patterns)]
    else:
        known = [method for method in known if method.safe]
    planned: list[Planned] = []
    without: list[str] = []
    for method in known:
        described = run.explorer.described(method.name) or Described()
        found = planned_of(method, described, options.params)
        planned += found
        if not found:
            without.append(printable(method.name))
    if without:
        run.world.say(f"not checked, because they have no schema: {joined_words(without, MAX_NAMED)}")
    if not planned:
        fail(_nothing_to_check(run, profile, options.patterns, known))
    return planned


def _nothing_to_check(run: Run, profile: Profile, patterns: Sequence[str], known: Sequence[Method]) -> str:
    if run.explorer.method_lists.learned(profile) is None:
        return f"No methods are known. To discover them, run:\n{PROGRAM} methods --refresh{run.server.options}"
    if known:
        return "There is nothing to check: the schemas of these methods are not known."
    if patterns:
        return f"No method has a name like {' or '.join(patterns)}."
    return "No method with a schema is marked safe. Name the methods with -m, such as -m 'user.*'."


def _confirm(run: Run, profile: Profile, planned: Sequence[Planned], options: Options) -> None:
    methods = {one.method.name: one.method for one in planned}
    unsafe = [printable(name) for name, method in methods.items() if not method.safe]
    if unsafe:
        question = f"Not marked safe: {joined_words(unsafe, MAX_NAMED)}."
    else:
        question = question_about(run.explorer, [Draft(name) for name in methods], profile)
    calls = f"generated calls of {counted(len(methods), 'method')} to {profile.origin} ({profile.name})"
    confirm_many(run, profile, question, calls, host_is=options.host_is)


def _hints(run: MethodRun, profile: Profile, options: str) -> Iterator[str]:
    """Yield the command that sends the smallest call of each finding."""
    where = options if profile.ad_hoc else f" -p {profile.name}"
    for finding in run.findings.values():
        command = shlex.join([PROGRAM, "call", finding.exchange.method, finding.exchange.params])
        yield f"To send the call of this finding ({finding.failure.place}), run:\n{printable(command)}{where}"


def _save(run: Run, profile: Profile, runs: Sequence[MethodRun], typed: str) -> None:
    """Save the smallest call of each finding as a check, for this profile or for all."""
    saved, file = 0, str(run.world.path(typed))
    for one in runs:
        for finding in one.findings.values():
            name = f"{one.method.name} {one.params}: {finding.failure.place}"
            method, params = finding.exchange.method, finding.exchange.params
            call = SavedCall(name, method, params, "", file, "" if profile.ad_hoc else profile.name)
            problem = run.explorer.save_call(call) or run.explorer.expect(call, one.expectation(finding))
            if problem:
                run.world.say(f"{printable(name)} was not saved: {problem}")
            else:
                saved += 1
    run.world.say(f"saved {counted(saved, 'check')} in {typed}" if saved else f"nothing was saved in {typed}")
