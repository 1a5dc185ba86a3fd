"""Which schemas may hold at a place of params, by what else stands there already.

Several may: of alternatives those are left out that a member rules out which is written beside the place. Bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from rpcexplorer.model.method import Described
from rpcexplorer.model.schema.node import Node, SchemaReader
from rpcexplorer.model.schema.values.fitting import Fitting

MOST_SCHEMAS: Final = 30
"""That are followed from one level to the next."""
MOST_NODES: Final = 100
DEEP: Final = 6
"""Alternatives in alternatives."""
MOST_BESIDE: Final = 20
"""Members beside a place by which alternatives are told apart."""
LONGEST: Final = 200
"""Of such a member."""


class SchemaPlaces:
    """The schemas of one method's params, asked for by the path to a place."""

    def __init__(self, described: Described) -> None:
        self.reader = SchemaReader(described.definitions)
        self._described = described

    def schemas(self, path: Sequence[str | int], beside: Sequence[Mapping[str, str]] = ()) -> tuple[Any, ...]:
        """The schemas at a place below the params; ``beside`` has for each step the text of the scalars there."""
        if not path:
            return ()
        found = self._of_param(path[0])
        for at, step in enumerate(path[1:], start=1):
            here = self.nodes(found, beside[at] if at < len(beside) else {})
            found = [schema for node in here for schema in _inside(node, step) if schema is not False]
            found = list({id(schema): schema for schema in found}.values())[:MOST_SCHEMAS]
        return tuple(found)

    def nodes(self, schemas: Iterable[Any], beside: Mapping[str, str] | None = None) -> list[Node]:
        """What these schemas let stand, with those of their alternatives that are still possible."""
        known = dict(_values(beside or {}))
        fitting = Fitting(self.reader)
        found: list[Node] = []
        rest = [(schema, 0) for schema in reversed(list(schemas))]
        while rest and len(found) < MOST_NODES:
            schema, deep = rest.pop()
            node = self.reader.node(schema)
            found.append(node)
            if deep < DEEP:
                several = [each for each in node.alternatives[:MOST_NODES] if each is not False]
                possible = [each for each in several if not self._is_ruled_out(each, known, fitting)]
                rest += [(each, deep + 1) for each in reversed(possible or several)]
        return found

    def _of_param(self, step: str | int) -> list[Any]:
        params = self._described.params
        if isinstance(step, int):
            return [params[step].schema] if step < len(params) else []
        return [param.schema for param in params if param.name == step][:1]

    def _is_ruled_out(self, schema: Any, known: Mapping[str, Any], fitting: Fitting) -> bool:
        node = self.reader.node(schema)
        if known and node.kinds and "object" not in node.kinds:
            return True
        return any(fitting.fits(node.member(name), value) is False for name, value in known.items())


def required_in(nodes: Sequence[Node]) -> frozenset[str]:
    """Members that must be there whichever alternative holds; the first node is of the place itself."""
    if not nodes:
        return frozenset()
    others = [node.required for node in nodes[1:] if node.properties or node.required]
    return nodes[0].required | (frozenset.intersection(*others) if others else frozenset())


def _inside(node: Node, step: str | int) -> Iterable[Any]:
    if isinstance(step, int):
        return (node.element(step),) if not node.kinds or "array" in node.kinds else ()
    return (node.member(step),) if not node.kinds or "object" in node.kinds else ()


def _values(beside: Mapping[str, str]) -> Iterable[tuple[str, Any]]:
    for name, text in list(beside.items())[:MOST_BESIDE]:
        if text and len(text) <= LONGEST:
            try:
                yield name, msgspec.json.decode(text)
            except msgspec.DecodeError:
                continue
