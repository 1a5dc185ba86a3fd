"""The output of `check`: lines on the terminal, and reports in files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import click
import msgspec
from msgspec import Struct

from rpcexplorer.checks.report import (
    github_lines,
    junit,
    junit_of_problem,
    lines_of,
    row_of,
    summary,
    tap,
    tap_of_skipped,
)
from rpcexplorer.checks.run import CheckResult
from rpcexplorer.cli.output import STDOUT, Output, Waiting
from rpcexplorer.cli.recorded import export_case
from rpcexplorer.cli.run import Run
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.problem import UserError, counted
from rpcexplorer.text.printable import printable


class Reports(Struct, frozen=True):
    """The options that say where results go."""

    junit: str | None
    tap: bool
    as_json: bool
    case: str | None

    @property
    def on_stdout(self) -> list[str]:
        """Return the options that replace the lines on stdout."""
        options = {"--tap": self.tap, "--json": self.as_json, "--junit": self.junit, "--case": self.case}
        return [option for option, value in options.items() if value in {True, STDOUT}]


class Reporter:
    """Reports the results of one run while they come, and at its end."""

    def __init__(self, run: Run, reports: Reports) -> None:
        if len(reports.on_stdout) > 1:
            raise click.UsageError(f"Only one of {' and '.join(reports.on_stdout)} can be printed to stdout.")
        self._run, self._reports = run, reports
        self._junit, self._case = Output(run.world, reports.junit), Output(run.world, reports.case)
        self._started = datetime.now(UTC)
        self._planned = self._done = self._skipped = 0

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Write why no check starts into the JUnit file: a CI server would read the file of an earlier run."""
        try:
            yield
        except (click.UsageError, click.Abort, UserError) as error:
            if self._reports.junit is not None:
                sentence = str(error) or "interrupted"
                self._junit.world.write(junit_of_problem(sentence, self._started).encode())
                self._junit.write()
            raise

    def begin(self, planned: int) -> None:
        self._planned = planned
        if self._reports.tap:
            self._run.world.print("TAP version 14")
            self._run.world.print(f"1..{planned}")

    def show(self, result: CheckResult, watch: Waiting) -> None:
        self._done += 1
        watch.step = f"{self._done} of {counted(self._planned, 'check')}"
        watch.erase()
        world = self._run.world
        if self._reports.as_json:
            world.print_json_line(msgspec.json.encode(row_of(result)))
            return
        if self._reports.tap:
            lines = tap(result, self._done)
        elif self._reports.on_stdout:
            return
        else:
            lines = lines_of(result, colour=world.colours)
        for line in lines:
            world.print(world.for_log(line))

    def skip(self, name: str, why: str, watch: Waiting) -> None:
        """Report a check that sent nothing, which is neither passed nor failed."""
        self._done += 1
        self._skipped += 1
        watch.erase()
        if self._reports.tap:
            self._run.world.print(tap_of_skipped(name, why, self._done))
        else:
            self._run.world.say(printable(f"not checked: {name}: {why}"))

    def finish(self, results: Sequence[CheckResult], failed: Sequence[Exchange] | None = None) -> None:
        """Write the files and the summary. ``failed``: the calls to export, if not those of the results."""
        world, reports = self._run.world, self._reports
        planned = self._planned - self._skipped
        if reports.tap and len(results) < planned:
            world.print("Bail out!")
        if world.environment.get("GITHUB_ACTIONS") == "true" and not reports.on_stdout:
            for line in github_lines(results, world.path(world.environment.get("GITHUB_WORKSPACE", ""))):
                world.print(line)
        if reports.junit is not None:
            self._junit.world.write(junit(results, self._started, world.folder).encode())
            self._junit.write()
        if reports.case is not None:
            self._export(results, failed, reports.case)
        world.say(summary(results, planned))

    def _export(self, results: Sequence[CheckResult], failed: Sequence[Exchange] | None, file: str) -> None:
        if failed is None:
            failed = [call for result in results if (call := result.for_case())]
        if not failed:
            self._run.world.say("no case was exported: no call failed")
            return
        export_case(self._run, failed, self._case, file, note=summary(results, len(results)))
