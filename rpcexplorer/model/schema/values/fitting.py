"""Whether a value fits a schema, as far as that can be told at once: what an editor needs between two keys.

It follows references, joins and alternatives; what depends on a pattern that may
take long is unknown.
Total and bounded. The judgement that a person reads is of ``checking``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from math import isfinite
from typing import Any, Final

from rpcexplorer.model.schema.kinds import is_kind, kind_of_value
from rpcexplorer.model.schema.node import SchemaReader, alternatives_of, choices_of, kinds_of, limits_of, required_of
from rpcexplorer.model.schema.values.patterns import matches

STEPS: Final = 5_000
"""Schemas that are looked at for one answer."""
OF_A_PATTERN: Final = 50
"""Steps that a pattern counts for."""
DEEP: Final = 60
Fits = bool | None
"""None: it cannot be told."""


def fits(reader: SchemaReader, schema: Any, value: Any) -> Fits:
    """Whether a value may stand where the schema holds."""
    return Fitting(reader).fits(schema, value)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are one: a truth is no number."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def is_one_of(value: Any, choices: Iterable[Any]) -> bool:
    return any(same(value, each) for each in choices)


def small(value: Any, most: int = 200, longest: int = 2_000) -> bool:
    """Whether a value is so small that it can be looked at, copied and shown in a moment."""
    rest, parts = [value], 0
    while rest:
        part = rest.pop()
        parts += 1
        if parts > most or (isinstance(part, str) and len(part) > longest):
            return False
        if isinstance(part, dict | list):
            if len(part) > most:
                return False
            rest += part.values() if isinstance(part, dict) else part
    return True


class Fitting:
    """Answers many questions together in a bounded number of steps; those that come when it is used up are unknown."""

    def __init__(self, reader: SchemaReader, steps: int = STEPS) -> None:
        self._reader = reader
        self._left = steps

    def fits(self, schema: Any, value: Any, deep: int = 0) -> Fits:
        if isinstance(schema, bool):
            return schema
        self._left -= 1
        if self._left < 0 or deep > DEEP:
            return None
        return _all(self._part(part, value, deep + 1) for part in self._reader.parts(schema))

    @property
    def is_over(self) -> bool:
        return self._left < 0

    def _part(self, part: dict[str, Any], value: Any, deep: int) -> Fits:
        self._left -= 1
        if self._left < 0:
            return None
        return _all(said for judge in (self._itself, self._inside, self._joined) for said in judge(part, value, deep))

    def _itself(self, part: dict[str, Any], value: Any, _: int) -> Iterator[Fits]:
        """Its kind, its choices and its limits."""
        kind = kind_of_value(value)
        if (kinds := kinds_of(part)) and not (value is None and part.get("nullable") is True):
            yield is_kind(kind, kinds)
        if (choices := choices_of(part)) is not None:
            yield is_one_of(value, choices)
        for key, bound in limits_of(part):
            self._left -= OF_A_PATTERN * (key == "pattern")
            yield _LIMITS[key](bound, value)

    def _inside(self, part: dict[str, Any], value: Any, deep: int) -> Iterator[Fits]:
        if isinstance(value, dict):
            yield from (name in value for name in required_of(part))
            yield from self._members(part, value, deep)
            yield from self._depending(part, value, deep)
        elif isinstance(value, list):
            node = self._reader.node({key: part[key] for key in _OF_ELEMENTS if key in part})
            if node.items is not True or node.prefix:
                yield from (self.fits(node.element(at), each, deep) for at, each in enumerate(value))
            if isinstance(wanted := part.get("contains"), dict):
                yield True if part.get("minContains") == 0 else _any(self.fits(wanted, each, deep) for each in value)

    def _members(self, part: dict[str, Any], value: dict[str, Any], deep: int) -> Iterator[Fits]:
        own, patterns = part.get("properties"), part.get("patternProperties")
        named = own if isinstance(own, dict) else {}
        other = part.get("additionalProperties", True)
        for name, member in value.items():
            if name in named:
                yield self.fits(named[name], member, deep)
            elif isinstance(patterns, dict) and patterns:
                yield None
            else:
                yield self.fits(other, member, deep)
        if isinstance(names := part.get("propertyNames"), dict):
            yield from (self.fits(names, name, deep) for name in value)

    def _depending(self, part: dict[str, Any], value: dict[str, Any], deep: int) -> Iterator[Fits]:
        """What must be there because something else is."""
        for key in ("dependentRequired", "dependentSchemas", "dependencies"):
            for name, wanted in found.items() if isinstance(found := part.get(key), dict) else ():
                if name in value and isinstance(wanted, list):
                    yield all(each in value for each in wanted if isinstance(each, str))
                elif name in value and isinstance(wanted, dict | bool):
                    yield self.fits(wanted, value, deep)

    def _joined(self, part: dict[str, Any], value: Any, deep: int) -> Iterator[Fits]:
        several = alternatives_of(part)
        if several:
            found = [self.fits(each, value, deep) for each in several]
            yield _one(found) if several is part.get("oneOf") else _any(found)
            if several is part.get("oneOf") and isinstance(any_of := part.get("anyOf"), list) and any_of:
                yield _any(self.fits(each, value, deep) for each in any_of)
        if isinstance(not_this := part.get("not"), dict | bool):
            yield None if (found_not := self.fits(not_this, value, deep)) is None else not found_not
        if isinstance(condition := part.get("if"), dict | bool):
            holds = self.fits(condition, value, deep)
            yield None if holds is None else self.fits(part.get("then" if holds else "else", True), value, deep)


_OF_ELEMENTS: Final = ("items", "prefixItems", "additionalItems")


def _all(found: Iterable[Fits]) -> Fits:
    unknown = False
    for each in found:
        if each is False:
            return False
        unknown = unknown or each is None
    return None if unknown else True


def _any(found: Iterable[Fits]) -> Fits:
    unknown = False
    for each in found:
        if each:
            return True
        unknown = unknown or each is None
    return None if unknown else False


def _one(found: list[Fits]) -> Fits:
    if found.count(True) > 1:
        return False
    return None if None in found else True in found


def _of_number(judge: Callable[[Any, Any], Fits]) -> Callable[[Any, Any], Fits]:
    return lambda bound, value: kind_of_value(value) not in {"integer", "number"} or judge(bound, value)


def _of_size(kind: type[Sized], judge: Callable[[int, int], Fits]) -> Callable[[Any, Any], Fits]:
    return lambda bound, value: not isinstance(value, kind) or judge(bound, len(value))


def _is_multiple(step: Any, value: Any) -> Fits:
    if isinstance(step, int) and isinstance(value, int):
        return value % step == 0
    try:
        times = value / step
        return True if times == 0 else (None if not isfinite(times) or abs(times) > 1e15 else _near(times))
    except OverflowError:
        return None


def _near(times: float) -> Fits:
    """A multiple of 0.1 is only nearly one to a machine: whoever judges it then, may judge otherwise."""
    if times == round(times):
        return True
    return None if abs(times - round(times)) < 1e-9 else False


def _is_each_once(_: Any, value: Any) -> Fits:
    if not isinstance(value, list):
        return True
    if len(value) > 100:  # every pair is compared
        return None
    return not any(same(one, other) for at, one in enumerate(value) for other in value[:at])


_LIMITS: Final[dict[str, Callable[[Any, Any], Fits]]] = {
    "minimum": _of_number(lambda bound, value: value >= bound),
    "maximum": _of_number(lambda bound, value: value <= bound),
    "exclusiveMinimum": _of_number(lambda bound, value: value > bound),
    "exclusiveMaximum": _of_number(lambda bound, value: value < bound),
    "multipleOf": _of_number(_is_multiple),
    "minLength": _of_size(str, lambda bound, size: size >= bound),
    "maxLength": _of_size(str, lambda bound, size: size <= bound),
    "minItems": _of_size(list, lambda bound, size: size >= bound),
    "maxItems": _of_size(list, lambda bound, size: size <= bound),
    "minProperties": _of_size(dict, lambda bound, size: size >= bound),
    "maxProperties": _of_size(dict, lambda bound, size: size <= bound),
    "uniqueItems": _is_each_once,
    "pattern": lambda pattern, value: not isinstance(value, str) or matches(pattern, value),
    "format": lambda _, __: True,
}
