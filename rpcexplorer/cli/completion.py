"""``completion``: the script that teaches a shell our commands, options, profiles and methods."""

from __future__ import annotations

import click

from rpcexplorer.cli.session import session_of

PROGRAM = "rpcexplorer"
VARIABLE = "_RPCEXPLORER_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      rpcexplorer completion bash >> ~/.bashrc
      rpcexplorer completion zsh > "${fpath[1]}/_rpcexplorer"
      rpcexplorer completion fish > ~/.config/fish/completions/rpcexplorer.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    root = context.find_root().command
    session_of(context).world.print(made(root, {}, PROGRAM, VARIABLE).source())
