"""Values from earlier calls that a param may have again: what it was last, and what other replies call by its name.

Pure and bounded: it reads the calls that it is given, the newest first, and of each text the beginning. A value keeps
its spelling. One that was hidden is none; what a service said is left out where it would be resolved when it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from rpcexplorer.jsontext.scan import NUMBER, STRING, decoded, elements
from rpcexplorer.model.exchange import Exchange
from rpcexplorer.model.schema.completing import Candidate
from rpcexplorer.model.schema.words import value_words
from rpcexplorer.rpc.messages import INVALID_PARAMS, Result, spelled

MOST: Final = 5
"""Values of each sort."""
MOST_CALLS: Final = 200
MOST_TEXT: Final = 2_000_000
"""Characters that are read for one answer, and of one call."""
LONGEST_TEXT: Final = 64_000
LONGEST: Final = 100
"""Of a value, and of a name."""
_VALUE: Final = rf"({STRING}|{NUMBER})(?=[\s,\]}}])"
_ID: Final = re.compile(r"(.{2,}?)_?ids?", re.IGNORECASE)
"""A name for the id of something."""


def earlier_values(
    calls: Iterable[Exchange], method: str, name: str, path: tuple[str | int, ...]
) -> tuple[Candidate, ...]:
    """For the place that a path leads to in the params of a method, known by a name: what was used, then what came."""
    used: dict[str, Candidate] = {}
    came: dict[str, Candidate] = {}
    left = MOST_TEXT
    for _, call in zip(range(MOST_CALLS), calls, strict=False):
        if left <= 0 or len(used) + len(came) >= 2 * MOST:
            break
        if not call.foreign and getattr(call.outcome, "code", None) != INVALID_PARAMS:
            left -= len(call.params)
            for text in _used(call, method, name, path):
                _put(used, text, "used before" if call.method == method else f"used for {call.method}")
        if isinstance(call.outcome, Result) and call.kind == "call":
            reply = bytes(call.outcome.text[:LONGEST_TEXT]).decode(errors="replace")
            left -= len(reply)
            for text in _came(reply, call.method, name):
                if "{{" not in text:
                    _put(came, text, f"of a reply to {call.method}")
    return (*used.values(), *(each for text, each in came.items() if text not in used))


def _put(found: dict[str, Candidate], text: str, words: str) -> None:
    """Add a value that is short, says something and was not hidden."""
    if len(found) < MOST and text not in found and text.strip('"') and len(text) <= LONGEST:
        value = decoded(text) if text[0] == '"' else text
        if "«" not in value:
            shown = value_words(value) if text[0] == '"' else text
            found[text] = Candidate(text, shown, " ".join(words.split())[:LONGEST])


def _used(call: Exchange, method: str, name: str, path: tuple[str | int, ...]) -> Iterator[str]:
    """What a call gave for it: by its name, or at its place in the same method."""
    text = call.params[:LONGEST_TEXT]
    if name and call.kind == "call":
        yield from _named(text, name)
    if call.method == method and len(path) == 1 and isinstance(path[0], int):
        spans = elements(text) or ()
        for start, end in spans[path[0] : path[0] + 1]:
            if re.fullmatch(rf"{STRING}|{NUMBER}", text[start:end]):
                yield text[start:end]


def _came(reply: str, method: str, name: str) -> Iterator[str]:
    """What a reply has under the same name; under ``id`` where that is of the thing that the name is the id of."""
    if not name:
        return
    yield from _named(reply, name)
    if not (thing := _ID.fullmatch(name)) or len(name) > LONGEST:
        return
    if thing[1].casefold() in method.casefold():
        yield from _named(reply, "id")
    inside = rf'"{re.escape(thing[1])}s?"\s*:\s*\[?\s*\{{[^{{}}]*?"id"\s*:\s*{_VALUE}'
    yield from (found[1] for found in re.finditer(inside, reply, re.IGNORECASE))


def _named(text: str, name: str) -> Iterator[str]:
    if len(name) <= LONGEST:
        yield from (found[1] for found in re.finditer(rf"{re.escape(spelled(name))}\s*:\s*{_VALUE}", text))
