r"""References in JSON text: ``{{name}}``, ``{{last.METHOD#/pointer}}``, ``{{uuid}}`` and the like, where they stand.

They stand in strings alone, as they are spelled there: a brace that is written as an escape begins none. Of one inside
braces, ``:json`` at the end wants a JSON value. ``{{{{`` is a literal ``{{``.

The method ends at the first ``#`` that ends the reference or has a ``/`` behind it; one that is a part of its name, and
a ``:json`` that is a part of the pointer, are written with an escape: ``\u0023``, ``\u003ajson``.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from rpcexplorer.jsontext.scan import STRING, decoded
from rpcexplorer.rpc.messages import spelled

OPENING: Final = "{{"
"""What every text has that holds a reference."""
REFERENCE: Final = re.compile(r"\{\{\{\{|\{\{(?P<inside>[^{}]+)\}\}")
"""A literal ``{{``, or a reference."""
TOKEN: Final = re.compile(rf"(?P<string>{STRING})(?P<colon>[ \t\n\r]*:)?")
"""A string, and what tells that it is the name of a member."""
NAME: Final = re.compile(r"[^\W\d][\w.-]{0,63}")
"""What a variable can be called."""
LAST: Final = "last."
MADE: Final = {
    "uuid": "a new random one, at each place",
    "now": "this moment, in UTC",
    "today": "this day, in UTC",
}
"""Names of what is made when it is needed."""
JSON: Final = ":json"
_END_OF_METHOD: Final = re.compile("#(?=/|$)")


class Reference(Struct, frozen=True):
    """What stands between double braces."""

    name: str
    """All of it, its escapes read."""
    as_json: bool = False
    """A JSON value is wanted, not a text."""
    method: str = ""
    """The method whose newest result is meant; empty where none is."""
    pointer: str = ""
    """The part of that result."""

    def __str__(self) -> str:
        return f"{{{{{self.name}}}}}"


def reference(inside: str) -> Reference:
    """What stands between the braces, as it is spelled in a JSON string."""
    typed = inside.strip(" ")
    body = typed.removesuffix(JSON)
    as_json, name = body != typed, decoded(f'"{body}"')
    if not body.startswith(LAST):
        return Reference(name, as_json)
    end = _END_OF_METHOD.search(body)
    method, pointer = (body[: end.start()], body[end.end() :]) if end else (body, "")
    return Reference(name, as_json, decoded(f'"{method.removeprefix(LAST)}"'), decoded(f'"{pointer}"'))


def to_last(method: str, pointer: str = "", *, as_json: bool = False) -> str:
    """The reference to a part of the newest result of a method, as it is spelled inside a JSON string."""
    named = spelled(method)[1:-1].replace("#", "\\u0023") if _END_OF_METHOD.search(method) else spelled(method)[1:-1]
    part = spelled(pointer)[1:-1]
    part = part.removesuffix(JSON) + "\\u003ajson" if part.endswith(JSON) else part
    inside = f"{LAST}{named}#{part}".replace("{", "\\u007b").replace("}", "\\u007d")
    return f"{{{{{inside}{JSON if as_json else ''}}}}}"


def can_be_named(name: str) -> bool:
    """Whether a variable can have this name: it has no meaning of its own."""
    return bool(NAME.fullmatch(name)) and name not in MADE and not name.startswith(LAST)
