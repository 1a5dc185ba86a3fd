"""The file that a start reads: a line of each method, and what else was learned of a server.

It is two lines: what it is with a checksum, then JSON. Whatever is not exactly what was written is not used; it can be
fetched again. Methods are rows without names, so that ten thousand of them are read in a moment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final
from zlib import crc32

from msgspec import Struct

from rpcexplorer.model.method import Method, Parameter
from rpcexplorer.model.methods.listing import Learned
from rpcexplorer.model.profile import Profile

HEAD: Final = "rpcexplorer catalogue 1 {checksum:08x}"
COLUMNS: Final = [list(Method.__struct_fields__), list(Parameter._fields)]
"""What stands where in a row. A file in which it is something else is of another version."""
PARAMETERS: Final = COLUMNS[0].index("parameters")
SOURCES: Final = COLUMNS[0].index("sources")


class KeptCatalogue(Struct):
    """What is known of the methods of a profile, where it points to now."""

    learned: Learned | None = None
    absent: frozenset[str] = frozenset()
    """Names that the server does not know."""
    habits: bool = False
    """Whether it was said how the server writes all of its replies."""
    source: str = ""
    """What the file that it was read from is known by; empty if it came from the server."""
    beside: str = ""
    """Which file beside this one has the methods in full; empty where none has."""


def encoded(profile: Profile, kept: KeptCatalogue, hide: Callable[[str], str]) -> bytes:
    """The file's content, without whatever ``hide`` would change. It raises ``RecursionError`` for too many levels."""
    methods = kept.learned.methods if kept.learned else ()
    content = {
        "profile": profile.name,
        "endpoint": profile.endpoint,
        "when": kept.learned.when.isoformat() if kept.learned else None,
        "columns": COLUMNS,
        "methods": rows_of(methods),
        "habits": kept.habits,
        "source": kept.source,
        "beside": kept.beside,
        "absent": sorted(kept.absent),
    }
    body = _text(content)
    if hide(body) != body:
        content |= {"methods": clean_rows(methods, hide), "absent": sorted(n for n in kept.absent if hide(n) == n)}
        body = _text(content)
    whole = body.encode()
    return _head(whole) + b"\n" + whole + b"\n"


def rows_of(methods: Iterable[Method]) -> list[list[Any]]:
    return [[getattr(method, column) for column in COLUMNS[0]] for method in methods]


def clean_rows(methods: Iterable[Method], hide: Callable[[str], str]) -> list[list[Any]]:
    """Rows in which there is no secret: where there is one, the name alone is kept, if it is not in that."""
    rows: list[list[Any]] = []
    for method, row in zip(methods, rows_of(methods), strict=True):
        text = _text(row)
        if hide(text) == text:
            rows.append(row)
        elif hide(method.name) == method.name:
            rows += rows_of([Method(method.name, source=method.source, dialect=method.dialect)])
    return rows


def decoded_rows(text: bytes, profile: Profile) -> KeptCatalogue | None:
    """What a file says of a profile; None where it is about another place, ``ValueError`` where it cannot be used."""
    head, _, body = text.partition(b"\n")
    content = _content(body) if head == _head(body.rstrip(b"\n")) else {}
    if content.get("columns") != COLUMNS:
        raise ValueError
    if (content["profile"], content["endpoint"]) != (profile.name, profile.endpoint):
        return None
    # an earlier version did not write all of these
    kept = KeptCatalogue(None, frozenset(content.get("absent", ())), content.get("habits", False))
    if content["when"] is not None:
        methods = tuple([method_of_row(row) for row in content["methods"]])
        kept.learned = Learned(methods, datetime.fromisoformat(content["when"]))
        kept.beside, kept.source = content.get("beside", ""), content.get("source", "")
    return kept


def method_of_row(row: list[Any]) -> Method:
    row[PARAMETERS] = tuple([Parameter(*parameter) for parameter in row[PARAMETERS]])
    row[SOURCES] = tuple([tuple(each) for each in row[SOURCES]])
    return Method(*row)


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _head(body: bytes) -> bytes:
    return HEAD.format(checksum=crc32(body)).encode()


def _content(body: bytes) -> dict[str, Any]:
    """What the checksum vouches for was written here, so that it needs no further doubt but this."""
    try:
        found: dict[str, Any] = json.loads(body)
    except RecursionError:  # an example has nearly as many levels as Python can read
        return {}
    return found
