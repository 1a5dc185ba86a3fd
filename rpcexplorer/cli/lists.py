"""`keys`, `themes` and `presets`."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

from rpcexplorer.cli.completion import complete_presets
from rpcexplorer.cli.context import MAX_COMPLAINTS, CommandGroup, fail, invocation_of
from rpcexplorer.cli.output import print_json
from rpcexplorer.model.problem import PROGRAM, first_few
from rpcexplorer.text.json_text import json_of
from rpcexplorer.text.printable import columns, printable

PALETTE = "palette"


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
    from rpcexplorer.tui.commands import COMMANDS, SCOPES, keys_of, read_keymap, shown_keys  # only to print them

    invocation = invocation_of(context)
    explorer = invocation.open()
    usable, problems = read_keymap(explorer.settings.keymap, str(explorer.paths.settings))
    found: list[dict[str, Any]] = [
        {
            "command": command.id,
            "keys": tuple(keys_of(command, usable)),
            "shown": shown_keys(command, usable),
            "does": command.help,
            "where": pane,
        }
        for scope, pane in SCOPES.items()
        for command in COMMANDS
        if command.scope == scope
    ]
    for sentence in first_few(problems, MAX_COMPLAINTS, ""):
        invocation.world.say(sentence)
    if as_json:
        print_json(invocation.world, json_of(found))
        return
    keys_width = max(columns(printable(key["shown"] or PALETTE)) for key in found)
    help_width = max(len(key["does"]) for key in found)
    for at, (pane, group) in enumerate(groupby(found, lambda key: key["where"])):
        invocation.world.print(f"{chr(10) if at else ''}{pane}")
        for key in group:
            shown = printable(key["shown"] or PALETTE)
            padding = " " * (keys_width - columns(shown))
            invocation.world.print(f"  {shown}{padding}  {key['does']:<{help_width}}  {key['command']}")


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
        for problem in each.problems:
            invocation.world.say(str(problem))


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
    if found.problems:
        fail("\n".join(map(str, found.problems)))
    invocation.world.say(f"it stands in {found.preset.file}")
