"""The variables and result references in a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from rpcexplorer.jsontext.scan import STRING, decoded
from rpcexplorer.model.secret import defused
from rpcexplorer.patterns import regex
from rpcexplorer.rpc.messages import spelled

OPENING: Final = "{{"
"""Every text with a reference contains this."""
REFERENCE: Final = regex(r"\{\{\{\{|\{\{(?P<inside>[^{}]+)\}\}")
"""A literal ``{{``, or a reference."""
TOKEN: Final = regex(rf"(?P<string>{STRING})(?P<colon>[ \t\n\r]*:)?")
"""A string, with the colon after it if it is a name: a name must stay a string."""
NAME: Final = regex(r"[^\W\d][\w.-]{0,63}")
"""A letter or an underscore begins it, so that no number is a name."""
LAST: Final = "last."
OPENED: Final = "open."
MADE: Final = {
    "uuid": "a random UUID, a new one for each use",
    "now": "the current time, in UTC",
    "today": "today's date, in UTC",
}
"""Variables whose values are generated when a call is sent."""
JSON: Final = ":json"
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_END_OF_METHOD: Final = regex("#(?=/|$)")


class Reference(Struct, frozen=True):
    """A variable or result reference: the text between double braces."""

    name: str
    as_json: bool = False
    """Insert the value as JSON, not as text."""
    method: str = ""
    """The method whose newest result has the value."""
    pointer: str = ""
    opening: str = ""
    """The opening call whose result has the value."""

    def __str__(self) -> str:
        return f"{{{{{self.name}}}}}"


def reference(inside: str) -> Reference:
    """Parse the text between the braces, as it is in a JSON string."""
    typed = inside.strip(" ")
    body = typed.removesuffix(JSON)
    as_json, name = body != typed, decoded(f'"{body}"')
    if body.startswith(OPENED) and "#" in body:  # Without it, it is a variable, which may have this name.
        opening, _, inside = body.removeprefix(OPENED).partition("#")
        return Reference(name, as_json, opening=decoded(f'"{opening}"'), pointer=decoded(f'"{inside}"'))
    if not body.startswith(LAST):
        return Reference(name, as_json)
    method, *pointer = _END_OF_METHOD.split(body.removeprefix(LAST), maxsplit=1)
    return Reference(name, as_json, decoded(f'"{method}"'), decoded(f'"{"".join(pointer)}"'))


def to_last(method: str, pointer: str = "", *, as_json: bool = False) -> str:
    """Return a reference to a part of a method's newest result.

    It is spelled for the inside of a JSON string.
    """
    named, part = spelled(method)[1:-1], spelled(pointer)[1:-1]
    if _END_OF_METHOD.search(method):
        named = named.replace("#", "\\u0023")
    if part.endswith(JSON):
        part = part.removesuffix(JSON) + "\\u003ajson"
    inside = f"{LAST}{named}#{part}".replace("{", "\\u007b").replace("}", "\\u007d")
    if as_json:
        inside += JSON
    return f"{{{{{inside}}}}}"


def can_be_named(name: str) -> bool:
    """Return whether a variable can have this name."""
    return bool(NAME.fullmatch(name)) and name not in MADE and not name.startswith(LAST)


def name_and_value(word: str) -> tuple[str, str] | None:
    """Return the parts of a word such as ``page=2``; None if it has another form."""
    name, sign, value = word.partition("=")
    if sign and can_be_named(name):
        return name, value
    return None


_BRACE: Final = regex(r"\{(?=\{)")
"""A brace before another. In JSON two of them occur only inside strings."""


def inert(text: str) -> str:
    """Escape double braces in JSON text, so that they are not references."""
    return defused(_BRACE.sub(r"\\u007b", text))


def inert_value(value: Any) -> str:
    """Return a value as such a text; null if JSON cannot express it."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:  # A lone surrogate.
        text = json.dumps(value)
    except (RecursionError, ValueError):  # Thousands of levels or digits.
        return "null"
    return inert(text)


class Offered(Struct, frozen=True):
    """A name that the editor offers."""

    inside: str
    """The reference without its braces, as it is in a JSON string."""
    words: str


def names(
    variables: Mapping[str, str], called: Iterable[str] = (), opened: Mapping[str, str] = NOTHING
) -> tuple[Offered, ...]:
    """Return variables, generated values and result references, in order.

    ``opened`` are the methods of opening calls by the names of these calls.
    """
    return (
        *(Offered(name, variables[name]) for name in sorted(variables)),
        *(Offered(name, words) for name, words in MADE.items()),
        *(Offered(f"{OPENED}{name}#", f"the result of {opened[name]} on this connection") for name in opened),
        *(Offered(to_last(name)[2:-2], f"the newest result of {name}") for name in called),
    )
