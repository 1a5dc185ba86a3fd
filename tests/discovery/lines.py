"""Methods in short, as lists print them: line, params and result."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rpcexplorer.discovery.methods import Listing, Parameter, line_of, parameters_of, result_kind
from rpcexplorer.model.method import Described
from rpcexplorer.schema.start import starting_point


class Line(Struct, frozen=True):
    """A method in short."""

    name: str
    doc: str = ""
    params: Any = None
    auth: str | None = None
    safe: bool | None = None
    source: str = "discovered"
    parameters: tuple[Parameter, ...] = ()
    by: str | None = None
    details: str = ""
    result: str = ""
    deprecated: bool = False
    protocol: str = ""

    @classmethod
    def read(cls, name: str, full: Described) -> Line:
        line = line_of(name, full)
        return cls(
            name, line.doc, line.params, line.auth, line.safe, line.source, tuple(parameters_of(full)), line.by,
            full.details, result_kind(full), line.deprecated, line.protocol,
        )  # fmt: skip


def lines_of(listing: Listing) -> tuple[Line, ...]:
    return tuple(Line.read(name, full) for name, full in listing.described.items())


def start_of(full: Described, name: str = "m") -> Any:
    """Return the params that the editor starts with."""
    return starting_point(line_of(name, full), full)
