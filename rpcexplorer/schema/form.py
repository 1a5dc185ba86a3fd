"""Params as the rows of a form, and the text of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Literal, TypeAlias

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rpcexplorer.jsontext.edit import (
    Path,
    added,
    changed,
    indent_of_line,
    is_json,
    one_line,
    removed,
    span_of,
    string,
    whole,
    with_indent,
    without_indent,
)
from rpcexplorer.jsontext.params import Typo, value_problem
from rpcexplorer.jsontext.pointers import places_in
from rpcexplorer.jsontext.scan import Span, decoded
from rpcexplorer.model.method import By, Described, DescribedParam
from rpcexplorer.model.problem import SchemaProblem
from rpcexplorer.schema.example import PLAIN, Maker, without
from rpcexplorer.schema.fit import Looks, is_one_of, is_reference, value_of
from rpcexplorer.schema.node import Node, SchemaReader, is_kind, kind_of_value
from rpcexplorer.schema.words import kind_words, limit_words
from rpcexplorer.variables.references import inert_value

LEVELS: Final = 4
"""Alternatives inside alternatives that are settled: references can make them endless."""
MOST: Final = 50
"""Alternatives of one place to choose from."""


class Settled(Struct, frozen=True):
    """A place with one of its alternatives chosen."""

    node: Node
    """Everything allowed there but null."""
    nullable: bool = False
    alternatives: tuple[Any, ...] = ()
    """At least two schemas, if there is a choice."""
    chosen: int = -1
    """The index of the chosen one; -1 if none fits the value."""

    @property
    def alternative(self) -> Any:
        """Return the chosen schema; None without a choice, or if none fits."""
        return self.alternatives[self.chosen] if self.chosen >= 0 else None


def settled(reader: SchemaReader, schema: Any, value: Any = UNSET, chosen: int | None = None) -> Settled:
    """Choose an alternative: ``chosen``, or the first that fits the value.

    Without a value it is the first one.
    """
    node = reader.node(schema)
    is_nullable = not node.kinds and node.choices is None and not node.alternatives
    alternatives: tuple[Any, ...] = ()
    at = -1
    for _ in range(LEVELS):
        is_nullable = is_nullable or _has_null(node)
        first = node.alternatives[:MOST]
        options = [option for option in first if not _is_null(reader.node(option))]
        is_nullable = is_nullable or len(options) < len(first)
        if not any(_describes_values(reader.node(option)) for option in options):
            break
        choices = _constants(reader, options)
        if choices is not None:
            node = replace(node, choices=choices, alternatives=())
            break
        pick = 0
        if len(options) > 1:
            pick = _first_meant(reader, options, value)
            if not alternatives:
                if chosen is not None and chosen < len(options):
                    pick = chosen
                alternatives, at = tuple(options), pick
        if pick < 0:
            break
        node = _together(node, reader.node(options[pick]))
    kinds = tuple(kind for kind in node.kinds if kind != "null")
    node = replace(node, kinds=kinds, alternatives=())
    if node.choices is not None:
        node = replace(node, choices=tuple(choice for choice in node.choices if choice is not None))
    return Settled(node, is_nullable, alternatives, at)


def _first_meant(reader: SchemaReader, options: Sequence[Any], value: Any) -> int:
    if value is UNSET or value is None:
        return 0
    looks = Looks(reader)
    for at, option in enumerate(options):
        if looks.could_be(option, value):
            return at
    return -1


def _is_null(node: Node) -> bool:
    return node.kinds == ("null",) or node.choices == (None,)


def _has_null(node: Node) -> bool:
    return "null" in node.kinds or (node.choices is not None and None in node.choices)


def _describes_values(node: Node) -> bool:
    """Return whether an alternative describes values, not only requirements."""
    return bool(node.kinds or node.properties or node.choices is not None or node.alternatives or node.title)


def _constants(reader: SchemaReader, options: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return the values of alternatives that are all constants."""
    found: list[Any] = []
    for option in options:
        node = reader.node(option)
        if node.choices is None or node.properties:
            return None
        found += node.choices
    return tuple(found)


def _together(node: Node, other: Node) -> Node:
    """Merge a place and its chosen alternative, whose keywords win."""
    choices, additional, items = other.choices, other.additional, other.items
    if choices is None:
        choices = node.choices
    if node.additional is False:
        additional = False
    if items is True:
        items = node.items
    return Node(
        kinds=other.kinds or node.kinds,
        is_sure=node.is_sure and other.is_sure,
        doc=node.doc or other.doc,
        choices=choices,
        properties={**node.properties, **other.properties},
        required=node.required | other.required,
        additional=additional,
        prefix=other.prefix or node.prefix,
        items=items,
        alternatives=other.alternatives,
        limits={**node.limits, **other.limits},
        deprecated=node.deprecated or other.deprecated,
        read_only=node.read_only or other.read_only,
    )


FieldPath: TypeAlias = Path
"""Names and indexes from the params to a row."""
FieldState = Literal["absent", "null", "value"]
Editing = Literal["text", "number", "boolean", "choice", "json"]
"""How a value is typed; text has no quotes, JSON is anything."""
SHOWN: Final = 400
"""Characters of a value in a row."""


class FormField(Struct, frozen=True):
    """A place of the params, with a value or without."""

    path: FieldPath
    name: str
    depth: int
    schema: Any
    """As the service wrote it; ``True`` if unknown."""
    place: Settled
    """The allowed values."""
    state: FieldState
    text: str = ""
    """The value as JSON; empty if absent."""
    span: Span = (0, 0)
    """The place of the value in the params."""
    kind: str = ""
    """The type in words."""
    limits: str = ""
    doc: str = ""
    required: bool = False
    known: bool = True
    """False if only the text has it, not the schema."""
    stays: str = ""
    """Why it cannot be removed; empty if it can."""
    items: int = 0
    """Number of members or elements in it."""
    folds: bool = False
    """It has rows inside, or would have."""
    open: bool = False
    editing: Editing = "json"
    wrong: str = ""
    """The problem in words."""
    remarks: tuple[str, ...] = ()
    """Notices such as "deprecated"."""

    @property
    def line(self) -> str:
        """Return the start of the value on one line."""
        return one_line(self.text[:SHOWN])

    @property
    def is_array(self) -> bool:
        """Return whether it is an array, or would be one."""
        if self.text.startswith(("[", "{")):
            return self.text.startswith("[")
        return self.place.node.kinds[:1] == ("array",)

    @property
    def is_container(self) -> bool:
        """Return whether it is an object or array, or would be one."""
        if self.state == "value":
            return self.text.startswith(("[", "{"))
        return self.place.node.kinds[:1] in {("array",), ("object",)}


LONGEST: Final = 4_000
"""Characters of a value that is inserted automatically."""


def starting_text(reader: SchemaReader, schema: Any, alternative: Any = None) -> str:
    """Return the first value of a place, for an alternative if given."""
    several = reader.node(schema).alternatives
    if alternative is None and len(several) > MOST:  # Finding the simplest one would take long.
        alternative = several[0]
    if alternative is not None:
        rest = [without(part, {"oneOf", "anyOf"}) for part in reader.parts(schema)]
        schema = {"allOf": [alternative, *rest]}
    text = inert_value(Maker(reader).made(schema).value)
    return text if len(text) <= LONGEST else "null"


def plain_text(node: Node) -> str:
    """Return the simplest value of a type; null if any type is allowed."""
    for choice in node.choices or ():
        if choice is not None:
            return inert_value(choice)
    return PLAIN[node.kinds[0]] if node.kinds else "null"


class FormText:
    """A text with its rows."""

    def __init__(self, reader: SchemaReader, text: str, rows: Sequence[FormField]) -> None:
        self._reader, self.text = reader, text
        self._rows: Mapping[Path, FormField] = {row.path: row for row in rows}

    def start(self, path: Path) -> str:
        """Return the first value of a place."""
        row = self._rows.get(path)
        if row is None:
            return "null"
        return starting_text(self._reader, row.schema, row.place.alternative)

    def value(self, path: Path) -> str:
        """Return the first value of a place; null only if nothing else is right."""
        text = self.start(path)
        if text == "null" and path in self._rows:
            return plain_text(self._rows[path].place.node)
        return text

    def indent(self, row: FormField) -> str:
        """Return the indentation of a value's line."""
        return indent_of_line(self.text, row.span[0])

    def with_value(self, path: Path, value: str) -> str:
        """Return the text with a value, and with the containers that it needs."""
        return self._placed(self.text, path, value)

    def without(self, path: Path) -> str:
        return removed(self.text, path) if span_of(self.text, path) else self.text

    def with_element(self, path: Path) -> tuple[str, Path]:
        """Return the text with a new element in an array, and its path."""
        text = self._with_container(self.text, path, "[")
        inside = (*path, len(_elements(text, span_of(text, path))))
        return added(text, path, self._new(inside)), inside

    def with_member(self, path: Path, name: str) -> tuple[str, Path]:
        """Return the text with a new member in an object, and its path.

        A member that exists stays unchanged.
        """
        text, inside = self._with_container(self.text, path, "{"), (*path, name)
        if not span_of(text, inside):
            text = added(text, path, self._new(inside), name)
        return text, inside

    def _new(self, path: Path) -> str:
        """Return the first value of a place that may have no row yet."""
        if path in self._rows:
            return self.value(path)
        around = self._rows.get(path[:-1])
        if around is None:
            return "null"
        return starting_text(self._reader, around.place.node.inside(path[-1]))

    def _placed(self, text: str, path: Path, value: str) -> str:
        if span_of(text, path) is not None:
            return changed(text, path, value)
        parent, last = path[:-1], path[-1]
        text = self._with_container(text, parent, "{" if isinstance(last, str) else "[")
        if span_of(text, path) is not None:
            return changed(text, path, value)
        if isinstance(last, str):
            return added(text, parent, value, last, key=inert_value(last))  # The name comes from a service.
        for at in range(len(_elements(text, span_of(text, parent))), last):
            text = added(text, parent, self.start((*parent, at)))
        return added(text, parent, value)

    def _with_container(self, text: str, path: Path, opener: str) -> str:
        """Return the text with an object or array at a place."""
        if not path:
            return text
        span = span_of(text, path)
        if span is not None and text.startswith(opener, span[0]):
            return text
        start = self.start(path)
        if not start.startswith(opener):
            start = "{}" if opener == "{" else "[]"
        return self._placed(text, path, start)


NOT_NULL: Final = "not null"
LONGEST_LINE: Final = 2_000
"""Characters of a text that is typed on one line."""


def editing_of(place: Settled, text: str) -> Editing:
    """Return how a value is typed."""
    kinds = place.node.kinds
    if place.node.choices:
        return "choice"
    has_no_value = text in ("", "null")
    if kinds == ("boolean",) and (has_no_value or text in ("true", "false")):
        return "boolean"
    if kinds == ("string",) and (has_no_value or _fits_on_a_line(text)):
        return "text"
    if kinds and {*kinds} <= {"integer", "number"} and (has_no_value or text[0] in "-0123456789"):
        return "number"
    return "json"


def _fits_on_a_line(text: str) -> bool:
    """Return whether JSON is a string of one line, all of it visible."""
    if not text.startswith('"'):
        return False
    value = decoded(text)
    return len(value) <= LONGEST_LINE and value.isprintable()


def wrong_kind(place: Settled, value: Any) -> str:
    """Return the problem of the type, before the check finds the rest."""
    if is_reference(value):
        return ""
    if value is None:
        return "" if place.nullable else NOT_NULL
    if place.alternatives and place.chosen < 0:
        return "matches no alternative"
    node, kind = place.node, kind_of_value(value)
    if node.choices is not None and not is_one_of(value, node.choices):
        return "not one of the choices"
    if not node.kinds or not node.is_sure or is_kind(kind, node.kinds):
        return ""
    article = "an" if kind[0] in "aio" else "a"
    return f"{article} {kind}, not {' or '.join(node.kinds)}"


def with_problems(
    rows: Sequence[FormField], text: str, problems: Iterable[SchemaProblem]
) -> tuple[tuple[FormField, ...], str]:
    """Return the rows with their first problems, and those of no row.

    A folded row has the problems inside it. A reference is not checked as a value. A missing member is the problem of
    its own row.
    """
    positions = {row.path: at for at, row in enumerate(rows)}
    found, of_all = list(rows), ""
    for problem in problems:
        path = problem.pointer
        while path and path not in positions:
            path = path[:-1]
        about = text[problem.offset : problem.end]
        if about.startswith('"') and "{{" in about:
            continue
        if not path:
            of_all = of_all or problem.sentence
        elif not found[positions[path]].wrong:
            found[positions[path]] = replace(found[positions[path]], wrong=problem.sentence)
    return tuple(found), of_all


MOST_ROWS: Final = 1_000
MOST_ITEMS: Final = 200
"""Rows of one object or array."""
MAX_FORM_CHARACTERS: Final = 64_000
"""Characters of params that are parsed after each key."""
DEEPEST: Final = 30
"""Levels to unfold; deeper values are typed as JSON."""
KEPT: Final = 5_000
"""Places whose rows are kept between keys."""
UNFOLDED: Final = 2
"""Levels that are unfolded at first."""
MANY: Final = 2_000
"""Items of a container to unfold; a larger one is typed as JSON, because all its items are read for each key."""
FEW: Final = 30
"""Items of a container that is unfolded at first."""
STAYS: Final = "Only the last element can be removed, because the elements after this one would move."
LEFT_OUT: Final = "null: omitted"
LONGEST_NAME: Final = 200
"""Characters of a name in a row."""


def why_no_form(text: str) -> str:
    """Return why params cannot be shown as rows; empty if they can."""
    if len(text) > MAX_FORM_CHARACTERS:
        return f"The form shows at most {MAX_FORM_CHARACTERS:,} characters of params. These params have {len(text):,}."
    return ""


class FormView(Struct, frozen=True):
    """The folds and choices of the user, by path."""

    folds: Mapping[Path, bool] = {}
    """True if unfolded."""
    chosen: Mapping[Path, int] = {}
    """The index of the chosen alternative."""


class _Slot(Struct, frozen=True):
    """A place before it is a row."""

    path: Path
    name: str
    schema: Any
    span: Span | None = None
    required: bool = False
    known: bool = True
    stays: str = ""
    skips: bool = False
    """Null means absent, as for an optional param before others."""
    param: DescribedParam | None = None


class FormRows:
    """Makes the rows for one method."""

    def __init__(self, described: Described, by: By | None = None) -> None:
        self._params = described.params[:MOST_ITEMS]
        self._by = by
        self._all_named = all(param.name for param in self._params)
        stands_for_more = not self._params or any(param.stands_for_others for param in self._params)
        self._takes_others = described.extra and (stands_for_more or not self._all_named)
        """Other params are allowed, also if one of the known ones has no name."""
        self._definitions = described.definitions
        self.reader = SchemaReader(described.definitions)
        self._fields: dict[tuple[int, str | None, int | None], FormField] = {}
        """Keyed by schema id, text and alternative, with the schema to keep the id."""

    def named(self, text: str) -> bool:
        """Return whether params are by name; the method decides if empty."""
        span = whole(text)
        inside = text[slice(*span)]
        if inside[1:-1].strip(" \t\r\n"):
            return inside.startswith("{")
        if self._by is not None:
            return self._by == "name"
        if not self._params:
            return inside.startswith("{")
        return all(param.name and " " not in param.name for param in self._params)  # A name with a space is a title.

    def of(self, text: str, view: FormView = FormView()) -> tuple[FormField, ...]:  # noqa: B008 - it is frozen
        """Return the rows of a valid text."""
        slots = self._named(text) if self.named(text) else self._by_place(text)
        return tuple(islice(self._rows(text, slots, view, 0), MOST_ROWS))

    def _named(self, text: str) -> Iterator[_Slot]:
        params = {param.name: param for param in self._params if param.name}
        found = _members(text, whole(text))
        for name, param in params.items():
            yield _member_slot(found, (), name, param.schema, required=param.required is True, param=param)
        known = self._takes_others or not self._all_named
        for name in _others(found, params):
            yield _member_slot(found, (), name, True, known=known)

    def _by_place(self, text: str) -> Iterator[_Slot]:
        found = _elements(text, whole(text))
        for at, param in enumerate(self._params):
            required = param.required is True
            slot = _element_slot(found, (), at, param.schema, len(self._params), required=required, param=param)
            yield replace(slot, name=param.name or slot.name, skips=not required)
        for at in range(len(self._params), min(len(found), MOST_ITEMS)):
            yield _element_slot(found, (), at, True, 0, known=self._takes_others)

    def _rows(self, text: str, slots: Iterator[_Slot], view: FormView, depth: int) -> Iterator[FormField]:
        for slot in slots:
            row = self._row(text, slot, view, depth)
            yield row
            if row.open:
                yield from self._rows(text, self._inside(text, row), view, depth + 1)

    def _inside(self, text: str, row: FormField) -> Iterator[_Slot]:
        """Yield the places inside a row: those of its schema and of its text."""
        node = row.place.node
        if row.is_array:
            found = _elements(text, row.span)
            fixed = len(node.prefix)
            for at in range(min(max(len(found), fixed), MOST_ITEMS)):
                schema = node.element(at)
                yield _element_slot(found, row.path, at, schema, fixed, known=schema is not False)
            return
        written = _members(text, row.span)
        for name, schema in islice(node.properties.items(), MOST_ITEMS):
            required = name in node.required and row.state == "value"
            yield _member_slot(written, row.path, name, schema, required=required)
        known = isinstance(node.additional, dict) or (node.additional is True and not node.properties)
        for name in _others(written, node.properties):
            yield _member_slot(written, row.path, name, node.additional, known=known)

    def _row(self, text: str, slot: _Slot, view: FormView, depth: int) -> FormField:
        written = text[slice(*slot.span)] if slot.span else None
        field = self._field(slot.schema, written, view.chosen.get(slot.path))
        place, wrong = field.place, field.wrong
        if slot.skips and slot.stays:
            place = replace(place, nullable=True)
        if written is None and slot.required:
            wrong = "required"
        elif written is not None and slot.schema is False:
            wrong = "not allowed"
        elif slot.skips and wrong == NOT_NULL:
            wrong = ""
        doc, is_deprecated = place.node.doc, place.node.deprecated
        if slot.param is not None:
            doc = slot.param.doc or doc
            is_deprecated = is_deprecated or slot.param.deprecated
        remarks = {
            "deprecated": is_deprecated,
            "read-only": place.node.read_only,
            "typed as JSON": field.items > MANY,
            LEFT_OUT: slot.skips and written == "null" and not field.place.nullable,
        }
        row = replace(
            field,
            path=slot.path,
            name=slot.name[:LONGEST_NAME],
            depth=depth,
            schema=slot.schema,
            place=place,
            span=slot.span or (0, 0),
            doc=doc,
            required=slot.required,
            known=slot.known,
            stays=slot.stays,
            wrong=wrong,
            remarks=tuple(word for word, is_so in remarks.items() if is_so),
        )
        return self._folded(row, view)

    def _field(self, schema: Any, written: str | None, chosen: int | None) -> FormField:
        """Return a row without its path, from the cache if nothing changed."""
        if isinstance(schema, dict) and len(schema) == 1 and isinstance(schema.get("$ref"), str):
            schema = self._definitions.get(schema["$ref"], schema)  # Many places share one definition and its row.
        key = (id(schema), written, chosen)
        if key not in self._fields:
            if len(self._fields) >= KEPT:
                self._fields.clear()
            self._fields[key] = self._new_field(schema, written, chosen)
        return self._fields[key]

    def _new_field(self, schema: Any, written: str | None, chosen: int | None) -> FormField:
        value: Any = UNSET
        if written is not None and isinstance(schema, dict):
            value = value_of(written)
        place, text = settled(self.reader, schema, value, chosen), written or ""
        wrong = "" if value is UNSET else wrong_kind(place, value)
        states: dict[str | None, FieldState] = {None: "absent", "null": "null"}
        return FormField(
            (),
            "",
            0,
            schema,
            place,
            states.get(written, "value"),
            text,
            kind=kind_words(self.reader, schema),
            limits=limit_words(place.node),
            items=len(places_in(text, (0, len(text)))),
            editing=editing_of(place, text),
            wrong=wrong,
        )

    def _folded(self, row: FormField, view: FormView) -> FormField:
        """Return the row with its fold: whether it can be unfolded, and whether it is."""
        if not row.is_container:
            return row
        known = row.place.node.prefix if row.is_array else row.place.node.properties
        folds = bool(row.items or known) and row.items <= MANY and row.depth < DEEPEST
        is_open_at_first = row.state == "value" and row.depth + 1 < UNFOLDED and row.items <= FEW
        return replace(row, folds=folds, open=folds and view.folds.get(row.path, is_open_at_first))


def _members(text: str, span: Span) -> dict[str, Span]:
    """Return the spans of an object's values by name; empty for other values."""
    return {name: (place.start, place.end) for name, place in places_in(text, span) if isinstance(name, str)}


def _elements(text: str, span: Span | None) -> list[Span]:
    if span is None:
        return []
    return [(place.start, place.end) for index, place in places_in(text, span) if isinstance(index, int)]


def _member_slot(found: Mapping[str, Span], path: Path, name: str, schema: Any, **more: Any) -> _Slot:
    return _Slot((*path, name), name, schema, found.get(name), **more)


def _element_slot(found: Sequence[Span], path: Path, at: int, schema: Any, fixed: int, **more: Any) -> _Slot:
    """Return an element; as many as ``fixed`` have a meaning by their position."""
    span, stays = None, ""
    if at < len(found):
        span = found[at]
    if at < min(fixed, len(found) - 1):
        stays = STAYS
    return _Slot((*path, at), f"[{at}]", schema, span, stays=stays, **more)


def _others(found: Iterable[str], known: Mapping[str, Any]) -> list[str]:
    """Return members that no schema names, in the order of the text."""
    return [name for name in found if name not in known][:MOST_ITEMS]


def shown(field: FormField, start: str, indent: str = "") -> str:
    """Return the text to edit for a place; ``indent`` is that of its line."""
    text = start
    if field.state == "value":
        text = without_indent(field.text, indent)
    if field.editing != "text":
        return text
    return decoded(text) if text.startswith('"') else ""


def typed_value(field: FormField, typed: str, start: str, indent: str = "") -> str | None:
    """Return typed text as JSON, or None if it is not.

    An unchanged value keeps its spelling. References in a value of the service are escaped.
    """
    text = field.text if field.state == "value" else ""
    if field.editing == "text":
        before = text or start
        if before.startswith('"') and decoded(before) == typed:
            return before
        return string(typed)
    value, previous = typed_json(typed), without_indent(text, indent)
    if value is None:
        return None
    if value == previous:
        return text
    if previous == text and "\n" in text:  # It had lines without the indentation.
        return value
    return with_indent(value, indent)


def typed_problem(typed: str, kind: str = "") -> Typo | None:
    """Return why a text is not one JSON value; None if it is.

    ``kind``: the type of the value in words. Quotes do not fix a number.
    """
    if typed_json(typed) is not None:
        return None
    from rpcexplorer.jsontext.fixes import LABELS  # a problem needs its patterns

    problem, numeric = value_problem(typed), {"integer": "an integer", "number": "a number"}
    wanted = numeric.get(kind.removesuffix(" or null"))
    if wanted and problem.fix and problem.fix.label == LABELS["bare text"]:
        return replace(problem, what=f"this is not {wanted}", instead="write digits", fix=None)
    return problem


def typed_json(typed: str) -> str | None:
    text = typed.strip(" \t\r\n")
    if is_reference(text):
        return string(text)
    return text if is_json(text) else None
