"""`history` and its commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

import click
from msgspec.structs import asdict, replace

from rpcexplorer.cli.arguments import FILE_HELP, OneOf, whole_number
from rpcexplorer.cli.output import Output
from rpcexplorer.cli.recorded import find_call_anywhere, find_record, of_history, read_case, use_history
from rpcexplorer.cli.run import CommandGroup, F, Run, complete_profiles, fail, together, yes_option
from rpcexplorer.cli.world import World
from rpcexplorer.history.record import phases_ms
from rpcexplorer.history.statistics import GROUPINGS, MINUTE, ORDERS, Figures, Grouping, Order, Statistics, Timeline
from rpcexplorer.model.exchange import Damaged, Exchange, OutcomeName, ServerEvent
from rpcexplorer.model.filter import FORMER_OUTCOME_WORDS, OUTCOME_WORDS, Bounds, HistoryFilter
from rpcexplorer.model.problem import PROGRAM, counted, joined_words, quoted
from rpcexplorer.text.columns import table_lines
from rpcexplorer.text.history import (
    MARGIN,
    chart_lines,
    history_line,
    left_out_words,
    shown,
    statistics_columns,
    total_words,
)
from rpcexplorer.text.json_text import json_of, painted
from rpcexplorer.text.printable import WITHOUT_SIGNS, in_ascii, printable, printable_bytes

bound_options = together(
    click.option("--code", metavar="N", help="Only errors with this code."),
    click.option("--status", metavar="N", help="Only calls with this HTTP status, such as 404 or 5xx."),
    click.option("--since", metavar="WHEN", help="Only calls since this time: 2h, 3d, 2026-11-20, today, 14:30."),
    click.option("--until", metavar="WHEN", help="Only calls until this time. A date includes the whole day."),
    click.option("--slower", metavar="TIME", help="Only calls that took longer: 100ms, 1.5s, 2m."),
    click.option("--faster", metavar="TIME", help="Only calls that took less time."),
    click.option("--larger", metavar="SIZE", help="Only calls with a larger response: 500B, 20kB, 1MB."),
    click.option("--smaller", metavar="SIZE", help="Only calls with a smaller response."),
)
"""An option for each bound of the filter."""
only_of_profile = click.option(
    "-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Only calls of this profile."
)


def limit_option(usual: int, help_: str) -> Callable[[F], F]:
    return click.option(
        "-n", "--limit", type=whole_number(1), metavar="N", default=usual, show_default=True, help=help_
    )


def filter_of(text: str, profile: str | None, bounds: Mapping[str, str | None], **given: Any) -> HistoryFilter:
    """Return the filter of a text and options; an option wins."""
    now = datetime.now()  # noqa: DTZ005 - local time, with the zone's own summer time
    wanted = HistoryFilter.around(text, profile, now=now)
    options = Bounds.of({kind: typed for kind, typed in bounds.items() if typed is not None}, now)
    if options.wrong or wanted.wrong:
        problems = [*("--" + problem.replace(":", " ", 1) for problem in options.wrong), *wanted.wrong]
        raise click.UsageError("\n".join(problems) + ".")
    bounded = {kind: value for kind, value in asdict(options).items() if value is not None}
    return replace(wanted, bounds=replace(wanted.bounds, **bounded), **given)


@click.command("export")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--last", type=whole_number(1), metavar="N", help="Export only the newest N calls that match.")
@click.option("--search", metavar="TEXT", help="Export the calls that `history search TEXT` finds.")
@only_of_profile
@bound_options
@click.option(
    "--redact",
    metavar="POINTER",
    multiple=True,
    help="Redact this value, such as /params/name or /users/*/email. A call with redacted params cannot be replayed.",
)
@click.option("--hide", multiple=True, hidden=True)  # Former name of --redact.
@click.option("--note", metavar="TEXT", default="", help="Note for the receiver of the case.")
@click.option("--jsonl", is_flag=True, help="Print one JSON object per line instead of a case.")
@click.option("-o", "--output", metavar="FILE", help=FILE_HELP)
@click.pass_obj
def export(
    run: Run,
    /,
    ids: tuple[str, ...],
    last: int | None,
    search: str | None,
    profile: str | None,
    redact: tuple[str, ...],
    hide: tuple[str, ...],
    note: str,
    jsonl: bool,
    output: str | None,
    **bounds: str | None,
) -> None:
    """Print recorded calls as a case.

    A case is a file of recorded calls that someone else can open, import or replay. It never contains a secret.
    --redact removes other values from params and responses, and the same value everywhere else. If such a value is part
    of a method's name, nothing is written.

    \b
    Examples:
      rpcexplorer history export 1m7ypmkv7qa7kfj > case.toml
      rpcexplorer history export --last 3 --note 'fails since Tuesday' --redact '/result/users/*/email'
      rpcexplorer history export --search user.delete --jsonl | jq -r .method
    """
    looks = last is not None or search is not None or any(bounds.values())
    if not ids and not looks:
        raise click.UsageError("Name the calls to export by ids, --last N, --search TEXT, or a filter such as --since.")
    world, explorer = run.world, use_history(run, profile)
    out = Output(world, output)
    calls = [find_call_anywhere(explorer, id).exchange for id in ids]
    if looks:
        wanted = filter_of(search or "", profile, bounds)
        found = (call for call in explorer.history.search(wanted) if isinstance(call, Exchange))
        if search and wanted.outcomes == EVENTS:
            command = f"{PROGRAM} history search {quoted(search)} --json"
            fail(f"Events are not exported. To print them with their messages, run:\n{command}")
        calls += islice((call for call in found if call.kind != "event"), last)
    if not calls:
        fail("No calls match. Nothing was written.")
    made = explorer.cases.made_of(list({call.id: call for call in calls}.values()), note=note, hide=redact + hide)
    if isinstance(made, str):
        fail(made)
    if made.too_much and not jsonl:
        fail(f"{made.too_much}. Name fewer calls, or use --jsonl.")
    for id in made.dropped:
        world.warn(f"the response of {id} was not exported: rpcexplorer cannot find all redacted values in it")
    for pointer in made.short:
        world.warn(
            f"a value at {pointer} is too short to be redacted inside other text. Check the file before you share it."
        )
    out.world.write((made.lines if jsonl else made.text).encode())
    out.write()


@click.command("import")
@click.argument("file")
@click.option(
    "-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Import into the history of this profile."
)
@click.pass_obj
def import_(run: Run, file: str, profile: str | None) -> None:
    """Import the calls of a case into the history.

    A case is a file of recorded calls, as `rpcexplorer history export` writes it. Importing sends nothing. Imported
    calls are marked: a secret reference in them is not filled in until you agree.

    \b
    Example:
      rpcexplorer history import case.toml
    """
    world, explorer = run.world, use_history(run, profile)
    case = read_case(run, file)
    imported = explorer.cases.take_in(case, explorer.profile)
    world.say(f"imported {counted(len(imported.added), 'call')}")
    if imported.added and case.addresses:
        world.say(f"URLs of the case: {', '.join(case.addresses)}")
    if imported.renamed:
        world.say(f"{counted(imported.renamed, 'call')} got a new id, because another call has the old one")
    if imported.known:
        world.say(f"already imported: {counted(imported.known, 'call')}")
    for call in imported.added:
        world.print(call.id)
    if imported.problem:
        fail(imported.problem)
    if not case.exchanges:
        fail(f"{case.file} contains no readable call.")


BARS = 72


@click.command("stats")
@click.argument("text", default="")
@limit_option(50, "Show at most N rows.")
@only_of_profile
@click.option(
    "--by",
    type=OneOf(GROUPINGS),
    default="method",
    show_default=True,
    help="Group calls by method, profile or error code.",
)
@click.option(
    "--sort",
    type=OneOf(ORDERS),
    default="calls",
    show_default=True,
    help="Sort rows by calls, failures or 95th percentile.",
)
@bound_options
@click.option("--json", "as_json", is_flag=True, help="Print the statistics as one JSON object, times in milliseconds.")
@click.pass_obj
def stats(
    run: Run,
    /,
    text: str,
    limit: int,
    profile: str | None,
    by: Grouping,
    sort: Order,
    as_json: bool,
    **bounds: str | None,
) -> None:
    """Count calls and failures, and show how long calls took.

    The times are median, 95th percentile and maximum of the calls with a response. Failed calls are errors, malformed
    responses, and calls without a response. TEXT and the options filter the calls, as in `rpcexplorer history search`.

    \b
    Examples:
      rpcexplorer history stats
      rpcexplorer history stats --since today --sort p95 -p prod
      rpcexplorer history stats 'outcome:error since:1w' --by code
    """
    wanted = filter_of(text, profile, bounds)
    world, explorer = run.world, use_history(run, profile)
    found, timeline = Statistics(by), Timeline()
    for call in explorer.history.search_in_steps(wanted, whole=False):
        if call is not None:
            found.add(call)
            timeline.add(call)
    if left_out := left_out_words(found):
        world.say(left_out)
    rows = found.rows(sort)
    if as_json:
        chart = timeline.chart(BARS, MINUTE)
        over_time = None
        if chart:
            bars = [{"calls": calls, "failed": failed} for calls, failed in chart.bars]
            over_time = {"start": chart.start.isoformat(), "minutes": chart.seconds // MINUTE, "bars": bars}
        whole = _object(found.total) | {"damaged": found.damaged, "by": by, "over_time": over_time}
        world.print_json_line(json_of(whole | {"rows": [_named(row, by) for row in rows]}))
        return
    _print(world, found, timeline, rows[:limit])
    if len(rows) > limit:
        world.say(f"not shown: {counted(len(rows) - limit, 'row')}. Add -n {len(rows)} to show all rows.")


def _print(world: World, found: Statistics, timeline: Timeline, rows: list[Figures]) -> None:

    def out(*words: tuple[str, str]) -> None:
        world.print(painted(words, colour=world.colours).rstrip())

    out((total_words(found), "bold"))
    width = min(world.width, 100)
    chart = timeline.chart(max(width - MARGIN, 1))
    if chart is None:
        return
    has_blocks = world.environment.get("TERM") not in WITHOUT_SIGNS
    for words in chart_lines(chart, width):
        out(*(words if has_blocks else [(in_ascii(text), role) for text, role in words]))
    out()
    columns = statistics_columns(found.by, rows, datetime.now().astimezone().date())
    heading, *lines = table_lines(columns, rows, world.width)
    out((heading, "dim"))
    for line in lines:
        world.print(line)


def _named(row: Figures, by: str) -> dict[str, object]:
    names = ("method", "profile") if by == "method" else (by,)
    return dict(zip(names, map(printable, row.name), strict=True)) | _object(row)


def _object(row: Figures) -> dict[str, object]:
    latency = row.latency()
    times: dict[str, float | None] = dict.fromkeys(("median_ms", "p95_ms", "worst_ms"))
    if latency:
        took = (latency.median, latency.p95, latency.worst)
        times = {name: round(seconds * 1000, 3) for name, seconds in zip(times, took, strict=True)}
    failures: dict[OutcomeName, int] = row.failures
    return {
        "calls": row.calls,
        "failed": row.failed,
        "failures": failures,
        **times,
        "first": row.first and row.first.isoformat(),
        "last": row.last and row.last.isoformat(),
    }


MAX_NAMED = 3
"""Other writers of the same folder that are named."""
HOURS = {"h": 1, "d": 24, "w": 168}


@click.group(cls=CommandGroup)
def history() -> None:
    """List, search, show, export and prune recorded calls."""


history.add_command(export)
history.add_command(import_)
history.add_command(stats)


@history.command("list")
@click.argument("text", default="")
@limit_option(20, "Show at most N calls.")
@only_of_profile
@click.option("--method", metavar="NAME", help="Only calls of this method.")
@click.option(
    "--outcome",
    type=OneOf(OUTCOME_WORDS, FORMER_OUTCOME_WORDS),
    multiple=True,
    metavar="WORD",
    help=f"Only calls with this outcome: {', '.join(OUTCOME_WORDS)}. Can be repeated.",
)
@bound_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.pass_obj
def list_(
    run: Run,
    /,
    text: str,
    limit: int,
    profile: str | None,
    method: str | None,
    outcome: tuple[str, ...],
    as_json: bool,
    **bounds: str | None,
) -> None:
    """List the newest calls.

    TEXT filters the list, with the same words as in `rpcexplorer history search`.

    \b
    Examples:
      rpcexplorer history list
      rpcexplorer history list outcome:error
      rpcexplorer history list -n 100 --outcome error -p staging
      rpcexplorer history list --code -32602 --since 2h --slower 1s
    """
    given = {"method": method, "outcome": " ".join(outcome)}
    wanted = filter_of(text, profile, bounds, **{kind: value for kind, value in given.items() if value})
    _print_calls(run, wanted, profile, limit, as_json=as_json)


@history.command()
@click.argument("text")
@limit_option(50, "Show at most N calls.")
@only_of_profile
@bound_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.pass_obj
def search(run: Run, /, text: str, limit: int, profile: str | None, as_json: bool, **bounds: str | None) -> None:
    """Find calls that contain TEXT.

    The search covers request, response, name and note, and ignores case. TEXT can contain filters, such as
    outcome:error or since:2h. Their names are outcome, method, profile, by, code, status, since, until, slower, faster,
    larger and smaller. A filter in quotes is plain text.

    \b
    Examples:
      rpcexplorer history search user.delete
      rpcexplorer history search 'invalid params method:user since:2h' -p prod
    """
    _print_calls(run, filter_of(text, profile, bounds), profile, limit, as_json=as_json)


@history.command()
@click.argument("id", required=False)
@of_history
@click.option("--params", is_flag=True, help="Print only the params.")
@click.option("--body", is_flag=True, help="Print only the body of the response.")
@click.option("--json", "as_json", is_flag=True, help="Print the call as one JSON object.")
@click.pass_obj
def show(run: Run, id: str | None, profile: str | None, params: bool, body: bool, as_json: bool) -> None:
    """Show one call: request, response, headers, time, duration.

    Without an ID, the newest call is shown. A part of an id is enough if only one call has it. An id of an event shows
    the message of the server.

    \b
    Examples:
      rpcexplorer history show
      rpcexplorer history show 1m7ypmkv7qa7kfj --body | jq .result
      rpcexplorer history show --json | jq -r '.headers[] | select(.name == "X-Request-Id").value'
    """
    if [params, body, as_json].count(True) > 1:
        raise click.UsageError("Use only one of --params, --body and --json.")
    world, explorer = run.world, use_history(run, profile)
    exchange = find_record(explorer, id, own_first=profile is not None).exchange
    if params:
        world.print_json(exchange.params.encode(errors="backslashreplace"))
    elif body:
        world.print_bytes(exchange.response.body)
    elif as_json:
        world.print_json_line(json_of(_row(exchange, explorer.history.writer) | _rest(exchange)))
    else:
        world.print(shown(exchange, colour=world.colours))


@history.command()
@click.option("--keep", type=whole_number(0), metavar="N", help="Keep the newest N calls.")
@click.option("--older-than", metavar="AGE", help="Remove calls older than 12h, 30d or 8w.")
@only_of_profile
@click.option("--dry-run", is_flag=True, help="Only count the calls.")
@yes_option()
@click.pass_obj
def prune(run: Run, keep: int | None, older_than: str | None, profile: str | None, dry_run: bool) -> None:
    """Remove old calls permanently.

    \b
    Examples:
      rpcexplorer history prune --older-than 30d
      rpcexplorer history prune --keep 1000 --dry-run
    """
    if keep is None and older_than is None:
        raise click.UsageError("Add --keep N, --older-than AGE, or both.")
    before = None if older_than is None else _time_before(older_than)
    world, explorer = run.world, use_history(run, profile)
    count = explorer.history.prune(keep=keep, before=before, profile=profile, dry=True)
    if others := explorer.history.others():
        world.say(f"calls of {joined_words(others, MAX_NAMED)} in {explorer.history.folder} are not removed")
    place = f" from {explorer.history.folder}" if explorer.history.shared else ""
    if dry_run or not count:
        world.say(f"{counted(count, 'call')} would be removed{place}")
        return
    run.confirm(
        f"Remove {counted(count, 'call')}{place} permanently?",
        unasked=f"{counted(count, 'call')} would be removed{place} permanently. Add --yes to confirm.",
        declined="Nothing was removed.",
    )
    count = explorer.history.prune(keep=keep, before=before, profile=profile)
    world.say(f"removed {counted(count, 'call')}{place}")


def _time_before(age: str) -> datetime:
    number, unit = age[:-1], age[-1:]
    if number.isdecimal() and unit in HOURS:
        with suppress(OverflowError):
            return datetime.now(UTC) - timedelta(hours=int(number) * HOURS[unit])
    raise click.UsageError(f"--older-than: {age} is not valid. Write a number and h, d or w, such as 30d.")


EVENTS: Final = ("event",)
"""The outcomes of a filter for events alone."""


def _print_calls(run: Run, wanted: HistoryFilter, profile: str | None, limit: int, *, as_json: bool) -> None:
    world, history = run.world, use_history(run, profile).history
    own, many = history.writer, bool(history.others())
    is_empty = True
    for exchange in islice(history.search(wanted), limit):
        is_empty = False
        if isinstance(exchange, Damaged):
            world.warn(f"a call in {exchange.file} is damaged: {exchange.reason}")
        elif as_json:
            message = _message(exchange) if exchange.kind == "event" else {}
            world.print_json_line(json_of(_row(exchange, own) | message))
        else:
            line = history_line(exchange, world.width, colour=world.colours, writers=many, whole=not world.shows)
            world.print(line)
    if not is_empty:
        return
    if wanted.outcomes == EVENTS:
        world.say("No events match the filter. Change it.")
    elif next(iter(history.newest(1)), None):
        world.say("No calls match the filter. Change it.")
    else:
        world.say("No calls found. To send a call, run:\nrpcexplorer call METHOD")


def _row(exchange: Exchange, own: str) -> dict[str, object]:
    """Return the fields for ``--json``; ``own`` is the writer of own calls."""
    return {
        "id": exchange.id,
        "time": exchange.when.isoformat(),
        "by": printable(exchange.writer or own),
        "profile": printable(exchange.profile),
        "url": printable(exchange.url),
        "method": printable(exchange.method),
        "kind": exchange.kind,
        "outcome": exchange.outcome_name,
        "code": getattr(exchange.outcome, "code", None),
        "status": exchange.response.status,
        "ms": round(exchange.seconds * 1000, 3),
        "received": exchange.response.size,
        "name": printable(exchange.name),
        "foreign": exchange.foreign,
    }


def _message(exchange: Exchange) -> dict[str, object]:
    return {"reply": printable_bytes(exchange.response.body), "reply_cut": exchange.response.cut}


def _rest(exchange: Exchange) -> dict[str, object]:
    """Return the fields that only ``history show --json`` prints.

    The exact bytes of params and response have their own options.
    """
    response = exchange.response
    event = exchange.outcome if isinstance(exchange.outcome, ServerEvent) else ServerEvent()
    return {
        "message": printable(getattr(exchange.outcome, "message", "")),
        "note": printable(exchange.note, lines=True),
        "expect": printable(exchange.expect, lines=True),
        "params": printable(exchange.params, lines=True),
        "headers": [{"name": printable(name), "value": printable(value)} for name, value in response.headers],
        **_message(exchange),
        "phases": phases_ms(response.phases),
        "reused": response.phases.kept,
        "parts": [printable_bytes(bytes(part)) for part in exchange.parts],
        "rounds": list(map(printable, exchange.rounds)),
        "remarks": list(map(printable, exchange.remarks)),
        "answer": printable(event.answer, lines=True),
        "of": printable(event.of),
        "missed": event.missed,
    }
