"""The differences between two descriptions of a service's methods."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET

from rpcexplorer.discovery.methods import MethodChange, Parameter, parameters_of, result_kind
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import cut
from rpcexplorer.schema.dialect import references_in
from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.schema.words import limit_words

MAX_CHANGES: Final = 2_000
"""Methods to report; the rest are counted."""
MAX_LINES: Final = 12
"""Lines of one method."""
MAX_LINE: Final = 300
"""Characters of one line."""
MAX_PLACES: Final = 100
"""Places inside a schema to search for a difference: references can make it endless."""
MAX_VALUE: Final = 60
"""Characters of a value."""
NOT_STATED: Final = "not stated"


def changes_between(
    old: Collection[str], new: Collection[str], pair: Callable[[str], tuple[Described, Described] | None]
) -> Iterator[MethodChange]:
    """Yield each change, sorted by name.

    ``pair`` returns the old and the new description of a method, or None if they are the same.
    """
    affected = AffectedReferences()
    for name in sorted({*old, *new}):
        if name not in old:
            yield MethodChange(name, "new")
        elif name not in new:
            yield MethodChange(name, "gone")
        else:
            both = pair(name)
            if both and (lines := dict.fromkeys(_lines(*both, affected))):
                yield MethodChange(name, "changed", tuple(cut(line, MAX_LINE) for line in lines)[:MAX_LINES])


class AffectedReferences:
    """References that have another target than before, directly or indirectly.

    The result is computed once for all methods that share their definitions.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], tuple[Any, Any, frozenset[str]]] = {}
        """By the ids of both definitions, which the values keep alive."""

    def between(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> frozenset[str]:
        key = (id(old), id(new))
        if key not in self._found:
            self._found[key] = (old, new, _affected(old, new))
        return self._found[key][2]


def _affected(old: Mapping[str, Any], new: Mapping[str, Any]) -> frozenset[str]:
    if old is new:
        return frozenset()
    users: dict[str, list[str]] = {}
    for reference, schema in new.items():
        for used in references_in(schema):
            users.setdefault(used, []).append(reference)
    found = {name for name in old.keys() | new.keys() if not _same(old.get(name, UNSET), new.get(name, UNSET))}
    rest = list(found)
    while rest:
        fresh = [user for user in users.get(rest.pop(), ()) if user not in found]
        found.update(fresh)
        rest += fresh
    return frozenset(found)


def _lines(old: Described, new: Described, affected: AffectedReferences) -> Iterator[str]:
    changed = affected.between(old.definitions, new.definitions)

    def differs(before: Any, now: Any) -> bool:
        return not _same(before, now) or not changed.isdisjoint(references_in(now))

    if new.deprecated != old.deprecated:
        yield "now deprecated" if new.deprecated else "no longer deprecated"
    yield from _params(_Params(old), _Params(new), differs)
    if old.by != new.by:
        yield f"params are now by {new.by or 'name or position'}"
    before, now = result_kind(old), result_kind(new)
    if before and before != now:
        yield f"result: {before} → {now or NOT_STATED}"
    elif differs(old.result, new.result):
        yield "schema of the result changed"
    if old.auth != new.auth:
        yield f"auth: {old.auth or NOT_STATED} → {new.auth or NOT_STATED}"
    if old.safe != new.safe:
        yield {True: "now safe", False: "now unsafe", None: "now of unknown safety"}[new.safe]
    for words, *facts in (
        ("docs of the result changed", "result_name", "result_doc"),
        ("docs changed", "doc", "details"),
        ("tags changed", "tags"),
    ):
        if any(getattr(old, fact) != getattr(new, fact) for fact in facts):
            yield words
    yield from _errors(old, new)
    if not _same(old.examples, new.examples):
        yield "examples changed"
    if old.extra != new.extra:
        yield "now accepts other params" if new.extra else "no longer accepts other params"


class _Params:
    """The params of a method, by name or by ``#position``."""

    def __init__(self, described: Described) -> None:
        self.reader = SchemaReader(described.definitions)
        self.named: dict[str, tuple[DescribedParam, Parameter]] = {}
        for at, (param, line) in enumerate(zip(described.params, parameters_of(described), strict=True), 1):
            self.named[f"“{param.name}”" if param.name else f"#{at}"] = (param, line)


def _params(old: _Params, new: _Params, differs: Callable[[Any, Any], bool]) -> Iterator[str]:
    for name, (param, _) in new.named.items():
        if name not in old.named:
            yield f"param {name} is new and required" if param.required else f"param {name} is new"
    for name in old.named:
        if name not in new.named:
            yield f"param {name} is gone"
    both = [name for name in new.named if name in old.named]
    if both != [name for name in old.named if name in new.named]:
        yield "order of the params changed"
    for name in both:
        yield from _param(name, old, new, differs)


def _param(name: str, old: _Params, new: _Params, differs: Callable[[Any, Any], bool]) -> Iterator[str]:
    (before, old_line), (now, new_line) = old.named[name], new.named[name]
    if bool(before.required) != bool(now.required):
        yield f"{name} is now required" if now.required else f"{name} is now optional"
    is_explained = False
    if old_line.kind != new_line.kind:
        is_explained = True
        yield f"type of {name}: {old_line.kind or NOT_STATED} → {new_line.kind or NOT_STATED}"
    if not _same(old_line.default, new_line.default):
        is_explained = True
        yield f"default of {name}: {_show(old_line.default)} → {_show(new_line.default)}"
    if differs(before.schema, now.schema):
        change = _inside(name, old.reader, before.schema, new.reader, now.schema)
        if change.startswith(f"limits of {name}:") or not is_explained:
            yield change or f"schema of {name} changed"
    if before.doc != now.doc:
        yield f"docs of {name} changed"
    if before.deprecated != now.deprecated:
        yield f"{name} is now deprecated" if now.deprecated else f"{name} is no longer deprecated"


def _inside(name: str, before: SchemaReader, old: Any, now: SchemaReader, new: Any) -> str:
    """Return the first changed limits of a param or inside it, or ""."""
    rest: list[tuple[str, Any, Any]] = [(name, old, new)]
    for place, was, is_now in rest:  # the list grows during the loop
        old_node, new_node = before.node(was), now.node(is_now)
        old_limits, new_limits = limit_words(old_node), limit_words(new_node)
        if old_limits != new_limits:
            return f"limits of {place}: {old_limits or 'none'} → {new_limits or 'none'}"
        for member, schema in new_node.properties.items():
            if member in old_node.properties and len(rest) < MAX_PLACES:
                rest.append((f"{place}.{member}", old_node.properties[member], schema))
        if isinstance(old_node.items, dict) and isinstance(new_node.items, dict) and len(rest) < MAX_PLACES:
            rest.append((f"{place}[]", old_node.items, new_node.items))
    return ""


def _errors(old: Described, new: Described) -> Iterator[str]:
    before = {error.code: error for error in old.errors}
    now = {error.code: error for error in new.errors}
    for code in now:
        if code not in before:
            yield f"error {code} is new"
    for code in before:
        if code not in now:
            yield f"error {code} is gone"
    if any(not _same(before[code], now[code]) for code in now.keys() & before.keys()):
        yield "errors changed"


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON, in any order of members."""
    if one is other or one is UNSET or other is UNSET:
        return one is other
    return _text(one) == _text(other)


def _text(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _show(value: Any) -> str:
    if value is None:
        return NOT_STATED
    return cut(json.dumps(value, ensure_ascii=False), MAX_VALUE)
