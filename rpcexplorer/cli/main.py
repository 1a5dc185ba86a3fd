"""The program as a function of its arguments, and its commands."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Final, cast

import click

from rpcexplorer import __version__
from rpcexplorer.cli.run import (
    CommandGroup,
    Failed,
    Run,
    as_command,
    fail,
    profile_option,
    sessions_option,
    together,
    url_options,
)
from rpcexplorer.cli.world import COMPLETING, INTERRUPTED, World
from rpcexplorer.files.io import read_bytes
from rpcexplorer.model.exchange import CASE_ENDING
from rpcexplorer.model.problem import PROGRAM, UserError, nearest
from rpcexplorer.model.profile import URL_BEGINNINGS, with_scheme
from rpcexplorer.patterns import regex


def run(arguments: Sequence[str], world: World) -> int:
    """Run a command, the screen or completion; return the exit code."""
    if COMPLETING in world.environment:
        from rpcexplorer.cli.completion import answer

        answer(world, program)
        return 0
    try:
        code = program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False, obj=Run(world))
    except click.Abort:
        return INTERRUPTED
    except click.UsageError as error:
        world.say(_with_help(error))
        return error.exit_code
    except UserError as error:
        world.say(error.sentence)
        return error.code if isinstance(error, Failed) else 2
    return code or 0


GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "Calls": {
        "call": "call",
        "batch": "call",
        "notify": "call",
        "listen": "listen",
        "methods": "methods",
        "params": "methods",
        "import": "importing",
    },
    "Servers": {"profiles": "profiles", "presets": "lists", "login": "call", "logout": "call"},
    "History": {"history": "history", "copy": "copy", "compare": "compare", "replay": "compare"},
    "Tests": {"check": "check", "load": "load"},
    "Other": {
        "demo": "demo",
        "manual": "lists",
        "keys": "lists",
        "themes": "lists",
        "paths": "lists",
        "completion": "completion",
    },
}
"""The commands in the order of use, each with its module."""
MODULES: Final = {name: module for group in GROUPS.values() for name, module in group.items()}


class Commands(CommandGroup):
    """The program's commands, imported when they are needed."""

    def instead(self, ctx: click.Context, name: str) -> str:
        """Return a suggestion: a profile, another command, or a method."""
        profiles = ctx.obj.open_silently().profiles.leaves
        same = [profile for profile in profiles if profile.lower() == name.lower()]
        if same:
            profile = name if name in same else same[0]
            return f"To open the profile, run:\n{ctx.command_path} -p {shlex.quote(profile)}"
        if name == "discover":  # The screen calls it so.
            return f"To discover methods, run:\n{ctx.command_path} methods --refresh"
        if ("/" in name or ":" in name) and "\\" not in name:
            return f"A URL begins with {URL_BEGINNINGS}."
        suggestion = super().instead(ctx, name)
        if suggestion.endswith("?") and "." not in name:
            return suggestion
        if "\\" in name or " " in name:
            return ""
        return f"To call the method {name}, run:\n{ctx.command_path} call {name}"

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own shape
        return list(MODULES)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--json" in args and {"-h", "--help"} & {*args} and {*args} <= {"-h", "--help", "--json"}:
            from rpcexplorer.cli.reference import reference_of  # People do not ask for it.
            from rpcexplorer.text.json_text import json_of

            ctx.obj.world.print_json(json_of(reference_of(self, EXIT_CODES)))
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, MODULES))
        room = formatter.width - width - 6  # Without the indents and the space between the columns.
        for title, names in GROUPS.items():
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                assert command is not None
                rows.append((name.ljust(width), command.get_short_help_str(room)))
            with formatter.section(title):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; a URL or a case opens the screen."""
        word = with_scheme(args[0])
        if "://" in word:
            opens = open_address
        elif word.endswith(CASE_ENDING):
            opens = open_case
        else:
            return super().resolve_command(ctx, args)
        if "-h" in args[1:] or "--help" in args[1:]:
            click.echo(ctx.get_help())
            ctx.exit()
        return opens.name, opens, args  # Messages do not repeat a password in a URL.

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in MODULES:
            return None
        function = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command = cast("click.Command", getattr(import_module(f"rpcexplorer.cli.{MODULES[cmd_name]}"), function))
        return as_command(cmd_name, command)


EXIT_CODES: Final = {
    0: "result",
    1: "error object",
    2: "usage or configuration",
    3: "credentials",
    4: "no response",
    5: "response that is not JSON-RPC",
    6: "failed check or load test, or responses that differ",
    70: "internal error of rpcexplorer",
    130: "interrupted",
    141: "the reader of the output has closed the pipe",
}
_CODE_LINES: Final = "\n  ".join(f"{code:<5}{meaning}" for code, meaning in EXIT_CODES.items())
HELP: Final = f"""\
Explore JSON-RPC services. Without a command, the screen opens.

Results are printed to stdout, messages to stderr.

\b
Exit codes:
  {_CODE_LINES}

\b
Examples:
  rpcexplorer demo
  rpcexplorer https://rpc.example.com/jsonrpc
  rpcexplorer --stdio pylsp --preset lsp
  rpcexplorer case.toml
  rpcexplorer profiles add staging --url https://staging.example.com --username ada
  rpcexplorer call -p staging ping
"""


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=HELP,
    epilog=f"Manual: {PROGRAM} manual",
)
@click.version_option(__version__, prog_name=PROGRAM)
@profile_option()
@url_options("Use this URL, without a profile.")
@sessions_option()
@click.option("--json", "as_json", is_flag=True, help="With --help, print all commands and options as JSON.")
@click.pass_context
def program(context: click.Context, as_json: bool) -> int:
    """Run a command, or open the screen without one."""
    run: Run = context.obj
    if as_json:
        raise click.UsageError("--json needs --help. The --json of a command is after its name.")
    if context.invoked_subcommand is not None:
        return 0
    if run.world.on_terminal or run.server.is_named:
        return _open_screen(run)
    click.echo(context.get_help())
    return 0


hidden_options = together(profile_option(hidden=True), url_options(hidden=True), sessions_option(hidden=True))


@click.command("URL", add_help_option=False)
@click.argument("address")
@click.argument("file", required=False)
@hidden_options
@click.pass_obj
def open_address(run: Run, address: str, file: str | None) -> int:
    if run.server.url is not None or (file is not None and "://" in file):
        raise click.UsageError("Name only one URL.")
    if file is not None and not file.endswith(CASE_ENDING):
        raise click.UsageError(f"{file} is not a case. Only a file that ends with {CASE_ENDING} can follow a URL.")
    run.server.url = address
    return _open_screen(run) if file is None else _open_case(run, file)


@click.command("CASE", add_help_option=False)
@click.argument("file")
@hidden_options
@click.pass_obj
def open_case(run: Run, file: str) -> int:
    return _open_case(run, file)


def _open_case(run: Run, file: str) -> int:
    path = run.world.path(file)
    if read_bytes(path, links=True, others=True) is None:
        fail(f"There is no file {path}. Check the name.")
    if not run.world.on_terminal:
        commands = f"{PROGRAM} replay {file} -p NAME\n{PROGRAM} history import {file}"
        fail(f"The screen needs a terminal. To replay the calls, or to import them, run:\n{commands}")
    return _open_screen(run, path)


def _open_screen(run: Run, case: Path | None = None) -> int:
    """Open the screen; from the welcome screen, the demo may follow."""
    if not run.world.on_terminal:
        run.asks = False
        run.use()  # It refuses a URL with a password, which must not be repeated.
        fail(f"The screen needs a terminal. To send a call, run:\n{PROGRAM} call METHOD{run.server.options}")
    code, wish = run.world.open_screen(run.open_for_screen, run.server.profile, case)
    if wish != "demo":
        return code
    from rpcexplorer.cli.demo import open_demo

    return open_demo(run)


def _with_help(error: click.UsageError) -> str:
    """Return the message, with a pointer to --help if it suggests nothing."""
    message = _message(error)
    if "\n" in message or message.endswith("?") or error.ctx is None:
        return message
    context = error.ctx.find_root() if error.ctx.command in {open_address, open_case} else error.ctx
    return f"{message} To read the help, run:\n{context.command_path} --help"


def _message(error: click.UsageError) -> str:
    match error:
        case click.NoSuchOption(option_name=name, ctx=ctx) if ctx is not None:
            return _no_option(name, ctx)
        case click.MissingParameter(param=param, ctx=ctx) if param is not None and ctx is not None:
            return f"{_name(param)} is missing. Usage:\n{_usage(ctx)}"
        case click.BadOptionUsage(option_name=name, message=message):
            wrong = "needs a value" if "requires" in message else "takes no value"
            return f"The option {name} {wrong}."
        case click.BadParameter(param=click.Argument(type=click.Choice()), message=message):
            return message  # The usage line has no name for it, and the choices explain it.
        case click.BadParameter(param=param, message=message) if param is not None:
            return f"{_name(param)}: {message}"
    message = error.format_message()
    extra = regex(r"Got unexpected extra arguments? \((.*)\)").fullmatch(message)
    if extra is not None and error.ctx is not None:
        return f"{error.ctx.info_name} has no use for {extra[1]}. Usage:\n{_usage(error.ctx)}"
    return message


def _usage(ctx: click.Context) -> str:
    return " ".join(ctx.get_usage().split()).removeprefix("Usage: ")


PARAMS: Final = frozenset({"params", "given"})
"""The names of arguments that are the params of a call."""


def _no_option(name: str, ctx: click.Context) -> str:
    """Return the message about an unknown option, with a suggestion."""
    if name == "--version":
        return f"The option {name} must be before {ctx.info_name}."
    if name[1:].isdigit() and any(param.name in PARAMS for param in ctx.command.params):
        path = ctx.command_path
        return f"There is no option {name}. To pass a negative number, write -- before it:\n{path} METHOD -- {name}"
    words: dict[str, str] = {}
    for param in ctx.command.get_params(ctx):
        words |= {option.lstrip("-"): option for option in (*param.opts, *param.secondary_opts)}
    near = nearest(name.lstrip("-"), words, cutoff=0.66)  # Two letters of three: --ulr is --url.
    return f"There is no option {name}. Did you mean {words[near]}?" if near else f"There is no option {name}."


def _name(param: click.Parameter) -> str:
    """Return the name of a parameter as the usage line spells it."""
    if isinstance(param, click.Option):
        return param.opts[-1]
    name = param.metavar or (param.name or "").upper()
    return name.replace("[", "").replace("]", "").replace("...", "")
