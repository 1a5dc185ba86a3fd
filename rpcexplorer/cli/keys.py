"""``keys``: the keys of the screen, as they are with this person's own."""

from __future__ import annotations

from itertools import groupby

import click
from msgspec.structs import asdict

from rpcexplorer.cli.context import TOLD, invocation_of
from rpcexplorer.cli.show import json
from rpcexplorer.cli.world import Shortcut, World
from rpcexplorer.model.problem import told
from rpcexplorer.views.cells import columns
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable

PALETTE = "palette"
"""Where a command without keys is found."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print an array of objects.")
@click.pass_context
def keys(context: click.Context, as_json: bool) -> None:
    """List the keys of the screen and what they do.

    They are those that you have now: [keymap] in settings.toml gives a command other keys, by the name in the last
    column. What has no key is found by name in the palette.

    \b
    Examples:
      rpcexplorer keys
      rpcexplorer keys --json | jq -r '.[] | select(.keys == []) | .command'
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    found, complaints = invocation.world.keys(explorer.settings.keymap, str(explorer.paths.settings))
    for sentence in told(complaints, TOLD, ""):
        invocation.world.say(sentence)
    if as_json:
        json(invocation.world, json_of([asdict(key) for key in found]))
    else:
        _print(invocation.world, found)


def _print(world: World, found: list[Shortcut]) -> None:
    """A heading for each pane, and its keys below."""
    keys = max((columns(printable(key.shown or PALETTE)) for key in found), default=0)
    does = max((len(key.does) for key in found), default=0)
    for at, (where, group) in enumerate(groupby(found, lambda key: key.where)):
        world.print(f"{chr(10) if at else ''}{where}")
        for key in group:
            shown = printable(key.shown or PALETTE)
            world.print(f"  {shown}{' ' * (keys - columns(shown))}  {key.does:<{does}}  {key.command}")
