"""The params of a first draft."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rpcexplorer.model.method import Described, DescribedParam, Method, Started
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import defused
from rpcexplorer.variables.references import inert

MOST_EXAMPLES: Final = 5
"""Example calls to take values from."""


def starting_point(method: Method, described: Described | None = None) -> Any:
    """Return params for a first draft, or None if unknown."""
    return started(method, described).value


def sendable_start(profile: Profile, method: str, text: str) -> str:
    """Return params as JSON, with references of the server escaped.

    Only references in the profile's own notes are resolved.
    """
    noted = profile.methods.get(method)
    if noted is None or noted.params is None:
        return inert(text)
    return defused(text)


def started(method: Method, described: Described | None = None) -> Started:
    """Return params for a first draft, and why they are not valid yet.

    Notes about the method win. Otherwise these are the required params, by position up to the last of them. Values are
    those of example calls, of the schema, or generated.
    """
    if method.params is not None:
        return Started(method.params)
    described = described or Described()
    last = max((place for place, param in enumerate(described.params, 1) if param.required), default=0)
    needed = described.params[:last]
    if not needed:
        return Started({"name": {}, "position": []}.get(method.by or ""))
    from rpcexplorer.schema.example import Maker
    from rpcexplorer.schema.node import SchemaReader

    maker = Maker(SchemaReader(described.definitions))
    is_by_position = method.by == "position" or not all(_is_a_key(param.name, method) for param in needed)
    by_name: dict[str, Any] = {}
    by_position: list[Any] = []
    why_not = ""
    for at, param in enumerate(needed):
        if is_by_position or param.required:
            made = maker.made(param.schema, param.name or f"#{at + 1}", _given(described, param, at))
            by_name[param.name] = made.value
            by_position.append(made.value)
            why_not = why_not or made.why_not
    return Started(by_position if is_by_position else by_name, why_not)


def _is_a_key(name: str, method: Method) -> bool:
    """Return whether a name can be a key; one with spaces is a title."""
    return bool(name) and (method.by == "name" or " " not in name)


def _given(described: Described, param: DescribedParam, at: int) -> Iterator[Any]:
    """Yield the values of example calls for a param."""
    for call in described.examples[:MOST_EXAMPLES]:
        if isinstance(call.params, dict) and param.name in call.params:
            yield call.params[param.name]
        elif isinstance(call.params, list) and at < len(call.params):
            yield call.params[at]
