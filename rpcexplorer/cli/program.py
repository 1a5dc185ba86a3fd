"""The command line as a function of its arguments and its world, which returns an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from rpcexplorer import __version__
from rpcexplorer.cli.calls import batch, call, notify
from rpcexplorer.cli.completion import PROGRAM, VARIABLE, completion
from rpcexplorer.cli.copy import copy
from rpcexplorer.cli.demo import demo, screen
from rpcexplorer.cli.history import history
from rpcexplorer.cli.methods import methods
from rpcexplorer.cli.profiles import profiles
from rpcexplorer.cli.session import Failed, Session, complete_profiles
from rpcexplorer.cli.sessions import login, logout
from rpcexplorer.cli.themes import themes
from rpcexplorer.cli.world import World
from rpcexplorer.model.complaint import Trouble

INTERRUPTED = 130


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name=PROGRAM)
@click.option("-p", "--profile", metavar="NAME", shell_complete=complete_profiles, help="Use this profile.")
@click.option("--sessions", metavar="FILE", type=click.Path(path_type=Path), help="Read the team's profiles from FILE.")
@click.pass_context
def program(context: click.Context, profile: str | None, sessions: Path | None) -> None:
    """Explore JSON-RPC 2.0 services: without a command, on screen.

    stdout is data, stderr is narration, and the exit code says what happened: 0 a result, 1 an error object,
    2 usage or configuration, 3 credentials, 4 no reply, 5 a reply that is not JSON-RPC, 130 interrupted.

    \b
    Examples:
      rpcexplorer demo
      rpcexplorer profiles add staging --url https://staging.example.com --username ada
      rpcexplorer call -p staging ping
    """
    context.obj = Session(context.obj, profile, sessions)
    if context.invoked_subcommand is not None:
        return
    if context.obj.world.on_terminal:
        context.exit(screen(context.obj))
    click.echo(context.get_help())


for command in (call, notify, batch, methods, login, logout, profiles, history, copy, demo, themes, completion):
    program.add_command(command)


def run(arguments: Sequence[str], world: World) -> int:
    """Run the program; whatever a person did wrong becomes a sentence and an exit code."""
    try:
        code = program.main(list(arguments), prog_name=PROGRAM, complete_var=VARIABLE, standalone_mode=False, obj=world)
    except click.Abort:
        return INTERRUPTED
    except click.UsageError as error:
        hint = f" Try: {error.ctx.command_path} --help" if error.ctx else ""
        world.say(f"{error.format_message()}{hint}")
        return error.exit_code
    except Trouble as error:
        world.say(error.sentence)
        return 2
    except Failed as error:
        world.say(error.message)
        return error.code
    return code if isinstance(code, int) else 0
