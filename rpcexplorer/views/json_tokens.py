"""JSON as it is being typed, for the editor: the role of each token, by Pygments, and the text laid out anew.

Text that is not JSON yet comes through as well; what Pygments cannot place has the role of an error. It takes several
times as long as ``colouring.py``, which a line that somebody types can afford and a reply of megabytes cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, Protocol

from rpcexplorer.jsontext.layout import indented

_ROLES: Final = {
    "Name.Tag": "json-key",
    "Literal.String": "json-string",
    "Literal.Number": "json-number",
    "Keyword.Constant": "json-literal",
    "Punctuation": "json-punctuation",
    "Comment": "json-error",
    "Error": "json-error",
}
"""By Pygments' token or one above it. JSON knows no comments, though Pygments does."""


class _Lexer(Protocol):
    """As much of a Pygments lexer as is wanted here."""

    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, object, str]]: ...


def json_tokens(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and role of each token in turn; blanks have none. A string without its end is a string."""
    for start, token, spelled in _lexer().get_tokens_unprocessed(text):
        role = _role(str(token).removeprefix("Token."))
        if role == "json-error" and spelled.startswith('"'):
            role = "json-string"
        if role:
            yield start, start + len(spelled), role


def laid_out(text: str) -> str:
    """The text with one item a line, each token as typed; text that is not JSON comes back as it is."""
    return indented(text)


@cache
def _role(token: str) -> str:
    while token and token not in _ROLES:
        token = token.rpartition(".")[0]
    return _ROLES.get(token, "")


@cache
def _lexer() -> _Lexer:
    # Imported on first use, as Pygments takes longer to come than the screen does; it comes without types.
    from pygments.lexers.data import JsonLexer  # type: ignore[import-untyped]

    lexer: _Lexer = JsonLexer()
    return lexer
