"""The profile that a command uses, and how the command ends."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, cast, get_args

import click
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.registry import with_usual_auth
from rpcexplorer.cli.arguments import OneOf
from rpcexplorer.cli.world import USES_LAST, PersonAtTerminal, World
from rpcexplorer.explorer import Explorer, Hooks
from rpcexplorer.manual import page_of_command
from rpcexplorer.model.destination import Nobody, Person
from rpcexplorer.model.problem import PROGRAM, Changes, Problem, UserError, first_few, joined_words, nearest, quoted
from rpcexplorer.model.profile import (
    PROCESS,
    URL_BEGINNINGS,
    Profile,
    ad_hoc,
    kind_of,
    scheme_of,
    split_address,
    with_scheme,
)
from rpcexplorer.profiles.layers import TYPED
from rpcexplorer.text.printable import printable
from rpcexplorer.transport.port import Framing

if TYPE_CHECKING:
    from rpcexplorer.model.event import Event

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
    stdio: str | None = None
    """The words of a process, as a shell quotes them."""
    preset: str | None = None
    framing: str | None = None
    case: Path | None = None
    """A case that the screen opens; someone else recorded its calls."""

    def open(self, *, ask: bool = True, creates: bool = False) -> Explorer:
        """Open the explorer and print the problems of its files.

        End the command if the project file that was named cannot be read, unless the command ``creates`` it.
        """
        person = PersonAtTerminal() if ask and self.world.asks else Nobody()

        def print_line(profile: Profile, line: str) -> None:
            from rpcexplorer.cli.output import pass_on  # Few commands have a process.

            name = Path(profile.command[0]).name
            pass_on(self.world, name, line, lambda text: explorer.redactor(of_this_profile=True).text(text))

        def print_event(profile: Profile, event: Event) -> None:
            from rpcexplorer.cli.output import note_event

            note_event(self.world, explorer, profile, event)

        hooks = Hooks(on_event=print_event, on_stderr=print_line, continues=True, prints=True)
        explorer = self._opened(person, hooks, creates=creates)
        problems = [*explorer.profiles.problems]
        if creates and explorer.profiles.refused_by_name in problems:
            problems.remove(explorer.profiles.refused_by_name)
        for sentence in first_few(problems, MAX_PROBLEMS):
            self.world.say(sentence)
        if back := explorer.take_unsaved_back():
            self.world.say(back)
        return explorer

    def build(self, person: Person) -> Explorer:
        """Open the explorer for a screen, which shows the problems itself."""
        explorer = self._opened(person, USES_LAST)
        if self.names_server:
            self.use(explorer, None)
        return explorer

    def _opened(self, person: Person, hooks: Hooks, *, creates: bool = False) -> Explorer:
        explorer = self.world.open_explorer(person, self.sessions, hooks=hooks)
        problem = explorer.profiles.refused_by_name
        if problem is not None and not creates:  # Without that file, the call could go to another server.
            fail(str(problem))
        return explorer

    @property
    def names_server(self) -> bool:
        """Return whether a profile, a URL or a process was named as an option of the program."""
        named = (self.profile, self.url, self.stdio, self.preset, self.framing)
        return any(value is not None for value in named)

    def use(
        self,
        explorer: Explorer,
        name: str | None,
        url: str | None = None,
        auth: str | None = None,
        form: Changes = (),
    ) -> Profile:
        """Choose the profile as ``choose`` does. One of ``-p`` is used again in this project folder."""
        profile = self.choose(explorer, name, url, auth, form)
        if profile.name == self.profile:
            explorer.remember_profile()
        elif name is None and not profile.ad_hoc and profile != explorer.profiles.get():
            self.world.hint(f"{profile.name} is used, as it was last in this folder. For another one, add -p NAME")
        return profile

    def choose(
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
        has_scheme = url is None or with_scheme(url) == url
        url = url and with_scheme(url)
        if url is not None and kind_of(url) == "process":
            raise click.UsageError("A process has no URL. Name its words with --stdio WORDS.")
        if url is not None and "://" not in url:
            raise click.UsageError(f"A URL begins with {URL_BEGINNINGS}, such as http://127.0.0.1:8000/jsonrpc.")
        if url is not None and self.stdio is not None:
            raise click.UsageError("Name a URL or a process, not both.")
        is_typed = url is not None or self.stdio is not None
        if is_typed and (name or self.profile):
            what = "URL" if self.stdio is None else "process"
            option = "--url" if self.stdio is None else "--stdio"
            raise click.UsageError(f"Name a profile or a {what}, not both. The profile has one already: omit {option}.")
        beside: Changes = tuple(
            (key, value)
            for key, value in (("auth.kind", auth), ("preset", self.preset), ("framing", self.framing), *form)
            if value is not None
        )
        if beside and not is_typed:
            key, value = beside[0]
            change = "TYPE" if key == "auth.kind" else quoted(str(value))
            command = f"{PROGRAM} profiles set NAME {key}={change}"
            raise click.UsageError(f"{_option(key)} needs --url or --stdio. To change a profile, run:\n{command}")
        if url is not None and "@" in split_address(url)[0]:
            fail("The URL contains a user name or password, which would be recorded. Remove it and use --auth.")
        chosen = self._typed(explorer, url, beside) if is_typed else name or self.profile
        if isinstance(chosen, Profile) and not has_scheme:
            from rpcexplorer.text.profile import printable_url  # Only a URL without a scheme needs it.

            self.world.say(f"the URL has no scheme, so calls go to {printable_url(chosen.endpoint)}")
        try:
            return explorer.use(chosen)
        except UserError as error:
            fail(error.sentence)

    def _typed(self, explorer: Explorer, url: str | None, beside: Changes) -> Profile:
        """Return the profile of a typed URL or process; end the command if no file could have it.

        The call checks the URL of an HTTP server.
        """
        made: Profile | Problem
        is_http = url is not None and kind_of(url) == "http" and scheme_of(url) != "http+unix"
        if url is not None and is_http and not (self.preset or self.framing):
            made = explorer.profiles.changed(at_address(url), beside) if beside else at_address(url)
        else:
            address, path = (PROCESS, None) if url is None else split_address(url)
            words = None if self.stdio is None else words_of(self.stdio)
            typed = (("url", address), ("path", path), ("command", words), *beside)
            made = explorer.profiles.typed(tuple((key, value) for key, value in typed if value is not None))
        if isinstance(made, Problem):
            key = made.key.removeprefix(f"profile.{TYPED}.")
            value = dict(beside).get(key)
            fail(str(made) if made.line else f"{_option(key)}{f' {value}' if value else ''}: {made.sentence}.")
        return replace(made, typed=tuple(key for key, _ in beside))

    def options(self, name: str | None, url: str | None = None, auth: str | None = None) -> str:
        """Return the options that choose the same profile in another command.

        A secret in the URL is redacted.
        """
        if url := url or self.url:
            from rpcexplorer.text.profile import printable_url  # Only a typed URL needs it.

            url = printable_url(url)
        named = {
            "--sessions": self.sessions,
            "-p": name or self.profile,
            "--url": url,
            "--stdio": self.stdio,
            "--preset": self.preset,
            "--framing": self.framing,
            "--auth": auth,
        }
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


def at_address(url: str) -> Profile:
    """Return a profile for a URL, with the usual auth type."""
    return with_usual_auth(ad_hoc(url))


def words_of(text: str) -> list[str]:
    """Return the words of a process, split as a shell does; end the command if they cannot be."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise click.UsageError("The words of --stdio have a quote without its end.") from None
    if not words:
        raise click.UsageError("--stdio needs the words of a process, such as --stdio pylsp.")
    return words


def _option(key: str) -> str:
    """Return the option that sets a key of a typed profile."""
    key = key.partition(".")[0]
    return {"path": "--url", "command": "--stdio"}.get(key, f"--{key.replace('_', '-')}")


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


F = TypeVar("F", bound=Callable[..., Any])


def complete_profiles(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    return [name for name in open_explorer_silently(context).profiles.profiles if name.startswith(begun)]


def _note_profile(context: click.Context, _: click.Parameter, name: str | None) -> str | None:
    if name is not None and not context.resilient_parsing:
        invocation_of(context).profile = name
    return name


profile_option = click.option(
    "-p",
    "--profile",
    metavar="NAME",
    shell_complete=complete_profiles,
    callback=_note_profile,
    help="Use this profile.",
)
no_input_option = click.option(
    "--no-input", "ask", flag_value=False, default=True, help="Fail instead of asking for input."
)


def complete_presets(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    return [name for name in open_explorer_silently(context).profiles.presets.files() if name.startswith(begun)]


def open_explorer_silently(context: click.Context) -> Explorer:
    """Open an explorer that prints nothing and never asks.

    Completion and suggestions use it.
    """
    root = context.find_root()
    world: World = root.obj.world if isinstance(root.obj, Invocation) else root.obj  # No command has run yet.
    return world.open_explorer(Nobody(), root.params.get("sessions"))


ONLY_ONE: Final = {"url": "URL", "stdio": "process", "preset": "preset", "framing": "framing"}


def _note_option(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Use an option of the program that was typed after the command."""
    if value is None:
        return
    context.find_root().params[str(option.name)] = value  # Completion and suggestions read it.
    if context.resilient_parsing:
        return
    if option.name in ONLY_ONE and getattr(invocation_of(context), option.name) is not None:
        raise click.UsageError(f"Name only one {ONLY_ONE[option.name]}.")
    setattr(invocation_of(context), str(option.name), value)


_typed_after = partial(click.option, hidden=True, expose_value=False, callback=_note_option)
"""An option of the program that a command accepts, as if typed before it."""
profile_after_option = _typed_after("-p", "--profile", shell_complete=complete_profiles)
sessions_after_option = _typed_after("--sessions", type=click.Path(path_type=Path))


_OF_SERVERS: Final[dict[str, dict[str, Any]]] = {
    "--stdio": {
        "metavar": "WORDS",
        "help": "Start this process and use it as the server. Quote WORDS as for a shell. No shell runs.",
    },
    "--preset": {
        "metavar": "NAME",
        "shell_complete": complete_presets,
        "help": "Use the values of this preset (only with --url or --stdio).",
    },
    "--framing": {
        "type": OneOf(get_args(Framing)),
        "metavar": "|".join(get_args(Framing)),
        "help": "Form of the messages on a stream or a process (only with --url or --stdio).",
    },
}
"""Options of the program that describe a server without a profile, besides ``--url``."""


def server_options(command: F, **settings: Any) -> F:
    """Add these options; each can be typed before or after the command."""
    for name, option in reversed(_OF_SERVERS.items()):
        command = click.option(name, **option, **settings)(cast("Any", command))
    return command


server_after_options = partial(server_options, expose_value=False, callback=_note_option)


def url_after_option(command: F, *, hidden: bool = True) -> F:
    """Add ``--url`` and the options beside it, as if typed before the command."""
    return _typed_after("--url")(server_after_options(command, hidden=hidden))


def url_after_option_shown(command: F) -> F:
    """Add the same options, and list those beside ``--url`` in the help."""
    return url_after_option(command, hidden=False)


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
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
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
