"""The differences between two descriptions of a service's methods."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from rpcexplorer.discovery.methods import MethodChange, Parameter, parameters_of, result_kind
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import cut
from rpcexplorer.schema.dialect import references_in
from rpcexplorer.schema.narrower import is_narrower
from rpcexplorer.schema.node import Node, SchemaReader
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
RESULT: Final = "result"
"""The place of a whole result; a limit there refuses no call."""


class Detail(NamedTuple):
    """One difference of a method, in words."""

    words: str
    breaks: bool = False
    """A call that was right may now be refused, or its result may be read differently."""


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
            yield MethodChange(name, "gone", breaks=True)
        elif both := pair(name):
            details = sorted(dict.fromkeys(_details(*both, affected)), key=lambda detail: not detail.breaks)
            if details:
                words = tuple(cut(detail.words, MAX_LINE) for detail in details[:MAX_LINES])
                yield MethodChange(name, "changed", words, breaks=details[0].breaks)


class AffectedReferences:
    """References that have another target than before, directly or indirectly.

    The result is computed once for all methods that share their definitions.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], tuple[Any, Any, frozenset[str]]] = {}
        """Keyed by the ids of both definitions, which the values keep alive."""

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


def _details(old: Described, new: Described, affected: AffectedReferences) -> Iterator[Detail]:
    changed = affected.between(old.definitions, new.definitions)

    def differs(before: Any, now: Any) -> bool:
        return not _same(before, now) or not changed.isdisjoint(references_in(now))

    if new.deprecated != old.deprecated:
        yield Detail("now deprecated" if new.deprecated else "no longer deprecated")
    yield from _params(_Params(old), _Params(new), differs)
    if old.by != new.by:
        yield Detail(f"params are now by {new.by or 'name or position'}", breaks=new.by is not None)
    yield from _result(old, new, differs)
    if old.auth != new.auth:
        yield Detail(f"auth: {old.auth or NOT_STATED} → {new.auth or NOT_STATED}")
    if old.safe != new.safe:
        yield Detail({True: "now safe", False: "now unsafe", None: "now of unknown safety"}[new.safe])
    for words, *facts in (
        ("docs of the result changed", "result_name", "result_doc"),
        ("docs changed", "doc", "details"),
        ("tags changed", "tags"),
    ):
        if any(getattr(old, fact) != getattr(new, fact) for fact in facts):
            yield Detail(words)
    yield from map(Detail, _errors(old, new))
    if not _same(old.examples, new.examples):
        yield Detail("examples changed")
    if old.extra != new.extra:
        words = "now accepts other params" if new.extra else "no longer accepts other params"
        yield Detail(words, breaks=not new.extra)


def _result(old: Described, new: Described, differs: Callable[[Any, Any], bool]) -> Iterator[Detail]:
    was, is_now = result_kind(old), result_kind(new)
    before, now = SchemaReader(old.definitions), SchemaReader(new.definitions)
    is_described = old.result is not UNSET and new.result is not UNSET
    if was and was != is_now:
        breaks = bool(is_now)
        if is_described:
            breaks = _breaks(RESULT, before.node(old.result), now.node(new.result))
        yield Detail(f"result: {was} → {is_now or NOT_STATED}", breaks)
    elif differs(old.result, new.result):
        detail = _inside(RESULT, before, old.result, now, new.result) if is_described else None
        yield detail or Detail("schema of the result changed")


class _Params:
    """The params of a method, by name or by ``#position``."""

    def __init__(self, described: Described) -> None:
        self.reader = SchemaReader(described.definitions)
        self.named: dict[str, tuple[DescribedParam, Parameter]] = {}
        for at, (param, line) in enumerate(zip(described.params, parameters_of(described), strict=True), 1):
            self.named[f"“{param.name}”" if param.name else f"#{at}"] = (param, line)


def _params(old: _Params, new: _Params, differs: Callable[[Any, Any], bool]) -> Iterator[Detail]:
    for name, (param, _) in new.named.items():
        if name in old.named:
            continue
        if param.required:
            yield Detail(f"param {name} is new and required", breaks=True)
        else:
            yield Detail(f"param {name} is new")
    for name in old.named:
        if name not in new.named:
            yield Detail(f"param {name} is gone", breaks=True)
    both = [name for name in new.named if name in old.named]
    if both != [name for name in old.named if name in new.named]:
        yield Detail("order of the params changed", breaks=True)
    for name in both:
        yield from _param(name, old, new, differs)


def _param(name: str, old: _Params, new: _Params, differs: Callable[[Any, Any], bool]) -> Iterator[Detail]:
    (before, old_line), (now, new_line) = old.named[name], new.named[name]
    if bool(before.required) != bool(now.required):
        words = f"{name} is now required" if now.required else f"{name} is now optional"
        yield Detail(words, breaks=bool(now.required))
    is_explained = False
    if old_line.kind != new_line.kind:
        is_explained = True
        words = f"type of {name}: {old_line.kind or NOT_STATED} → {new_line.kind or NOT_STATED}"
        if differs(before.schema, now.schema):
            breaks = _breaks(name, old.reader.node(before.schema), new.reader.node(now.schema))
        else:
            breaks = bool(new_line.kind)
        yield Detail(words, breaks)
    if not _same(old_line.default, new_line.default):
        is_explained = True
        yield Detail(f"default of {name}: {_show(old_line.default)} → {_show(new_line.default)}")
    if differs(before.schema, now.schema):
        detail = _inside(name, old.reader, before.schema, new.reader, now.schema)
        if detail:
            yield detail
        elif not is_explained:
            yield Detail(f"schema of {name} changed")
    if before.doc != now.doc:
        yield Detail(f"docs of {name} changed")
    if before.deprecated != now.deprecated:
        yield Detail(f"{name} is now deprecated" if now.deprecated else f"{name} is no longer deprecated")


def _inside(name: str, before: SchemaReader, old: Any, now: SchemaReader, new: Any) -> Detail | None:
    """Return the worst difference inside the schema of a param or result, or its changed limits."""
    found = list(_places(name, before, old, now, new))
    return min(found, key=lambda detail: not detail.breaks, default=None)


def _places(name: str, before: SchemaReader, old: Any, now: SchemaReader, new: Any) -> Iterator[Detail]:
    rest: list[tuple[str, Any, Any]] = [(name, old, new)]
    for place, was, is_now in rest:  # the list grows during the loop
        old_node, new_node = before.node(was), now.node(is_now)
        breaks = _breaks(name, old_node, new_node)
        if place != name:
            yield from _inner_type(place, old_node, new_node, breaks=breaks)
        for member in sorted(old_node.properties.keys() - new_node.properties.keys()):
            yield Detail(f"{place}.{member} is gone", breaks=True)
        if name == RESULT:
            for member in sorted((old_node.required - new_node.required) & new_node.properties.keys()):
                yield Detail(f"{place}.{member} is now optional", breaks=True)
        else:
            for member in sorted(new_node.required - old_node.required):
                yield Detail(f"{place}.{member} is now required", breaks=True)
        old_limits, new_limits = limit_words(old_node), limit_words(new_node)
        if old_limits != new_limits:
            yield Detail(f"limits of {place}: {old_limits or 'none'} → {new_limits or 'none'}", breaks)
        for member, schema in new_node.properties.items():
            if member in old_node.properties and len(rest) < MAX_PLACES:
                rest.append((f"{place}.{member}", old_node.properties[member], schema))
        if isinstance(old_node.items, dict) and isinstance(new_node.items, dict) and len(rest) < MAX_PLACES:
            rest.append((f"{place}[]", old_node.items, new_node.items))


def _inner_type(place: str, old: Node, new: Node, *, breaks: bool) -> Iterator[Detail]:
    """Yield the changed type of a member or element; lists show that of a whole param."""
    if old.kinds != new.kinds:
        before, now = (" or ".join(node.kinds) or NOT_STATED for node in (old, new))
        yield Detail(f"type of {place}: {before} → {now}", breaks)
    elif old.choices != new.choices:
        yield Detail(f"values of {place} changed", breaks)


def _breaks(name: str, old: Node, new: Node) -> bool:
    """Return whether a server refuses more of a param, or a caller meets more in a result."""
    return is_narrower(old, new) if name == RESULT else is_narrower(new, old)


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
