"""The person at the terminal, asked on stderr so that stdout stays data."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from rpcexplorer.model.destination import Entered, RouteChanged, Store
from rpcexplorer.views.printable import printable


class PersonAtTerminal:
    """Answers what the core asks; a secret is not shown while it is typed."""

    async def secret(self, question: str, *, masked: bool = True, store: Store | None = None) -> Entered | None:
        """Ask for a value, without an echo if it is `masked`, and name the command that stores it.

        A second question would stop whoever answers the first from a script.
        """
        value = hidden(question) if masked else visible(question)
        if value and masked and store is not None:
            click.echo(f"hint: to store it in {printable(store.place)}: {printable(store.command)}", err=True)
        return (value, False) if value else None

    async def agrees(self, question: str) -> bool:
        """Ask for a yes; Enter alone is a no."""
        with interruptible():
            return click.confirm(printable(question), default=False, err=True)

    async def allows(self, profile: str, moved: RouteChanged) -> bool:  # noqa: ARG002
        """There is a command for it, which shows what has changed: ``profiles allow``."""
        return False


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl+C end a prompt at once: while a call is under way it would cancel that, once the prompt is answered."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def visible(question: str) -> str:
    """Ask for a value that is shown while it is typed. An end of input is no value."""
    with interruptible():
        try:
            return str(click.prompt(printable(question), default="", show_default=False, err=True))
        except click.Abort as abort:  # click's for both an end of input and Ctrl+C
            if isinstance(abort.__context__, EOFError):
                return ""
            raise


def hidden(question: str) -> str:
    """Ask for a value; the echo is off before the question is there. An end of input is no value."""
    import getpass  # only who asks needs it

    with suppress(EOFError), interruptible():
        return getpass.getpass(f"{printable(question)}: ")
    return ""
