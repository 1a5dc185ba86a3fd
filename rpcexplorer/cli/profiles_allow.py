"""``profiles allow``: allow a destination, a history or a folder that someone else chose; list and forget these."""

from __future__ import annotations

import os
from pathlib import Path

import click

from rpcexplorer.cli.context import agree, complete_profiles, fail, invocation_of
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import Route, RouteChanged
from rpcexplorer.views.printable import printable


@click.command()
@click.argument("name", required=False, shell_complete=complete_profiles)
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Use the profiles of a folder that others can write to."
)
@click.option("--list", "listing", is_flag=True, help="List what is allowed, and where variables were first used.")
@click.option("--forget", is_flag=True, help="Forget what was allowed for NAME or for the folder.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def allow(
    context: click.Context, name: str | None, folder: Path | None, listing: bool, forget: bool, yes: bool
) -> None:
    """Allow rpcexplorer to send the secrets of profile NAME to its destination.

    A secret is bound to the destination that it was stored for or first used at: server, path, auth type, login,
    headers, form of the request and certificates. If a file changes any of these, it is not sent before you have seen
    the change and allowed it here. The folder that a team's profile names for its history is allowed with it.

    \b
    Examples:
      rpcexplorer profiles allow prod
      rpcexplorer profiles allow --list
      rpcexplorer profiles allow prod --forget
      rpcexplorer profiles allow --folder .
    """
    invocation = invocation_of(context)
    if folder is not None:
        folder = (invocation.world.folder / folder).resolve()
    if not listing and (name is None) == (folder is None):
        raise click.UsageError("Name a profile, or a folder with --folder; --list shows what is allowed.")
    explorer = invocation.open()
    if listing:
        _list(context, explorer)
    elif forget:
        found = _forget(explorer, name or str(folder))
        invocation.world.say("forgotten" if found else "nothing was allowed")
    elif folder is not None:
        if not os.path.isdir(folder):  # noqa: PTH112 - Path's own raises where nobody may look
            fail(f"There is no folder {folder}: check its name.")
        agree(context, f"Use profiles in {folder}, though others can write to it?", yes=yes)
        explorer.secrets.routes.allow_folder(folder)
        invocation.world.say(f"allowed: profiles in {folder}")
    else:
        _allow(context, explorer, name, yes=yes)


def _allow(context: click.Context, explorer: Explorer, name: str | None, *, yes: bool) -> None:
    """Show what would be allowed, ask, and remember the yes."""
    invocation = invocation_of(context)
    profile = invocation.use(explorer, name)
    routes, say = explorer.secrets.routes, invocation.world.say
    hide = explorer.redactor().text
    held = dict(explorer.secrets.state(profile))
    if profile.cert_file and (moved := routes.moved_key(profile)):
        held[moved.field] = moved
    for field, found in held.items():
        if isinstance(found, RouteChanged):
            say(hide(f"the {field} is not sent: {found.why}" + "".join(f"\n{change}" for change in found.changes)))
            if found.advice:
                fail(f"{found.advice}.")
    if disputed := routes.disputed(profile):
        say(hide("your own file and another one disagree" + "".join(f"\n{change}" for change in disputed)))
    say(
        hide(
            f"the destination of {profile.name}"
            + "".join(f"\n{key}: {value}" for key, value in routes.of(profile).items())
        )
    )
    history = explorer.profiles.histories.get(profile.name)
    if history:
        say(f"calls would be recorded in {history}")
    agree(
        context,
        f"Send the secrets of {profile.name} to this destination{', and record there' if history else ''}?",
        yes=yes,
    )
    routes.allow(profile)
    if history:
        routes.allow_history(history)
    say(f"allowed: {profile.name} at {profile.endpoint}")


def _forget(explorer: Explorer, name: str) -> bool:
    """Forget what was allowed for a profile, with its history, or for a folder."""
    profile = explorer.profiles.profiles.get(name)
    names = [name, profile.history] if profile and profile.history else [name]
    return sum(map(explorer.secrets.routes.forget, names)) > 0


def _list(context: click.Context, explorer: Explorer) -> None:
    allowed, print_ = explorer.secrets.routes.allowed(), invocation_of(context).world.print
    if allowed.complaint:
        fail(str(allowed.complaint))
    hide = explorer.redactor().text
    rows = [(f"profile {name}", route) for name, routes in sorted(allowed.routes.items()) for route in routes]
    rows += [(f"first use of {variable}", route) for variable, route in sorted(allowed.first_uses.items())]
    for what, route in rows:
        print_(printable(hide(f"{what}: {_told(route)}")))
    for folder in sorted(allowed.folders):
        print_(printable(f"profiles of folder {folder}"))
    for folder in sorted(allowed.histories):
        print_(printable(f"history in folder {folder}"))


def _told(route: Route) -> str:
    return ", ".join(f"{key} {value}" for key, value in route.items())
