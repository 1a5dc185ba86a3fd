"""The command line as data: for programs, and for the man page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import cleandoc
from typing import Any

import click

from rpcexplorer import __version__
from rpcexplorer.model.problem import PROGRAM

DEFAULT = "  [default: "
"""Begins the default at the end of a help text, if it is not a single value."""


def reference_of(program: click.Group, exit_codes: Mapping[int, str]) -> dict[str, Any]:
    """Return all commands, with their arguments and options as click has them."""
    context = click.Context(program, info_name=PROGRAM, **program.context_settings)
    return {
        **_about(program, context),
        "version": __version__,
        "exit_codes": exit_codes,
        "commands": [_about(command, inner) for command, inner in _commands(program, context)],
    }


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, context, info_name=name)
        if not isinstance(command, click.Group) or command.invoke_without_command:
            yield command, inner
        if isinstance(command, click.Group):
            yield from _commands(command, inner)


def _about(command: click.Command, context: click.Context) -> dict[str, Any]:
    text, _, examples = cleandoc(command.help or "").replace("\b\n", "").partition("\n\nExample")
    summary, _, details = text.partition("\n\nExit codes")[0].partition("\n\n")
    shown = [param for param in command.get_params(context) if not getattr(param, "hidden", False)]
    return {
        "name": context.command_path.removeprefix(f"{PROGRAM} "),
        "usage": " ".join([context.command_path, *command.collect_usage_pieces(context)]),
        "summary": summary,
        "help": details,
        "examples": [line.strip() for line in examples.splitlines()[1:]],
        "arguments": [_argument(param, context) for param in shown if isinstance(param, click.Argument)],
        "options": [_option(param) for param in shown if isinstance(param, click.Option)],
        "manual": (command.epilog or "").removeprefix("Manual: "),
    }


def _argument(argument: click.Argument, context: click.Context) -> dict[str, Any]:
    return {
        "usage": " ".join(argument.get_usage_pieces(context)),
        "required": argument.required,
        "repeated": argument.nargs == -1,
        "choices": _choices(argument),
        "default": argument.to_info_dict()["default"] or None,
    }


def _option(option: click.Option) -> dict[str, Any]:
    text, _, default_text = (option.help or "").partition(DEFAULT)
    has_value = not (option.is_flag or option.count)
    default = option.to_info_dict()["default"] if has_value else None
    return {
        "names": [*option.opts, *option.secondary_opts],
        "value": _value(option) if has_value else None,
        "required": option.required,
        "repeated": option.multiple,
        "choices": _choices(option),
        "default": default or default_text.removesuffix("]") or None,
        "help": text,
    }


def _value(option: click.Option) -> str:
    return option.metavar or "|".join(_choices(option) or [option.type.name.upper()])


def _choices(param: click.Parameter) -> list[str] | None:
    return [*param.type.choices] if isinstance(param.type, click.Choice) else None
