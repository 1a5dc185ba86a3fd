"""`methods` and `params`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

import click

from rpcexplorer.cli.context import Invocation, complete_methods, fail, invocation_of, profile_option
from rpcexplorer.cli.show import json
from rpcexplorer.cli.values import AUTH, OneOf
from rpcexplorer.cli.waiting import run_until_stopped, waiting
from rpcexplorer.cli.world import PROGRAM
from rpcexplorer.discovery.methods import Discovery
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.method import Method, SavedMethod, as_named, method_of
from rpcexplorer.model.problem import nearest_few
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.docs import docs_lines

NAMED = 5
"""New, vanished or changed methods that are named after a refresh; the rest is counted."""
NEAR = 3
"""Names that are told where one is not known."""


@click.command()
@click.argument("name", required=False, shell_complete=complete_methods)
@profile_option
@click.option("--url", metavar="URL", help="Use this address, without a profile.")
@click.option("--auth", type=AUTH, help="Auth type, with --url.  [default: none]")
@click.option("--refresh", is_flag=True, help="Ask the service first, as the profile's discovery says.")
@click.option("--changes", is_flag=True, help="Print what the last refresh found new, gone or changed.")
@click.option("--json", "as_json", is_flag=True, help="Print everything that is known, as JSON.")
@click.option("--export", type=OneOf(["openrpc"]), help="Print a document for a team to commit: openrpc.")
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.pass_context
def methods(
    context: click.Context,
    name: str | None,
    profile: str | None,
    url: str | None,
    auth: str | None,
    refresh: bool,
    changes: bool,
    as_json: bool,
    export: str | None,
    ask: bool,
) -> None:
    """List the methods that are known, or print all about the one called NAME.

    They are the saved calls, with an @, then the service's own, the profile's, those discovered and those called
    before. Any other name can be called as well. What a refresh learns is kept for the profile; a service that offers
    no discovery is in order.

    \b
    Examples:
      rpcexplorer methods
      rpcexplorer methods user.list
      rpcexplorer methods --refresh -p staging
      rpcexplorer methods --refresh --url http://127.0.0.1:8000/jsonrpc
      rpcexplorer methods --changes
      rpcexplorer methods --json | jq -r '.[].name'
      rpcexplorer methods --export openrpc > openrpc.json
    """
    if export and (name or changes or as_json):
        raise click.UsageError("--export goes with neither NAME nor --changes nor --json: it is the whole catalogue.")
    if changes and name:
        raise click.UsageError("--changes goes without NAME: it is about all methods.")
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    chosen = invocation.use(explorer, profile, url, auth)
    code = 0
    if refresh:
        code = _refreshed(invocation, explorer)
    else:
        explorer.read_description()
    if export:
        known = [*explorer.methods(called=False).values()]
        document = explorer.catalogues.openrpc(chosen, known)
        json(invocation.world, document.removesuffix("\n").encode())
    elif changes:
        _print_changes(invocation, explorer, as_json=as_json)
    else:
        _print(invocation, explorer, name, as_json=as_json)
        if not (name or refresh or explorer.listed()):
            named = {"-p": profile or invocation.profile, "--url": url or invocation.url, "--auth": auth}
            options = "".join(f" {option} {shlex.quote(value)}" for option, value in named.items() if value)
            invocation.world.say(f"No methods are known yet. Run:\n{PROGRAM} methods --refresh{options}")
    if explorer.catalogues.trouble:
        invocation.world.say(explorer.catalogues.trouble)
    context.exit(code)


def known_method(explorer: Explorer, name: str) -> Method:
    """The method of that name, as ``call`` takes it; or the end of the command, with the nearest names."""
    known = explorer.listed()
    if name not in known:
        near = " or ".join(map(printable, _nearest(name, known)))
        guess = f"Did you mean {near}?" if near else "rpcexplorer methods lists those that are."
        fail(f"No method {printable(name)} is known. {guess} To ask the service anew: rpcexplorer methods --refresh")
    return known[name]


def _nearest(name: str, known: Mapping[str, Method]) -> list[str]:
    """Those that are spelled like it, and those that hold its longest word."""
    small = name.lower()
    word = max(re.findall(r"\w+", small), key=len, default=small)
    alike = sorted(known, key=lambda each: each[:2].lower() != small[:2])  # only some are looked at: the likeliest
    holding = sorted((each for each in known if word in each.lower()), key=len)
    return list(dict.fromkeys([*nearest_few(name, alike, NEAR), *holding]))[:NEAR]


def _refreshed(invocation: Invocation, explorer: Explorer) -> int:
    """Ask the service, and tell what came of it; the exit code."""
    stop = Stop()
    discovery = run_until_stopped(_discover(invocation, explorer, stop), stop)
    for sentence in discovery.sentences:
        invocation.world.say(sentence)
    for word, names in (("new", discovery.new), ("gone", discovery.gone)):
        if names:
            invocation.world.say(f"{word}: {_named(names)}")
    changed = [change for change in discovery.changed if change.kind == "changed"]
    for change in changed[:NAMED]:
        invocation.world.say(f"changed: {printable(change.line)}")
    if len(changed) > NAMED:
        invocation.world.say(f"{len(changed) - NAMED:,} more have changed: rpcexplorer methods --changes shows them")
    return discovery.exit_code


async def _discover(invocation: Invocation, explorer: Explorer, stop: Stop) -> Discovery:
    async with explorer, waiting(invocation.world.stderr, explorer) as watch:
        return await explorer.discover(watch=watch, stop=stop, tell=watch.told)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(printable(name) for name in names[:NAMED]) + more


def _print_changes(invocation: Invocation, explorer: Explorer, *, as_json: bool) -> None:
    """What the last refresh found that found anything; nothing, where none has."""
    assert explorer.profile is not None
    found, world = explorer.catalogues.changes(explorer.profile), invocation.world
    if found is None:
        world.say("No refresh has found anything new, gone or changed.")
    else:
        when, before = (f"{each.astimezone():%-d %B %Y at %H:%M}" for each in (found.when, found.before))
        world.say(f"found by the refresh of {when}; the one before was on {before}")
        if found.more:
            world.say(f"{found.more:,} more are not kept")
    told = found.methods if found else ()
    if as_json:
        json(world, json_of([{"name": each.name, "kind": each.kind, "what": each.what} for each in told]))
        return
    for each in told:
        world.print(f"{each.kind:<7}  {printable(each.line)}")


def _print(invocation: Invocation, explorer: Explorer, name: str | None, *, as_json: bool) -> None:
    world = invocation.world
    known = [known_method(explorer, name)] if name else list(explorer.listed().values())
    if as_json:
        from rpcexplorer.cli.methods_json import rows  # most who list methods look at them

        json(world, json_of(rows(explorer, known, whole=name is not None)))
    elif name:
        _print_docs(invocation, explorer, known[0])
    else:
        _print_lines(invocation, known)


def _print_docs(invocation: Invocation, explorer: Explorer, method: Method) -> None:
    """All about a method; of a saved call, its line and then all about what it calls."""
    assert explorer.profile is not None
    world = invocation.world
    if isinstance(method, SavedMethod):
        world.print(f"  {printable(method.name)} is a saved call: {printable(method.doc)}")
        world.print()
        method = explorer.listed().get(as_named(method.calls)) or Method(method.calls, source="saved")
    learned = explorer.catalogues.of(explorer.profile)
    described = explorer.described(method_of(method.name))
    for line in docs_lines(method, described, learned.when if learned else None, explorer.profile, width=world.width):
        world.print("".join(text for text, _ in line).rstrip())


def _print_lines(invocation: Invocation, known: Sequence[Method]) -> None:
    width = max((len(printable(method.name)) for method in known), default=0)
    for method in known:
        mark = "!" if method.safe is False else " "
        line = f"{printable(method.name):<{width}}  {mark} {method.auth or '':<6}  {printable(method.doc)}"
        invocation.world.print(line.rstrip())
