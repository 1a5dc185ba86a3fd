"""What a server hands over before the first call, in a copied call: what is pasted asks for it, and sends it back.

Where nothing is handed over, nothing is sent back, as the program itself does.
"""

from __future__ import annotations

from collections.abc import Iterator

from rpcexplorer.views.copying.login import literally
from rpcexplorer.views.copying.quoting import python_expression, quoted
from rpcexplorer.views.copying.subject import Subject

HANDED = '"$handed"'
"""The variable of a shell that holds it, as long as the command runs."""


def around(subject: Subject, asking: list[str], call: str) -> str:
    """A command for bash and zsh in a process of its own; ``asking`` are the requests ahead, each a command.

    The first of them prints the headers of its reply. What the call needs is read whole before any of it runs.
    """
    if not asking:
        return call
    first, *rest = asking
    name = "".join(f"[{char.upper()}{char.lower()}]" if char.isalpha() else literally(char) for char in subject.handed)
    steps = [
        f"( handed=$({first} |",
        f"  tr -d '\\r' | sed -n {quoted(f's/^{name}: *//p')} | sed -n 1p) &&",
        *(f"  {each} >&2 &&" for each in rest),
        f"  {call} )",
    ]
    return "\n".join(steps)


def in_python(subject: Subject, asking: list[list[str]]) -> Iterator[str]:
    """Lines that make ``handed``; ``asking`` has the lines of each request ahead, which make ``response``."""
    for at, lines in enumerate(asking):
        yield from lines
        if at == 0:
            yield f'handed = response.headers.get({python_expression(subject.handed, "")}, "")'
    if asking:
        yield ""
