"""``login`` and ``logout``: open a session for a cookie profile, or forget it."""

from __future__ import annotations

import click

from rpcexplorer.cli.context import Invocation, fail, invocation_of, profile_option
from rpcexplorer.cli.show import Part, advise, show
from rpcexplorer.cli.waiting import run_until_stopped, waiting
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.exchange import Exchange, Stop


@click.command()
@profile_option
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.pass_context
def login(context: click.Context, profile: str | None, ask: bool) -> None:
    """Open a new session and keep it for the calls to come.

    \b
    Examples:
      rpcexplorer login -p staging
      RPCEXPLORER_STAGING_PASSWORD=… rpcexplorer login -p staging --no-input
    """
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    invocation.use(explorer, profile)
    stop = Stop()
    exchange = run_until_stopped(_login(invocation, explorer, stop), stop)
    show(invocation.world, exchange, Part.RESULT, include=False)
    advise(invocation.world, exchange, explorer)
    context.exit(exchange.exit_code)


@click.command()
@profile_option
@click.pass_context
def logout(context: click.Context, profile: str | None) -> None:
    """Forget the session that is kept. The server is not told.

    \b
    Example:
      rpcexplorer logout -p staging
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    chosen = invocation.use(explorer, profile)
    there_was, trouble = explorer.credentials.log_out(chosen)
    if trouble:
        fail(trouble)
    if not there_was and (broken := explorer.secrets.trouble()):
        fail(str(broken))
    invocation.world.say(f"the session of {chosen.name} is forgotten" if there_was else f"{chosen.name} has no session")


async def _login(invocation: Invocation, explorer: Explorer, stop: Stop) -> Exchange:
    async with explorer, waiting(invocation.world.stderr, explorer) as watch:
        return await explorer.login(watch=watch, stop=stop)
