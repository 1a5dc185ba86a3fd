"""What a profile says instead of a secret that stands in its file: by which kind of auth it is sent, as which field.

No word quotes a value, nor a part of one that could be the secret itself.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from rpcexplorer.auth.kind import Kind
from rpcexplorer.auth.registry import KINDS
from rpcexplorer.model.profile import IN_PATH, Auth

AUTHORIZATION: Final = "authorization"
COOKIES: Final = frozenset({"cookie", "set-cookie", "cookie2"})
WORDS: Final = frozenset({"token", "apikey", "key", "bot"})
"""What stands before a token in ``Authorization`` and is no scheme that a kind has for itself."""


class Instead(Struct, frozen=True):
    words: str
    """What to write, as a part of a sentence."""
    secret: str
    """The field that the value is stored as."""


def of_header(name: str, value: object) -> Instead:
    """Instead of a header with a secret."""
    lower = name.lower()
    if lower in COOKIES:
        kind = next(kind for kind in KINDS.values() if kind().session_cookie)
        return Instead(f"write auth = {_table(kind)}, with the cookie's name where it is another", "session")
    scheme = value.partition(" ")[0] if isinstance(value, str) and " " in value else ""
    for kind in KINDS.values():
        if lower == AUTHORIZATION and kind.scheme and kind.scheme.lower() == scheme.lower():
            return _by(kind)
    kind = _with_field("header")
    header = f'header = "{name}"' if kind.fits["header"][0].fullmatch(name) else "header = …"
    shape = f', value = "{scheme} {IN_PATH}"' if scheme.lower() in WORDS else ""
    return Instead(f"write auth = {_table(kind, header + shape)}", "token")


def of_key() -> Instead:
    """Instead of a token whose place nobody has told."""
    kinds = ", ".join(f'"{kind.kind}"' for kind in KINDS.values() if "token" in kind.takes)
    return Instead(f"name the kind of auth that sends it, one of {kinds}", "token")


def of_credentials() -> Instead:
    """Instead of a user name and a password in an address, which are what a browser sends in a header."""
    found = _by(next(kind for kind in KINDS.values() if kind.scheme))
    return Instead(f"{found.words} where they go out in a header", found.secret)


def of_member(name: str) -> Instead:
    """Instead of a secret in the query of an address."""
    kind = _with_field("name")
    if not kind.fits["name"][0].fullmatch(name):
        return of_part()
    table = _table(kind, f'name = "{name}"')
    return Instead(f"take {name} out, write auth = {table}", "token")


def of_part() -> Instead:
    """Instead of a secret elsewhere in an address."""
    return Instead(f'write {IN_PATH} where it stands, auth = {{ kind = "{Auth.kind}" }}', "token")


def _by(kind: type[Kind]) -> Instead:
    named = "username = …" if "username" in kind.takes else ""
    return Instead(f"write auth = {_table(kind, named)}", kind.takes[-1])


def _with_field(field: str) -> type[Kind]:
    return next(kind for kind in KINDS.values() if field in kind.fits)


def _table(kind: type[Kind], more: str = "") -> str:
    return f'{{ kind = "{kind.kind}"{f", {more}" if more else ""} }}'
