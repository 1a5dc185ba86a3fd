"""The request to come as lines of words: what goes first, request line, headers, and the body's exact bytes.

Secrets are dots here; which one stands where is said in dim words beside them or below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from rpcexplorer.jsontext.edit import Path, span_of
from rpcexplorer.jsontext.scan import Span
from rpcexplorer.model.exchange import Preview, Refused
from rpcexplorer.views.printable import printable, printable_bytes, readable
from rpcexplorer.views.words.sentences import SIGNS, WordLine

DOTS: Final = "••••••••"
"""Any secret; its length tells nothing."""
COLOURED: Final = 200_000
"""Characters; what comes after them has no colours, as nobody waits for a tenth of a second."""
PARAMS: Final = ("params", "arguments")
"""What the member with the params is called, in one envelope or another."""
_MARGIN: Final = ("  ", "text")
_SECRET = re.compile(r"«([^«»]+\.[A-Za-z_]+)»")


def request_lines(preview: Preview | Refused | None, marked: Path = ()) -> list[WordLine]:
    """The page for a request, or why there would be none; underlined what the way through the params leads to."""
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
        *_body(preview.body, marked),
    ]


def _header(name: str, value: str) -> WordLine:
    """As it will stand on the wire, or what is encoded there; the names of its secrets stand behind it, in dim."""
    names = "".join(f"  {printable(found[1])}" for found in _SECRET.finditer(value))
    return [_MARGIN, (printable(name), "json-key"), (": ", "dim"), (_hidden(value), "text"), (names, "dim")]


def _body(body: bytes, marked: Path) -> list[WordLine]:
    text = readable(body)
    if text is None:  # not ours to send, but nothing that is shown may fail
        return [[_MARGIN, (row, "text")] for row in printable_bytes(body).splitlines()]
    names = dict.fromkeys(found[1] for found in _SECRET.finditer(text))
    notes = [[_MARGIN, (f"{DOTS} {printable(name)}", "dim")] for name in names]
    params = ((name, *marked) for name in PARAMS) if marked else ()
    place = next((span for way in params if (span := span_of(text, way))), None)
    return [[_MARGIN, *_coloured(text, place)], *([[], *notes] if notes else [])]


def _coloured(text: str, marked: Span | None) -> Iterator[tuple[str, str]]:
    """The text in pieces with the roles of their tokens, nothing left out."""
    from rpcexplorer.views.colouring import tokens  # no start needs it

    at = 0
    for start, end, role in tokens(text[:COLOURED]):
        if at < start:
            yield from _pieces(text, at, start, "json-punctuation", marked)
        yield from _pieces(text, start, end, f"json-{role}", marked)
        at = end
    if at < len(text):
        yield from _pieces(text, at, len(text), "json-string", marked)


def _pieces(text: str, start: int, end: int, role: str, marked: Span | None) -> Iterator[tuple[str, str]]:
    """A stretch of the text; in several where the mark begins or ends in it, which it does between tokens."""
    first, last = marked or (0, 0)
    cuts = [start, *(at for at in (first, last) if start < at < end), end]
    for one, other in pairwise(cuts):
        yield _hidden(text[one:other]), f"{role} underline" if first <= one < last else role


def _hidden(text: str) -> str:
    return _SECRET.sub(DOTS, printable(text))
