"""``params``: what the params of a method may start from, and what its schema has against some."""

from __future__ import annotations

import asyncio

import click

from rpcexplorer.cli.context import Invocation, complete_methods, complete_params, invocation_of, profile_option
from rpcexplorer.cli.methods import known_method
from rpcexplorer.cli.params import params_text
from rpcexplorer.cli.show import json
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import Problem
from rpcexplorer.model.draft import Draft
from rpcexplorer.model.method import SIGN, Method, SavedMethod, method_of
from rpcexplorer.model.problem import Checked
from rpcexplorer.schema.start import sendable_start, started
from rpcexplorer.views.json_out import raw_of
from rpcexplorer.views.words.problems import marked, warning

WRONG = 2
"""The exit code where a schema has something against the params."""


@click.command()
@click.argument("method", shell_complete=complete_methods)
@click.argument("given", nargs=-1, metavar="[PARAMS|@FILE|-]", shell_complete=complete_params)
@profile_option
@click.option("--check", is_flag=True, help="Say what the schema of METHOD has against these params.")
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.pass_context
def params(
    context: click.Context, method: str, given: tuple[str, ...], profile: str | None, check: bool, ask: bool
) -> None:
    """Print params that METHOD accepts, as JSON: something to start from.

    With --check it is told what the schema of METHOD has against params, written as for call: each place with what is
    allowed there, and exit code 2. Nothing is sent: what is known stands in the catalogue of the profile.

    \b
    Examples:
      rpcexplorer params user.list
      rpcexplorer params user.list > params.json
      rpcexplorer params user.list --check @params.json
      rpcexplorer params user.list --check page:=1
    """
    if given and not check:
        raise click.UsageError("To check params, add --check; without it, what METHOD may start from is printed.")
    invocation = invocation_of(context)
    text = params_text(given, invocation.world)
    explorer = invocation.open(ask=ask)
    invocation.use(explorer, profile)
    explorer.read_description()
    known = known_method(explorer, method)
    code = _check(invocation, explorer, known, text) if check else _print_start(invocation, explorer, known)
    if explorer.catalogues.trouble:
        invocation.world.say(explorer.catalogues.trouble)
    context.exit(code)


def _print_start(invocation: Invocation, explorer: Explorer, method: Method) -> int:
    """JSON to start from; what is known to need nothing starts with nothing."""
    if isinstance(method, SavedMethod):
        saved = explorer.saved_calls()[method.name.removeprefix(SIGN)]
        json(invocation.world, (saved.text or "[]").encode())
        return 0
    start = started(method, explorer.described(method_of(method.name)))
    assert explorer.profile is not None
    text = "[]" if start.value is None else bytes(raw_of(start.value)).decode()
    json(invocation.world, sendable_start(explorer.profile, method_of(method.name), text).encode())
    if start.why_not:
        invocation.world.say(f"note: this is not right as it is: {start.why_not}")
    return 0


def _check(invocation: Invocation, explorer: Explorer, method: Method, text: str) -> int:
    """Tell what is wrong with the params; the exit code."""
    world, name = invocation.world, method.calls if isinstance(method, SavedMethod) else method_of(method.name)
    if isinstance(method, SavedMethod) and not text:
        text = explorer.saved_calls()[method.name.removeprefix(SIGN)].text
    read = Draft(name, text).read()
    if isinstance(read, Problem):
        world.say(f"these are no params: {read}")
        world.stderr.write(f"{marked(text, read)}\n")
        return WRONG
    found = asyncio.run(_checked(explorer, name, text))
    for at, problem in enumerate(found.problems):
        world.say(warning(problem, at, len(found.problems)))
    if found.why_not:
        world.say(f"{'not all was' if found.problems else 'not'} checked: {found.why_not}")
    elif found.is_right:
        world.say("nothing in its schema is against these params")
    return WRONG if found.problems else 0


async def _checked(explorer: Explorer, name: str, text: str) -> Checked:
    async with explorer:
        described = explorer.described(name)
        if described is None:
            return Checked(why_not="it is not known what it takes")
        known = explorer.methods(called=False).get(name)  # of a saved call, what it calls
        return await explorer.checker.params(described, text, by=known.by if known else None)
