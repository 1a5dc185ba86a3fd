"""The schemas of a method as one that stands for itself, in one draft, for whoever checks a text by it.

All references lead into the schema itself; one that leads elsewhere lets anything stand, and it is said so: nothing is
ever fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from rpcexplorer.jsontext.steps import Steps
from rpcexplorer.model.method import By, Described, DescribedParam
from rpcexplorer.model.schema.checks.rewriting import Rewriting

MOST_BYTES: Final = 8 * 1024 * 1024
TOO_LARGE: Final = "its schema is too large to be checked"


class Checkable(Struct, frozen=True):
    """What a text is checked by."""

    schema: Mapping[str, Any] = {}
    json: bytes = b""
    """The schema as it is sent."""
    key: bytes = b""
    """The same for the same schema."""
    by: By | None = None
    """How the params are given that it is for; None for a result."""
    params: tuple[DescribedParam, ...] = ()
    why_not: str = ""
    """Why nothing can be checked, or which part of it cannot."""


def checkable_params(described: Described, by: By) -> Steps[Checkable]:
    """For params that are given by name, or by position."""
    params = described.params
    if not params and described.extra:
        return Checkable(by=by, why_not="the service does not say what it takes")
    rewriting = Rewriting(described)
    schemas = [rewriting.later(param.schema) for param in params]
    closed = not described.extra or not any(param.stands_for_others for param in params)
    whole = (
        _by_name(params, schemas, closed=closed) if by == "name" else _by_position(described, schemas, closed=closed)
    )
    return (yield from _finished(rewriting, whole, by, params))


def checkable_result(described: Described) -> Steps[Checkable]:
    """For what comes back."""
    if described.result is UNSET or described.result is True:
        return Checkable(why_not="the service does not say what comes back")
    rewriting = Rewriting(described)
    return (yield from _finished(rewriting, {"allOf": [rewriting.later(described.result)]}))


def _by_name(params: tuple[DescribedParam, ...], schemas: list[Any], *, closed: bool) -> dict[str, Any]:
    whole: dict[str, Any] = {"type": "object"}
    whole["properties"] = {param.name: schema for param, schema in zip(params, schemas, strict=True) if param.name}
    if required := [param.name for param in params if param.name and param.required]:
        whole["required"] = list(dict.fromkeys(required))
    if closed and all(param.name for param in params):
        whole["additionalProperties"] = False
    return whole


def _by_position(described: Described, schemas: list[Any], *, closed: bool) -> dict[str, Any]:
    params = described.params
    whole: dict[str, Any] = {"type": "array"}
    if schemas:
        whole["prefixItems"] = schemas
    if needed := max((place + 1 for place, param in enumerate(params) if param.required), default=0):
        whole["minItems"] = needed
    if not described.extra or (closed and all(param.name for param in params)):
        whole["maxItems"] = len(params)
    return whole


def _finished(
    rewriting: Rewriting, whole: dict[str, Any], by: By | None = None, params: tuple[DescribedParam, ...] = ()
) -> Steps[Checkable]:
    if not (yield from rewriting.is_done()):
        return Checkable(by=by, why_not=TOO_LARGE)
    schema = {**whole, "$defs": rewriting.definitions}
    try:
        encoded = msgspec.json.encode(schema)
    except (UnicodeError, RecursionError, TypeError, ValueError):
        return Checkable(by=by, why_not="its schema is none that can be checked")
    if len(encoded) > MOST_BYTES:
        return Checkable(by=by, why_not=TOO_LARGE)
    elsewhere = rewriting.elsewhere
    why_not = f"what “{elsewhere}” refers to is not in the service's document" if elsewhere else ""
    return Checkable(schema, encoded, blake2b(encoded, digest_size=16).digest(), by, params, why_not)
