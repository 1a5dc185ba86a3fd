"""What a saved call expects of its response."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

ExpectedOutcome = Literal["result", "error", "sent"]
SERVICE: Final = "service"
"""The value of ``schema`` for the schema that the service declares."""


class SchemaFile(Struct, frozen=True):
    path: str
    inside: str
    """The folder of the file that names it; the schema must be in there."""

    @property
    def name(self) -> str:
        """The path in that folder, which says nothing about this machine."""
        return str(Path(self.path).relative_to(self.inside))


class Expectation(Struct, frozen=True):
    """The keys of ``[call.NAME.expect]``."""

    outcome: ExpectedOutcome = "result"
    """``sent``: the call is sent as a notification."""
    code: int | None = None
    values: tuple[tuple[str, str], ...] = ()
    """JSON pointers into the result, each with its value as JSON text."""
    result_json: str = ""
    """The whole result as JSON text, which is compared by its spelling."""
    schema: str = ""
    """A schema as JSON text, or ``service``."""
    schema_file: SchemaFile | None = None
    jq: tuple[str, ...] = ()
    """Expressions that each yield true and nothing else."""
    within: float | None = None
    """Milliseconds of the response, without the login before it."""

    def lines(self) -> Iterator[str]:
        """Yield each expectation as a line to read."""
        yield f"{self.outcome}" if self.code is None else f"error {self.code}"
        yield from (f"{pointer or 'result'} = {value}" for pointer, value in self.values)
        if self.result_json:
            yield f"result = {self.result_json}"
        if self.schema or self.schema_file:
            yield f"schema {self.schema_file.name if self.schema_file else self.schema}"
        yield from (f"jq {expression}" for expression in self.jq)
        if self.within is not None:
            yield f"within {self.within:g} ms"


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
