"""The person at the terminal, asked on stderr so that stdout stays data."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from rpcexplorer.model.secrets.route import RouteChanged
from rpcexplorer.views.printable import printable


class PersonAtTerminal:
    """Answers what the core asks; a secret is not shown while it is typed."""

    async def secret(self, question: str, *, masked: bool = True) -> str | None:
        """Ask for a value, without an echo if it is ``masked``; Enter alone gives none."""
        if masked:
            return hidden(question) or None
        with suppress(EOFError, click.Abort), interruptible():
            answer: str = click.prompt(printable(question), default="", show_default=False, err=True)
            return answer or None
        return None

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


def hidden(question: str) -> str:
    """Ask for a value; the echo is off before the question is there. An end of input is no value."""
    import getpass  # only who asks needs it

    with suppress(EOFError), interruptible():
        return getpass.getpass(f"{printable(question)}: ")
    return ""
