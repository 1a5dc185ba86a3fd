"""The params that the editor starts with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from rpcexplorer.model.method import Described, DescribedParam, Method, Started
from rpcexplorer.model.profile import Profile
from rpcexplorer.model.secret import defused
from rpcexplorer.variables.references import inert

if TYPE_CHECKING:
    pass

MOST_EXAMPLES: Final = 5
"""Example calls of which values are taken."""


def starting_point(method: Method, described: Described | None = None) -> Any:
    """Params to start typing from; None where nobody has said what the method asks for."""
    return started(method, described).value


def sendable_start(profile: Profile, method: str, text: str) -> str:
    """JSON text of params to start from, as it may be sent: only what the profile notes itself looks something up."""
    noted = profile.methods.get(method)
    return inert(text) if noted is None or noted.params is None else defused(text)


def started(method: Method, described: Described | None = None) -> Started:
    """Params to start from, and what keeps them from being right as they are.

    What is noted of the method wins; else it is the required params, by position up to the last of them. A value is
    the one of an example call where that fits, else what the schema names or lets be made.
    """
    if method.params is not None:
        return Started(method.params)
    described = described or Described()
    last = max((at for at, param in enumerate(described.params) if param.required), default=-1)
    needed = described.params[: last + 1]
    if not needed:
        return Started({"name": {}, "position": []}.get(method.by or ""))
    from rpcexplorer.schema.example import Maker
    from rpcexplorer.schema.node import SchemaReader

    maker = Maker(SchemaReader(described.definitions))
    by_position = method.by == "position" or not all(_is_a_key(each.name, method) for each in needed)
    filled = [
        (param, maker.made(param.schema, param.name or f"#{at + 1}", _given(described, param, at)))
        for at, param in enumerate(needed)
        if by_position or param.required
    ]
    why_not = next((each.why_not for _, each in filled if each.why_not), "")
    if by_position:
        return Started([each.value for _, each in filled], why_not)
    return Started({param.name: each.value for param, each in filled}, why_not)


def _is_a_key(name: str, method: Method) -> bool:
    """Whether a member can be called so: a name with blanks in it is a title, and its server counts places."""
    return bool(name) and (method.by == "name" or " " not in name)


def _given(described: Described, param: DescribedParam, at: int) -> Iterator[Any]:
    """What example calls have in the place of a param."""
    for call in described.examples[:MOST_EXAMPLES]:
        if isinstance(call.params, dict) and param.name in call.params:
            yield call.params[param.name]
        elif isinstance(call.params, list) and at < len(call.params):
            yield call.params[at]
