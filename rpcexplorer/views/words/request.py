"""The request to come as lines of words: what goes first, request line, headers, and the body's exact bytes.

Secrets are dots here; which one stands where is said in dim words beside them or below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.views.printable import printable, printable_bytes, readable
from rpcexplorer.views.words.sentences import SIGNS, WordLine

DOTS: Final = "••••••••"
"""Any secret; its length tells nothing."""

COLOURED: Final = 200_000
"""Characters; what comes after them has no colours, as nobody waits for a tenth of a second."""

_MARGIN: Final = ("  ", "text")
_SECRET = re.compile(r"«([^«»]+\.[A-Za-z_]+)»")


def request_lines(preview: Preview | Refused | None) -> list[WordLine]:
    """The page for a request, or why there would be none."""
    if preview is None:
        return [[_MARGIN, ("The request to come is shown here.", "dim")]]
    if isinstance(preview, Refused):
        return [
            [_MARGIN, (f"{SIGNS['refused']} ", "careful bold"), (printable(preview.sentence), "text")],
            [],
            [_MARGIN, ("Nothing would be sent.", "dim")],
        ]
    first = [[_MARGIN, ("! ", "careful bold"), ("There is no session yet: a login goes first.", "careful")], []]
    doubt = [[_MARGIN, ("! ", "careful bold"), (printable(preview.doubt), "careful")], []]
    remarks = [[_MARGIN, ("! ", "careful bold"), (printable(remark), "careful")] for remark in preview.remarks]
    return [
        *(doubt if preview.doubt else []),
        *([*remarks, []] if remarks else []),
        *(first if preview.logs_in_first else []),
        [_MARGIN, (printable(preview.line), "bold")],
        *(_header(name, value) for name, value in preview.headers),
        [],
        *_body(preview.body),
    ]


def _header(name: str, value: str) -> WordLine:
    """As it will stand on the wire, or what is encoded there; the names of its secrets stand behind it, in dim."""
    names = "".join(f"  {printable(found[1])}" for found in _SECRET.finditer(value))
    return [_MARGIN, (printable(name), "json-key"), (": ", "dim"), (_hidden(value), "text"), (names, "dim")]


def _body(body: bytes) -> list[WordLine]:
    text = readable(body)
    if text is None:  # not ours to send, but nothing that is shown may fail
        return [[_MARGIN, (row, "text")] for row in printable_bytes(body).splitlines()]
    names = dict.fromkeys(found[1] for found in _SECRET.finditer(text))
    notes = [[_MARGIN, (f"{DOTS} {printable(name)}", "dim")] for name in names]
    return [[_MARGIN, *_coloured(text)], *([[], *notes] if notes else [])]


def _coloured(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces with the roles of their tokens, nothing left out."""
    from rpcexplorer.views.colouring import tokens  # no start needs it

    at = 0
    for start, end, role in tokens(text[:COLOURED]):
        if at < start:
            yield _hidden(text[at:start]), "json-punctuation"
        yield _hidden(text[start:end]), f"json-{role}"
        at = end
    if at < len(text):
        yield _hidden(text[at:]), "json-string"


def _hidden(text: str) -> str:
    return _SECRET.sub(DOTS, printable(text))
