"""``history stats``: how many calls there were and failed, how long they took, and when that was."""

from __future__ import annotations

from datetime import datetime

import click

from rpcexplorer.cli.context import complete_profiles
from rpcexplorer.cli.history_bounds import bounded, wanted_of
from rpcexplorer.cli.recorded import opened
from rpcexplorer.cli.show import json_line
from rpcexplorer.cli.values import OneOf, whole_number
from rpcexplorer.cli.world import World
from rpcexplorer.history.statistics import GROUPINGS, ORDERS, Chart, Figures, Statistics
from rpcexplorer.model.exchange import OutcomeName
from rpcexplorer.views.ink import BOLD, DIM, WRONG, inked
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable
from rpcexplorer.views.statistics.chart import CALLS, FAILED, MARGIN, chart_lines
from rpcexplorer.views.statistics.table import TableColumns, left_out_words, total_words

BARS = 72
"""Bars of a chart that no terminal shows."""
PLAIN = frozenset({"dumb", "linux"})
"""Terminals whose letters have no bars among them."""


@click.command("stats")
@click.argument("text", default="")
@click.option("-n", "--limit", type=whole_number(1), metavar="N", default=50, show_default=True, help="So many rows.")
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Only of this profile.")
@click.option("--by", type=OneOf(GROUPINGS), default="method", show_default=True, help="method, profile or code.")
@click.option("--sort", type=OneOf(ORDERS), default="calls", show_default=True, help="calls, failures or p95.")
@bounded
@click.option("--json", "as_json", is_flag=True, help="Print all of it as one JSON object, times in milliseconds.")
@click.pass_context
def stats(
    context: click.Context,
    /,
    text: str,
    limit: int,
    profile: str | None,
    by: str,
    sort: str,
    as_json: bool,
    **bounds: str | None,
) -> None:
    """Count calls and failures, and say how long the calls took: half of them, 95 of 100, the slowest.

    Failed are errors, replies that are none, and calls without a reply; how long a call took counts where it was
    answered. TEXT and the options narrow what is counted, as in: rpcexplorer history search --help

    \b
    Examples:
      rpcexplorer history stats
      rpcexplorer history stats --since today --sort p95 -p prod
      rpcexplorer history stats 'outcome:error since:1w' --by code
    """
    wanted = wanted_of(text, profile, bounds)
    world, explorer = opened(context, profile)
    found = Statistics(next(each for each in GROUPINGS if each == by))
    for call in explorer.history.search_in_steps(wanted, whole=False):
        if call is not None:
            found.add(call)
    if left_out := left_out_words(found):
        world.say(left_out)
    rows = found.rows(next(each for each in ORDERS if each == sort))
    if as_json:
        chart = found.chart(BARS)
        all_ = _object(found.total) | {"damaged": found.damaged, "by": by, "over_time": chart and _over_time(chart)}
        json_line(world, json_of(all_ | {"rows": [_named(row, by) for row in rows]}))
        return
    _print(world, found, rows[:limit])
    if len(rows) > limit:
        world.say(f"{len(rows) - limit:,} more rows: -n {len(rows)}")


def _print(world: World, found: Statistics, rows: list[Figures]) -> None:
    world.print(inked(total_words(found), BOLD, colour=world.colours))
    chart = found.chart(max(min(world.width, 100) - MARGIN, 1))
    if chart is None:
        return
    calls, failed, times = chart_lines(chart, plain=world.environment.get("TERM") in PLAIN)
    world.print((inked(CALLS, DIM, colour=world.colours) + calls).rstrip())
    world.print((inked(FAILED, DIM, colour=world.colours) + inked(failed, WRONG, colour=world.colours)).rstrip())
    world.print(inked(" " * MARGIN + times, DIM, colour=world.colours))
    world.print()
    table = TableColumns(found.by, rows, world.width)
    world.print(inked(table.heading, DIM, colour=world.colours))
    today = datetime.now().astimezone().date()
    for row in rows:
        world.print(table.line(row, today))


def _named(row: Figures, by: str) -> dict[str, object]:
    names = ("method", "profile") if by == "method" else (by,)
    return dict(zip(names, map(printable, row.name), strict=True)) | _object(row)


def _object(row: Figures) -> dict[str, object]:
    latency = row.latency()
    took = (latency.median, latency.p95, latency.worst) if latency else (None, None, None)
    milliseconds = (None if seconds is None else round(seconds * 1000, 3) for seconds in took)
    failures: dict[OutcomeName, int] = row.failures
    return {
        "calls": row.calls,
        "failed": row.failed,
        "failures": failures,
        **dict(zip(("median_ms", "p95_ms", "worst_ms"), milliseconds, strict=True)),
        "first": row.first and row.first.isoformat(),
        "last": row.last and row.last.isoformat(),
    }


def _over_time(chart: Chart) -> dict[str, object]:
    bars = [{"calls": calls, "failed": failed} for calls, failed in chart.bars]
    return {"start": chart.start.isoformat(), "minutes": chart.minutes, "bars": bars}
