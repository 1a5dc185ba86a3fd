"""The JSON Schema of ``sessions.toml``, as editors use it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, time
from functools import cache
from typing import Any

import jsonschema_rs

from rpcexplorer.profiles.keys import sessions_schema


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(sessions_schema())


def problems_of(values: Mapping[str, Any]) -> list[str]:
    """Return what the schema has against a file, but for keys of another auth type, which the reader reports later."""
    errors = _validator().iter_errors(_as_json(values))
    return [error.message for error in errors if "allOf" not in error.schema_path or "auth" not in error.instance_path]


def _as_json(value: Any) -> Any:
    match value:
        case dict():
            return {key: _as_json(inner) for key, inner in value.items()}
        case list():
            return [_as_json(inner) for inner in value]
        case date() | time():
            return value.isoformat()
        case float() if not math.isfinite(value):
            return str(value)
    return value
