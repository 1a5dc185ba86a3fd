"""Params as a shell may complete them: the names of what a method takes, and the values where only some may stand."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from rpcexplorer.cli.params import PAIR
from rpcexplorer.model.method import Described
from rpcexplorer.schema.node import Node, SchemaReader
from rpcexplorer.variables.references import inert

MOST_VALUES: Final = 200


def words(described: Described, begun: str, given: Collection[str]) -> Iterator[str]:
    """Words that may stand where ``begun`` does; what is ``given`` already is not offered a second time."""
    reader = SchemaReader(described.definitions)
    there = {pair[1] for word in given if word != begun and (pair := PAIR.fullmatch(word))}
    at = PAIR.fullmatch(begun)
    for param in described.params:
        if not param.name.strip(".") or param.name in there or not PAIR.fullmatch(f"{param.name}="):
            continue
        node = reader.node(param.schema)
        if at is None:
            yield f"{param.name}{'=' if _is_text(node) else ':='}"
        elif at[1] == param.name:
            yield from (f"{param.name}{at[2]}{value}" for value in _values(node, as_json=at[2] == ":="))


def _values(node: Node, *, as_json: bool) -> Iterator[str]:
    """Values as they stand behind the sign: text as it is, or anything as JSON."""
    choices = (True, False) if node.choices is None and node.kinds == ("boolean",) else node.choices or ()
    for value in choices[:MOST_VALUES]:
        if not as_json and isinstance(value, str) and inert(value) == value:  # it would be opened
            yield value
        elif as_json and not isinstance(value, str | dict | list):
            yield json.dumps(value)


def _is_text(node: Node) -> bool:
    choices: tuple[Any, ...] = node.choices or ()
    return "string" in node.kinds or any(isinstance(value, str) for value in choices)
