"""What is told of a command line that cannot be read: what is wrong with it, and what was probably meant."""

from __future__ import annotations

import click


def sentence(error: click.UsageError) -> str:
    """What is wrong with the command line, and where there is more to read."""
    hint = f" Try: {error.ctx.command_path} --help" if error.ctx else ""
    return f"{_what(error)}{hint}"


def _what(error: click.UsageError) -> str:
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter) and error.param:
        return f"{_name(error.param)}: {error.message}"
    return error.format_message()


def _name(param: click.Parameter) -> str:
    """What people call an option or an argument."""
    return param.opts[-1] if isinstance(param, click.Option) else (param.name or "").upper()
