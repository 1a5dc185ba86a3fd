"""Names that stand twice in one object: valid, and sent as they are. Which of the values counts, the server says."""

from __future__ import annotations

import re

from rpcexplorer.jsontext.scan import LOOSE_STRING, SPACE, decoded

_TOKEN = re.compile(rf"({LOOSE_STRING})(?:{SPACE}(:))?|[{{}}]", re.DOTALL)


def repeated_name(text: str) -> str | None:
    """The first name, in reading order, that one object of valid JSON text has twice; None where none does."""
    open_ones: list[set[str]] = []
    for token in _TOKEN.finditer(text):
        if token[2]:
            name = decoded(token[1])
            if name in open_ones[-1]:
                return name
            open_ones[-1].add(name)
        elif token[0] == "{":
            open_ones.append(set())
        elif token[0] == "}":
            open_ones.pop()
    return None
