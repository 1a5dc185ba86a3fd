"""`profiles list`, `show`, `add`, `set`, `rename`, `remove`, `secret` and `default`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from textwrap import indent, wrap
from typing import Any, Final, TypeVar

import click

from rpcexplorer.auth.credentials import leaves
from rpcexplorer.auth.registry import KINDS, USUAL
from rpcexplorer.cli.arguments import AUTH, seconds, whole_number
from rpcexplorer.cli.profiles_check import allow, check, connection, trust
from rpcexplorer.cli.run import (
    CommandGroup,
    Run,
    complete_presets,
    complete_profiles,
    fail,
    fail_if,
    profile_option,
    unless_problem,
    url_options,
    words_of,
    yes_option,
)
from rpcexplorer.cli.world import ask_hidden
from rpcexplorer.explorer import Explorer
from rpcexplorer.jsontext.params import value_problem
from rpcexplorer.jsontext.scan import MAX_INTEGER
from rpcexplorer.model.destination import DestinationChanged
from rpcexplorer.model.problem import PROGRAM, Changes, Problem, joined_words, nearest, quoted
from rpcexplorer.model.profile import (
    PROCESS,
    Auth,
    Preset,
    Profile,
    joined,
    kind_of,
    no_place_for,
    split_address,
    usual_path,
    with_scheme,
)
from rpcexplorer.model.secret import FIELD_WORDS, Secret
from rpcexplorer.profiles.keys import PARTS, PROFILE_KEYS, ProfileKey, sessions_schema
from rpcexplorer.text.json_text import json_of
from rpcexplorer.text.printable import printable
from rpcexplorer.text.problems import rows_of
from rpcexplorer.text.profile import key_of, state_word

F = TypeVar("F", bound=Callable[..., Any])


def _seconds(value: str) -> float | int:
    """Return seconds as a file should have them: 30, not 30.0."""
    found = seconds(value)
    return int(found) if found.is_integer() else found


TYPES: Final[Mapping[str, Any]] = {
    "auth type": AUTH,
    "seconds": _seconds,
    "status": whole_number(100, 599),
    "code": whole_number(-MAX_INTEGER, MAX_INTEGER),
    "command": words_of,
    "flag": click.BOOL,
}
REPEATED: Final = frozenset(("headers", "status", "code", "words", "names"))
"""Kinds of values whose option can be repeated."""
MAYBE_EMPTY: Final = frozenset(("url", "path", "preset"))
PARTS_MAYBE_EMPTY: Final = frozenset(("Auth", "Login", "Process"))
"""Keys for which empty text is a value, such as an empty path or pointer. For other keys it means no value."""
OPTIONS: Final = sorted((row for row in PROFILE_KEYS if row.help), key=lambda row: PARTS.index(row.part))


def profile_options(command: F) -> F:
    for row in reversed(OPTIONS):
        option = click.option(
            row.option,
            row.key.replace(".", "_"),
            type=TYPES.get(row.value),
            multiple=row.value in REPEATED,
            metavar=row.metavar or "|".join(row.choices) or None,
            shell_complete=complete_presets if row.key == "preset" else None,
            help=f"{row.help}  [default: {row.default}]" if row.default else row.help,
        )
        command = option(command)
    return command


class GroupedOptions(click.Command):
    """A command whose help groups the options of profile keys, and only names the rare ones."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = {row.key.replace(".", "_"): row for row in OPTIONS}
        explained: dict[str, list[tuple[str, str]]] = {part: [] for part in PARTS}
        rare: dict[str, list[str]] = {part: [] for part in PARTS}
        for param in self.get_params(ctx):
            row = rows.get(str(param.name))
            if row is not None and row.is_rare:
                rare[row.part].append(row.option)
            elif isinstance(param, click.Option) and (record := param.get_help_record(ctx)):
                explained[row.part if row else PARTS[-1]].append(record)
        width = max(len(option) for records in explained.values() for option, _ in records)
        for part in PARTS:
            with formatter.section(part):
                formatter.write_dl([(option.ljust(width), text) for option, text in explained[part]], col_max=width)
                if rare[part]:
                    names = f"And {', '.join(rare[part])}."
                    lines = wrap(names, formatter.width - 2, break_on_hyphens=False)
                    formatter.write(indent("\n".join(lines), "  ") + "\n")


@click.command(cls=GroupedOptions)
@click.argument("name")
@profile_options
@click.option("--team", is_flag=True, help="Add the profile to the project file, ./sessions.toml.")
@click.pass_obj
def add(run: Run, /, name: str, team: bool, **typed: Any) -> None:
    """Add a profile to your user file, sessions.toml in the config folder, or to the project file.

    Each option sets a key of the profile. All keys: rpcexplorer manual profile-keys

    \b
    Examples:
      rpcexplorer profiles add staging --url https://staging.example.com --auth cookie --username ada
      rpcexplorer profiles add node --url http://127.0.0.1:8332 --preset bitcoin --username rpc
      rpcexplorer profiles add python --stdio pylsp --preset lsp --team
    """
    explorer, world = run.open(creates=True), run.world
    file = run.file_to_write(explorer.paths.user_sessions, team=team)
    preset = _preset(explorer, typed["preset"])
    values: dict[str, Any] = {}
    tables: dict[str, dict[str, Any]] = {"auth": {}, "login": {}}
    for row in OPTIONS:
        value = _value(row, typed[row.key.replace(".", "_")], world.folder, file)
        if value is None:
            continue
        top, _, inner = row.key.partition(".")
        if inner:
            tables[top][inner] = value
        else:
            values[top] = value
    if ("url" in values) == ("command" in values) or values.get("url") == PROCESS:
        raise click.UsageError("Name one server, with --url URL or with --stdio WORDS.")
    url, path = with_scheme(values.pop("url", PROCESS)), values.get("path")
    if path is None:
        url, path = split_address(url)
    _refuse_foreign_fields(tables["auth"], tables["auth"].get("kind") or _usual_kind(preset, url, path))
    values = {"preset": typed["preset"], "path": path} | values | {"login": tables["login"] or None}
    if problem := explorer.edits(file).add(name, url, auth=tables["auth"], **values):
        fail(_with_option(name, problem))
    world.say(f"added profile {name} to {file}")
    explorer.reload()
    profile = explorer.profiles.profiles.get(name)
    world.say(f"calls go to {profile.endpoint if profile else joined(url, path or '')}")
    if preset and preset.advice:
        world.say(f"{preset.name}: {preset.advice}")
    warn_about_question(run, name)
    if profile is None:
        return
    if profile.assumes_auth:
        world.say("auth type cookie will be used if the server asks for credentials")
        test = f"{PROGRAM} profiles test {name} --apply"
        world.hint(f"To test the connection and find other settings, run:\n{test}")
        return
    if profile.secrets == ("session",):
        world.hint(f"To log in, run:\n{PROGRAM} login -p {name}")
    for field in profile.secrets:
        if field != "session" and not (profile.auth.command_for(field) or profile.auth.file_for(field)):
            world.hint(f"To store the {field}, run:\n{PROGRAM} profiles secret {name} {field}")


def _refuse_foreign_fields(auth: Mapping[str, Any], kind: str) -> None:
    """End the command if an option is for another auth type."""
    own = {"kind", *KINDS[kind].__struct_fields__}
    for row in OPTIONS:
        field = row.key.removeprefix("auth.")
        if row.part == "Auth" and field in auth and field not in own:
            others = joined_words(other for other, auth_type in KINDS.items() if field in auth_type.__struct_fields__)
            fail(f"{row.option}: auth type {kind} has no {field}. Use --auth with one of these types: {others}.")


def _usual_kind(preset: Preset | None, url: str, path: str | None) -> str:
    """Return the auth type of a new profile without ``--auth``."""
    kind = Auth.kind
    if preset:
        kind = preset.values.auth.kind
    elif Profile("", url, path or usual_path(url)).is_service:
        kind = USUAL
    has_no_place = no_place_for(kind_of(url), ("auth", "kind"), kind)
    return Auth.kind if has_no_place else kind


def _preset(explorer: Explorer, name: str | None) -> Preset | None:
    if name is None:
        return None
    known = explorer.profiles.presets
    found = known.load(name)
    if found is None:
        fail(f"--preset: {known.unknown(name)}.")
    if found.problems:
        fail(f"--preset: {found.problems[0]}")
    return found.preset


def _value(row: ProfileKey, typed: Any, folder: Path, file: Path) -> Any:
    """Return the value to write into ``file``; None for no value.

    Paths are typed relative to ``folder``.
    """
    if typed is None or typed == ():
        return None
    if typed == "" and row.key not in MAYBE_EMPTY and row.part not in PARTS_MAYBE_EMPTY:
        return None

    def path_in_file(path: str) -> str:
        return path if path.startswith("~") or file.parent == folder else str(folder / path)

    match row.value:
        case "file":
            return path_in_file(typed)
        case "handshake":
            return typed if typed in {"mcp", "lsp"} else {"header": typed}
        case "discovery" if typed.startswith("@"):
            return {"file": path_in_file(typed[1:])}
        case "discovery" if typed.startswith("/"):
            return {"url": typed}
        case "headers":
            named = dict(pair.partition("=")[::2] for pair in typed)
            if "" in named or not all("=" in pair for pair in typed):
                example = "DEBUG=1" if row.key == "environment" else "X-Tenant=acme"
                fail(f"{row.option} must be NAME=VALUE, such as {example}.")
            return named
        case "json":
            try:
                value = json.loads(typed)
            except ValueError:
                fail(f"{row.option} is not valid JSON: {value_problem(typed)}")
            if any(leaf is None for _, leaf in leaves(value)):
                fail(f"{row.option}: sessions.toml cannot contain null. Remove it.")
            return value
    return [*typed] if isinstance(typed, tuple) else typed


def _with_option(name: str, problem: Problem) -> str:
    """Return a problem with the option that its value was typed for."""
    if problem.key in {f"profile.{name}", f'profile."{name}"'}:
        return f"NAME {name}: {problem.sentence}"
    key = problem.key.removeprefix(f'profile."{name}".' if "." in name else f"profile.{name}.")
    for row in OPTIONS:
        if key == row.key or key.startswith(f"{row.key}."):
            header = key.removeprefix(row.key).replace(".", " ", 1) if row.value == "headers" else ""
            sentence = f"{problem.sentence}.".replace("this key.", "this option.")
            return f"{row.option}{header}: {sentence}"
    return str(problem)


@click.command("set")
@click.argument("name", shell_complete=complete_profiles)
@click.argument("changes", nargs=-1, required=True, metavar="KEY=VALUE...")
@click.option("--team", is_flag=True, help="Change the project file that describes the profile.")
@click.pass_obj
def set_(run: Run, /, name: str, changes: tuple[str, ...], team: bool) -> None:
    """Set keys of profile NAME. An empty VALUE removes a key.

    A profile of your user file is changed there. A profile of the project file is changed in the local file,
    sessions.local.toml next to it, unless --team is given. A value is text, or TOML if the key takes a number, a list
    or a table. If one value is not valid, nothing is written. The rest of the file stays unchanged.

    \b
    Examples:
      rpcexplorer profiles set staging content_type=application/json
      rpcexplorer profiles set node auth.kind=basic auth.username=ada timeout=5
      rpcexplorer profiles set seedbox 'handshake={ header = "X-Transmission-Session-Id" }'
      rpcexplorer profiles set staging description=
    """
    before, explorer, world = run.use(name), run.explorer, run.world
    file = _file(run, name, team=team)
    edits = explorer.edits(file)
    wanted: Changes = tuple((key, edits.value_of(name, key, text)) for key, text in map(_split, changes))
    rows = rows_of(before, wanted, partial(explorer.profiles.written, name))
    other_answers = explorer.profiles.other_answers(name, wanted)
    # No key counts as accepted, because a hint may have suggested the command.
    if problem := explorer.apply(before, wanted, file):
        if other_answers and ".answer." in problem.key:
            words = " ".join(map(quoted, [*changes, *(f"{key}=" for key in other_answers)]))
            fail(f"{problem}. To replace the other answer, run:\n{PROGRAM} profiles set {name} {words}")
        fail(str(problem))
    hide = explorer.redactor().text
    for key, values in rows:
        world.say(hide(f"{key}: {values}"))
    for sentence in explorer.profiles.overruled(name, wanted, file):
        world.warn(sentence)
    world.say(f"changed profile {name} in {file}")
    if blocked := _blocked(explorer, name):
        world.warn(
            f"Secrets of {name} are blocked: {blocked}. If the new destination is right, run:\n"
            f"{PROGRAM} profiles allow {name}"
        )
    warn_about_question(run, name)
    run.warn_if_committed(file)


def warn_about_question(run: Run, name: str) -> None:
    """Print how to allow what a file has decided of a profile, if that is necessary."""
    profile = run.explorer.profiles.profiles.get(name)
    if profile and (question := run.explorer.question(profile)):
        run.world.warn(
            f"The {question.field} of {name} is not used before you allow it. If it is right, run:\n"
            f"{PROGRAM} profiles allow {name}"
        )


def _blocked(explorer: Explorer, name: str) -> str:
    """Return the secrets that are bound to a different destination."""
    now = explorer.profiles.profiles.get(name)
    found = explorer.secrets.state(now).items() if now else ()
    fields = [field for field, state in found if isinstance(state, DestinationChanged)]
    return joined_words(FIELD_WORDS.get(field, field) for field in fields)


def _split(change: str) -> tuple[str, str]:
    key, sign, text = change.partition("=")
    if not sign or not key:
        raise click.UsageError(f"{change} is not KEY=VALUE. Write, for example, content_type=application/json.")
    key, text = key.strip(), text.strip()
    return key, with_scheme(text) if key == "url" else text


def _file(run: Run, name: str, *, team: bool) -> Path:
    """Return the named file, or the project file, or the personal one."""
    if run.server.sessions is not None:
        return run.server.sessions
    own = run.explorer.paths.user_sessions
    home = run.explorer.profiles.change_home(name, own)
    if not team:
        return home
    others = [file for file in run.explorer.profiles.files_of(name) if file not in {home, own}]
    if not others:
        fail(f"No project file describes {name}. To change {home}, remove --team.")
    return others[-1]


@click.group(cls=CommandGroup)
def profiles() -> None:
    """Add, change, test and remove profiles and their secrets."""


profiles.add_command(add)
profiles.add_command(allow)
profiles.add_command(check)
profiles.add_command(connection)
profiles.add_command(set_)
profiles.add_command(trust)


@profiles.command("list")
@click.pass_obj
def list_(run: Run) -> None:
    """List the profiles: name, badge, auth type, URL. * marks the default.

    \b
    Example:
      rpcexplorer profiles list
    """
    found, hide = run.explorer.profiles, run.explorer.redactor().text
    rows = []
    for name, profile in sorted(found.profiles.items()):
        mark = "*" if name == found.default else " "
        row = (f"{mark} {name}", profile.badge, f"{profile.auth.kind:<6}", profile.endpoint)
        rows.append(list(map(hide, row)))
    run.world.print_columns(rows)
    if not found.profiles:
        run.world.say(f"No profiles yet. To add one, run:\n{PROGRAM} profiles add NAME --url URL")


@profiles.command()
@click.argument("name", required=False, shell_complete=complete_profiles)
@profile_option(hidden=True)
@url_options(hidden=True)
@click.pass_obj
def show(run: Run, name: str | None) -> None:
    """Show the values of a profile.

    Each row shows the file and line that the value comes from. A secret is never shown, only its state.

    \b
    Example:
      rpcexplorer profiles show staging
    """
    profile, explorer = run.use(name), run.explorer
    rows = []
    for key, value, place in explorer.profiles.rows(profile):
        if key.startswith("method.") and value in (None, ""):
            continue  # Most keys of a method are not set.
        rows.append((key, _shown(value), str(place)))
    if question := explorer.question(profile):
        rows.append((question.field, f"not allowed. Run {PROGRAM} profiles allow {profile.name}", ""))
    rows += [(f"secret {field}", state, "") for field, state in _secret_states(explorer, profile)]
    hide = explorer.redactor().text  # A header or path in a file may contain a secret.
    keys = max(len(key) for key, _, _ in rows)
    values = min(48, max(len(value) for _, value, _ in rows))
    run.world.print(f"profile {profile.name}")
    for key, value, source in rows:
        run.world.print(printable(hide(f"  {key:<{keys}}  {value:<{values}}  {source}".rstrip())))


@profiles.command()
@click.pass_obj
def schema(run: Run) -> None:
    """Print the JSON Schema of sessions.toml, for your editor.

    Files that rpcexplorer creates name it in their first line. An editor with Taplo, such as VS Code with Even Better
    TOML, then completes keys, shows their docs and marks mistakes. It does not know all rules: for those about secrets
    and about keys that need each other, run rpcexplorer profiles check.

    \b
    Example:
      rpcexplorer profiles schema > sessions.schema.json
    """
    run.world.print_json(json.dumps(sessions_schema(), indent=2).encode())


@profiles.command()
@click.argument("name", required=False, shell_complete=complete_profiles)
@click.option("--team", is_flag=True, help="Change the project file, ./sessions.toml.")
@click.pass_obj
def default(run: Run, name: str | None, team: bool) -> None:
    """Set the default profile. Without NAME, print it.

    If there is only one profile, it is the default.

    \b
    Examples:
      rpcexplorer profiles default staging
      rpcexplorer profiles default
    """
    explorer, world = run.explorer, run.world
    found = explorer.profiles
    if name is None:
        if found.default is None and len(found.leaves) > 1 and found.wrong_default is None:
            fail(f"There is no default profile. To set one, run:\n{PROGRAM} profiles default NAME")
        world.print(unless_problem(found.get()).name)
        return
    run.use(name)
    file = run.file_to_write(found.default_home(name, explorer.paths.user_sessions), team=team)
    fail_if(explorer.set_default(name, file))
    world.say(f"the default profile is now {name}, in {file}")
    run.warn_if_committed(file)
    found = explorer.profiles
    if found.default != name:
        world.warn(f"{found.default_source} overrides this choice: the default profile here is {found.default}")


@profiles.command()
@click.argument("old", shell_complete=complete_profiles)
@click.argument("new")
@click.pass_obj
def rename(run: Run, old: str, new: str) -> None:
    """Rename profile OLD to NEW in all files that name it.

    Its secrets, allowed destinations, drafts, pins and method list move along. Recorded calls keep the old name: to
    find them, use history -p OLD.

    \b
    Example:
      rpcexplorer profiles rename staging shop-staging
    """
    files = run.explorer.profiles.files_of(old)
    left = unless_problem(run.explorer.rename_profile(old, new))
    run.world.say(f"renamed profile {old} to {new} in {', '.join(map(str, files))}")
    for sentence in left:
        run.world.warn(sentence)


@profiles.command()
@click.argument("name", shell_complete=complete_profiles)
@yes_option()
@click.pass_obj
def remove(run: Run, name: str) -> None:
    """Remove a profile and its stored secrets.

    \b
    Example:
      rpcexplorer profiles remove staging
    """
    profile, explorer = run.use(name), run.explorer
    files = explorer.profiles.files_of(name)
    run.confirm(f"Remove profile {name} from {', '.join(map(str, files))}, with its secrets?")
    for problem in explorer.remove_profile(profile):
        fail(str(problem))
    run.world.say(f"removed profile {name}")


@profiles.command()
@click.argument("name", shell_complete=complete_profiles)
@click.argument("field", required=False)
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the value from stdin, up to the first line break.")
@click.option("--forget", is_flag=True, help="Forget this secret, or all secrets of the profile.")
@click.option("--allow-http", is_flag=True, help="Send credentials to the server over plain HTTP from now on.")
@click.pass_obj
def secret(run: Run, name: str, field: str | None, from_stdin: bool, forget: bool, allow_http: bool) -> None:
    """Store a secret of profile NAME for its current destination.

    Without the name of a secret, the command shows the state of each secret.

    \b
    Examples:
      rpcexplorer profiles secret staging password
      pass show staging | rpcexplorer profiles secret staging password --stdin
      rpcexplorer profiles secret staging --forget
    """
    profile, world = run.use(name), run.world
    secrets = run.explorer.secrets
    if field is not None and field not in profile.variables:
        near = nearest(field, profile.variables)
        guess = f" Did you mean {near}?" if near else ""
        raise click.UsageError(f"{field} is not one of {', '.join(profile.variables)}.{guess}")
    if allow_http:
        fail_if(secrets.trust_plain(profile.origin))
        world.say(f"credentials are now sent to {profile.origin} over plain HTTP")
    elif forget:
        world.say("forgotten" if secrets.forget(profile, field) else "nothing was stored")
    elif field is None:
        for stored, state in _secret_states(run.explorer, profile):
            world.print(printable(f"{stored:<8}  {state}"))
        if not profile.secrets:
            world.say(f"{profile.name} needs no secrets: its auth type is {profile.auth.kind}")
    else:
        secrets.save(profile, field, _new_value(run, profile, field, from_stdin=from_stdin))
        world.say(f"stored {field} of {profile.name} for {profile.origin}")
        if profile.auth.command_for(field) or profile.auth.file_for(field):
            world.warn(f"{profile.name} does not use it: its {field} comes from the command or file in auth")
            return
        if field in secrets.state(profile):
            return
        if profile.assumes_auth:
            test = f"{PROGRAM} profiles test {profile.name} --apply"
            world.warn(f"{profile.name} has no auth type yet that sends a {field}. To find one, run:\n{test}")
        else:
            world.warn(f"{profile.name} does not use this {field}: its auth type is {profile.auth.kind}")


def _new_value(run: Run, profile: Profile, field: str, *, from_stdin: bool) -> str:
    if from_stdin:
        value = run.world.stdin.readline().decode(errors="replace").rstrip("\r\n")
    elif field not in profile.secrets and not profile.assumes_auth:
        needed = ", ".join(profile.secrets) or "none"
        fail(f"{profile.name} uses no {field}: its auth type is {profile.auth.kind}. Its secrets: {needed}.")
    elif run.asks:
        value = ask_hidden(f"{field} for {profile.name} ({profile.origin})")
    else:
        command = f"{PROGRAM} profiles secret {profile.name} {field} --stdin"
        variable = profile.variable(field)
        fail(f"Cannot ask for the {field} without a terminal. Set {variable}, or pipe it to:\n{command}", 3)
    if not value:
        fail("The value is empty. Nothing was stored.")
    return value


def _secret_states(explorer: Explorer, profile: Profile) -> list[tuple[str, str]]:
    states = []
    for field, found in explorer.secrets.state(profile).items():
        state = state_word(found)
        match found:
            case Secret(source="environment"):
                state += f" ({profile.variable(field)})"
            case Secret(source="inherited"):
                state += f" ({field})"
            case Secret(source="command" | "file" as source):
                state += f" ({key_of(field, source)})"
            case Secret(source=source):
                state += f" ({source})"
            case DestinationChanged(why=why, changes=changes):
                state = ", ".join((f"{state}: {why}", *map(str, changes)))
            case _:
                state += f". Set {profile.variable(field)}"
        states.append((field, state))
    return states


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, dict | list):
        return json_of(value).decode()
    return "-" if value is None or value == "" else str(value)
