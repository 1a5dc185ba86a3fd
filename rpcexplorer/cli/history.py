"""`history`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import islice

import click

from rpcexplorer.cli.context import complete_profiles, fail
from rpcexplorer.cli.history_bounds import bounded, wanted_of
from rpcexplorer.cli.history_cases import export, import_
from rpcexplorer.cli.history_stats import stats
from rpcexplorer.cli.mistakes import CommandGroup
from rpcexplorer.cli.recorded import one_of, opened
from rpcexplorer.cli.show import json, json_line
from rpcexplorer.cli.values import OneOf, whole_number
from rpcexplorer.cli.world import World
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Damaged, Exchange
from rpcexplorer.model.filter import OUTCOME_WORDS
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable, printable_bytes
from rpcexplorer.views.words.history import history_line, shown

AT_MOST = whole_number(1)
AGE = re.compile(r"([0-9]{1,4})([hdw])")
NAMED = 3
"""Others who record in the same folder that are named; the rest is counted."""
HOURS = {"h": 1, "d": 24, "w": 168}


@click.group(cls=CommandGroup)
def history() -> None:
    """History: every call that was made, newest first."""


history.add_command(export)
history.add_command(import_)
history.add_command(stats)


@history.command("list")
@click.argument("text", default="")
@click.option("-n", "--limit", type=AT_MOST, metavar="N", default=20, show_default=True, help="At most so many.")
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Only of this profile.")
@click.option("--method", metavar="NAME", help="Only of this method.")
@click.option(
    "--outcome",
    type=OneOf(OUTCOME_WORDS),
    multiple=True,
    metavar="WORD",
    help=f"Only with this outcome, or one of several: {', '.join(OUTCOME_WORDS)}.",
)
@bounded
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.pass_context
def list_(
    context: click.Context,
    /,
    text: str,
    limit: int,
    profile: str | None,
    method: str | None,
    outcome: tuple[str, ...],
    as_json: bool,
    **bounds: str | None,
) -> None:
    """List the newest calls. TEXT narrows the list, with the words of a filter as in history search.

    \b
    Examples:
      rpcexplorer history list
      rpcexplorer history list outcome:error
      rpcexplorer history list -n 100 --outcome error -p staging
      rpcexplorer history list --code -32602 --since 2h --slower 1s
    """
    given = {"method": method, "outcome": " ".join(outcome)}
    wanted = wanted_of(text, profile, bounds, **{kind: value for kind, value in given.items() if value})
    world, explorer = opened(context, profile)
    found = explorer.history.search(wanted)
    _print(world, islice(found, limit), explorer, as_json=as_json)


@history.command()
@click.argument("text")
@click.option("-n", "--limit", type=AT_MOST, metavar="N", default=50, show_default=True, help="At most so many.")
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Only of this profile.")
@bounded
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.pass_context
def search(
    context: click.Context, /, text: str, limit: int, profile: str | None, as_json: bool, **bounds: str | None
) -> None:
    """Find calls whose request, reply, name or note holds TEXT; upper and lower case count as the same.

    Words of a filter may stand in TEXT: outcome: method: profile: by: code: status: since: until: slower: faster:
    larger: smaller: narrow what is found. In quotes they are text.

    \b
    Examples:
      rpcexplorer history search user.delete
      rpcexplorer history search 'invalid params method:user since:2h' -p prod
    """
    wanted = wanted_of(text, profile, bounds)
    world, explorer = opened(context, profile)
    found = explorer.history.search(wanted)
    _print(world, islice(found, limit), explorer, as_json=as_json)


@history.command()
@click.argument("id", required=False)
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Look where it records.")
@click.option("--params", "part", flag_value="params", help="Print only the request's params.")
@click.option("--body", "part", flag_value="body", help="Print only the reply's body.")
@click.option("--json", "part", flag_value="json", help="Print all of it as one JSON object.")
@click.pass_context
def show(context: click.Context, id: str | None, profile: str | None, part: str | None) -> None:
    """Show one call: what was asked, when, how long, what came, headers included. Without an ID, the newest.

    A part of an id is enough where only one call has it.

    \b
    Examples:
      rpcexplorer history show
      rpcexplorer history show 1m7ypmkv7qa7kfj --body | jq .result
      rpcexplorer history show --json | jq -r '.headers[] | select(.name == "X-Request-Id").value'
    """
    world, explorer = opened(context, profile)
    exchange = one_of(explorer, id, there=profile is not None).exchange
    if part == "params":
        json(world, exchange.params.encode(errors="backslashreplace"))
    elif part == "body":
        body = exchange.response.body
        if world.shows:
            world.print(printable_bytes(body))
        else:
            world.write(body)
    elif part == "json":
        json_line(world, json_of(_row(exchange, explorer.history.writer) | _rest(exchange)))
    else:
        world.print(shown(exchange, colour=world.colours))


@history.command()
@click.option("--keep", type=whole_number(0), metavar="N", help="Keep the newest N calls.")
@click.option("--older-than", metavar="AGE", help="Remove calls older than 12h, 30d or 8w.")
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Only of this profile.")
@click.option("--dry-run", is_flag=True, help="Only count.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def prune(
    context: click.Context, keep: int | None, older_than: str | None, profile: str | None, dry_run: bool, yes: bool
) -> None:
    """Remove old calls for good.

    \b
    Examples:
      rpcexplorer history prune --older-than 30d
      rpcexplorer history prune --keep 1000 --dry-run
    """
    if keep is None and older_than is None:
        raise click.UsageError("Say what to remove: --keep N, --older-than AGE, or both.")
    before = None if older_than is None else datetime.now(UTC) - _age(older_than)
    world, explorer = opened(context, profile)
    count = explorer.history.prune(keep=keep, before=before, profile=profile, dry=True)
    if others := explorer.history.others():
        named = ", ".join(others[:NAMED]) + f" and {len(others) - NAMED} more" * (len(others) > NAMED)
        world.say(f"{named} record in {explorer.history.folder} too; what they have recorded stays")
    there = f" from {explorer.history.folder}" if explorer.history.shared else ""
    if dry_run or not count:
        world.say(f"{count:,} calls would be removed{there}")
        return
    if not yes:
        if not world.asks:
            fail(f"{count:,} calls would be removed{there} for good: add --yes to do it.")
        if not click.confirm(f"Remove {count:,} calls{there} for good?", default=False, err=True):
            fail("Nothing was removed.")
    count = explorer.history.prune(keep=keep, before=before, profile=profile)
    world.say(f"removed {count:,} calls{there}")


def _print(world: World, found: Iterable[Exchange | Damaged], explorer: Explorer, *, as_json: bool) -> None:
    own, many = explorer.history.writer, bool(explorer.history.others())
    for exchange in found:
        if isinstance(exchange, Damaged):
            world.say(f"a damaged record in {exchange.file}: {exchange.reason}")
        elif as_json:
            json_line(world, json_of(_row(exchange, own)))
        else:
            world.print(history_line(exchange, width=world.width, colour=world.colours, writers=many))


def _row(exchange: Exchange, own: str) -> dict[str, object]:
    """``own``: who has recorded what nobody else has."""
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


def _rest(exchange: Exchange) -> dict[str, object]:
    """What a list has no room for. The exact bytes of params and reply have options of their own."""
    response = exchange.response
    return {
        "message": printable(getattr(exchange.outcome, "message", "")),
        "note": printable(exchange.note, lines=True),
        "params": printable(exchange.params, lines=True),
        "headers": [{"name": printable(name), "value": printable(value)} for name, value in response.headers],
        "reply": printable_bytes(response.body),
        "reply_cut": response.cut,
        "remarks": list(map(printable, exchange.remarks)),
    }


def _age(text: str) -> timedelta:
    parts = AGE.fullmatch(text)
    if parts is None:
        raise click.UsageError(f"--older-than: {text} is no age: write a number and h, d or w, such as 30d.")
    return timedelta(hours=int(parts[1]) * HOURS[parts[2]])
