"""``methods``: the catalogue of a profile, one method a line."""

from __future__ import annotations

import click

from rpcexplorer.cli.session import profile_option, session_of
from rpcexplorer.cli.show import json
from rpcexplorer.model.catalogue import Method
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable


@click.command()
@profile_option
@click.option("--json", "as_json", is_flag=True, help="Print everything that is known, as JSON.")
@click.pass_context
def methods(context: click.Context, profile: str | None, as_json: bool) -> None:
    """List the methods that are known.

    They are the service's own, the profile's, and those called before. Any other name can be called as well.

    \b
    Examples:
      rpcexplorer methods
      rpcexplorer methods --json | jq -r '.[].name'
    """
    session = session_of(context)
    explorer = session.open()
    session.use(explorer, profile)
    known = list(explorer.methods().values())
    if as_json:
        json(session.world, json_of([_row(method) for method in known]))
        return
    width = max((len(printable(method.name)) for method in known), default=0)
    for method in known:
        mark = "!" if method.safe is False else " "
        line = f"{printable(method.name):<{width}}  {mark} {method.auth or '':<6}  {printable(method.doc)}"
        session.world.print(line.rstrip())


def _row(method: Method) -> dict[str, object]:
    return {
        "name": method.name,
        "doc": method.doc,
        "params": method.params,
        "auth": method.auth,
        "safe": method.safe,
        "source": method.source,
    }
