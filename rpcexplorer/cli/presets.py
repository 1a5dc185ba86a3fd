"""``presets``: the kinds of servers that are known, and what a profile gets that names one."""

from __future__ import annotations

import click

from rpcexplorer.cli.context import complete_presets, fail, invocation_of
from rpcexplorer.cli.mistakes import CommandGroup
from rpcexplorer.cli.world import PROGRAM
from rpcexplorer.views.printable import printable


class PresetCommands(CommandGroup):
    def instead(self, ctx: click.Context, name: str) -> str:  # noqa: ARG002 - the shape of its base
        """Somebody who names a preset wants to see it."""
        return f"; to see a preset: {PROGRAM} presets show NAME."


@click.group(cls=PresetCommands, invoke_without_command=True)
@click.pass_context
def presets(context: click.Context) -> None:
    """List the presets: kinds of servers, each with what a profile of one starts with.

    They are the program's own, and those in the presets folder of your config folder, which win by name.

    \b
    Examples:
      rpcexplorer presets
      rpcexplorer presets show bitcoin
      rpcexplorer profiles add node --url http://127.0.0.1:8332 --preset bitcoin --username rpc
    """
    if context.invoked_subcommand is not None:
        return
    invocation = invocation_of(context)
    found = invocation.open().profiles.presets.all()
    width = max((len(each.preset.name) for each in found), default=0)
    for each in found:
        invocation.world.print(printable(f"{each.preset.name:<{width}}  {each.preset.description}".rstrip()))
        for complaint in each.complaints:
            invocation.world.say(str(complaint))


@presets.command()
@click.argument("name", shell_complete=complete_presets)
@click.pass_context
def show(context: click.Context, name: str) -> None:
    """Print a preset: its file, as it stands there.

    To have one of your own, write it into the presets folder of your config folder, and change it.

    \b
    Example:
      rpcexplorer presets show bitcoin > my.toml
    """
    invocation = invocation_of(context)
    known = invocation.open().profiles.presets
    found = known.load(name)
    if found is None:
        fail(f"{known.unknown(name)}.")
    invocation.world.print(printable(found.preset.text, lines=True).rstrip("\n"))
    if found.complaints:
        fail("\n".join(map(str, found.complaints)))
    invocation.world.say(f"it stands in {found.preset.file}")
