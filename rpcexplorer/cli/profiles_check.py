"""`profiles check`, `test`, `trust` and `allow`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from rpcexplorer.cli.context import invocation_of
from rpcexplorer.cli.world import World
from rpcexplorer.model.destination import Nobody
from rpcexplorer.model.problem import Complaint
from rpcexplorer.views.printable import printable

MOST_TOLD = 50
"""Places that are named one by one; the rest is counted."""


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--staged", is_flag=True, help="Only search what git has staged, as it will be committed.")
@click.pass_context
def check(context: click.Context, files: tuple[Path, ...], staged: bool) -> None:
    """Check that profiles are in order, and that no secret stands where others can read it.

    Without a FILE, every file that profiles, settings and secrets are read from is checked, and every history is
    searched; with some, only those are; with --staged, as in a pre-commit hook, what git would commit. Secrets are
    looked for by value, however they are spelled, and by what stands in front of them, such as password. None is
    ever printed, and git runs nothing that a repository's own config names.

    Exit code 0 when all is in order, 1 when a secret was found, 2 when a file is not in order or cannot be read.

    \b
    Examples:
      rpcexplorer profiles check
      rpcexplorer profiles check --staged
    """
    if files and staged:
        raise click.UsageError("Name files, or say --staged, not both.")
    invocation = invocation_of(context)
    world = invocation.world
    explorer = world.open_explorer(world.environment, world.folder, invocation.sessions, Nobody())
    paths = [world.folder / file for file in files]
    searched = explorer.search_leaks(paths, staged=world.folder if staged else None)
    named = set(map(os.path.realpath, paths))
    everything = not named and not staged
    troubles = [each for each in explorer.profiles.complaints if everything or os.path.realpath(each.file) in named]
    troubles += filter(None, [explorer.secrets.trouble()])  # what cannot be read of them cannot be looked for
    places = {(found.file, found.line) for found in searched.found}
    troubles = [each for each in troubles if (each.file, each.line) not in places]  # what is found says more
    wrong = {str(each): each for each in (*troubles, *searched.unreadable)}
    for sentence in list(wrong)[:MOST_TOLD]:
        world.say(sentence)
    if more := sum(each.many for each in list(wrong.values())[MOST_TOLD:]):
        world.say(f"and {more:,} more things are not in order: mend these first")
    _tell(world, searched.found)
    for file in explorer.profiles.files if everything else ():
        invocation.warn_about(explorer, file)
    if searched.short:
        labels = ", ".join(dict.fromkeys(searched.short))
        world.say(f"note: with fewer than six characters, {labels} can be looked for only behind words like password")
    if searched.found:
        context.exit(1)
    if troubles or searched.unreadable:
        context.exit(2)
    names = ", ".join(map(str, paths or explorer.profiles.files)) or "no file yet"
    many = len(explorer.profiles.profiles)
    order = f"{many} profile{'s' * (many != 1)} in order ({names}); " if not paths else f"in order: {names}; "
    kind = "staged file" if staged else "file"
    files_ = f"{searched.files:,} {kind}{'' if searched.files == 1 else 's'}"
    world.print(printable(f"{'' if staged else order}no secret in {files_}"))


def _tell(world: World, found: Iterable[Complaint]) -> None:
    """Say where secrets are, and what taking them out does not undo."""
    found = list(found)
    for leak in found[:MOST_TOLD]:
        world.say(str(leak))
    if len(found) > MOST_TOLD:
        world.say(f"and {len(found) - MOST_TOLD:,} more places")
    if found:
        world.say(
            f"found {len(found):,} {'place' if len(found) == 1 else 'places'} with a secret. If such a file was ever "
            "pushed or sent to somebody, taking the secret out is not enough: change it on the server as well."
        )
