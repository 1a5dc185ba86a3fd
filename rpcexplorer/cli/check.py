"""`check`: run the expectations of saved calls."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from rpcexplorer.checks.find import HOW_TO, check_of, checks_in, how_to_expect, refuse_broken_jq
from rpcexplorer.checks.run import USUAL_JOBS, Check, CheckResult, CheckRun, exit_code
from rpcexplorer.cli.arguments import milliseconds, set_option, whole_number
from rpcexplorer.cli.call import confirm_sending, values_of
from rpcexplorer.cli.check_generate import MAX_EXAMPLES, USUAL_EXAMPLES, Options, check_generated
from rpcexplorer.cli.check_reports import Reporter, Reports
from rpcexplorer.cli.completion import complete_checks
from rpcexplorer.cli.output import Waiting, result_of
from rpcexplorer.cli.run import Run, fail, no_input_option, profile_option, url_options, yes_option
from rpcexplorer.model.method import SIGN, SavedCall, no_such_call
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile

MAX_JOBS = 64


@click.command()
@click.argument("checks", metavar="[FILE|@NAME]...", nargs=-1, shell_complete=complete_checks)
@profile_option()
@url_options("Send to this URL, without a profile.")
@click.option("-k", "text", metavar="TEXT", default="", help="Run only checks whose name contains TEXT.")
@click.option(
    "--jobs",
    type=whole_number(1, MAX_JOBS),
    metavar="N",
    default=USUAL_JOBS,
    show_default=True,
    help="Send up to N calls at a time.",
)
@click.option("-x", "until_failure", is_flag=True, help="Send nothing after the first failure.")
@set_option
@click.option("--generate", is_flag=True, help="Send calls made from the schemas of methods instead.")
@click.option(
    "-m", "patterns", metavar="PATTERN", multiple=True, help="With --generate: only these methods. Can be repeated."
)
@click.option(
    "--examples",
    type=whole_number(1, MAX_EXAMPLES),
    metavar="N",
    default=USUAL_EXAMPLES,
    show_default=True,
    help="With --generate: calls per method with valid params, and as many with invalid ones.",
)
@click.option("--seed", type=whole_number(0), metavar="S", help="With --generate: the same seed, the same calls.")
@click.option("--valid", is_flag=True, help="With --generate: send no invalid params.")
@click.option("--invalid", is_flag=True, help="With --generate: send only invalid params.")
@click.option("--within", type=milliseconds, metavar="TIME", help="With --generate: a slower response is a finding.")
@click.option("--save", metavar="FILE", help="With --generate: save the smallest failing calls as checks in this file.")
@click.option("--junit", metavar="FILE", help="Write the results to FILE as JUnit XML.")
@click.option("--tap", is_flag=True, help="Print the results as TAP, version 14.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per check, each on a line.")
@click.option("--case", metavar="FILE", help="Export the failed calls as a case, a file that others can replay.")
@click.option("--host-is", metavar="HOST", help="With --generate: send nothing if the profile has another host.")
@no_input_option()
@yes_option()
@click.pass_obj
def check(
    run: Run,
    /,
    checks: tuple[str, ...],
    text: str,
    jobs: int,
    until_failure: bool,
    given: tuple[str, ...],
    generate: bool,
    junit: str | None,
    tap: bool,
    as_json: bool,
    case: str | None,
    **of_generated: Any,
) -> int:
    """Send saved calls, and check their responses.

    Without arguments, all saved calls of the profile that have expectations are checked. FILE has saved calls in the
    form of sessions.toml. @NAME is one saved call.

    --generate sends calls with valid and with invalid params instead, made from the schemas of safe methods and of
    those that -m names. A finding is any response that the method does not declare: see rpcexplorer manual checks.

    Exit code 0: all checks passed. Exit code 6: a check failed. If a call has no response, the exit code is that of the
    call: 3, 4 or 5. Exit code 2: a variable is missing, or there is no check.

    \b
    Examples:
      rpcexplorer check
      rpcexplorer check -p staging --jobs 8 --junit results.xml
      rpcexplorer check @"list users" --set page=2
      rpcexplorer check shop.checks.toml -x --case failed.toml
      rpcexplorer check --generate -m 'user.*' --save sessions.toml
    """
    reporter = Reporter(run, Reports(junit, tap, as_json, case))
    options = Options(**of_generated)
    if generate:
        if checks or text or given or until_failure:
            raise click.UsageError("--generate sends no saved calls. Remove [FILE|@NAME], -k, -x and --set.")
        return check_generated(run, options, reporter)
    options.refuse()
    with reporter.starting():
        values = values_of(given)
        selected = _selected(run, checks, text)
        run.explorer.openable.is_agreed = run.yes
        sent = [(check.profile, check.call.draft()) for check in selected]
        confirm_sending(run, sent, counted(len(sent), "call"))

    async def work(watch: Waiting) -> list[CheckResult]:
        checking = CheckRun(run.explorer, given=values, watch=watch, until_failure=until_failure)
        show = partial(reporter.show, watch=watch)
        try:
            return await checking.run(selected, jobs=jobs, stop=run.stop, show=show)
        finally:
            await checking.close()

    reporter.begin(len(selected))
    with result_of(run, work) as results:
        reporter.finish(results)
        run.warn_unless_recorded()
    return exit_code(results, stopped=run.stop.pressed)


def _selected(run: Run, words: Sequence[str], text: str) -> list[Check]:
    """Return the checks that the command names and whose name contains a text; end the command if there is none."""
    found = _found(run, words)
    selected = [check for check in found if text.casefold() in check.call.name.casefold()]
    if not selected:
        fail(f"No check has “{text}” in its name." if found else f"There are no checks here. {HOW_TO}")
    return selected


def _found(run: Run, words: Sequence[str]) -> list[Check]:
    """Return the checks that the command names, in the order of the files."""
    explorer = run.explorer
    files = [word for word in words if not word.startswith(SIGN)]
    names = [word.removeprefix(SIGN) for word in words if word.startswith(SIGN)]
    found: list[Check] = []
    for file in files:
        path = Path(os.path.abspath(run.world.path(file)))  # noqa: PTH100 - links stay, `..` does not
        checks = checks_in(explorer, path, run.use, is_chosen=run.server.is_named)
        if not checks:
            fail(f"There are no checks in {file}. {HOW_TO}")
        found += checks
    if files and not names:
        return found
    profile = run.use()
    if problems := explorer.profiles.problems_of_calls(profile):
        fail(f"Nothing was sent, because {counted(len(problems), 'problem')} may hide checks. Correct the file first.")
    all_of_profile = [check_of(call, profile) for call in explorer.profiles.checks_of(profile)]
    refuse_broken_jq(all_of_profile)
    if not names:
        return all_of_profile
    known = {check.call.name: check for check in all_of_profile}
    for name in names:
        if name not in known:
            fail(_no_check(name, explorer.saved_calls(), profile))
        found.append(known[name])
    return found


def _no_check(name: str, saved: Mapping[str, SavedCall], profile: Profile) -> str:
    if name in saved:
        return f"The saved call {SIGN}{name} has no expectations. {how_to_expect(name)}"
    return no_such_call(SIGN + name, saved, profile.name)
