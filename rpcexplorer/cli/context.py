"""The profile that a command uses, and how the command ends."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, cast

import click
from msgspec import Struct

from rpcexplorer.auth.registry import KINDS, with_usual_auth
from rpcexplorer.cli.world import PersonAtTerminal, World
from rpcexplorer.explorer import Explorer
from rpcexplorer.manual import page_of_command
from rpcexplorer.model.destination import Nobody, Person
from rpcexplorer.model.problem import PROGRAM, Changes, Problem, first_few, joined_words, nearest, quoted
from rpcexplorer.model.profile import Profile, ad_hoc, kind_of, misplaced_setting, split_address
from rpcexplorer.text.printable import printable

MAX_PROBLEMS = 10
"""Problems of files that each command prints.

``profiles check`` prints more.
"""


class Invocation(Struct):
    """The options before the name of the command."""

    world: World
    profile: str | None = None
    sessions: Path | None = None
    url: str | None = None
    case: Path | None = None
    """A case that the screen opens; someone else recorded its calls."""

    def open(self, *, ask: bool = True) -> Explorer:
        """Open the explorer and print the problems of its files."""
        person = PersonAtTerminal() if ask and self.world.asks else Nobody()
        explorer = self.world.open_explorer(person, self.sessions)
        explorer.prints = True
        for sentence in first_few(explorer.profiles.problems, MAX_PROBLEMS):
            self.world.say(sentence)
        return explorer

    def build(self, person: Person) -> Explorer:
        """Open the explorer for a screen, which shows the problems itself."""
        explorer = self.world.open_explorer(person, self.sessions)
        if self.profile is not None or self.url is not None:
            self.use(explorer, None)
        return explorer

    def use(
        self,
        explorer: Explorer,
        name: str | None,
        url: str | None = None,
        auth: str | None = None,
        form: Changes = (),
    ) -> Profile:
        """Choose the profile; end the command if there is none."""
        if url is not None and self.url is not None:
            raise click.UsageError("Name only one URL.")
        url = self.url if url is None else url
        if url is not None and kind_of(url) == "process":
            raise click.UsageError("A process has no URL. Name its words with --stdio WORDS.")
        if url is not None and "://" not in url:
            raise click.UsageError("A URL begins with http:// or https://, such as http://127.0.0.1:8000/jsonrpc.")
        if url is not None and (name or self.profile):
            raise click.UsageError("Name a profile or a URL, not both.")
        if auth is not None and url is None:
            command = f"{PROGRAM} profiles set NAME auth.kind=TYPE"
            raise click.UsageError(f"--auth needs --url. To set the auth type of a profile, run:\n{command}")
        if form and url is None:
            (key, value), *_ = form
            option, change = f"--{key.replace('_', '-')}", quoted(f"{key}={value}")
            command = f"{PROGRAM} profiles set NAME {change}"
            raise click.UsageError(f"{option} needs --url. To change a profile, run:\n{command}")
        if url is not None and "@" in split_address(url)[0]:
            fail("The URL contains a user name or password, which would be recorded. Remove it and use --auth.")
        wanted = _checked(explorer, at_address(url, auth)) if url is not None else (name or self.profile)
        for key, value in form:
            made = explorer.profiles.changed(cast("Profile", wanted), ((key, value),))
            if isinstance(made, Problem):
                fail(f"--{key.replace('_', '-')} {value}: {made.sentence}.")
            wanted = made
        if isinstance(wanted, Profile) and (wrong := misplaced_setting(wanted)):
            fail(f"--auth {auth}: {wrong[1]}.")
        chosen = explorer.use(wanted)
        if isinstance(chosen, Problem):
            fail(str(chosen))
        return chosen

    def options(self, name: str | None, url: str | None = None, auth: str | None = None) -> str:
        """Return the options that choose the same profile in another command.

        A secret in the URL is redacted.
        """
        if url := url or self.url:
            from rpcexplorer.text.profile import printable_url  # Only a typed URL needs it.

            url = printable_url(url)
        named = {"--sessions": self.sessions, "-p": name or self.profile, "--url": url, "--auth": auth}
        return "".join(f" {option} {shlex.quote(str(value))}" for option, value in named.items() if value)

    def warn_about(self, explorer: Explorer, file: Path) -> None:
        """Print a warning if git would commit a file of personal changes."""
        if warning := explorer.commit_warning(file):
            self.world.warn(warning)

    def file_to_write(self, own: Path, *, team: bool) -> Path:
        """Return the file to change a profile in: ``own`` or a named one."""
        return self.sessions or (self.world.folder / "sessions.toml" if team else own)


class Failed(click.ClickException):
    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.code = code


def at_address(url: str, auth: str | None = None) -> Profile:
    """Return a profile for a URL, with the given or the usual auth type."""
    return ad_hoc(url, KINDS[auth]()) if auth else with_usual_auth(ad_hoc(url))


def _checked(explorer: Explorer, profile: Profile) -> Profile:
    """Return a profile of typed words or a typed URL; end the command if no file could have it.

    The URL of an HTTP server is checked when it is called.
    """
    if not (profile.is_open_connection or profile.socket):
        return profile
    words: Changes = (("command", [*profile.command]),) if profile.command else ()
    made = explorer.profiles.changed(profile, (("url", profile.url), *words))
    if isinstance(made, Problem):
        fail(f"{'--stdio' if profile.command else '--url'}: {made.sentence}.")
    return made


def words_of(text: str) -> list[str]:
    """Return the words of a process, split as a shell does; end the command if they cannot be."""
    try:
        return shlex.split(text)
    except ValueError:
        raise click.UsageError("The words of --stdio have a quote without its end.") from None


def fail(sentence: str, code: int = 2) -> NoReturn:
    raise Failed(sentence, code)


def agree(context: click.Context, question: str, *, yes: bool) -> None:
    """Ask to confirm a change; end the command unless the answer is yes."""
    if yes:
        return
    if not invocation_of(context).world.asks:
        fail("Cannot ask for confirmation without a terminal. Add --yes to confirm.")
    if not click.confirm(printable(question), default=False, err=True):
        fail("Nothing was changed.")


def invocation_of(context: click.Context) -> Invocation:
    return cast("Invocation", context.obj)


def complete_profiles(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    return [name for name in open_explorer_silently(context).profiles.profiles if name.startswith(begun)]


profile_option = click.option(
    "-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Use this profile."
)
no_input_option = click.option(
    "--no-input", "ask", flag_value=False, default=True, help="Fail instead of asking for input."
)


def open_explorer_silently(context: click.Context) -> Explorer:
    """Open an explorer that prints nothing and never asks.

    Completion and suggestions use it.
    """
    root = context.find_root()
    world: World = root.obj.world if isinstance(root.obj, Invocation) else root.obj  # No command has run yet.
    return world.open_explorer(Nobody(), root.params.get("sessions"))


def _note_option(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Use an option of the program that was typed after the command."""
    if value is None:
        return
    context.find_root().params[str(option.name)] = value  # Completion and suggestions read it.
    if context.resilient_parsing:
        return
    if option.name == "url" and invocation_of(context).url is not None:
        raise click.UsageError("Name only one URL.")
    setattr(invocation_of(context), str(option.name), value)


_typed_after = partial(click.option, hidden=True, expose_value=False, callback=_note_option)
"""An option of the program that a command accepts, as if typed before it."""
profile_after_option = _typed_after("-p", "--profile", shell_complete=complete_profiles)
url_after_option = _typed_after("--url")
sessions_after_option = _typed_after("--sessions", type=click.Path(path_type=Path))


def as_command(words: str, command: click.Command) -> click.Command:
    """Add the manual's page to the help, and the option for the project file."""
    command.epilog = f"Manual: {PROGRAM} manual {page_of_command(words)}"
    has_option = any("--sessions" in param.opts for param in command.params)
    return command if has_option else sessions_after_option(command)


class CommandGroup(click.Group):
    """A group that suggests the nearest name for an unknown command."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = super().get_command(ctx, cmd_name)
        return command and as_command(f"{self.name} {cmd_name}", command)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not (args or self.invoke_without_command or ctx.resilient_parsing):
            raise click.UsageError(f"{ctx.command_path} needs a command: {joined_words(self.list_commands(ctx))}.", ctx)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name)):
            raise click.UsageError(f"There is no command {name}. {self.instead(ctx, name)}".rstrip(), ctx)
        return super().resolve_command(ctx, args)

    def instead(self, ctx: click.Context, name: str) -> str:
        """Return the end of the error message: what to type instead."""
        known = self.list_commands(ctx)
        near = nearest(name, known)
        return f"Did you mean {near}?" if near else f"The commands are {joined_words(known)}."
