"""How a command runs: its server, its explorer, its questions and its end."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar, get_args

import click
from msgspec import Struct
from msgspec.structs import replace

from rpcexplorer.auth.registry import with_usual_auth
from rpcexplorer.cli.arguments import AUTH, OneOf
from rpcexplorer.cli.world import USES_LAST, AgreesToServers, PersonAtTerminal, World
from rpcexplorer.explorer import Explorer, Hooks
from rpcexplorer.manual import page_of_command
from rpcexplorer.model.destination import Nobody, Person
from rpcexplorer.model.exchange import Stop
from rpcexplorer.model.mcp import ELICITATION
from rpcexplorer.model.problem import PROGRAM, Problem, UserError, first_few, joined_words, nearest, quoted
from rpcexplorer.model.profile import (
    FORM_OF_REQUEST,
    PROCESS,
    SCHEMES,
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

T = TypeVar("T")
MAX_PROBLEMS = 10
"""Problems of files that each command prints.

``profiles check`` prints more.
"""


class Failed(UserError):  # noqa: N818 - the end of a command is often no error
    """The end of a command, with its exit code."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.code = code


def fail(sentence: str, code: int = 2) -> NoReturn:
    raise Failed(sentence, code)


def needs_extra(sentence: str, extra: str, requirement: str) -> NoReturn:
    """End the command with the line that installs what it needs."""
    if (Path(sys.prefix) / "pipx_metadata.json").exists():
        fail(f"{sentence}. To install it, run:\npipx inject {PROGRAM} '{requirement}'")
    fail(f"{sentence}. To install it, run in the folder of {PROGRAM}:\npip install '.[{extra}]'")


def fail_if(problem: Problem | str | None) -> None:
    """End the command if there is a problem."""
    if problem:
        fail(str(problem))


def unless_problem(found: T | Problem) -> T:
    """Return what was found; end the command if it is a problem."""
    if isinstance(found, Problem):
        fail(str(found))
    return found


class Server(Struct):
    """The server that the options name, typed before or after the command."""

    sessions: Path | None = None
    profile: str | None = None
    url: str | None = None
    stdio: str | None = None
    """The words of a process, as a shell quotes them."""
    preset: str | None = None
    framing: str | None = None
    auth: str | None = None
    content_type: str | None = None
    accept: str | None = None
    empty_params: str | None = None

    @property
    def is_named(self) -> bool:
        """Return whether an option names a profile, or describes a server without one."""
        named = (self.profile, self.url, self.stdio, self.preset, self.framing)
        return any(value is not None for value in named)

    @property
    def address(self) -> str | None:
        """Return the typed URL, with the usual scheme if it has none."""
        return None if self.url is None else with_scheme(self.url)

    @property
    def is_typed(self) -> bool:
        """Return whether it is a URL or a process, without a profile."""
        return self.url is not None or self.stdio is not None

    @property
    def settings(self) -> dict[str, str]:
        """Return the keys of a profile that were typed beside a URL or a process."""
        form = {key: getattr(self, key) for key in FORM_OF_REQUEST}
        keys = {"auth.kind": self.auth, "preset": self.preset, "framing": self.framing, **form}
        return {key: value for key, value in keys.items() if value is not None}

    @property
    def options(self) -> str:
        """Return the options that choose the same profile in another command.

        A secret in the URL is redacted.
        """
        url = self.url
        if url:
            from rpcexplorer.text.profile import printable_url  # Only a typed URL needs it.

            url = printable_url(url)
        named = {
            "--sessions": self.sessions,
            "-p": self.profile,
            "--url": url,
            "--stdio": self.stdio,
            "--preset": self.preset,
            "--framing": self.framing,
            "--auth": self.auth,
        }
        return "".join(f" {option} {shlex.quote(str(value))}" for option, value in named.items() if value)

    def refuse_contradictions(self, profile: str | None) -> None:
        """End the command if its options do not name one server."""
        url = self.address
        if url is not None:
            if kind_of(url) == "process":
                raise click.UsageError("A process has no URL. Name its words with --stdio WORDS.")
            if "://" not in url:
                raise click.UsageError(f"A URL begins with {URL_BEGINNINGS}, such as http://127.0.0.1:8000/jsonrpc.")
            if scheme_of(url) not in SCHEMES:
                raise click.UsageError(f"{scheme_of(url)}:// is not supported. Begin the URL with {URL_BEGINNINGS}.")
            if self.stdio is not None:
                raise click.UsageError("Name a URL or a process, not both.")
        if self.is_typed and profile:
            what, option = ("URL", "--url") if self.stdio is None else ("process", "--stdio")
            raise click.UsageError(f"Name a profile or a {what}, not both. The profile has one already: omit {option}.")
        if self.settings and not self.is_typed:
            key, value = next(iter(self.settings.items()))
            change = "TYPE" if key == "auth.kind" else quoted(value)
            command = f"{PROGRAM} profiles set NAME {key}={change}"
            raise click.UsageError(f"{_option(key)} needs --url or --stdio. To change a profile, run:\n{command}")
        if url is not None and "@" in split_address(url)[0]:
            fail("The URL contains a user name or password, which would be recorded. Remove it and use --auth.")

    def typed_profile(self, explorer: Explorer) -> Profile:
        """Return the profile of a typed URL or process; end the command if no file could have it.

        The call checks the URL of an HTTP server.
        """
        settings, url = tuple(self.settings.items()), self.address
        made: Profile | Problem
        is_http = url is not None and kind_of(url) == "http" and scheme_of(url) != "http+unix"
        if url is not None and is_http and not (self.preset or self.framing):
            made = at_address(url)
            if settings:
                made = explorer.profiles.changed(made, settings)
        else:
            keys: dict[str, Any] = {"url": PROCESS}
            if url is not None:
                keys["url"], keys["path"] = split_address(url)
            if self.stdio is not None:
                keys["command"] = words_of(self.stdio)
            given = tuple((key, value) for key, value in keys.items() if value is not None)
            made = explorer.profiles.typed((*given, *settings))
        if isinstance(made, Problem):
            fail(self._words(made))
        return replace(made, typed=tuple(self.settings))

    def _words(self, problem: Problem) -> str:
        """Return a problem of the typed profile, with the option that caused it."""
        if problem.line:  # It is in the file of a preset.
            return str(problem)
        key = problem.key.removeprefix(f"profile.{TYPED}.")
        value = self.settings.get(key, "")
        return f"{_option(key)} {value}".rstrip() + f": {problem.sentence}."


class Run:
    """One run of a command, with the options that many commands share."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.server = Server()
        self.asks = world.asks
        """Whether the user can be asked: there is a terminal, and no ``--no-input``."""
        self.yes = False
        """Whether ``--yes`` has confirmed everything that the command would ask."""
        self.pastes = False
        """Whether the redirect of a login is typed."""
        self.agrees_to_servers = False
        """Whether a login may ask servers for a token that another one names."""
        self.stop = Stop()

    @cached_property
    def explorer(self) -> Explorer:
        """The explorer of the command; it is opened when it is first used."""
        return self.open()

    def open(self, *, creates: bool = False) -> Explorer:
        """Open the explorer and print the problems of its files.

        End the command if the project file that was named cannot be read, unless the command ``creates`` it.
        """

        def print_line(profile: Profile, line: str) -> None:
            from rpcexplorer.cli.events import pass_on  # Few commands have a process.

            name = Path(profile.command[0]).name
            pass_on(self.world, name, line, lambda text: explorer.redactor(of_this_profile=True).text(text))

        def print_event(profile: Profile, event: Event) -> None:
            from rpcexplorer.cli.events import note_event

            note_event(self.world, explorer, profile, event)

        hooks = Hooks(on_event=print_event, on_stderr=print_line, can_ask=self._can_answer, continues=True, prints=True)
        person: Person = Nobody()
        if self.agrees_to_servers:
            person = AgreesToServers()
        elif self.asks:
            person = PersonAtTerminal(pastes=self.pastes)
        explorer = self.explorer = self._opened(person, hooks, creates=creates)
        problems = [*explorer.profiles.problems]
        if creates and explorer.profiles.refused_by_name in problems:
            problems.remove(explorer.profiles.refused_by_name)
        for sentence in first_few([*filter(self._concerns, problems)], MAX_PROBLEMS):
            self.world.warn(sentence)
        if back := explorer.take_unsaved_back():
            self.world.say(back)
        return explorer

    def _concerns(self, problem: Problem) -> bool:
        """Return whether a problem may be one of the server that the options name.

        A problem that makes a whole profile unusable ends the command that uses it.
        """
        return problem.profile is None or not self.server.is_named

    def _can_answer(self, method: str) -> bool:
        """Return whether the user can answer a request of a server on the terminal: only what is asked in a form."""
        return self.asks and method == ELICITATION

    def open_for_screen(self, person: Person) -> Explorer:
        """Open the explorer for a screen, which shows the problems itself."""
        self.explorer = self._opened(person, USES_LAST)
        if self.server.is_named:
            self.use()
        return self.explorer

    def _opened(self, person: Person, hooks: Hooks, *, creates: bool = False) -> Explorer:
        explorer = self.world.open_explorer(person, self.server.sessions, hooks=hooks)
        problem = explorer.profiles.refused_by_name
        if problem is not None and not creates:  # Without that file, the call could go to another server.
            fail(str(problem))
        return explorer

    def open_silently(self) -> Explorer:
        """Open an explorer that prints nothing and never asks, for completion and suggestions."""
        self.explorer = self.world.open_explorer(Nobody(), self.server.sessions)
        return self.explorer

    def use(self, name: str | None = None) -> Profile:
        """Choose the profile as ``choose`` does. One of ``-p`` is used again in this project folder."""
        profile = self.choose(name)
        if profile.name == self.server.profile:
            self.explorer.remember_profile()
        elif name is None and not profile.ad_hoc and profile != self.explorer.profiles.get():
            self.world.hint(f"{profile.name} is used, as it was last in this folder. For another one, add -p NAME")
        return profile

    def choose(self, name: str | None = None) -> Profile:
        """Choose the named profile, or the server of the options; end the command if there is none."""
        named = name or self.server.profile
        self.server.refuse_contradictions(named)
        if not self.server.is_typed:
            return self.explorer.use(named)
        profile = self.server.typed_profile(self.explorer)
        if self.server.url != self.server.address:
            from rpcexplorer.text.profile import printable_url  # Only a URL without a scheme needs it.

            self.world.say(f"the URL has no scheme, so calls go to {printable_url(profile.endpoint)}")
        return self.explorer.use(profile)

    def agrees(self, question: str) -> bool:
        """Ask the user, who is at a terminal. Enter alone means no."""
        return click.confirm(printable(question), default=False, err=True)

    def confirm(
        self,
        question: str,
        *,
        unasked: str = "Cannot ask for confirmation without a terminal. Add --yes to confirm.",
        declined: str = "Nothing was changed.",
    ) -> None:
        """Ask to confirm; end the command if the user cannot be asked, or unless the answer is yes."""
        if self.yes:
            return
        if not self.asks:
            fail(unasked)
        if not self.agrees(question):
            fail(declined)

    def file_to_write(self, own: Path, *, team: bool) -> Path:
        """Return the file to change a profile in: ``own`` or a named one."""
        project_file = self.world.folder / "sessions.toml"
        return self.server.sessions or (project_file if team else own)

    def warn_if_committed(self, file: Path) -> None:
        """Print a warning if git would commit a file of personal changes."""
        if warning := self.explorer.commit_warning(file):
            self.world.warn(warning)

    def warn_unless_recorded(self, what: str = "not all calls were recorded") -> None:
        if problem := self.explorer.journal.problem:
            self.world.warn(f"{what}: {problem}")


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


F = TypeVar("F", bound=Callable[..., Any])
ONLY_ONE: Final = {"profile": "profile", "url": "URL", "stdio": "process", "preset": "preset", "framing": "framing"}


def _note_server(context: click.Context, option: click.Parameter, value: Any) -> None:
    """Note what an option says about the server. The last one counts, unless there can be only one value."""
    server, name = context.obj.server, str(option.name)
    if value is None:
        return
    if name in ONLY_ONE and getattr(server, name) not in {None, value}:
        raise click.UsageError(f"Name only one {ONLY_ONE[name]}.")
    setattr(server, name, value)


def _note_no_input(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        context.obj.asks = False


def _note_yes(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.obj.yes = value


def complete_profiles(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    return [name for name in context.obj.open_silently().profiles.profiles if name.startswith(begun)]


def complete_presets(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    return [name for name in context.obj.open_silently().profiles.presets.files() if name.startswith(begun)]


def together(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return one decorator for several options."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_server_option = partial(click.option, expose_value=False, callback=_note_server)
sessions_option = partial(
    _server_option,
    "--sessions",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Use FILE as the project file.",
)
profile_option = partial(
    _server_option,
    "-p",
    "--profile",
    metavar="NAME",
    shell_complete=complete_profiles,
    help="Use this profile.",
)
auth_option = _server_option(
    "--auth",
    type=AUTH,
    help="Auth type (only with --url or --stdio).  [default: the preset's, or cookie for /api/v2/, or none]",
)


form_options = together(
    _server_option("--content-type", metavar="TYPE", help="Content type of the request (only with --url)."),
    _server_option("--accept", metavar="TYPES", help="Accept header of the request (only with --url)."),
    _server_option("--empty-params", metavar="[]|{}|omit", help="How to send a call without params (only with --url)."),
)


def url_options(url_help: str = "", *, hidden: bool = False) -> Callable[[F], F]:
    """Add ``--url`` and the options that describe a server without a profile.

    ``--url`` is in the help if it has a help text of its own, the others unless they are ``hidden``.
    """
    options = [
        _server_option("--url", metavar="URL", help=url_help, hidden=not url_help),
        _server_option(
            "--stdio",
            metavar="WORDS",
            hidden=hidden,
            help="Start this process and use it as the server. Quote WORDS as for a shell. No shell runs.",
        ),
        _server_option(
            "--preset",
            metavar="NAME",
            hidden=hidden,
            shell_complete=complete_presets,
            help="Use the values of this preset (only with --url or --stdio).",
        ),
        _server_option(
            "--framing",
            type=OneOf(get_args(Framing)),
            metavar="|".join(get_args(Framing)),
            hidden=hidden,
            help="Form of the messages on a stream or a process (only with --url or --stdio).",
        ),
    ]
    return together(*options)


no_input_option = partial(
    click.option,
    "--no-input",
    is_flag=True,
    expose_value=False,
    callback=_note_no_input,
    help="Fail instead of asking for input.",
)
yes_option = partial(
    click.option,
    "-y",
    "--yes",
    is_flag=True,
    expose_value=False,
    callback=_note_yes,
    help="Do not ask for confirmation.",
)


def as_command(words: str, command: click.Command) -> click.Command:
    """Add the manual's page to the help, and the option for the project file."""
    command.epilog = f"Manual: {PROGRAM} manual {page_of_command(words)}"
    has_option = any("--sessions" in param.opts for param in command.params)
    return command if has_option else sessions_option(hidden=True)(command)


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
