"""The rows of a form, made of what the text has and of what the schema says, one below the other.

The text leads: whatever stands in it has a row, also where no schema knows it. What the schema has and the text lacks
is a row as well, and absent. What is folded costs nothing, so that a schema may refer to itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from rpcexplorer.jsontext.edit import Path, whole
from rpcexplorer.jsontext.scan import Span, elements, members
from rpcexplorer.model.form.field import Editing, FormField
from rpcexplorer.model.form.meant import NOT_NULL, editing_of, size_of, value_of, wrong_kind
from rpcexplorer.model.form.settled import Settled, settled
from rpcexplorer.model.method import By, Described, DescribedParam
from rpcexplorer.model.schema.node import SchemaReader
from rpcexplorer.model.schema.words import kind_words, limit_words

MOST_ROWS: Final = 1_000
MOST_ITEMS: Final = 200
"""Rows of one object or array."""
LONGEST: Final = 64_000
"""Characters of params that are taken apart at each key."""
DEEPEST: Final = 30
"""Levels that can be unfolded; what is deeper is typed as JSON."""
KEPT: Final = 5_000
"""Places of which it is known what may stand there and whether what does is right."""
UNFOLDED: Final = 2
"""Levels that are unfolded where nobody has said anything."""
MANY: Final = 2_000
"""Items of an object or array that can be unfolded; one with more is typed as JSON: no key waits for it."""
FEW: Final = 30
"""Items of an object or array that unfolds by itself."""
STAYS: Final = "What stands behind it would move up to its place: take the last one out first."
LEFT_OUT: Final = "null: left out"
LONGEST_NAME: Final = 200
"""Characters of a name that anybody sees."""


class FormView(Struct, frozen=True):
    """What somebody has folded and chosen, by its path."""

    folds: Mapping[Path, bool] = {}
    """True where it was unfolded."""
    chosen: Mapping[Path, int] = {}
    """Which alternative was chosen."""


class _Slot(Struct, frozen=True):
    """A place before it is a row."""

    path: Path
    name: str
    schema: Any
    span: Span | None = None
    required: bool = False
    known: bool = True
    alone: bool = True
    stays: str = ""
    skips: bool = False
    """Null stands for nothing there: so servers have a param left out that has others behind it."""
    param: DescribedParam | None = None


class _Shape(Struct, frozen=True):
    """What a schema says of a place with a certain text."""

    schema: Any
    place: Settled
    kind: str
    limits: str
    editing: Editing
    wrong: str
    items: int


class FormRows:
    """The rows for one method."""

    def __init__(self, described: Described, by: By | None = None) -> None:
        self._params = described.params[:MOST_ITEMS]
        self._by = by
        self._all_named = all(each.name for each in self._params)
        stands_for_more = not self._params or any(each.stands_for_others for each in self._params)
        self._takes_others = described.extra and (stands_for_more or not self._all_named)
        """More than the params that are told of: as the check has it, also where one of them has no name."""
        self._definitions = described.definitions
        self.reader = SchemaReader(described.definitions)
        self._told: dict[tuple[int, str | None, int | None], _Shape] = {}
        """By the schema's identity, the text and the alternative. Each has its schema: no other one takes its place."""

    def named(self, text: str) -> bool:
        """Whether params are given by name: the text says so, and where nothing stands in it, the method."""
        span = whole(text)
        inside = text[slice(*span)]
        if inside[1:-1].strip(" \t\r\n"):
            return inside.startswith("{")
        if self._by is not None:
            return self._by == "name"
        if not self._params:
            return inside.startswith("{")
        return all(each.name and " " not in each.name for each in self._params)  # such a name is a title

    def of(self, text: str, view: FormView = FormView()) -> tuple[FormField, ...]:  # noqa: B008 - it is frozen
        """The rows of a valid text."""
        span = whole(text)
        slots = self._named(text, span) if self.named(text) else self._by_place(text, span)
        rows: list[FormField] = []
        for row in self._rows(text, slots, view, 0):
            rows.append(row)
            if len(rows) == MOST_ROWS:
                break
        return tuple(rows)

    # --- params ------------------------------------------------------------------------------------------------

    def _named(self, text: str, span: Span) -> Iterator[_Slot]:
        params = {each.name: each for each in self._params if each.name}
        found = _members(text, span)
        for name, param in params.items():
            yield from _before(found, (), name, param.schema)
            yield _Slot((name,), name, param.schema, _last(found, name), param.required is True, param=param)
        yield from _unknown(found, (), params, known=self._takes_others or not self._all_named, schema=True)

    def _by_place(self, text: str, span: Span) -> Iterator[_Slot]:
        found = _elements(text, span)
        for at, param in enumerate(self._params):
            there = found[at] if at < len(found) else None
            yield _Slot(
                (at,),
                param.name or f"[{at}]",
                param.schema,
                there,
                param.required is True,
                stays=STAYS if at < len(found) - 1 else "",
                skips=param.required is not True,
                param=param,
            )
        for at in range(len(self._params), min(len(found), MOST_ITEMS)):
            yield _Slot((at,), f"[{at}]", True, found[at], known=self._takes_others)

    # --- what is inside of something ---------------------------------------------------------------------------

    def _rows(self, text: str, slots: Iterator[_Slot], view: FormView, depth: int) -> Iterator[FormField]:
        for slot in slots:
            row = self._row(text, slot, view, depth)
            yield row
            if row.open:
                yield from self._rows(text, self._inside(text, row, slot.span), view, depth + 1)

    def _inside(self, text: str, row: FormField, span: Span | None) -> Iterator[_Slot]:
        node, there = row.place.node, span if row.text[:1] in ("{", "[") else None
        if row.is_array:
            found = _elements(text, there) if there else []
            for at in range(min(max(len(found), len(node.prefix)), MOST_ITEMS)):
                schema, there_too = node.element(at), found[at] if at < len(found) else None
                stays = STAYS if at < min(len(node.prefix), len(found) - 1) else ""
                yield _Slot((*row.path, at), f"[{at}]", schema, there_too, known=schema is not False, stays=stays)
            return
        members_there = _members(text, there) if there else []
        for name, schema in list(node.properties.items())[:MOST_ITEMS]:
            yield from _before(members_there, row.path, name, schema)
            needed = name in node.required
            yield _Slot((*row.path, name), name, schema, _last(members_there, name), needed and row.state == "value")
        known = isinstance(node.additional, dict) or (node.additional is True and not node.properties)
        yield from _unknown(members_there, row.path, node.properties, known=known, schema=node.additional)

    def _row(self, text: str, slot: _Slot, view: FormView, depth: int) -> FormField:
        there = None if slot.span is None else text[slice(*slot.span)]
        told = self._of_place(slot.schema, there, view.chosen.get(slot.path))
        node, written = told.place.node, there or ""
        nullable = told.place.nullable or (slot.skips and bool(slot.stays))
        remarks = {
            "deprecated": node.deprecated or (slot.param is not None and slot.param.deprecated),
            "read-only": node.read_only,
            "typed as JSON": told.items > MANY,
            LEFT_OUT: slot.skips and there == "null" and not told.place.nullable,
        }
        row = FormField(
            slot.path,
            slot.name[:LONGEST_NAME],
            depth,
            slot.schema,
            told.place if told.place.nullable == nullable else msgspec.structs.replace(told.place, nullable=nullable),
            "absent" if there is None else "null" if there == "null" else "value",
            written,
            slot.span or (0, 0),
            told.kind,
            told.limits,
            (slot.param.doc if slot.param else "") or node.doc,
            slot.required,
            slot.known,
            slot.alone,
            slot.stays,
            told.items,
            editing=told.editing,
            wrong=_wrong(slot, told),
            remarks=tuple(word for word, is_so in remarks.items() if is_so),
        )
        return self._folded(row, view)

    def _of_place(self, schema: Any, there: str | None, chosen: int | None) -> _Shape:
        """What is said of a place: the same as at the key before where nothing has changed there."""
        schema = self._referred(schema)
        key = (id(schema), there, chosen)
        told = self._told.get(key)
        if told is None:
            if len(self._told) >= KEPT:
                self._told.clear()
            value = UNSET if there is None or not isinstance(schema, dict) else value_of(there)
            place = settled(self.reader, schema, value, chosen)
            words = kind_words(self.reader, schema), limit_words(place.node)
            wrong = "" if value is UNSET else wrong_kind(place, value)
            told = self._told[key] = _Shape(
                schema, place, *words, editing_of(place, there or ""), wrong, size_of(there or "")
            )
        return told

    def _referred(self, schema: Any) -> Any:
        """What a schema refers to that says nothing itself: then many places have the same."""
        if isinstance(schema, dict) and len(schema) == 1 and isinstance(name := schema.get("$ref"), str):
            return self._definitions.get(name, schema)
        return schema

    def _folded(self, row: FormField, view: FormView) -> FormField:
        """Whether there are rows in it, and on view."""
        if not row.alone or not row.is_container:
            return row
        could_have = row.place.node.prefix if row.is_array else row.place.node.properties
        folds = bool(row.items or could_have) and row.items <= MANY and row.depth < DEEPEST
        by_itself = row.state == "value" and row.depth + 1 < UNFOLDED and row.items <= FEW
        return msgspec.structs.replace(row, folds=folds, open=folds and view.folds.get(row.path, by_itself))


def _members(text: str, span: Span) -> list[tuple[str, Span]]:
    at = span[0]
    found = members(text[slice(*span)]) or () if text[at : at + 1] == "{" else ()
    return [(each.name, (at + each.value[0], at + each.value[1])) for each in found]


def _elements(text: str, span: Span) -> list[Span]:
    at = span[0]
    found = elements(text[slice(*span)]) or () if text[at : at + 1] == "[" else ()
    return [(at + start, at + end) for start, end in found]


def _last(found: list[tuple[str, Span]], name: str) -> Span | None:
    return next((span for each, span in reversed(found) if each == name), None)


def _before(found: list[tuple[str, Span]], path: Path, name: str, schema: Any) -> Iterator[_Slot]:
    """Members of this name that do not count, as another one stands below them."""
    same = [span for each, span in found if each == name]
    for span in same[:-1]:
        yield _Slot((*path, name), name, schema, span, alone=False)


def _unknown(
    found: list[tuple[str, Span]], path: Path, known_ones: Mapping[str, Any], *, known: bool, schema: Any
) -> Iterator[_Slot]:
    """Members that no schema names, in the order of the text."""
    others = [each for each in found if each[0] not in known_ones][:MOST_ITEMS]
    last = {name: at for at, (name, _) in enumerate(others)}
    for at, (name, span) in enumerate(others):
        yield _Slot((*path, name), name, schema, span, known=known, alone=last[name] == at)


def _wrong(slot: _Slot, told: _Shape) -> str:
    if slot.span is None:
        return "required" if slot.required else ""
    if not slot.alone:
        return "twice: the one below counts"
    if slot.skips and told.wrong == NOT_NULL:
        return ""
    return "not allowed" if slot.schema is False else told.wrong
