"""``profiles test``: the way to a server step by step, by one harmless call that is not recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from rpcexplorer.cli.context import Invocation, complete_profiles, invocation_of
from rpcexplorer.cli.waiting import waiting
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.connection_test import LOGIN, RPC, Check
from rpcexplorer.model.profile import Profile
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.profile import SIGNS
from rpcexplorer.views.words.sentences import duration


@click.command("test")
@click.argument("name", required=False, shell_complete=complete_profiles)
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.pass_context
def connection(context: click.Context, name: str | None, ask: bool) -> None:
    """Test the connection of a profile step by step: name, TCP, TLS, HTTP, JSON-RPC, login.

    One harmless call is sent, and not recorded; credentials are only asked for once the server has answered. The exit
    code is that of a call which ends at the same step.

    \b
    Examples:
      rpcexplorer profiles test staging
      rpcexplorer profiles test staging --no-input && echo ready
    """
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    profile = invocation.use(explorer, name)
    steps = asyncio.run(_tested(invocation, explorer, profile))
    hide = explorer.redactor().text
    width = max(len(step.label) for step in steps)
    invocation.world.say(hide(f"{profile.name} at {profile.endpoint}"))
    for step in steps:
        took = "" if step.seconds is None else f"  {duration(step.seconds)}"
        invocation.world.print(printable(hide(f"{SIGNS[step.state][0]} {step.label:<{width}}  {step.words}{took}")))
    context.exit(_code(steps))


async def _tested(invocation: Invocation, explorer: Explorer, profile: Profile) -> list[Check]:
    async with explorer, waiting(invocation.world.stderr, explorer):
        return await explorer.test(profile)


def _code(steps: Sequence[Check]) -> int:
    """That of a call which comes as far as the first step that failed."""
    at = next((number for number, step in enumerate(steps) if step.state == "failed"), None)
    if at is None:
        return 0
    if at == LOGIN:
        return 3
    return 5 if at == RPC or steps[at].answered else 4
