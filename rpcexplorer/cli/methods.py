"""``methods``: the catalogue of a profile, one method a line, asked for anew where that is wanted."""

from __future__ import annotations

from collections.abc import Sequence

import click
from msgspec import Raw
from msgspec.structs import asdict

from rpcexplorer.cli.context import Invocation, invocation_of, profile_option
from rpcexplorer.cli.show import json
from rpcexplorer.cli.waiting import run_until_stopped, waiting
from rpcexplorer.explorer import Explorer, Stop
from rpcexplorer.model.methods.listing import Discovery
from rpcexplorer.model.methods.method import Method, SavedMethod
from rpcexplorer.model.schema.starting import starting_point
from rpcexplorer.model.templates.saved_call import SIGN
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable

NAMED = 5
"""New or vanished methods that are named; the rest is counted."""


@click.command()
@profile_option
@click.option("--refresh", is_flag=True, help="Ask the service first, as the profile's discovery says.")
@click.option("--json", "as_json", is_flag=True, help="Print everything that is known, as JSON.")
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.pass_context
def methods(context: click.Context, profile: str | None, refresh: bool, as_json: bool, ask: bool) -> None:
    """List the methods that are known.

    They are the saved calls, with an @, then the service's own, the profile's, those discovered and those called
    before. Any other name can be called as well. What a refresh learns is kept for the profile; a service that offers
    no discovery is in order.

    \b
    Examples:
      rpcexplorer methods
      rpcexplorer methods --refresh -p staging
      rpcexplorer methods --json | jq -r '.[].name'
    """
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    invocation.use(explorer, profile)
    code = _refreshed(invocation, explorer) if refresh else 0
    known = list(explorer.listed().values())
    if explorer.catalogues.trouble:
        invocation.world.say(explorer.catalogues.trouble)
    if as_json:
        json(invocation.world, json_of([_row(method, explorer) for method in known]))
    else:
        _print(invocation, known)
    context.exit(code)


def _refreshed(invocation: Invocation, explorer: Explorer) -> int:
    """Ask the service, and tell what came of it; the exit code."""
    stop = Stop()
    discovery = run_until_stopped(_discover(invocation, explorer, stop), stop)
    for sentence in discovery.sentences:
        invocation.world.say(sentence)
    for word, names in (("new", discovery.new), ("gone", discovery.gone)):
        if names:
            invocation.world.say(f"{word}: {_named(names)}")
    return discovery.exit_code


async def _discover(invocation: Invocation, explorer: Explorer, stop: Stop) -> Discovery:
    async with explorer, waiting(invocation.world.stderr, explorer) as watch:
        return await explorer.discover(watch=watch, stop=stop)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(printable(name) for name in names[:NAMED]) + more


def _print(invocation: Invocation, known: Sequence[Method]) -> None:
    width = max((len(printable(method.name)) for method in known), default=0)
    for method in known:
        mark = "!" if method.safe is False else " "
        line = f"{printable(method.name):<{width}}  {mark} {method.auth or '':<6}  {printable(method.doc)}"
        invocation.world.print(line.rstrip())


def _learned(explorer: Explorer) -> str | None:
    learned = explorer.profile and explorer.catalogues.of(explorer.profile)
    return learned.when.isoformat(timespec="seconds") if learned else None


def _row(method: Method, explorer: Explorer) -> dict[str, object]:
    """All of a method; ``learned`` is when it was discovered, ``start`` what its params may start from.

    A saved call is named as ``call`` takes it, and ``calls`` says its method.
    """
    row = {
        **asdict(method),
        "parameters": [parameter._asdict() for parameter in method.parameters],
        "start": starting_point(method),
        "learned": _learned(explorer) if method.dialect else None,
    }
    if isinstance(method, SavedMethod):
        call = explorer.saved_calls()[method.name.removeprefix(SIGN)]
        row |= {"doc": call.doc, "start": Raw((call.text or "[]").encode())}
    return row
