"""``import``: turn calls that another program recorded into drafts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import click

from rpcexplorer.cli.arguments import input_text
from rpcexplorer.cli.profiles import warn_about_question
from rpcexplorer.cli.run import Run, fail, no_input_option, profile_option
from rpcexplorer.cli.world import World
from rpcexplorer.importing.credentials import Fitted, fitted
from rpcexplorer.importing.formats import imported
from rpcexplorer.importing.request import Imported, ImportedCall
from rpcexplorer.importing.servers import ImportedServer, ImportedServers, read_servers, root_of
from rpcexplorer.model.method import SavedCall
from rpcexplorer.model.problem import PROGRAM, counted, cut, joined_words, quoted
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import Secret
from rpcexplorer.text.importing import (
    as_values,
    call_line,
    hiding,
    note_lines,
    other_addresses,
    server_rows,
    servers_as_values,
    skipped_lines,
)
from rpcexplorer.text.json_text import json_of
from rpcexplorer.text.printable import printable

MAX_CALLS = 100
"""Calls that one import saves. Each is written on its own: 400 would take a minute."""
MAX_NAME = 80
MAX_NOTES = 12
"""Messages about an import; ``--json`` prints all."""


@click.command("import")
@click.argument("file", metavar="FILE|-")
@profile_option()
@click.option("--save", metavar="FILE", help="Save calls or profiles in this project file.")
@click.option("--dry-run", is_flag=True, help="Show calls or profiles, and import nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print calls or profiles as one JSON object.")
@no_input_option(help="Drop credentials instead of asking.")
@click.pass_obj
def import_(run: Run, file: str, save: str | None, dry_run: bool, as_json: bool) -> None:
    """Import calls as drafts, or MCP servers as profiles.

    \b
    FILE, or - for stdin, contains one of:
      curl commands, as browsers copy them (for bash or cmd)
      a HAR file
      a Postman collection 2.1
      JSON-RPC requests: one, or one per line
      MCP servers: .mcp.json, .vscode/mcp.json, claude_desktop_config.json, .cursor/mcp.json

    Servers become profiles of your user file, or of the project file that --save names.

    rpcexplorer runs no command in FILE, and reads no other file. Credentials in FILE are stored for the profile if you
    agree, or dropped. Requests that cannot be imported are listed with their number.

    \b
    Examples:
      rpcexplorer import shop.har -p staging
      rpcexplorer import - --dry-run < curl.txt
      rpcexplorer import shop.postman_collection.json --save sessions.toml
      rpcexplorer import .vscode/mcp.json --dry-run
    """
    text = input_text(file, run.world)
    home = run.world.path(save) if save else None
    servers = read_servers(text, _root(run.world, file, home))
    if servers is not None:
        _import_servers(run, servers, home, dry_run=dry_run, as_json=as_json)
        return
    found = imported(text)
    _show(run.world, found, as_json=as_json)
    if not found.calls:
        notes = list(found.notes)
        if any("without a body" in skipped.why for skipped in found.skipped):
            notes.append("A JSON-RPC call is a POST with a body.")
        fail(f"Nothing was imported. {' '.join(notes)}".rstrip())
    if dry_run:
        return
    if save is not None:
        _save(run, found, save)
        return
    profile = run.use()
    if profile.ad_hoc:
        fail("Drafts belong to a profile. Name one with -p, or add one:\nrpcexplorer profiles add NAME --url URL")
    _import(run, profile, [fitted(profile, call) for call in found.calls])


def _show(world: World, found: Imported, *, as_json: bool) -> None:
    if as_json:
        world.print_json_line(json_of(as_values(found)))
        return
    hide = hiding(found.calls)
    for call in found.calls:
        world.print(call_line(call, hide))
    lines = [*skipped_lines(found.skipped)]
    if found.calls:
        lines = [*found.notes, *lines, *note_lines(found.calls), *_without_id(found)]
    for line in lines[:MAX_NOTES]:
        world.say(line)
    if len(lines) > MAX_NOTES:
        world.say(f"Add --json to print all {len(lines)} messages.")


def _root(world: World, file: str, home: Path | None) -> str:
    """Return the folder that the paths in a file of servers begin from, as the file ``home`` has it."""
    root = world.folder if file == "-" else root_of(world.path(file))
    return "." if home is not None and home.parent.resolve() == root.resolve() else str(root)


def _import_servers(run: Run, found: ImportedServers, home: Path | None, *, dry_run: bool, as_json: bool) -> None:
    """Add a profile for each server, which starts none of them."""
    world, explorer = run.world, run.open(creates=True)
    file = home or run.file_to_write(explorer.paths.user_sessions, team=False)
    problems = explorer.add_servers(found.servers, file, writes=not dry_run)
    added = [server for server in found.servers if not problems[server.name]]
    if as_json:
        world.print_json_line(json_of(servers_as_values(found, problems)))
    else:
        _show_servers(world, found, problems)
    if not added:
        fail("Nothing was imported.")
    if dry_run:
        return
    world.say(f"added {counted(len(added), 'profile')} to {file}")
    for server in added:
        if profile := explorer.profiles.profiles.get(server.profile):
            _provide_secrets(run, profile, server)
            warn_about_question(run, profile.name)
        for problem in explorer.profiles.problems:
            if problem.profile == server.profile:
                world.warn(str(problem))
    world.hint(f"To list the methods of a server, run:\n{PROGRAM} methods -p {added[0].profile} --refresh")


def _show_servers(world: World, found: ImportedServers, problems: Mapping[str, str]) -> None:
    for server in found.servers:
        if problem := problems[server.name]:
            world.say(f"{printable(cut(server.name))} was not imported: {problem}")
            continue
        world.print(f"profile {server.profile}")
        rows = server_rows(server)
        room = max(len(key) for key, _ in rows)
        for key, value in rows:
            world.print(f"  {key:<{room}}  {value}")
    for server in found.servers:
        for note in server.notes:
            world.say(f"{server.profile}: {printable(note)}")
    for note in found.notes:
        world.say(note)


def _provide_secrets(run: Run, profile: Profile, server: ImportedServer) -> None:
    """Store the secrets of a server if the user agrees, and print how to store the others."""
    if server.secrets:
        _store(run, profile, server.secrets)
    states = run.explorer.secrets.state(profile)
    for field, variable in server.missing.items():
        if states.get(field) is None:
            command = f"{PROGRAM} profiles secret {profile.name} {field}"
            if run.world.environment.get(variable):
                command = f"printenv {quoted(variable)} | {command} --stdin"
            run.world.hint(f"To store the {field} of {profile.name}, run:\n{command}")


def _without_id(found: Imported) -> list[str]:
    """Return a message about notifications, if there are any.

    A draft or saved call does not record that it is a notification: the user decides when sending it.
    """
    methods = dict.fromkeys(call.method for call in found.calls if call.notification)
    if not methods:
        return []
    sentence = (
        f"Notifications are imported as calls with an id: {joined_words(methods, 3)}. To send a notification, run:"
    )
    return [f"{sentence}\nrpcexplorer notify METHOD"]


def _import(run: Run, profile: Profile, calls: list[Fitted]) -> None:
    world, explorer = run.world, run.explorer
    if others := other_addresses((item.call for item in calls), profile.endpoint):
        world.warn(f"{profile.name} sends calls to {profile.endpoint}, but the imported calls were sent to {others}")
    secrets: list[tuple[str, Secret]] = []
    dropped: list[str] = []
    for item in calls:
        secrets += item.secrets
        dropped += item.dropped
    if secrets:
        _store(run, profile, dict(secrets))
    if dropped:
        world.say(f"discarded credentials that {profile.name} cannot use: {joined_words(dict.fromkeys(dropped), 6)}")
    known = [*explorer.credentials.in_use(), *(secret for _, secret in secrets)]
    result = explorer.imports.take_in(profile, [item.call for item in calls], known)
    world.say(
        f"imported {counted(len(result.drafts), 'call')} into the drafts of {profile.name}. "
        "To open a draft on screen, type the name of its method. To send the calls in a shell, import with --save FILE."
    )
    if result.replaced:
        world.say(f"replaced drafts, which you can restore on screen: {joined_words(result.replaced, 6)}")
    if result.left_out:
        skipped = counted(result.left_out, "call")
        world.say(f"not imported: {skipped}. Too many calls have the same method.")
    if result.problem:
        fail(f"Not all calls were saved: {result.problem}")


def _store(run: Run, profile: Profile, found: Mapping[str, Secret]) -> None:
    """Ask once to store the credentials of the imported calls."""
    names = " and ".join(found)
    question = f"Store the imported {names} for profile {profile.name} ({profile.endpoint})?"
    if not (run.asks and run.agrees(question)):
        commands = "\n".join(f"rpcexplorer profiles secret {profile.name} {field}" for field in found)
        run.world.say(f"not stored: {names}. To store credentials, run:\n{commands}")
        return
    for field, secret in found.items():
        if problem := run.explorer.credentials.hold(profile, field, secret.reveal(), keep=True):
            fail(f"The {field} could not be stored: {problem}")
    run.world.say(f"stored: {names}")


def _save(run: Run, found: Imported, typed: str) -> None:
    """Save the calls in a file, for one profile or for all.

    The file may be shared, so calls with a credential are skipped.
    """
    run.asks = False
    world, explorer, profile = run.world, run.explorer, run.server.profile
    if profile is not None:
        run.use()
    file = world.path(typed)
    hide = hiding(found.calls)
    names: dict[str, int] = {}
    saved: list[tuple[SavedCall, ImportedCall]] = []
    for call in found.calls[:MAX_CALLS]:
        name = _name(hide.text(call.name.rpartition(" / ")[2] or call.method), names)
        doc = printable(hide.text(call.name)) if call.name and call.name != name else ""
        if hide.text(call.params) != call.params:
            world.say(f"{name} was not saved: its params contain a credential, and sessions.toml must not contain one")
            continue
        to_save = SavedCall(name, call.method, call.params, doc, str(file), profile or "")
        if problem := explorer.save_call(to_save):
            world.say(f"{name} was not saved: {problem}")
        else:
            saved.append((to_save, call))
    if len(found.calls) > MAX_CALLS:
        more = counted(len(found.calls) - MAX_CALLS, "more call")
        world.say(f"not saved: {more}. One import saves at most {MAX_CALLS} calls.")
    dropped: dict[str, None] = {}
    for call in found.calls:
        dropped |= dict.fromkeys(credential.place for credential in call.credentials)
    if dropped:
        world.say(f"discarded credentials: {joined_words(dropped, 6)}")
    if not saved:
        fail(f"Nothing was saved in {file}.")
    command = _sending_command(run, *saved[0])
    world.say(f"saved {counted(len(saved), 'call')} in {file}. To send one, run:\n{command}")


def _sending_command(run: Run, saved: SavedCall, call: ImportedCall) -> str:
    folder, file, sessions = run.world.folder, Path(saved.file), run.server.sessions
    if file.resolve() not in {known.resolve() for known in run.explorer.profiles.files}:
        sessions = file.relative_to(folder) if file.is_relative_to(folder) else file
    words = [PROGRAM]
    if sessions:
        words += ["--sessions", str(sessions)]
    words += ["notify" if call.notification else "call", saved.listed_as]
    if saved.profile:
        words += ["-p", saved.profile]
    return shlex.join(words)


def _name(wanted: str, names: dict[str, int]) -> str:
    """Return a valid name that no other call of this import has."""
    name = " ".join(printable(wanted).split()).lstrip("@ ")[:MAX_NAME] or "call"
    names[name] = names.get(name, 0) + 1
    return name if names[name] == 1 else f"{name} {names[name]}"
