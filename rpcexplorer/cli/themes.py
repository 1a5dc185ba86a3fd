"""``themes``: the themes there are, and the file of each."""

from __future__ import annotations

import click

from rpcexplorer.cli.context import invocation_of
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
    invocation = invocation_of(context)
    found = invocation.open().themes.files()
    width = max((len(name) for name in found), default=0)
    for name, path in found.items():
        invocation.world.print(printable(f"{name:<{width}}  {path}"))
