"""``history export`` and ``history import``: calls as a file to hand on, and those that somebody else has handed on."""

from __future__ import annotations

from itertools import islice

import click

from rpcexplorer.cli.context import complete_profiles, fail
from rpcexplorer.cli.history_bounds import bounded, wanted_of
from rpcexplorer.cli.output import Output
from rpcexplorer.cli.recorded import found_anywhere, opened, read_case
from rpcexplorer.cli.values import whole_number
from rpcexplorer.model.exchange import Exchange


@click.command("export")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--last", type=whole_number(1), metavar="N", help="The newest N calls; with --search, of those found.")
@click.option("--search", metavar="TEXT", help="The calls that hold TEXT, as `history search` finds them.")
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Only of this profile.")
@bounded
@click.option(
    "--hide",
    metavar="POINTER",
    multiple=True,
    help="Redact this value, such as /params/name or /users/*/email. A call with redacted params cannot be replayed.",
)
@click.option("--note", metavar="TEXT", default="", help="What to say of them.")
@click.option("--jsonl", is_flag=True, help="One JSON object a line instead of a case.")
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout; whole, or not at all.")
@click.pass_context
def export(
    context: click.Context,
    /,
    ids: tuple[str, ...],
    last: int | None,
    search: str | None,
    profile: str | None,
    hide: tuple[str, ...],
    note: str,
    jsonl: bool,
    output: str | None,
    **bounds: str | None,
) -> None:
    """Print calls as a case: a file to hand on, which somebody else opens, imports or replays.

    Secrets are never in it. --hide redacts other values, in params and responses, and the same value everywhere
    else. If it is part of a method's name, nothing is written.

    \b
    Examples:
      rpcexplorer history export 1m7ypmkv7qa7kfj > case.toml
      rpcexplorer history export --last 3 --note 'fails since Tuesday' --hide '/result/users/*/email'
      rpcexplorer history export --search user.delete --jsonl | jq -r .method
    """
    looks = last is not None or search is not None or any(bounds.values())
    if not ids and not looks:
        raise click.UsageError("Say which calls: their ids, --last N, --search TEXT, or a bound such as --since 2h.")
    world, explorer = opened(context, profile)
    out = Output(world, output)
    calls = [found_anywhere(explorer, id).exchange for id in ids]
    if looks:
        wanted = wanted_of(search or "", profile, bounds)
        calls += islice((each for each in explorer.history.search(wanted) if isinstance(each, Exchange)), last)
    if not calls:
        fail("No call was found, and nothing was written.")
    made = explorer.cases.made_of(list({call.id: call for call in calls}.values()), note=note, hide=hide)
    if isinstance(made, str):
        fail(made)
    if made.too_much and not jsonl:
        fail(f"{made.too_much}. Name fewer, or write them as lines of JSON with --jsonl.")
    for id in made.dropped:
        world.say(f"warning: the response of {id} was left out: rpcexplorer cannot find all hidden values in it.")
    for pointer in made.short:
        short = f"warning: a value at {pointer} is too short to be redacted inside other text"
        world.say(f"{short}. Check the file before you share it.")
    out.world.write((made.lines if jsonl else made.text).encode())
    out.write()


@click.command("import")
@click.argument("file")
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Add where this one records.")
@click.pass_context
def import_(context: click.Context, file: str, profile: str | None) -> None:
    """Add the calls of a case to the history, marked as somebody else's. Nothing is sent.

    \b
    Example:
      rpcexplorer history import case.toml
    """
    world, explorer = opened(context, profile)
    case = read_case(explorer, world, file)
    taken = explorer.cases.take_in(case, explorer.profile)
    there = f"; {taken.known} had been added before" if taken.known else ""
    came = f"; they went to {', '.join(case.addresses)}" if taken.added and case.addresses else ""
    other = f"; {taken.renamed} under another id, as another call has theirs" if taken.renamed else ""
    world.say(f"added {_calls(len(taken.added))}{came}{other}{there}")
    for call in taken.added:
        world.print(call.id)
    if taken.trouble:
        fail(taken.trouble)
    if not case.exchanges:
        fail(f"{case.file} holds no call that can be read.")


def _calls(many: int) -> str:
    return f"{many} call{'s' * (many != 1)}"
