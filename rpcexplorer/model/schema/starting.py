"""Params to start typing from."""

from __future__ import annotations

from typing import Any

from rpcexplorer.model.methods.method import Method, Parameter
from rpcexplorer.model.schema.described import Described


def starting_point(method: Method, described: Described | None = None) -> Any:  # noqa: ARG001 - the line says enough
    """Params to start typing from: those that are noted, else the required ones, else None."""
    if method.params is not None:
        return method.params
    last = max((place for place, parameter in enumerate(method.parameters) if parameter.required), default=-1)
    needed = method.parameters[: last + 1]
    if not needed:
        return {} if method.by == "name" else None
    if method.by == "position" or not all(parameter.name for parameter in needed):
        return [_value(parameter) for parameter in needed]
    return {parameter.name: _value(parameter) for parameter in needed if parameter.required}


def _value(parameter: Parameter) -> Any:
    """Something to put in a parameter's place: an example, its default, or the plainest value of its kind."""
    if parameter.example is not None:
        return parameter.example
    if parameter.default is not None:
        return parameter.default
    match parameter.kind.split(" ")[0]:
        case "string":
            return ""
        case "integer" | "number":
            return 0
        case "boolean":
            return False
        case "array":
            return []
        case "object":
            return {}
    return None
