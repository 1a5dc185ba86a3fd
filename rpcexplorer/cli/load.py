"""`load`: saved calls as a load test on Locust."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import click
import msgspec
from msgspec import Struct

from rpcexplorer.cli.arguments import milliseconds, percent, period, rate, set_option, whole_number
from rpcexplorer.cli.call import confirm_many, question_about, show_preview, values_of
from rpcexplorer.cli.completion import complete_saved_calls
from rpcexplorer.cli.events import pass_on
from rpcexplorer.cli.output import Waiting, result_of
from rpcexplorer.cli.run import Run, fail, needs_extra, no_input_option, profile_option, yes_option
from rpcexplorer.cli.world import INTERRUPTED, World
from rpcexplorer.explorer import Explorer
from rpcexplorer.files.io import refuse_unwritable
from rpcexplorer.load.plan import LOOPBACK, WEB_PORT, Plan, PlannedCall, Report
from rpcexplorer.load.report import as_json, exceeded_limits, exit_code, table
from rpcexplorer.load.run import MASTER_PORT, Load, LoadRun, Role, is_installed, refuse_busy_port
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.exchange import Preview, Refused, Stop
from rpcexplorer.model.method import SIGN, no_such_call
from rpcexplorer.model.problem import counted, joined_words
from rpcexplorer.model.profile import Profile
from rpcexplorer.text.exchange import duration
from rpcexplorer.text.printable import clipped
from rpcexplorer.variables.resolve import Missing

MANY_USERS = 1_000
"""More of them need ``--yes``."""
MAX_WORKERS = 256
"""Each is a process; a larger number is likely meant for --users."""
USUAL_SPAWN_RATE = 100
"""New users in each second, at most, unless --spawn-rate says more."""
CSV_KINDS = ("stats", "stats_history", "failures", "exceptions")
"""The ends of the names of Locust's CSV files."""


class Options(Struct, frozen=True):
    users: int
    spawn_rate: int | None
    run_time: int
    rate: float | None
    workers: int
    master: bool
    listen: str | None
    worker: bool
    master_host: str | None
    csv: str | None
    html: str | None
    json: bool
    max_failed: float
    p95: float | None
    web: bool
    dry_run: bool
    host_is: str | None

    def check(self) -> None:
        """End the command if options contradict each other."""
        if self.master and self.worker:
            raise click.UsageError("Use --master or --worker, not both.")
        if self.listen is not None and not self.master:
            raise click.UsageError("--listen needs --master.")
        if self.worker != (self.master_host is not None):
            raise click.UsageError("--worker and --master-host HOST need each other.")
        if self.worker and (self.csv or self.html or self.web or self.json):
            raise click.UsageError("The master has the results: use --csv, --html, --json and --web there.")

    @property
    def role(self) -> Role:
        if self.master:
            return "master"
        return "worker" if self.worker else "alone"

    def load(self, world: World) -> Load:
        return Load(
            users=self.users,
            spawn_rate=self.spawn_rate or min(self.users, USUAL_SPAWN_RATE),
            seconds=self.run_time,
            workers=self.workers,
            role=self.role,
            listen=self.listen or LOOPBACK,
            master_host=self.master_host or LOOPBACK,
            csv=str(world.path(self.csv)) if self.csv else None,
            html=str(world.path(self.html)) if self.html else None,
        )

    @property
    def files(self) -> list[str]:
        """Return the files that Locust writes."""
        files = [f"{self.csv}_{kind}.csv" for kind in CSV_KINDS] if self.csv else []
        if self.html:
            files.append(self.html)
        return files

    @property
    def amount(self) -> str:
        """Return the words for users, rate and time."""
        if self.worker:
            return f"as many users as the master at {self.master_host} says"
        pace = f"at most {self.rate:g} calls per second" if self.rate else "as many calls as they can"
        return f"{counted(self.users, 'user')}, {pace}, for {duration(self.run_time)}"


@click.command()
@click.argument("calls", metavar="@NAME...", nargs=-1, required=True, shell_complete=complete_saved_calls)
@profile_option()
@click.option(
    "--users",
    type=whole_number(1),
    metavar="N",
    default=1,
    show_default=True,
    help="Number of users. Each sends one call after the other.",
)
@click.option(
    "--spawn-rate",
    type=whole_number(1),
    metavar="N",
    help="Users to start per second.  [default: all, at most 100]",
)
@click.option(
    "--run-time",
    type=lambda text: math.ceil(period(text)),  # Locust counts whole seconds.
    metavar="TIME",
    default="10s",
    show_default=True,
    help="Stop after a time, such as 30s, 5m or 1h.",
)
@click.option("--rate", type=rate, metavar="N/s", help="Calls per second of all users together, at most.")
@click.option(
    "--workers",
    type=whole_number(1, MAX_WORKERS),
    metavar="N",
    default=1,
    show_default=True,
    help="Processes that send calls. With --master: workers to wait for.",
)
@click.option("--master", is_flag=True, help="Control workers on other machines.")
@click.option("--listen", metavar="HOST", help=f"Address at which the master waits for workers.  [default: {LOOPBACK}]")
@click.option("--worker", is_flag=True, help="Send calls for a master. Start it with the same calls.")
@click.option("--master-host", metavar="HOST", help="The machine of the master.")
@set_option
@click.option("--csv", metavar="PREFIX", help="Write Locust's CSV files, named PREFIX_stats.csv and so on.")
@click.option("--html", metavar="FILE", help="Write Locust's report to FILE.")
@click.option("--json", is_flag=True, help="Print the results as one JSON object.")
@click.option(
    "--max-failed",
    type=percent,
    metavar="PERCENT",
    default="0%",
    show_default=True,
    help="Calls that may fail, such as 1%. If more fail, the exit code is 6.",
)
@click.option(
    "--p95", type=milliseconds, metavar="TIME", help="If the p95 of a call is longer, such as 1s, the exit code is 6."
)
@click.option("--web", is_flag=True, help=f"Show Locust's page at http://{LOOPBACK}:{WEB_PORT} during the test.")
@click.option("--dry-run", is_flag=True, help="Print the plan and the first request of each call. Send nothing.")
@yes_option()
@click.option("--host-is", metavar="HOST", help="Send nothing if the profile has another host.")
@no_input_option()
@click.pass_obj
def load(run: Run, /, calls: tuple[str, ...], given: tuple[str, ...], **options: Any) -> int:
    """Send saved calls with many users at a time, and measure.

    The calls are sent one after the other by each user, on Locust. Each user logs in once. Nothing is recorded.

    Exit code 0: all calls succeeded, or not too many failed. Exit code 6: a limit was exceeded. Exit code 3: a call
    was not sent because of credentials. Exit code 4: no call had a response.

    \b
    Examples:
      rpcexplorer load @"list users" -p staging --users 50 --run-time 1m
      rpcexplorer load @get @list --rate 20/s --p95 300ms --html load.html
      rpcexplorer load @get --users 500 --workers 4 --max-failed 1%
    """
    chosen = Options(**options)
    chosen.check()
    if not is_installed():
        needs_extra("A load test needs Locust", "load", "locust>=2.47")
    world, values = run.world, values_of(given)
    profile, explorer = run.use(), run.explorer
    if profile.ad_hoc or profile.scheme not in {"http", "https"}:
        fail("A load test needs a profile with http:// or https://.")
    requests = _requests(explorer, profile, calls, values)
    planned = tuple(call for call, _ in requests)
    if chosen.dry_run:
        return _show(world, chosen, requests)
    _confirm(run, profile, planned, chosen)
    for file in chosen.files:
        refuse_unwritable(world.path(file), world.folder)
    if chosen.master:
        refuse_busy_port(chosen.listen or LOOPBACK, MASTER_PORT)
    if chosen.web:
        refuse_busy_port(LOOPBACK, WEB_PORT)
    plan = Plan(
        profile=profile.name,
        calls=planned,
        folder=str(explorer.folder),
        home=os.path.expanduser("~"),  # noqa: PTH111 - Path's own raises without a home
        sessions=str(world.path(str(run.server.sessions))) if run.server.sessions else None,
        given=values,
        pace=chosen.rate / chosen.users if chosen.rate else 0.0,
        web_port=WEB_PORT if chosen.web else 0,
    )
    testing = LoadRun(plan, chosen.load(world), world.environment)
    live = LiveTable(world, run.stop)

    async def work(waiting: Waiting) -> Refused | int:
        waiting.step = "starting Locust"
        live.before = waiting.end
        if refused := await _missing_secret(explorer, profile):
            return refused
        _announce(world, chosen)
        return await testing.run(run.stop, live.show, lambda line: live.say(line, explorer))

    with result_of(run, work) as ended:
        live.erase()
        if isinstance(ended, Refused):
            fail(ended.sentence, 3)
        return _finish(world, testing.report, chosen, ended, stopped=run.stop.pressed)


def _requests(
    explorer: Explorer, profile: Profile, names: Sequence[str], given: dict[str, str]
) -> list[tuple[PlannedCall, Preview]]:
    """Return the saved calls and their first requests; end the command if one cannot be sent."""
    saved, requests = explorer.saved_calls(), []
    for name in names:
        call = saved.get(name.removeprefix(SIGN))
        if not name.startswith(SIGN):
            fail(f"{name} is not a saved call. Write {SIGN} before the name of one, such as {SIGN}{name}.")
        if call is None:
            fail(no_such_call(name, saved, profile.name))
        draft = call.draft()
        found = explorer.resolved(draft, given)
        if isinstance(found, Missing):
            fail(f"{found.sentence} Use --set NAME=VALUE.")
        if isinstance(preview := explorer.preview(found), Refused):
            fail(preview.sentence, 3 if preview.why == "credentials" else 2)
        requests.append((PlannedCall(name, draft.method, draft.text), preview))
    return requests


def _show(world: World, options: Options, requests: Sequence[tuple[PlannedCall, Preview]]) -> int:
    """Print the plan and the first request of each call; return the exit code."""
    world.say(f"plan: {options.amount}")
    codes = []
    for call, preview in requests:
        world.say(call.row)
        codes.append(show_preview(world, preview))
    return max(codes)


def _confirm(run: Run, profile: Profile, planned: Sequence[PlannedCall], options: Options) -> None:
    """Ask before a load on production, or of unsafe calls.

    End the command unless the answer is yes.
    """
    if options.users > MANY_USERS and not run.yes:
        fail(f"{options.users:,} users are many: add --yes to start more than {MANY_USERS:,}.")
    question = question_about(run.explorer, [Draft(call.method, call.text) for call in planned], profile)
    names = joined_words(dict.fromkeys(call.row for call in planned))
    load = f"a load of {names} to {profile.origin} ({profile.name}): {options.amount}"
    confirm_many(run, profile, question, load, host_is=options.host_is)


async def _missing_secret(explorer: Explorer, profile: Profile) -> Refused | None:
    """Return why a secret cannot be used.

    The processes of Locust read secrets themselves, so a typed one does not help.
    """
    credentials = explorer.credentials
    if refused := await credentials.permission(profile):
        return refused
    for field, found in credentials.state(profile).items():
        if field == "session" or (found is None and profile.assumes_auth):
            continue
        if found is None:
            return credentials.missing(profile, field)
        if isinstance(secret := await credentials.secret(profile, field), Refused):
            return secret
    return None


def _announce(world: World, options: Options) -> None:
    if options.master:
        world.say(f"waiting for {counted(options.workers, 'worker')} at {options.listen or LOOPBACK}:{MASTER_PORT}")
    if options.worker:
        world.say(f"waiting for the master at {options.master_host}:{MASTER_PORT}")
    if options.web:
        world.say(f"Locust's page: http://{LOOPBACK}:{WEB_PORT}")


def _finish(world: World, report: Report | None, options: Options, ended: int, *, stopped: bool) -> int:
    """Print the results; return the exit code."""
    if stopped and (options.worker or report is None):
        return INTERRUPTED
    if options.worker:
        return 2 if ended else 0
    if report is None or not (report.is_final or stopped):
        fail(f"Locust ended without results (exit code {ended}). Its messages are above.")
    limits = exceeded_limits(report, options.max_failed, options.p95)
    if options.json:
        world.print_json_line(msgspec.json.encode(as_json(report)))
    else:
        for line in table(report, world.width):
            world.print(line)
    for sentence in limits:
        world.say(sentence)
    return INTERRUPTED if stopped else exit_code(report, is_exceeded=bool(limits))


class LiveTable:
    """Shows the results on a terminal while the test runs."""

    def __init__(self, world: World, stop: Stop) -> None:
        self._world, self._stop, self._lines = world, stop, 0
        self._is_shown = world.stderr.isatty()
        self.before: Callable[[], None] = lambda: None
        """Removes the progress line, which is shown before the table."""

    def show(self, report: Report) -> None:
        if not self._is_shown or report.is_final:
            return
        self.erase()
        self.before()
        hint = "waiting for calls     Ctrl+C ends at once" if self._stop.pressed else "Ctrl+C ends the test"
        lines = [f"{counted(report.users, 'user')}     {hint}", *table(report, self._world.width)]
        room, total = max(self._world.height - 2, 3), len(report.rows) + 2
        if total >= room:
            lines[room - 1] = lines[total]  # The row of all calls is always shown.
        lines = [clipped(line, self._world.width - 1) for line in lines[:room]]
        self._world.stderr.write("".join(f"{line}\n" for line in lines))
        self._world.stderr.flush()
        self._lines = len(lines)

    def say(self, line: str, explorer: Explorer) -> None:
        """Print a line of Locust's messages."""
        self.erase()
        pass_on(self._world, "locust", line, explorer.redactor().text)

    def erase(self) -> None:
        if self._lines:
            self._world.stderr.write(f"\x1b[{self._lines}A\x1b[J")
            self._lines = 0
