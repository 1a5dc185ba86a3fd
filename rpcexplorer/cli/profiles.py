"""`profiles list`, `show`, `add`, `set`, `remove`, `secret` and `default`."""

from __future__ import annotations

import click

from rpcexplorer.cli.context import agree, complete_profiles, fail, invocation_of
from rpcexplorer.cli.mistakes import CommandGroup
from rpcexplorer.cli.person import hidden
from rpcexplorer.cli.profiles_add import add
from rpcexplorer.cli.profiles_allow import allow
from rpcexplorer.cli.profiles_check import check
from rpcexplorer.cli.profiles_connection import connection
from rpcexplorer.cli.profiles_set import set_
from rpcexplorer.cli.profiles_trust import trust
from rpcexplorer.cli.values import OneOf
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import RouteChanged
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import FIELDS, Secret
from rpcexplorer.views.json_out import json_of
from rpcexplorer.views.printable import printable

FIELD = OneOf(FIELDS)


@click.group(cls=CommandGroup)
def profiles() -> None:
    """Profiles: the servers you talk to, and their secrets."""


profiles.add_command(add)
profiles.add_command(allow)
profiles.add_command(check)
profiles.add_command(connection)
profiles.add_command(set_)
profiles.add_command(trust)


@profiles.command("list")
@click.pass_context
def list_(context: click.Context) -> None:
    """List the profiles: name, badge, kind of auth, URL; * marks the default one.

    \b
    Example:
      rpcexplorer profiles list
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    found = explorer.profiles
    hide = explorer.redactor().text
    names = max((len(name) for name in found.profiles), default=0)
    badges = max((len(printable(profile.badge)) for profile in found.profiles.values()), default=0)
    for name, profile in sorted(found.profiles.items()):
        mark = "*" if name == found.default else " "
        row = (
            f"{mark} {name:<{names}}  {printable(profile.badge):<{badges}}  {profile.auth.kind:<6}  {profile.endpoint}"
        )
        invocation.world.print(printable(hide(row)))
    if not found.profiles:
        invocation.world.say("there are no profiles yet. Add one: rpcexplorer profiles add NAME --url URL")


@profiles.command()
@click.argument("name", required=False, shell_complete=complete_profiles)
@click.pass_context
def show(context: click.Context, name: str | None) -> None:
    """Show every value of a profile and the file and line it comes from; secrets by their state only.

    \b
    Example:
      rpcexplorer profiles show staging
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    profile = invocation.use(explorer, name)
    rows = [
        (key, _value(value), str(source))
        for key, value, source in explorer.profiles.rows(profile)
        if not key.startswith("method.") or value not in (None, "")  # of a method, what nobody says is many lines
    ]
    rows += [(f"secret {field}", state, "") for field, state in _secret_states(explorer, profile)]
    hide = explorer.redactor().text  # somebody may have written one into a header, or into the path
    keys, values = (max(len(row[column]) for row in rows) for column in (0, 1))
    invocation.world.print(f"profile {profile.name}")
    for key, value, source in rows:
        invocation.world.print(printable(hide(f"  {key:<{keys}}  {value:<{min(values, 48)}}  {source}".rstrip())))


@profiles.command()
@click.argument("name", required=False, shell_complete=complete_profiles)
@click.option("--team", is_flag=True, help="Write it to ./sessions.toml, for the team, instead of your own file.")
@click.pass_context
def default(context: click.Context, name: str | None, team: bool) -> None:
    """Use a profile wherever none is named. Without a NAME, say which one that is: the only one needs no default.

    \b
    Examples:
      rpcexplorer profiles default staging
      rpcexplorer profiles default
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    found = explorer.profiles
    if name is None:
        chosen = found.get()
        if isinstance(chosen, Complaint):
            fail(str(chosen))
        invocation.world.print(chosen.name)
        return
    invocation.use(explorer, name)
    file = invocation.file_to_write(found.default_home(name, explorer.paths.user_sessions), team=team)
    if trouble := explorer.edits(file).set_default(name):
        fail(str(trouble))
    explorer.reload()
    invocation.world.say(f"the default is {name} now, in {file}")
    invocation.warn_about(explorer, file)
    if explorer.profiles.default != name:
        invocation.world.say(
            f"but {explorer.profiles.default} is used here: {explorer.profiles.default_source} says so"
        )


@profiles.command()
@click.argument("name", shell_complete=complete_profiles)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def remove(context: click.Context, name: str, yes: bool) -> None:
    """Remove a profile from its file, and the secrets stored for it.

    \b
    Example:
      rpcexplorer profiles remove staging
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    profile = invocation.use(explorer, name)
    files = explorer.profiles.files_of(name)
    agree(context, f"Remove profile {name} from {', '.join(map(str, files))}, with its secrets?", yes=yes)
    for trouble in explorer.remove_profile(profile):
        fail(str(trouble))
    invocation.world.say(f"removed profile {name}")


@profiles.command()
@click.argument("name", shell_complete=complete_profiles)
@click.argument("field", required=False, type=FIELD)
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the value from stdin, up to the first line break.")
@click.option("--forget", is_flag=True, help="Forget the value, or all of the profile's values.")
@click.option("--allow-http", is_flag=True, help="From now on, allow its credentials over plain HTTP.")
@click.pass_context
def secret(
    context: click.Context, name: str, field: str | None, from_stdin: bool, forget: bool, allow_http: bool
) -> None:
    """Store a secret of profile NAME for its current destination. Without a field, show what is stored.

    \b
    Examples:
      rpcexplorer profiles secret staging password
      pass show staging | rpcexplorer profiles secret staging password --stdin
      rpcexplorer profiles secret staging --forget
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    profile = invocation.use(explorer, name)
    if allow_http:
        if trouble := explorer.secrets.trust_plain(profile.origin):
            fail(trouble)
        invocation.world.say(f"from now on, credentials are sent to {profile.origin} over plain HTTP")
    elif forget:
        found = explorer.secrets.forget(profile, field)
        invocation.world.say("forgotten" if found else "nothing was stored")
    elif field is None:
        for each, state in _secret_states(explorer, profile):
            invocation.world.print(printable(f"{each:<8}  {state}"))
        if not profile.secrets:
            invocation.world.say(f"{profile.name} needs no secrets: its auth is {profile.auth.kind}")
    else:
        explorer.secrets.save(profile, field, _new_value(context, profile, field, from_stdin=from_stdin))
        invocation.world.say(f"stored {field} of {profile.name} for {profile.origin}")
        if field not in explorer.secrets.state(profile):
            note = f"note: with auth {profile.auth.kind} as it is, {profile.name} sends no stored {field}"
            if profile.assumes_auth:
                find_out = f"rpcexplorer profiles test {profile.name} --apply"
                note = f"note: {profile.name} has no auth type yet that sends a {field}. To find it: {find_out}"
            invocation.world.say(note)


def _new_value(context: click.Context, profile: Profile, field: str, *, from_stdin: bool) -> str:
    world = invocation_of(context).world
    if from_stdin:
        value = world.stdin.readline().decode(errors="replace").rstrip("\r\n")
    elif world.asks:
        value = hidden(f"{field} for {profile.name} ({profile.origin})")
    else:
        fail(f"Nobody can be asked for the {field}: pipe it in with --stdin, or set {profile.variable(field)}.", 3)
    if not value:
        fail("The value is empty: nothing was stored.")
    return str(value)


def _secret_states(explorer: Explorer, profile: Profile) -> list[tuple[str, str]]:
    states = []
    for field, found in explorer.secrets.state(profile).items():
        match found:
            case Secret(source=source):
                state = f"set ({source})"
            case RouteChanged(why=why, changes=changes):
                state = "; ".join((f"not sent: {why}", *map(str, changes)))
            case _:
                state = f"missing (set {profile.variable(field)})"
        states.append((field, state))
    return states


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, dict | list):
        return json_of(value).decode()
    return "-" if value is None or value == "" else str(value)
