"""``themes``: the themes there are, and the file of each."""

from __future__ import annotations

import click

from rpcexplorer.cli.context import session_of
from rpcexplorer.views.printable import printable


@click.command()
@click.pass_context
def themes(context: click.Context) -> None:
    """List the themes.

    They are the program's own, and those in the themes folder of your config folder.

    \b
    Example:
      rpcexplorer themes
    """
    session = session_of(context)
    found = session.open().themes.files()
    width = max((len(name) for name in found), default=0)
    for name, path in found.items():
        session.world.print(printable(f"{name:<{width}}  {path}"))
