"""JSON for a person at a terminal: laid out, made safe, coloured token by token.

First the text becomes printable, then colours go around its tokens. It may be cut, or not quite JSON.
"""

from __future__ import annotations

import re
from typing import Final

from rpcexplorer.jsontext.layout import indented
from rpcexplorer.views.colouring import Role, marked
from rpcexplorer.views.ink import KEY, LITERAL, NUMBER, PUNCTUATION, STRING, Ink
from rpcexplorer.views.printable import printable, printable_bytes, readable

COLOUR_LIMIT: Final = 16_000_000
"""Characters; longer text stays plain, as nobody reads that far and colours would double its size."""
_BEGINS = re.compile(r"\s*+(?:[\[{\"]|-?[0-9]|true|false|null|NaN|-?Infinity)")
_INKS: Final[dict[Role, Ink]] = {
    "key": KEY,
    "string": STRING,
    "number": NUMBER,
    "literal": LITERAL,
    "punctuation": PUNCTUATION,
}
_MARKS: Final[dict[str, tuple[str, str]]] = {role: (f"\x1b[{ink}m", "\x1b[0m") for role, ink in _INKS.items()}
"""What is no token of JSON has no colour."""


def highlighted(json_text: bytes | str, *, colour: bool = True) -> str:
    """JSON text indented and printable, in colours unless told otherwise; other text is only made printable."""
    text = readable(json_text) if isinstance(json_text, bytes) else json_text
    if text is None:
        assert isinstance(json_text, bytes)
        return printable_bytes(json_text)
    shown = printable(indented(text), lines=True)
    return marked(shown, _MARKS) if colour and len(shown) <= COLOUR_LIMIT and _BEGINS.match(shown) else shown
