"""Where in a value a line of laid-out JSON is: its path, its JSON pointer, and the text of what starts there.

Everything is found in the bytes around the line; no value is decoded, and nothing here knows what is on view.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from rpcexplorer.views.document.document import Document
from rpcexplorer.views.printable import printable

_KEY = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+"): ', re.DOTALL)
_KEY_LIMIT: Final = 65_536  # bytes; a name beyond it is taken for a value rather than a string of megabytes read
_IDENTIFIER = re.compile(r'"([A-Za-z_][A-Za-z0-9_]*+)"')


def path_at(document: Document, line: int) -> str:
    """The path of the value that starts or ends on a line, as ``$.items[2].name``; empty if this is no JSON."""
    if not document.is_json:
        return ""
    return "$" + "".join(map(_step, _steps(document, line)))


def pointer_at(document: Document, line: int, *, exact: bool = False) -> str:
    """The path as a JSON pointer: ``/items/2/name``; empty for the whole value as well. Printable, unless ``exact``."""
    if not document.is_json:
        return ""
    return "".join(f"/{_token(step) if exact else printable(_token(step))}" for step in _steps(document, line))


def value_at(document: Document, line: int) -> bytes:
    """The text of the value that starts or ends on a line, every token as the server wrote it.

    A container stands at the margin, however deep it was. Of what is no JSON, the line.
    """
    if not document.is_json:
        begin, end = document.span(line)
        return document.text[begin:end]
    outline = document.outline
    line = _start(document, line)
    begin, end = value_start(document, line), document.span(line)[1]
    if outline.opens(line):
        end = document.span(outline.closer(line))[1]
    value = document.text[begin:end].removesuffix(b",")
    return value.replace(b"\n" + b"  " * outline.depth(line), b"\n")


def value_start(document: Document, line: int) -> int:
    """The offset where the value on a line of JSON begins, after the name if it has one."""
    name = _name(document, line)
    return name.end() if name else document.outline.first(line)


def in_string(document: Document, line: int, character: int) -> bool:
    """Whether a piece of a line of JSON that is cut out at a character starts inside a string."""
    begin, _ = document.span(line)
    value = value_start(document, line)
    before = document.place(line, begin, value)[1]
    if character < before:
        return document.outline.depth(line) * 2 < character < before - len(": ")
    return character > before and document.text.startswith(b'"', value)


def _steps(document: Document, line: int) -> Iterator[int | str]:
    """From the root: the place in an array, or the name of a member as the server spelled it, in quotes."""
    return reversed(list(_steps_up(document, line)))


def _steps_up(document: Document, line: int) -> Iterator[int | str]:
    outline = document.outline
    line = _start(document, line)
    while outline.depth(line) and (opener := outline.opener(line)) is not None:
        name = _name(document, line)
        if document.text.endswith(b"{", 0, document.span(opener)[1]):
            yield name[1].decode("utf-8", "backslashreplace") if name else '""'
        else:
            yield outline.index(opener, line)
        line = opener


def _start(document: Document, line: int) -> int:
    """The line on which the value starts that starts or ends on this one."""
    if not document.outline.closes(line):
        return line
    opener = document.outline.opener(line)
    return line if opener is None else opener


def _name(document: Document, line: int) -> re.Match[bytes] | None:
    """The name before the value on a line, and what separates them."""
    first, end = document.outline.first(line), document.span(line)[1]
    return _KEY.match(document.text, first, min(end, first + _KEY_LIMIT))


def _step(step: int | str) -> str:
    """A step as a path has it; a name as the server spelled it, in quotes."""
    if isinstance(step, int):
        return f"[{step}]"
    plain = _IDENTIFIER.fullmatch(step)
    return f".{plain[1]}" if plain else f"[{printable(step)}]"


def _token(step: int | str) -> str:
    if isinstance(step, int):
        return str(step)
    name: str = json.loads(step, strict=False)
    return name.replace("~", "~0").replace("/", "~1")
