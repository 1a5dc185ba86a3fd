"""Values as Bitcoin's kin lay them out in a help text, read as JSON Schema: a line a part, brackets around the inner.

``"txid": "hex",   (string, required) The id`` is a member of the object whose bracket is open; ``...`` says that more
follows of what was there. Total and linear: a layout that breaks off is read as far as it goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct, field

from rpcexplorer.client.discovery.answers import value_of
from rpcexplorer.client.discovery.limits import kind_of, text_of
from rpcexplorer.schema.node import KINDS, kind_of_value

LONGEST_LINE: Final = 2_000
DEEPEST: Final = 32
"""Brackets inside brackets."""
MOST_CHOICES: Final = 100
"""Values that are named for one part, or elements that differ."""
_STANDARD: Final = frozenset(KINDS.values())
_UNSAID: Final = frozenset(("any", "json", "value"))
"""Kinds that leave open what is meant."""
_BETWEEN_KINDS: Final = re.compile(r" or | / |/")
_NUMBER: Final = re.compile(r"(\d{1,2})\. +")
_KEY: Final = re.compile(r'"([^"]{0,200})" ?: ?')
_QUOTED: Final = re.compile(r""""([^"]{1,60})"|'([^']{1,60})'""")
_LISTED: Final = re.compile(r"""["']([^"'\s]{1,60})["'],?$""")
_ONE_OF: Final = re.compile(r"\b[Oo]ne of\b|\b[Oo]ptions(?: are\b|:)")
_MAY_BE: Final = re.compile(r"""["']([\w-]{1,60})["'] (?:to|for)\b""")
_NAMES_OF_OTHERS: Final = re.compile(r"\bis the key\b|\b[Tt]he key \(string\)")
"""How a text says that a member's name is for the caller to choose."""
_DEFAULT: Final = re.compile(r"(?:^|,) *default=")


class Row(Struct):
    """A line of a layout with notes, and what is said of it in the lines below."""

    number: int = 0
    """Of an argument; 0 for what is inside one, and in results."""
    head: str = ""
    notes: str = ""
    doc: str = ""
    listed: list[str] = field(default_factory=list)
    """Values that stand below it, one a line."""

    @property
    def kinds(self) -> list[str]:
        """Empty where any will do."""
        return _kinds(self.notes.partition(",")[0]) or []

    @property
    def required(self) -> bool | None:
        words = {word.strip() for word in self.notes.split(",")[1:]}
        return True if "required" in words else False if "optional" in words else None

    def schema(self) -> dict[str, Any]:
        """What is said of the value itself, be there something inside it or not."""
        kinds = self.kinds
        schema: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
        if doc := text_of(self.doc):
            schema["description"] = doc
        if not kinds or "string" in kinds:
            schema |= self._choices()
        default = self._default(schema.get("enum", schema.get("examples", [])))
        return schema if default is None else {**schema, "default": default}

    def _choices(self) -> dict[str, Any]:
        """The values that are named: the only ones where it says so."""
        cue = _ONE_OF.search(self.doc)
        named = self.listed
        if cue and not named:
            named = [double or single for double, single in _QUOTED.findall(self.doc, cue.end())]
        choices = [*dict.fromkeys(named)][:MOST_CHOICES]
        if cue and len(choices) > 1 and self.kinds == ["string"] and "case insensitive" not in self.doc:
            return {"enum": choices}
        choices = choices or [*dict.fromkeys(_MAY_BE.findall(self.doc))][:MOST_CHOICES]
        return {"examples": choices} if len(choices) > 1 else {}

    def _default(self, choices: list[str]) -> Any:
        """A default that is a value; many are a sentence."""
        found = _DEFAULT.search(self.notes)
        said = self.notes[found.end() :].strip() if found else ""
        if not said or said in choices:
            return said or None
        if said in {"''", '""'}:
            return ""
        value: Any = [] if said == "empty array" else value_of(said.encode()).value
        kind = kind_of_value(value)
        fits = kind in self.kinds or (kind == "integer" and "number" in self.kinds)
        return value if fits and (kind != "string" or value in choices or not choices) else None


class _OpenBracket:
    """A bracket that is open, and what stands in it so far."""

    def __init__(self, bracket: str, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.is_array = bracket == "["
        self.members: dict[str, Any] = {}
        self.required: list[str] = []
        self.elements: list[Any] = []
        self.others: Any = None
        """What members of any name are."""
        self.goes_on = False
        """More members follow like the one before."""

    def add(self, key: str | None, row: Row, schema: dict[str, Any]) -> None:
        if self.is_array or key is None:
            self.elements.append(schema)
        elif _NAMES_OF_OTHERS.search(row.doc):
            self.others = schema
        else:
            self.members[key] = schema
            if row.required:
                self.required.append(key)

    def close(self) -> None:
        """Say in the schema what is inside."""
        kind, inside = ("array", self._items()) if self.is_array else ("object", self._members())
        types = self.schema.get("type", kind)
        if types == kind or not isinstance(types, list):
            self.schema["type"] = kind
            self.schema.update(inside)
        else:
            others = [each for each in types if each != kind]
            del self.schema["type"]
            self.schema["anyOf"] = [{"type": kind, **inside}, {"type": others[0] if len(others) == 1 else others}]

    def _items(self) -> dict[str, Any]:
        some = self.elements[:MOST_CHOICES]
        distinct = [each for at, each in enumerate(some) if each not in some[:at]]
        if not distinct:
            return {}
        return {"items": distinct[0] if len(distinct) == 1 else {"anyOf": distinct}}

    def _members(self) -> dict[str, Any]:
        if self.goes_on and len(self.members) == 1 and self.others is None:
            (self.others,) = self.members.values()
            self.members, self.required = {}, []
        inside: dict[str, Any] = {"properties": self.members} if self.members else {}
        if self.required:
            inside["required"] = self.required
        return inside if self.others is None else {**inside, "additionalProperties": self.others}


def rows_of(lines: Iterable[str]) -> Iterator[Row]:
    """The rows of a section; lines that are none belong to the row before."""
    row: Row | None = None
    for line in lines:
        text = line[:LONGEST_LINE].strip()
        found = _row(text)
        if found:
            if row:
                yield row
            row = found
        elif row and text:
            if listed := _LISTED.match(text):
                row.listed.append(listed[1])
            else:
                row.doc = f"{row.doc}\n{text}".strip() if len(row.doc) < LONGEST_LINE else row.doc
    if row:
        yield row


def laid_out(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The schemas of what stands there, side by side, each with all that is inside it."""
    outermost = _OpenBracket("[", {})
    stack = [outermost]
    for row in rows:
        head = row.head.rstrip(", ")
        if head.startswith("..."):
            stack[-1].goes_on |= bool(stack[-1].members)
        elif head in {"]", "}"}:
            if len(stack) > 1:
                stack.pop().close()
        elif len(stack) <= DEEPEST:
            key = _KEY.match(head)
            schema = row.schema()
            stack[-1].add(key[1] if key else None, row, schema)
            rest = head[key.end() :] if key else head
            if rest in {"[", "{"}:
                stack.append(_OpenBracket(rest, schema))
    while len(stack) > 1:
        stack.pop().close()
    return outermost.elements


def _row(text: str) -> Row | None:
    """The row that a line begins; None where it goes on with what was said before."""
    number = _NUMBER.match(text)
    rest = text[number.end() :] if number else text
    start = 0 if rest.startswith("(") else rest.find(" (") + 1
    if start or rest.startswith("("):
        end = _closed(rest, start)
        notes = rest[start + 1 : end]
        if _kinds(notes.partition(",")[0]) is not None:
            return Row(int(number[1]) if number else 0, rest[:start].strip(), notes, rest[end + 1 :].strip())
    if rest[:1] in {"[", "{", "]", "}"} or rest.startswith("...") or _KEY.match(rest):
        return Row(head=rest.partition("  ")[0])
    return None


def _closed(text: str, start: int) -> int:
    """Where the parenthesis that opens at ``start`` closes; the end of the text where it does not."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)


def _kinds(words: str) -> list[str] | None:
    """``numeric or string`` as JSON Schema has it; empty where it leaves it open, None where it is about no kind."""
    kinds = []
    for word in _BETWEEN_KINDS.split(words.strip().lower()):
        kind = kind_of(word.strip().removeprefix("json ").partition(" of ")[0])
        if kind in _STANDARD:
            kinds.append(kind)
        elif kind in _UNSAID:
            return []
        else:
            return None
    return kinds
