"""A value that is put into params: where a parameter of its name waits for it, else where the cursor stands. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rpcexplorer.jsontext.params import Problem, parse
from rpcexplorer.jsontext.scan import LOOSE_STRING, Span, elements, members
from rpcexplorer.rpc.messages import spelled

_STRING: Final = re.compile(LOOSE_STRING, re.DOTALL)
_OPENS: Final = frozenset(["", "[", "{", ":", ","])
"""What a value may stand behind."""
_ENDS: Final = frozenset(["", "]", "}", ","])
"""What may stand behind it."""


def placed(text: str, at: int, value: str, name: str = "", parameters: Iterable[str] = ()) -> tuple[str, int]:
    """Params with a value in them, and the offset behind it.

    ``value`` is JSON; ``at`` is the cursor's offset. A member called ``name`` gives its value up for this one; where
    there is none, but a parameter of that name, the object gets it. Params that could be sent still can be: where a
    value at the cursor would break them, it becomes the last one.
    """
    if not text.strip():
        text, at = "[]", 1
    found = members(text) if text.lstrip()[:1] == "{" else None
    waiting = [member.value for member in found or () if member.name == name]
    if name and waiting:
        return _put(text, waiting[-1], value)
    if found is not None and name and (not found or name in parameters):
        return _as_member(text, name, value)
    here = _at_cursor(text, at, value)
    if not isinstance(parse(here[0]), Problem) or isinstance(parse(text), Problem):
        return here
    if found is not None:
        return _as_member(text, name or "value", value)
    inner = elements(text)
    end = inner[-1][1] if inner else text.index("[") + 1
    return _put(text, (end, end), value, ", " if inner else "")


def _at_cursor(text: str, at: int, value: str) -> tuple[str, int]:
    """Within a string, a string goes without its quotes."""
    string = next((each for each in _STRING.finditer(text) if each.start() < at < each.end()), None)
    if string is not None and value.startswith('"'):
        value = value[1:-1]
    is_next = string is None and text[:at].rstrip()[-1:] not in _OPENS
    has_next = string is None and text[at:].lstrip()[:1] not in _ENDS
    return _put(text, (at, at), value, ", " if is_next else "", ", " if has_next else "")


def _as_member(text: str, name: str, value: str) -> tuple[str, int]:
    """The last member, on a line of its own where the others have theirs."""
    found = members(text)
    start = found[-1].value[1] if found else text.index("{") + 1
    end = start if found else text.rindex("}")
    separate = ("," + ("\n  " if "\n" in text.strip() else " ")) if found else ""
    return _put(text, (start, end), value, f"{separate}{spelled(name)}: ")


def _put(text: str, span: Span, value: str, before: str = "", after: str = "") -> tuple[str, int]:
    start, end = span
    return f"{text[:start]}{before}{value}{after}{text[end:]}", start + len(before) + len(value)
