"""``profiles set``: give keys of a profile other values, in the file where that counts."""

from __future__ import annotations

from pathlib import Path

import click

from rpcexplorer.cli.context import Invocation, complete_profiles, fail, invocation_of
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import RouteChanged
from rpcexplorer.model.problem import Changes, listed
from rpcexplorer.model.secret import FIELD_WORDS
from rpcexplorer.views.words.hints import rows_of


@click.command("set")
@click.argument("name", shell_complete=complete_profiles)
@click.argument("changes", nargs=-1, required=True, metavar="KEY=VALUE...")
@click.option("--team", is_flag=True, help="Change the team's sessions.toml, where it speaks of the profile.")
@click.pass_context
def set_(context: click.Context, /, name: str, changes: tuple[str, ...], team: bool) -> None:
    """Set keys of profile NAME as they stand in sessions.toml; an empty VALUE takes a key out.

    Your own profile is changed in your own file. A team's is changed for you alone, in sessions.local.toml beside the
    team's file, unless --team is given. A value is text, or TOML where the key takes a number, a list or a table. All
    of them are set, or none where one is refused; the rest of the file stays as it is.

    \b
    Examples:
      rpcexplorer profiles set staging content_type=application/json
      rpcexplorer profiles set node auth.kind=basic auth.username=ada timeout=5
      rpcexplorer profiles set seedbox 'handshake={ header = "X-Transmission-Session-Id" }'
      rpcexplorer profiles set staging description=
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    before = invocation.use(explorer, name)
    file = _file(invocation, explorer, name, team=team)
    edits = explorer.edits(file)
    wanted: Changes = tuple((key, edits.value_of(name, key, text)) for key, text in map(_split, changes))
    with explorer.accepting(before):  # hints name this command
        complaint = explorer.apply(name, wanted, file)
    if complaint:
        fail(str(complaint))
    hide = explorer.redactor().text
    for key, values in rows_of(before, wanted):
        invocation.world.say(hide(f"{key}: {values}"))
    for sentence in explorer.profiles.overruled(name, wanted, file):
        invocation.world.say(f"note: {sentence}")
    invocation.world.say(f"set in profile {name}, in {file}")
    if sentence := _held_back(explorer, name):
        invocation.world.say(hide(sentence))
    invocation.warn_about(explorer, file)


def _held_back(explorer: Explorer, name: str) -> str:
    """Return which secrets of the changed profile are not sent before they are allowed, and how to allow that."""
    now = explorer.profiles.profiles.get(name)
    found = explorer.secrets.state(now).items() if now else ()
    fields = [FIELD_WORDS.get(field, field) for field, secret in found if isinstance(secret, RouteChanged)]
    if not fields:
        return ""
    verb = "is" if len(fields) == 1 else "are"
    sentence = f"The {listed(fields)} of {name} {verb} bound to a different destination. If this one is right, run:"
    return f"{sentence}\nrpcexplorer profiles allow {name}"


def _split(change: str) -> tuple[str, str]:
    key, sign, text = change.partition("=")
    if not sign or not key:
        raise click.UsageError(f"{change} is no KEY=VALUE, such as content_type=application/json.")
    return key.strip(), text.strip()


def _file(invocation: Invocation, explorer: Explorer, name: str, *, team: bool) -> Path:
    """The file that was named, else the team's, else the one in which a person changes it alone."""
    if invocation.sessions is not None:
        return invocation.sessions
    home = explorer.profiles.change_home(name, explorer.paths.user_sessions)
    if not team:
        return home
    others = [file for file in explorer.profiles.files_of(name) if file not in {home, explorer.paths.user_sessions}]
    if not others:
        fail(f"No team's file speaks of {name}: leave out --team, and {home} is changed.")
    return others[-1]
