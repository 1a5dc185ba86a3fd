"""The person at the terminal, asked on stderr so that stdout stays data."""

from __future__ import annotations

import click

from rpcexplorer.views.printable import printable


class PersonAtTerminal:
    """Answers what the core asks; a secret is not shown while it is typed."""

    async def secret(self, question: str) -> str | None:
        """Ask for a value without an echo; Enter alone gives none."""
        answer = click.prompt(printable(question), hide_input=True, default="", show_default=False, err=True)
        return str(answer) or None

    async def agrees(self, question: str) -> bool:
        """Ask for a yes; Enter alone is a no."""
        return click.confirm(printable(question), default=False, err=True)
