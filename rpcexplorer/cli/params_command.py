"""``params``: what the params of a method may start from, and what its schema has against some."""

from __future__ import annotations

import click

from rpcexplorer.cli.context import complete_methods, invocation_of, profile_option
from rpcexplorer.cli.methods import known_method
from rpcexplorer.cli.show import json
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.methods.method import Method, SavedMethod
from rpcexplorer.model.schema.starting import starting_point
from rpcexplorer.model.templates.saved_call import SIGN, method_of
from rpcexplorer.views.json_out import raw_of


@click.command()
@click.argument("method", shell_complete=complete_methods)
@profile_option
@click.option("--no-input", "ask", flag_value=False, default=True, help="Never ask anything; fail instead.")
@click.pass_context
def params(context: click.Context, method: str, profile: str | None, ask: bool) -> None:
    """Print params that METHOD accepts, as JSON: something to start from.

    Nothing is sent: what is known of the method stands in the catalogue of the profile.

    \b
    Examples:
      rpcexplorer params user.list
      rpcexplorer params user.list > params.json
      rpcexplorer call user.list @params.json
    """
    invocation = invocation_of(context)
    explorer = invocation.open(ask=ask)
    invocation.use(explorer, profile)
    json(invocation.world, _start(explorer, known_method(explorer, method)))
    if explorer.catalogues.trouble:
        invocation.world.say(explorer.catalogues.trouble)


def _start(explorer: Explorer, method: Method) -> bytes:
    """JSON to start from; what is known to need nothing starts with nothing."""
    if isinstance(method, SavedMethod):
        return (explorer.saved_calls()[method.name.removeprefix(SIGN)].text or "[]").encode()
    start = starting_point(method, explorer.described(method_of(method.name)))
    return b"[]" if start is None else bytes(raw_of(start))
