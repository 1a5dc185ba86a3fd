"""`check`: run the expectations of saved calls."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from rpcexplorer.checks.find import HOW_TO, check_of, checks_in, how_to_expect, refuse_broken_jq
from rpcexplorer.checks.report import github_lines, junit, junit_of_problem, lines_of, row_of, summary, tap
from rpcexplorer.checks.run import USUAL_JOBS, Check, CheckResult, CheckRun, exit_code
from rpcexplorer.cli.arguments import set_option, whole_number
from rpcexplorer.cli.call import confirm_sending, values_of
from rpcexplorer.cli.completion import complete_checks
from rpcexplorer.cli.output import STDOUT, Output, Waiting, result_of
from rpcexplorer.cli.recorded import export_case
from rpcexplorer.cli.run import Run, fail, no_input_option, profile_option, url_options, yes_option
from rpcexplorer.cli.world import World
from rpcexplorer.model.method import SIGN, SavedCall, no_such_call
from rpcexplorer.model.problem import UserError, counted
from rpcexplorer.model.profile import Profile

MAX_JOBS = 64


class Reports(Struct, frozen=True):
    junit: str | None
    tap: bool
    as_json: bool
    case: str | None

    @property
    def on_stdout(self) -> list[str]:
        """Return the options that replace the lines on stdout."""
        options = {"--tap": self.tap, "--json": self.as_json, "--junit": self.junit, "--case": self.case}
        return [option for option, value in options.items() if value in {True, STDOUT}]


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
@click.option("--junit", metavar="FILE", help="Write the results to FILE as JUnit XML.")
@click.option("--tap", is_flag=True, help="Print the results as TAP, version 14.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per check, each on a line.")
@click.option("--case", metavar="FILE", help="Export the failed calls as a case, a file that others can replay.")
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
    **reports: Any,
) -> int:
    """Send saved calls, and check that the responses are as expected.

    Without arguments, all saved calls of the profile that have expectations are checked. FILE has saved calls in the
    form of sessions.toml. @NAME is one saved call.

    Exit code 0: all checks passed. Exit code 6: a check failed. If a call has no response, the exit code is that of the
    call: 3, 4 or 5. Exit code 2: a variable is missing, or there is no check.

    \b
    Examples:
      rpcexplorer check
      rpcexplorer check -p staging --jobs 8 --junit results.xml
      rpcexplorer check @"list users" --set page=2
      rpcexplorer check shop.checks.toml -x --case failed.toml
    """
    world, chosen = run.world, Reports(**reports)
    if len(chosen.on_stdout) > 1:
        raise click.UsageError(f"Only one of {' and '.join(chosen.on_stdout)} can be printed to stdout.")
    junit_file, case_file = Output(world, chosen.junit), Output(world, chosen.case)
    started = datetime.now(UTC)
    try:
        values = values_of(given)
        selected = _selected(run, checks, text)
        run.explorer.openable.is_agreed = run.yes
        sent = [(check.profile, check.call.draft()) for check in selected]
        confirm_sending(run, sent, counted(len(sent), "call"))
    except (click.UsageError, click.Abort, UserError) as error:
        if chosen.junit is not None:  # A CI server would read the file of an earlier run.
            junit_file.world.write(junit_of_problem(str(error) or "interrupted", started).encode())
            junit_file.write()
        raise

    async def work(watch: Waiting) -> list[CheckResult]:
        checking = CheckRun(run.explorer, given=values, watch=watch, until_failure=until_failure)
        done = 0

        def show(result: CheckResult) -> None:
            nonlocal done
            done += 1
            watch.step = f"{done} of {counted(len(selected), 'check')}"
            watch.erase()
            _print(world, result, chosen, done)

        try:
            return await checking.run(selected, jobs=jobs, stop=run.stop, show=show)
        finally:
            await checking.close()

    if chosen.tap:
        world.print("TAP version 14")
        world.print(f"1..{len(selected)}")
    with result_of(run, work) as results:
        if chosen.tap and len(results) < len(selected):
            world.print("Bail out!")
        if world.environment.get("GITHUB_ACTIONS") == "true" and not chosen.on_stdout:
            for line in github_lines(results, world.path(world.environment.get("GITHUB_WORKSPACE", ""))):
                world.print(line)
        if chosen.junit is not None:
            junit_file.world.write(junit(results, started, world.folder).encode())
            junit_file.write()
        if chosen.case is not None:
            _export_failed(run, results, case_file, chosen.case)
        world.say(summary(results, len(selected)))
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


def _print(world: World, result: CheckResult, reports: Reports, number: int) -> None:
    if reports.as_json:
        world.print_json_line(msgspec.json.encode(row_of(result)))
        return
    if reports.tap:
        lines = tap(result, number)
    elif reports.on_stdout:
        return
    else:
        lines = lines_of(result, colour=world.colours)
    for line in lines:
        world.print(world.for_log(line))


def _export_failed(run: Run, results: Sequence[CheckResult], out: Output, file: str) -> None:
    failed = [call for result in results if (call := result.for_case())]
    if not failed:
        run.world.say("no case was exported: no call failed")
        return
    export_case(run, failed, out, file, note=summary(results, len(results)))
