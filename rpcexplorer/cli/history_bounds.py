"""Which calls of the history a command is about: options for every bound, and the same words within a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

import click
from msgspec.structs import asdict, replace

from rpcexplorer.model.filter import Bounds, HistoryFilter

Narrowed = TypeVar("Narrowed", bound=Callable[..., Any])
_OPTIONS: Final = {
    "code": ("N", "Only errors with this code."),
    "status": ("N", "Only with this HTTP status, such as 404, or 5xx."),
    "since": ("WHEN", "Only calls since then: 2h, 3d, 2026-11-20, today, 14:30."),
    "until": ("WHEN", "Only calls before then; a day is meant whole."),
    "slower": ("TIME", "Only calls that took longer: 100ms, 1.5s, 2m."),
    "faster": ("TIME", "Only calls that took less time."),
    "larger": ("SIZE", "Only replies of more bytes: 500B, 20kB, 1MB."),
    "smaller": ("SIZE", "Only replies of fewer bytes."),
}


def bounded(command: Narrowed) -> Narrowed:
    """Give a command an option for each bound, in this order; it takes them as keywords."""
    for kind, (what, help_) in reversed(_OPTIONS.items()):
        command = click.option(f"--{kind}", metavar=what, help=help_)(command)
    return command


def wanted_of(text: str, profile: str | None, bounds: Mapping[str, str | None], **given: Any) -> HistoryFilter:
    """The filter that a text and options make; of two that say the same, the option counts."""
    now = datetime.now()  # noqa: DTZ005 - where whoever asks lives: the machine knows that zone's summers too
    wanted = HistoryFilter.around(text, profile, now=now)
    options = Bounds.of({kind: typed for kind, typed in bounds.items() if typed is not None}, now)
    if options.wrong or wanted.wrong:
        said = [*("--" + each.replace(":", " ", 1) for each in options.wrong), *wanted.wrong]
        raise click.UsageError("\n".join(said) + ".")
    set_ = {kind: value for kind, value in asdict(options).items() if value is not None}
    return replace(wanted, bounds=replace(wanted.bounds, **set_), **given)
