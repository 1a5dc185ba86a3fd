"""What schemas refer to, gathered once while a document is read, so that each of them can stand for itself.

A reference is known by its text. It leads to a place in its document (``#/components/schemas/X``), to a schema that
names itself (``$id``, ``$anchor``), or by a bare name to one of the types. Nothing is ever fetched: a reference to
another document leads nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote

from rpcexplorer.jsontext.pointers import names_of

MOST_DEFINITIONS: Final = 20_000
"""Of one document."""
MOST_PARTS: Final = 2_000_000
"""Objects and arrays that are looked at: more than any document of a megabyte holds."""
LONGEST_REFERENCE: Final = 1_000
MOST_HELD: Final = 4 * 1024 * 1024
"""Characters of JSON of all definitions together. One may lie inside another, so that they may be more than the
document."""
MOST_TOO_LARGE: Final = 8
"""Definitions that are looked at and found too large, before no other one is looked at."""


class Definitions:
    """The schemas that those of a document refer to, each by the text of the reference."""

    def __init__(self, root: Any, types: Any = None) -> None:
        """Bare names lead to ``types``."""
        self._root = root
        self._types: Mapping[str, Any] = types if isinstance(types, dict) else {}
        self.found: dict[str, Any] = {}
        self.left_out = 0
        """References that lead to something which is not kept."""
        self._refused: set[str] = set()
        self._seen: dict[int, Any] = {}
        """What was looked at, by identity: thousands of methods may have one and the same schema."""
        self._room = MOST_HELD

    def gather(self, schemas: Iterable[Any]) -> dict[str, Any]:
        """All that these schemas refer to, and what that refers to, and so on."""
        rest = list(schemas)
        while rest and len(self._seen) < MOST_PARTS:
            part = rest.pop()
            if not isinstance(part, dict | list) or id(part) in self._seen:
                continue
            self._seen[id(part)] = part
            if isinstance(part, list):
                rest += part
                continue
            for reference in _references(part):
                if reference not in self.found and reference not in self._refused:
                    target = self.at(reference)
                    if isinstance(target, dict | bool) and self._is_kept(reference, target):
                        self.found[reference] = target
                        rest.append(target)
            rest += part.values()
        return self.found

    def _is_kept(self, reference: str, target: Any) -> bool:
        """Whether there is room for it; what is refused is not looked at again."""
        is_over = len(self.found) >= MOST_DEFINITIONS or len(self._refused) >= MOST_TOO_LARGE
        size = self._room + 1 if is_over else weight(target, self._room)
        if size <= self._room:
            self._room -= size
            return True
        self.left_out += 1
        if not is_over:
            self._refused.add(reference)
        return False

    def with_own(self, own: Mapping[str, Any]) -> Definitions:
        """What schemas refer to that also have definitions of their ``own``, by the text of each reference."""
        known = self._named  # looked for once, not in each copy
        other = Definitions(self._root, {**self._types, **own})
        other.__dict__["_named"] = known
        return other

    @property
    def looked_at(self) -> int:
        """How many objects and arrays."""
        return len(self._seen)

    def at(self, reference: str) -> Any:
        """What a reference leads to; None where that is nothing here."""
        if reference == "#":
            return self._root
        found = self._place(reference) if reference.startswith("#/") else None
        if found is not None or reference in self._types:
            return self._types.get(reference) if found is None else found
        return None if reference.startswith("#/") else self._named.get(reference)

    def _place(self, reference: str) -> Any:
        value: Any = self._root
        for part in names_of(reference[1:]):
            if isinstance(value, dict):
                value = value[part] if part in value else value.get(unquote(part))
            elif isinstance(value, list) and part.isdecimal() and int(part[:9]) < len(value):
                value = value[int(part[:9])]
            else:
                return None
        return value

    @cached_property
    def _named(self) -> dict[str, Any]:
        """Schemas by the names that they give themselves."""
        named: dict[str, Any] = {}
        rest, parts = [self._root], 0
        while rest and parts < MOST_PARTS:
            part = rest.pop()
            parts += 1
            if isinstance(part, dict):
                for key, sign in (("$id", ""), ("id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")):
                    if isinstance(name := part.get(key), str):
                        named.setdefault(f"{sign}{name}", part)
                rest += [value for value in part.values() if isinstance(value, dict | list)]
            elif isinstance(part, list):
                rest += [value for value in part if isinstance(value, dict | list)]
        return named


def weight(value: Any, limit: int) -> int:
    """About how many characters a JSON value takes; anything above the limit where it takes more."""
    rest, size = [value], 0
    while rest and size <= limit:
        part = rest.pop()
        if isinstance(part, dict):
            size += 2 + 4 * len(part) + sum(map(len, part))
            rest += part.values()
        elif isinstance(part, list):
            size += 2 + len(part)
            rest += part
        else:
            size += len(part) + 2 if isinstance(part, str) else 5
    return size


def references_in(schema: Any) -> set[str]:
    """What a schema itself refers to."""
    found: set[str] = set()
    rest, parts = [schema], 0
    while rest and parts < MOST_PARTS:
        part = rest.pop()
        parts += 1
        if isinstance(part, dict):
            found.update(_references(part))
            rest += [value for value in part.values() if isinstance(value, dict | list)]
        elif isinstance(part, list):
            rest += [value for value in part if isinstance(value, dict | list)]
    return found


def _references(part: dict[str, Any]) -> Iterator[str]:
    """What an object refers to. ``extends`` is how Kodi's types name what they are made of."""
    for key in ("$ref", "$dynamicRef", "$recursiveRef", "extends"):
        value = part.get(key)
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, str) and len(each) <= LONGEST_REFERENCE:
                yield each
