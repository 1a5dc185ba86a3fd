"""`profiles list`, `show`, `add`, `set`, `remove`, `secret` and `default`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from rpcexplorer.auth.registry import KINDS, USUAL, fields
from rpcexplorer.cli.arguments import OneOf, seconds, whole_number
from rpcexplorer.cli.context import (
    CommandGroup,
    Invocation,
    agree,
    complete_presets,
    complete_profiles,
    fail,
    invocation_of,
)
from rpcexplorer.cli.profiles_check import allow, check, connection, trust
from rpcexplorer.cli.world import hidden
from rpcexplorer.explorer import Explorer
from rpcexplorer.model.destination import RouteChanged
from rpcexplorer.model.problem import Changes, Complaint, listed
from rpcexplorer.model.profile import PATH, Auth, Preset, Profile, joined, split_address
from rpcexplorer.model.secret import FIELD_WORDS, FIELDS, Secret
from rpcexplorer.text.json_text import json_of
from rpcexplorer.text.printable import printable
from rpcexplorer.text.problems import rows_of

F = TypeVar("F", bound=Callable[..., Any])
MOST: Final = 2**53
"""Larger numbers do not survive every JSON reader."""
FILES: Final = ("ca_file", "cert_file", "key_file", "history")
"""Keys whose values are paths: in a file they count from its folder, on a command line from here."""


def _number(value: str) -> float | int:
    """Seconds as they should stand in a file: 30 rather than 30.0."""
    found = seconds(value)
    return int(found) if found.is_integer() else found


PLAIN: Final[Mapping[str, tuple[str, str]]] = {
    "description": ("TEXT", "What it is, in a few words."),
    "badge": ("WORD", "dev, staging, prod or any word."),
    "confirm": ("never|unsafe|always", "When to ask before sending.  [default: never; with badge prod unsafe]"),
    "content_type": (
        "TYPE",
        "Content type of the request.  [default: application/json; of the service application/json-rpc]",
    ),
    "accept": ("TYPES", "What a request wants in reply.  [default: */*]"),
    "empty_params": ("[]|{}|omit", "How a call without params is written.  [default: []]"),
    "envelope": ("2.0|1.1|1.0|transmission", "The form of a request.  [default: 2.0]"),
    "id": ("string|number", "What the id of a call is.  [default: string]"),
    "ca_file": ("FILE", "Certificates to trust instead of the system's."),
    "certificate": ("sha256:HEX", "The fingerprint of the one certificate to trust, whatever name it bears."),
    "cert_file": ("FILE", "A certificate that says who calls."),
    "key_file": ("FILE", "Its key, where that is in a file of its own."),
    "history": ("FOLDER", "Where its calls are recorded, if not with all others."),
}
"""Keys whose values are texts, as they are typed; with what is written for the value, and a word of help."""
OTHERS: Final = frozenset({"url", "preset", "path", "timeout", "header", "handshake", "discovery", "team", "auth"})
LOGIN: Final[Mapping[str, tuple[str, str]]] = {
    "method": ("METHOD", "The method that opens a session.  [default: auth]"),
    "params": ("JSON", 'Its params, in which "{username}" and "{password}" stand for these.'),
    "session": ("POINTER", "Where in its result the session stands, such as /sessionid; '' is the whole of it."),
}
ENDED: Final[Mapping[str, tuple[Callable[[str], Any], str]]] = {
    "ended_status": (
        whole_number(100, 599, what="HTTP status"),
        "An HTTP status that means that the session has ended; may be repeated.",
    ),
    "ended_codes": (whole_number(-MOST, MOST, what="error code"), "An error code that means it; may be repeated."),
    "ended_words": (str, "A whole word in an error that means it; may be repeated."),
}


def _option_of(field: str) -> str:
    """The option of a field of auth; one whose name something else has is told by what it is about."""
    word = field.replace("_", "-")
    return f"--auth-{word}" if field in PLAIN or field in OTHERS else f"--{word}"


def _kinds_with(field: str) -> list[str]:
    return [name for name, kind in KINDS.items() if field in kind.__struct_fields__]


def _help_of(field: str) -> str:
    return f"The {FIELD_WORDS.get(field, field.replace('_', ' '))} of auth {', '.join(_kinds_with(field))}."


def _options() -> Iterator[Callable[[F], F]]:
    """Everything that a profile can have, in the order in which people read it."""
    yield click.option("--preset", metavar="NAME", shell_complete=complete_presets, help="A kind of server that is known; see: rpcexplorer presets.")  # fmt: skip # noqa: E501
    yield click.option("--path", metavar="PATH", help="What is appended to the URL.  [default: the URL's own, the preset's, or /api/v2/]")  # fmt: skip # noqa: E501
    yield click.option("--auth", "kind", type=OneOf(KINDS), help=f"The auth type.  [default: the preset's, or none; for the service {USUAL}]")  # fmt: skip # noqa: E501
    for field in fields():
        yield click.option(_option_of(field), f"auth_{field}", metavar="TEXT", help=_help_of(field))
    for key, (metavar, told) in LOGIN.items():
        yield click.option(f"--login-{key}", f"login_{key}", metavar=metavar, help=told)
    for key, (kind, told) in ENDED.items():
        yield click.option(f"--login-{key.replace('_', '-')}", f"login_{key}", type=kind, multiple=True, help=told)
    yield click.option("--timeout", type=_number, metavar="SECONDS", help="For a whole call.  [default: 30]")
    yield click.option("--header", "headers", multiple=True, metavar="NAME=VALUE", help="A header of every call that holds no secret; may be repeated.")  # fmt: skip # noqa: E501
    yield click.option("--handshake", metavar="mcp|HEADER", help="What the server wants before the first call.")
    yield click.option("--discovery", metavar="WORD|/PATH|@FILE", help="auto, none, a dialect, or where a description lies.")  # fmt: skip # noqa: E501
    for key, (metavar, told) in PLAIN.items():
        yield click.option(f"--{key.replace('_', '-')}", key, metavar=metavar, help=told)


def _all_options(command: F) -> F:
    for option in reversed([*_options()]):
        command = option(command)
    return command


@click.command()
@click.argument("name")
@click.option("--url", required=True, metavar="URL", help="Its address: with a path of its own, it is the whole one.")
@_all_options
@click.option("--team", is_flag=True, help="Add it to ./sessions.toml, for the team, instead of your own file.")
@click.pass_context
def add(
    context: click.Context,
    /,
    name: str,
    url: str,
    preset: str | None,
    path: str | None,
    kind: str | None,
    headers: tuple[str, ...],
    team: bool,
    **more: Any,
) -> None:
    """Add a profile to your own sessions.toml, or with --team to the one in this folder.

    \b
    Examples:
      rpcexplorer profiles add staging --url https://staging.example.com --auth cookie --username ada
      rpcexplorer profiles add prod --url https://rpc.example.com --auth inline --badge prod --team
      rpcexplorer profiles add node --url http://127.0.0.1:8332 --preset bitcoin --username rpc
      rpcexplorer profiles add wiki --url https://wiki.example.com/jsonrpc --content-type application/json --auth bearer
    """
    invocation = invocation_of(context)
    explorer = invocation.open()
    file = invocation.file_to_write(explorer.paths.user_sessions, team=team)
    chosen = _preset(explorer, preset)
    base, own_path = split_address(url) if path is None else (url, path)
    auth = _auth(more, kind, chosen, PATH if own_path is None else own_path)
    keys = {"preset": preset, "path": own_path, "timeout": more["timeout"]}
    keys |= {key: more[key] or None for key in PLAIN} | _files(invocation, file, more)
    keys |= {"headers": _headers(headers), "handshake": _handshake(more["handshake"])}
    keys |= {"discovery": _discovery(invocation, file, more["discovery"]), "login": _login(more)}
    trouble = explorer.edits(file).add(name, base, auth=auth, **keys)
    if trouble:
        fail(_told(name, trouble))
    _say(invocation, explorer, name, file, chosen, base, own_path)


def _say(
    invocation: Invocation,
    explorer: Explorer,
    name: str,
    file: Path,
    preset: Preset | None,
    base: str,
    own_path: str | None,
) -> None:
    """What was written, where calls go, and what is left to do."""
    say = invocation.world.say
    say(f"added profile {name} to {file}")
    explorer.reload()
    profile = explorer.profiles.profiles.get(name)
    usual = preset.values.path if preset else PATH
    say(f"calls go to {profile.endpoint if profile else joined(base, usual if own_path is None else own_path)}")
    if preset and preset.advice:
        say(f"{preset.name}: {preset.advice}")
    if profile and profile.assumes_auth:
        say("this is the address of the service: its login is used if the server asks for one")
        say(f"to find out how another server is called: rpcexplorer profiles test {name} --apply")
        return
    for field in profile.secrets if profile else ():
        if field != "session":
            say(f"store its {field} with: rpcexplorer profiles secret {name} {field}")


def _preset(explorer: Explorer, name: str | None) -> Preset | None:
    if name is None:
        return None
    known = explorer.profiles.presets
    found = known.load(name)
    if found is None:
        fail(f"--preset: {known.unknown(name)}.")
    if found.complaints:
        fail(f"--preset: {found.complaints[0]}")
    return found.preset


def _auth(more: Mapping[str, Any], kind: str | None, preset: Preset | None, path: str) -> dict[str, str]:
    """Return the table of auth, without a kind that nobody has chosen."""
    given = {field: more[f"auth_{field}"] for field in fields() if more[f"auth_{field}"] is not None}
    usual = preset.values.auth.kind if preset else USUAL if path == PATH else Auth.kind
    meant = kind or usual
    for field in given:
        if field not in KINDS[meant].__struct_fields__:
            others = listed(_kinds_with(field))
            fail(f"{_option_of(field)}: auth {meant} has no {field}, which is for {others}: say which with --auth.")
    return given if kind is None else {"kind": kind, **given}


def _headers(typed: tuple[str, ...]) -> dict[str, str] | None:
    """Headers by name."""
    found = {}
    for each in typed:
        name, equals, value = each.partition("=")
        if not equals or not name:
            fail("--header: a header is written as NAME=VALUE, such as X-Tenant=acme.")
        found[name] = value
    return found or None


def _handshake(typed: str | None) -> Any:
    return typed if typed is None or typed == "mcp" else {"header": typed}


def _discovery(invocation: Invocation, file: Path, typed: str | None) -> Any:
    """A word, or where a document lies: a path on the server, or a file behind ``@``."""
    if typed is None:
        return None
    if typed.startswith("@"):
        return {"file": _from(invocation, file, typed[1:])}
    return {"url": typed} if typed.startswith("/") else typed


def _login(more: Mapping[str, Any]) -> dict[str, Any] | None:
    said = {key: more[f"login_{key}"] for key in LOGIN if more[f"login_{key}"] is not None}
    if "params" in said:
        try:
            said["params"] = json.loads(said["params"])
        except ValueError as error:
            fail(f"--login-params: this is not JSON: {error}.")
        if _holds_null(said["params"]):
            fail("--login-params: null cannot stand in sessions.toml: leave it out.")
    said |= {key: [*more[f"login_{key}"]] for key in ENDED if more[f"login_{key}"]}
    return said or None


def _holds_null(value: Any) -> bool:
    match value:
        case dict():
            return any(map(_holds_null, value.values()))
        case list():
            return any(map(_holds_null, value))
    return value is None


def _files(invocation: Invocation, file: Path, more: Mapping[str, Any]) -> dict[str, str]:
    return {key: _from(invocation, file, more[key]) for key in FILES if more[key]}


def _from(invocation: Invocation, file: Path, typed: str) -> str:
    """The path of a file that was typed here as it means the same in ``file``."""
    here = invocation.world.folder
    if typed.startswith("~") or file.parent == here:
        return typed
    return str(here / typed)


def _told(name: str, complaint: Complaint) -> str:
    """A complaint about a value that was typed, with the option that it was typed for."""
    prefix = f'profile."{name}".' if "." in name else f"profile.{name}."
    key = complaint.key.removeprefix(prefix)
    if complaint.key in {f"profile.{name}", f'profile."{name}"'}:
        return f"NAME: {complaint.sentence}"
    if key == complaint.key:
        return str(complaint)
    top, _, below = key.partition(".")
    match top:
        case "auth":
            option = "--auth" if below == "kind" else _option_of(below)
        case "headers":
            option = f"--header {below}"
        case "login":
            option = f"--login-{below.partition('.')[0].replace('_', '-')}"
        case _:
            option = f"--{top.replace('_', '-')}"
    return f"{option}: {complaint.sentence}"


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
