"""`keys`, `themes`, `presets`, `paths` and `manual`."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
from contextlib import suppress
from typing import Any, Final

import click

from rpcexplorer.cli.run import MAX_PROBLEMS, CommandGroup, Run, complete_presets, fail, profile_option
from rpcexplorer.cli.world import World
from rpcexplorer.manual import PAGES, Page, read_page, read_pages
from rpcexplorer.model.problem import PROGRAM, UserError, first_few, nearest
from rpcexplorer.model.secret import for_others
from rpcexplorer.model.settings import NATIVE, Theme
from rpcexplorer.patterns import regex
from rpcexplorer.text.json_text import coloured, json_of, painted
from rpcexplorer.text.printable import columns, fitted, printable

PALETTE = "(in palette)"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array of objects.")
@click.pass_obj
def keys(run: Run, as_json: bool) -> None:
    """List the keys of the screen and their commands.

    The list includes your changes. To change the keys of a command, add its name from the last column to [keymap] in
    settings.toml. Commands without a key are in the command palette.

    \b
    Examples:
      rpcexplorer keys
      rpcexplorer keys --json | jq -r '.[] | select(.keys == []) | .command'
    """
    # Only this command prints them.
    from rpcexplorer.tui.commands import COMMANDS, SCOPES, keys_of, read_keymap, shown_keys

    world, explorer = run.world, run.explorer
    usable, problems = read_keymap(explorer.settings.keymap, explorer.settings_problem)
    found: list[dict[str, Any]] = []
    for scope, pane in SCOPES.items():
        commands = [command for command in COMMANDS if command.scope == scope]
        for command in commands:
            shown = shown_keys(command, usable)
            row = {"command": command.id, "keys": tuple(keys_of(command, usable)), "shown": shown}
            found.append({**row, "does": command.help, "where": pane})
    for sentence in first_few(problems, MAX_PROBLEMS, ""):
        world.say(sentence)
    if as_json:
        world.print_json(json_of(found))
        return
    keys_width = max(columns(printable(key["shown"] or PALETTE)) for key in found)
    help_width = max(len(key["does"]) for key in found)
    pane = ""
    for key in found:
        if key["where"] != pane:
            if pane:
                world.print()
            pane = key["where"]
            world.print(pane)
        shown = printable(key["shown"] or PALETTE)
        padding = " " * (keys_width - columns(shown))
        world.print(f"  {shown}{padding}  {key['does']:<{help_width}}  {key['command']}")


@click.command()
@click.pass_obj
def themes(run: Run) -> None:
    """List the themes.

    The list shows the built-in themes, and those in the themes folder of your config folder. On a terminal, it shows
    JSON in the colours of each.

    \b
    Example:
      rpcexplorer themes
    """
    world, found = run.world, run.explorer.themes
    if not world.colours:
        world.print_columns((name, str(path)) for name, path in found.files().items())
        return
    width = max(map(columns, map(printable, found.files())))
    for name, path in found.files().items():
        theme, _ = found.load(name)
        sample = themed(SAMPLE, theme) if theme else " " * (len(SAMPLE) + 2)
        world.print(f"{fitted(name, width)}  {sample}  {printable(str(path))}")


SAMPLE: Final = '{"name": "Ada", "age": 36, "admin": true}'


def themed(json_text: str, theme: Theme) -> str:
    """Return JSON in the colours of a theme, with a blank before and after it."""
    ground = _ink(theme.colours["background"], 40)
    pieces = [(" ", "json-punctuation"), *coloured(json_text), (" ", "json-punctuation")]
    inks = {role: _ink(colour, 30) for role, colour in theme.json.items()}
    return "".join(f"\x1b[{ground};{inks[role.removeprefix('json-')]}m{text}" for text, role in pieces) + "\x1b[0m"


def _ink(colour: str, first: int) -> str:
    """Return the code of a colour; ``first``: 30 for text, 40 for the ground."""
    if colour.startswith("#"):
        red, green, blue = bytes.fromhex(colour[1:])
        return f"{first + 8};2;{red};{green};{blue}"
    number = NATIVE.index(colour)
    if number == 0:
        return str(first + 9)
    return str(first + number - 1 if number <= 8 else first + 60 + number - 9)


class PresetCommands(CommandGroup):
    def instead(self, ctx: click.Context, name: str) -> str:  # noqa: ARG002 - the shape of its base
        """Return the command that prints a preset."""
        return f"To print a preset, run:\n{PROGRAM} presets show NAME"


@click.group(cls=PresetCommands, invoke_without_command=True)
@click.pass_context
def presets(context: click.Context) -> None:
    """List the presets: settings for known servers.

    A file in the presets folder of your config folder overrides the built-in preset of the same name.

    \b
    Examples:
      rpcexplorer presets
      rpcexplorer presets show bitcoin
      rpcexplorer profiles add node --url http://127.0.0.1:8332 --preset bitcoin --username rpc
    """
    if context.invoked_subcommand is not None:
        return
    run: Run = context.obj
    found = run.explorer.profiles.presets.all()
    run.world.print_columns((entry.preset.name, entry.preset.description) for entry in found)
    for entry in found:
        for problem in entry.problems:
            run.world.say(str(problem))


@presets.command()
@click.argument("name", shell_complete=complete_presets)
@click.pass_obj
def show(run: Run, name: str) -> None:
    """Print the file of a preset.

    To make your own preset, put a changed copy into the presets folder of your config folder.

    \b
    Example:
      rpcexplorer presets show bitcoin > my.toml
    """
    known = run.explorer.profiles.presets
    found = known.load(name)
    if found is None:
        fail(f"{known.unknown(name)}.")
    run.world.print(printable(found.preset.text, lines=True).rstrip("\n"))
    if found.problems:
        fail("\n".join(map(str, found.problems)))
    run.world.say(f"file: {found.preset.file}")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array of objects.")
@profile_option(hidden=True)
@click.pass_obj
def paths(run: Run, as_json: bool) -> None:
    """List the files and folders that rpcexplorer uses.

    The environment variable RPCEXPLORER_HOME moves all of them, except the project file and the local file. The history
    folder is that of the current profile.

    \b
    Examples:
      rpcexplorer paths
      rpcexplorer paths --json | jq -r '.[] | select(.name == "secrets") | .path'
    """
    try:
        run.explorer.use(run.server.profile)
    except UserError as error:
        if run.server.profile is not None:
            fail(f"{error.sentence}.")
    found = run.explorer.locations()
    if as_json:
        rows = [{"name": location.name, "path": str(location.path), "exists": location.exists} for location in found]
        run.world.print_json(json_of(rows))
        return
    missing = {True: "", False: "  (does not exist)"}
    run.world.print_columns((location.name, f"{location.path}{missing[location.exists]}") for location in found)


def complete_pages(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    return [name for name in PAGES if name.startswith(begun)]


@click.command()
@click.argument("page", required=False, shell_complete=complete_pages)
@click.pass_obj
def manual(run: Run, page: str | None) -> None:
    """List the pages of the manual, or print PAGE.

    On a terminal, the page is formatted and shown in a pager ($PAGER, or less). In a pipe, it is printed as Markdown.

    \b
    Examples:
      rpcexplorer manual
      rpcexplorer manual secrets
      rpcexplorer manual keys > keys.md
    """
    world = run.world
    if page is None:
        width = max(map(len, PAGES))
        for entry in read_pages():
            world.print(f"{entry.name:<{width}}  {entry.title}\n{'':<{width}}  {entry.summary}")
    elif page not in PAGES:
        near = nearest(page, PAGES)
        instead = f"Did you mean {near}?" if near else f"The pages are {', '.join(PAGES)}."
        raise click.UsageError(f"There is no page {page}. {instead}")
    elif world.shows:
        _show_in_pager(world, laid_out(read_page(page), world))
    else:
        world.write(read_page(page).text.encode())


MAX_PAGE_WIDTH: Final = 100
"""Columns of text; longer lines are hard to read."""
_LINK: Final = regex(r"\[([^]]+)\]\(([\w-]+)\.md[^)]*\)")


def laid_out(page: Page, world: World) -> str:
    """Return a page for a terminal. A link shows its page's name to type."""
    from rpcexplorer.text.markdown import markdown_page

    def named(link: re.Match[str]) -> str:
        return link[1] if link[1].lower() == link[2] else f"{link[1]} (`{link[2]}`)"

    rows = markdown_page(_LINK.sub(named, page.text), min(world.width, MAX_PAGE_WIDTH), world.width).rows
    title = painted([(page.title, "bold underline")], colour=world.colours)
    lines = [title, "", *(painted(row, colour=world.colours).rstrip() for row in rows)]
    return "\n".join([*lines, ""])


def _show_in_pager(world: World, text: str) -> None:
    """Show a text in $PAGER or less; without a terminal, print it."""
    words = []
    with suppress(ValueError):  # $PAGER has a quote that is not closed.
        words = shlex.split(world.environment.get("PAGER", "less -R"))
    if not (words and world.on_terminal and shutil.which(words[0])):
        world.write(text.encode())
        return
    # As in git, the pager shows colours, and a short text needs no pager.
    pager = subprocess.Popen(  # noqa: S603 - the user's own program
        words, stdin=subprocess.PIPE, env=for_others({"LESS": "FRX", **world.environment})
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # The pager handles Ctrl+C.
    try:
        with suppress(BrokenPipeError):
            pager.communicate(text.encode())
        pager.wait()
    finally:
        signal.signal(signal.SIGINT, before)
