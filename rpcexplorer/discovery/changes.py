"""What differs between what a service said of its methods before and what it says now, in words. Pure and bounded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Final, Literal

from msgspec import UNSET, Struct

from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
from rpcexplorer.model.problem import cut
from rpcexplorer.schema.node import SchemaReader, references_in
from rpcexplorer.schema.words import limit_words

MOST_CHANGES: Final = 2_000
"""Methods that are told of; the rest is counted."""
MOST_TOLD: Final = 12
"""Of one method."""
LONGEST: Final = 300
"""Characters of what is told."""
MOST_PLACES: Final = 100
"""Inside a schema, at which it is looked for what has changed."""
SHOWN: Final = 60
"""Characters of a value."""
BothTimes = tuple[Described, Described]
"""A method in full as it was, and as it is."""


class MethodChange(Struct, frozen=True):
    """A method that is new or gone, or of which something else is said."""

    name: str
    kind: Literal["new", "gone", "changed"]
    what: tuple[str, ...] = ()
    """What has changed, in words; there may be text from outside in them."""

    @property
    def line(self) -> str:
        """Name and words; there is text from outside in it."""
        return f"{self.name}: {'; '.join(self.what)}" if self.what else self.name


class MethodChanges(Struct, frozen=True):
    """What a refresh found that was not so before."""

    when: datetime
    """The refresh."""
    before: datetime
    """The one it is compared with."""
    methods: tuple[MethodChange, ...]
    """By name."""
    more: int = 0
    """Methods that are not among them."""


def changes_between(
    old: Iterable[Method], new: Iterable[Method], pair: Callable[[str], BothTimes | None]
) -> Iterator[MethodChange]:
    """Every change, by name. ``pair`` gives a method in full, both times; None where that cannot have changed."""
    before, now = {each.name: each for each in old}, {each.name: each for each in new}
    affected = AffectedReferences()
    for name in sorted(before.keys() | now.keys()):
        if name not in before:
            yield MethodChange(name, "new")
        elif name not in now:
            yield MethodChange(name, "gone")
        else:
            full = pair(name)
            told = [*_lines(before[name], now[name], full)]
            told += _schemas(*full, affected, told) if full else ()
            if what := tuple(cut(line, LONGEST) for line in dict.fromkeys(told)):
                yield MethodChange(name, "changed", what[:MOST_TOLD])


class AffectedReferences:
    """Which references lead to something else than before, be it through others. Found out once for all methods."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], tuple[Any, Any, frozenset[str]]] = {}
        """By the identity of both definitions, with these, so that no others take their places."""

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
    found = {each for each in old.keys() | new.keys() if not _same(old.get(each, UNSET), new.get(each, UNSET))}
    rest = list(found)
    while rest:
        fresh = [user for user in users.get(rest.pop(), ()) if user not in found]
        found.update(fresh)
        rest += fresh
    return frozenset(found)


# --- the line of a method ---------------------------------------------------------------------------------------------


def _lines(old: Method, new: Method, full: BothTimes | None) -> Iterator[str]:
    if new.deprecated != old.deprecated:
        yield "deprecated now" if new.deprecated else "not deprecated any more"
    yield from _params(old.parameters, new.parameters)
    if old.by != new.by:
        yield f"params {f'by {new.by}' if new.by else 'either way'} now"
    if old.result != new.result and (old.result or full is None):
        yield f"result was {_or_unknown(old.result)}, now {_or_unknown(new.result)}"
    if old.auth != new.auth:
        yield f"auth was {_or_unknown(old.auth)}, now {_or_unknown(new.auth)}"
    if old.safe != new.safe:
        yield {True: "safe now", False: "not safe now", None: "not said to be safe any more"}[new.safe]
    if (old.doc, old.details) != (new.doc, new.details):
        yield "doc"


def _params(old: tuple[Parameter, ...], new: tuple[Parameter, ...]) -> Iterator[str]:
    before, now = _named(old), _named(new)
    for name, each in now.items():
        if name not in before:
            yield f"param {name} is new{' and required' if each.required else ''}"
    for name in before:
        if name not in now:
            yield f"param {name} is gone"
    both = [name for name in now if name in before]
    if both != [name for name in before if name in now]:
        yield "order of the params"
    for name in both:
        yield from _param(name, before[name], now[name])


def _param(name: str, old: Parameter, new: Parameter) -> Iterator[str]:
    if bool(old.required) != bool(new.required):
        yield f"{name} is {'required' if new.required else 'optional'} now"
    if old.kind != new.kind:
        yield f"{name} was {_or_unknown(old.kind)}, now {_or_unknown(new.kind)}"
    if not _same(old.default, new.default):
        yield f"default of {name} was {_shown(old.default)}, now {_shown(new.default)}"
    if old.doc != new.doc:
        yield f"doc of {name}"


def _named(params: Iterable[Any]) -> dict[str, Any]:
    """Params by the names they are told by; what has no name is told by its position."""
    return {f"“{each.name}”" if each.name else f"#{at}": each for at, each in enumerate(params, start=1)}


# --- all that is said of it -------------------------------------------------------------------------------------------


def _schemas(old: Described, new: Described, affected: AffectedReferences, told: list[str]) -> Iterator[str]:
    """What the line does not show: of a param of which it has ``told`` something, that is enough."""
    changed = affected.between(old.definitions, new.definitions)

    def other(before: Any, now: Any) -> bool:
        return not _same(before, now) or bool(changed and not changed.isdisjoint(references_in(now)))

    yield from _schemas_of_params(old, new, other, told)
    if other(old.result, new.result):
        yield "schema of the result"
    if (old.result_name, old.result_doc) != (new.result_name, new.result_doc):
        yield "doc of the result"
    yield from _errors(old, new)
    if not _same([_values(each) for each in old.examples], [_values(each) for each in new.examples]):
        yield "examples"
    if old.tags != new.tags:
        yield "tags"
    if old.extra != new.extra:
        yield "takes other members as well now" if new.extra else "takes no other members now"


def _schemas_of_params(
    old: Described, new: Described, other: Callable[[Any, Any], bool], told: list[str]
) -> Iterator[str]:
    before: dict[str, DescribedParam] = _named(old.params)
    for name, each in _named(new.params).items():
        was = before.get(name)
        if was is None:
            continue
        if other(was.schema, each.schema):
            if limits := _limits(name, (old, was), (new, each)):
                yield limits
            elif not any(line.startswith((f"{name} was", f"default of {name}")) for line in told):
                yield f"schema of {name}{_inside((old, was), (new, each))}"
        if was.doc != each.doc:
            yield f"doc of {name}"
        if was.deprecated != each.deprecated:
            yield f"{name} is {'deprecated now' if each.deprecated else 'not deprecated any more'}"


def _limits(name: str, *both: tuple[Described, DescribedParam]) -> str:
    """What a value was bound to and is now; empty where that is the same."""
    before, now = (limit_words(SchemaReader(full.definitions).node(param.schema)) for full, param in both)
    return f"{name} was {before or 'without limits'}, now {now or 'without limits'}" if before != now else ""


def _inside(*both: tuple[Described, DescribedParam]) -> str:
    """The first place inside of which the limits are others, and both; empty where no other limit is found."""
    before, now = (SchemaReader(full.definitions) for full, _ in both)
    rest: list[tuple[str, Any, Any]] = [("", *(param.schema for _, param in both))]
    for place, was, new in islice(rest, MOST_PLACES):  # which grows while it is walked
        old_node, new_node = before.node(was), now.node(new)
        old_limits, new_limits = limit_words(old_node), limit_words(new_node)
        if old_limits != new_limits:
            return f"{place}: was {old_limits or 'without limits'}, now {new_limits or 'without limits'}"
        room = MOST_PLACES - len(rest)
        named = ((name, schema) for name, schema in new_node.properties.items() if name in old_node.properties)
        inner = [(f"{place}.{name}", old_node.properties[name], schema) for name, schema in islice(named, max(room, 0))]
        if isinstance(old_node.items, dict) and isinstance(new_node.items, dict):
            inner.append((f"{place}[]", old_node.items, new_node.items))
        rest += inner
    return ""


def _errors(old: Described, new: Described) -> Iterator[str]:
    before, now = ({each.code: each for each in full.errors} for full in (old, new))
    yield from (f"error {code} is new" for code in now if code not in before)
    yield from (f"error {code} is gone" for code in before if code not in now)
    if any(not _same(_values(before[code]), _values(now[code])) for code in now.keys() & before.keys()):
        yield "errors"


def _values(each: Struct) -> list[Any]:
    return [None if (value := getattr(each, name)) is UNSET else value for name in each.__struct_fields__]


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values say the same; the order of members makes no difference."""
    if one is other:
        return True
    if one is UNSET or other is UNSET:
        return False
    try:
        return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    except RecursionError:  # as many levels as Python can read
        return False


def _shown(value: Any) -> str:
    if value is None:
        return "not said"
    return cut(json.dumps(value, ensure_ascii=False), SHOWN)


def _or_unknown(words: str | None) -> str:
    return words or "not said"
