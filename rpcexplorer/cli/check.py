"""`check`: run the expectations of saved calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from rpcexplorer.checks.find import HOW_TO, check_of, checks_in, how_to_expect, refuse_broken_jq
from rpcexplorer.checks.report import github_lines, junit, junit_of_problem, lines_of, row_of, summary, tap
from rpcexplorer.checks.run import USUAL_JOBS, Check, CheckResult, CheckRun, exit_code
from rpcexplorer.cli.arguments import whole_number
from rpcexplorer.cli.call import confirm, question_about, values_of
from rpcexplorer.cli.completion import complete_checks
from rpcexplorer.cli.context import (
    Invocation,
    fail,
    invocation_of,
    no_input_option,
    profile_option,
    server_after_options,
)
from rpcexplorer.cli.output import STDOUT, Output, Waiting, print_json_line, result_of
from rpcexplorer.cli.world import World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.method import SIGN, no_such_call
from rpcexplorer.model.problem import UserError, counted

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
@profile_option
@click.option("--url", metavar="URL", help="Send to this URL, without a profile.")
@server_after_options
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
@click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="Set variable NAME. Can be repeated.")
@click.option("--junit", metavar="FILE", help="Write the results to FILE as JUnit XML.")
@click.option("--tap", is_flag=True, help="Print the results as TAP, version 14.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per check, each on a line.")
@click.option("--case", metavar="FILE", help="Export the failed calls as a case, a file that others can replay.")
@no_input_option
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@click.pass_context
def check(
    context: click.Context,
    /,
    checks: tuple[str, ...],
    profile: str | None,
    url: str | None,
    text: str,
    jobs: int,
    until_failure: bool,
    given: tuple[str, ...],
    ask: bool,
    yes: bool,
    **reports: Any,
) -> None:  # fmt: skip
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
    """  # fmt: skip
    invocation, chosen = invocation_of(context), Reports(**reports)
    if len(chosen.on_stdout) > 1:
        raise click.UsageError(f"Only one of {' and '.join(chosen.on_stdout)} can be printed to stdout.")
    junit_file, case_file = (Output(invocation.world, file) for file in (chosen.junit, chosen.case))
    stop, started = Stop(), datetime.now(UTC)
    try:
        values = values_of(given)
        explorer = invocation.open(ask=ask)
        found = _found(invocation, explorer, checks, profile, url)
        selected = [one for one in found if text.casefold() in one.call.name.casefold()]
        if not selected:
            fail(f"No check has “{text}” in its name." if found else f"There are no checks here. {HOW_TO}")
        explorer.openable.is_agreed = yes
        if not yes:
            _confirm(invocation, explorer, selected, ask=ask)
    except (click.ClickException, click.Abort, UserError) as error:
        if chosen.junit is not None:  # A CI server would read the file of an earlier run.
            junit_file.world.write(junit_of_problem(str(error) or "interrupted", started).encode())
            junit_file.write()
        raise

    async def work(watch: Waiting) -> list[CheckResult]:
        run = CheckRun(explorer, given=values, watch=watch)
        done = 0

        def show(result: CheckResult) -> None:
            nonlocal done
            done += 1
            watch.step = f"{done} of {counted(len(selected), 'check')}"
            watch.erase()
            _print(invocation.world, result, chosen, done)

        try:
            return await run.run(selected, jobs=jobs, stop=stop, show=show, until_failure=until_failure)
        finally:
            await run.close()

    if chosen.tap:
        for line in ("TAP version 14", f"1..{len(selected)}"):
            invocation.world.print(line)
    with result_of(invocation.world, explorer, stop, work) as results:
        if chosen.tap and len(results) < len(selected):
            invocation.world.print("Bail out!")
        _write_reports(invocation.world, explorer, results, started, chosen, junit_file, case_file)
        invocation.world.say(summary(results, len(selected)))
        if explorer.journal.problem:
            invocation.world.warn(f"not all calls were recorded: {explorer.journal.problem}")
    context.exit(exit_code(results, stopped=stop.pressed))


def _found(
    invocation: Invocation, explorer: Explorer, words: Sequence[str], profile: str | None, url: str | None
) -> list[Check]:
    """Return the checks that the command names, in the order of the files."""
    files = [word for word in words if not word.startswith(SIGN)]
    names = [word.removeprefix(SIGN) for word in words if word.startswith(SIGN)]
    is_chosen = profile is not None or url is not None or invocation.names_server
    found: list[Check] = []
    for file in files:
        path = Path(os.path.abspath(invocation.world.path(file)))  # noqa: PTH100 - links stay, `..` does not
        checks = checks_in(
            explorer, path, lambda name: invocation.use(explorer, name or profile, url), is_chosen=is_chosen
        )
        if not checks:
            fail(f"There are no checks in {file}. {HOW_TO}")
        found += checks
    if files and not names:
        return found
    in_use = invocation.use(explorer, profile, url)
    if problems := explorer.profiles.problems_of_calls(in_use):
        fail(f"Nothing was sent, because {counted(len(problems), 'problem')} may hide checks. Correct the file first.")
    all_of_profile = [check_of(call, in_use) for call in explorer.profiles.checks_of(in_use)]
    refuse_broken_jq(all_of_profile)
    if not names:
        return all_of_profile
    known = {call.name: call for call in explorer.profiles.checks_of(in_use)}
    for name in names:
        if name not in known:
            saved = explorer.saved_calls()
            fail(
                f"The saved call {SIGN}{name} has no expectations. {how_to_expect(name)}"
                if name in saved
                else no_such_call(SIGN + name, saved, in_use.name)
            )
        found.append(check_of(known[name], in_use))
    return found


def _confirm(invocation: Invocation, explorer: Explorer, checks: Sequence[Check], *, ask: bool) -> None:
    profiles = {check.profile.name: check.profile for check in checks}
    ordered = sorted(checks, key=lambda check: check.profile.name)
    questions = [
        question_about(explorer, [check.call.draft() for check in group], profiles[name])
        for name, group in groupby(ordered, lambda check: check.profile.name)
    ]
    if question := " ".join(filter(None, questions)):
        confirm(invocation, question, counted(len(checks), "call"), profiles.values(), ask=ask)


def _print(world: World, result: CheckResult, reports: Reports, number: int) -> None:
    if reports.as_json:
        print_json_line(world, msgspec.json.encode(row_of(result)))
    elif reports.tap or not reports.on_stdout:
        for line in tap(result, number) if reports.tap else lines_of(result, colour=world.colours):
            world.print(world.for_log(line))


def _write_reports(
    world: World,
    explorer: Explorer,
    results: Sequence[CheckResult],
    started: datetime,
    reports: Reports,
    junit_file: Output,
    case_file: Output,
) -> None:
    if world.environment.get("GITHUB_ACTIONS") == "true" and not reports.on_stdout:
        for line in github_lines(results, world.path(world.environment.get("GITHUB_WORKSPACE", ""))):
            world.print(line)
    if reports.junit is not None:
        junit_file.world.write(junit(results, started, world.folder).encode())
        junit_file.write()
    if reports.case is None:
        return
    failed = [call for result in results if (call := result.for_case())]
    if not failed:
        world.say("no case was exported: no call failed")
        return
    made = explorer.cases.made_of(failed, note=summary(results, len(results)))
    if isinstance(made, str):
        fail(made)
    if made.too_much:
        fail(f"{made.too_much}. No case was exported.")
    case_file.world.write(made.text.encode())
    case_file.write()
    if reports.case != STDOUT:
        world.say(f"exported {counted(len(failed), 'call')} to {reports.case}")
