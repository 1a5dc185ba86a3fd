"""What is told of a command line that cannot be read: what is wrong with it, and what was probably meant."""

from __future__ import annotations

import re

import click

from rpcexplorer.model.problem import listed, nearest


class CommandGroup(click.Group):
    """Commands by name. A name that is none is answered with the one that is most like it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the options; without a command there is nothing to do."""
        if not (args or self.invoke_without_command or ctx.resilient_parsing):
            raise click.UsageError(f"{ctx.command_path} needs a command: {listed(self.list_commands(ctx))}.", ctx)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names."""
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-") or self.get_command(ctx, name)):
            raise click.UsageError(f"There is no command {name}{self.instead(ctx, name)}", ctx)
        return super().resolve_command(ctx, args)

    def instead(self, ctx: click.Context, name: str) -> str:
        """What was probably meant by a name that is no command."""
        known = self.list_commands(ctx)
        near = nearest(name, known)
        return f"; did you mean {near}?" if near else f": there are {listed(known)}."


def sentence(error: click.UsageError) -> str:
    """Return what is wrong with the command line, and where there is more to read if nothing was suggested."""
    what = _what(error)
    is_suggested = "\n" in what or what.endswith("?")
    return what if is_suggested or error.ctx is None else f"{what} Try: {error.ctx.command_path} --help"


def _what(error: click.UsageError) -> str:
    match error:
        case click.NoSuchOption(option_name=name, ctx=ctx) if ctx is not None:
            return f"There is no option {name}{_instead(name, ctx)}"
        case click.MissingParameter(param=param, ctx=ctx) if param is not None and ctx is not None:
            usage = " ".join(ctx.get_usage().split()).removeprefix("Usage: ")
            return f"{_name(param)} is missing: {usage}{'' if usage.endswith('.') else '.'}"
        case click.BadParameter(param=click.Argument(type=click.Choice()), message=message):
            return message  # the usage line has no name for it, and the choices say what it is
        case click.BadParameter(param=param, message=message) if param is not None:
            return f"{_name(param)}: {message}"
    return error.format_message()


def _instead(name: str, ctx: click.Context) -> str:
    """Where an option of another name, or of another command, was probably meant."""
    root = ctx.find_root()
    if root is not ctx and name in _options(root):
        return f" here: it goes before {ctx.info_name}."
    near = nearest(name, _options(ctx))
    return f"; did you mean {near}?" if near else "."


def _options(ctx: click.Context) -> list[str]:
    return [each for param in ctx.command.get_params(ctx) for each in (*param.opts, *param.secondary_opts)]


def _name(param: click.Parameter) -> str:
    """Return the name of a parameter in the spelling of the usage line."""
    if isinstance(param, click.Option):
        return param.opts[-1]
    return re.sub(r"[\[\]]|\.\.\.", "", param.metavar or (param.name or "").upper())
