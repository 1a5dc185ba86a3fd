"""What a schema lets stand as a table to read: members by name, with what each may be, and what stands inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from rpcexplorer.schema.node import ANYTHING, MOST_CHOICES, Node, SchemaReader, kind_of_value
from rpcexplorer.schema.words import kind_words, limit_words, value_words
from rpcexplorer.views.cells import columns
from rpcexplorer.views.documentation.inlines import inline
from rpcexplorer.views.documentation.markdown import markdown, plain
from rpcexplorer.views.documentation.rows import PageRows
from rpcexplorer.views.documentation.values import joined, short
from rpcexplorer.views.printable import printable
from rpcexplorer.views.words.sentences import WordLine

DEEPEST: Final = 4
"""Levels that are shown of members inside members; the elements of an array and an alternative are one, too."""
MOST_MEMBERS: Final = 200
"""Of one object."""
MOST_VALUES: Final = 200
"""Of one list of the values that may be there."""
MOST_ALTERNATIVES: Final = 20
"""Of one place. Those beyond are counted, whatever they are."""
MOST_LOOKED_AT: Final = 50
"""Alternatives inside one, for one of them that has members."""
WIDEST_NAME: Final = 28
WIDEST_KIND: Final = 24
GAP: Final = ("  ", "text")
LONGEST_NAME: Final = 200
LONGEST_DOC: Final = 2_000
MOST_DOC: Final = 20_000
"""Characters of all docs together."""
MOST_ROWS_OF_MEMBERS: Final = 400
"""PageRows of a page after which no more members are shown: there is room for what comes behind them."""
_Above = frozenset[tuple[int, ...]]


class SchemaMember(NamedTuple):
    """One row of the table, and what hangs below it."""

    name: str
    schema: Any
    required: bool | None = None
    doc: str = ""
    """Before the doc that the schema has."""
    deprecated: bool = False
    kind: str = ""
    """In words, where the schema does not say more."""


class MemberRows:
    """Writes tables of members onto a page."""

    def __init__(self, reader: SchemaReader, rows: PageRows, *, is_markdown: bool = True) -> None:
        self._reader, self._rows = reader, rows
        self._write = markdown if is_markdown else plain
        self._is_markdown = is_markdown
        self._kinds: dict[int, tuple[Any, str]] = {}
        """By the identity of a schema, each with it, so that no other one takes its place."""
        self._room = MOST_DOC
        """Characters of docs that may still be shown."""

    def table(
        self, members: Sequence[SchemaMember], indent: int = 2, depth: int = 0, above: _Above = frozenset()
    ) -> None:
        shown = members[: min(MOST_MEMBERS, MOST_ROWS_OF_MEMBERS - len(self._rows.made))]
        kinds = [printable(self.kind(each)) for each in shown]
        name = min(max((columns(_name(each)) for each in shown), default=0), WIDEST_NAME)
        kind = min(max((columns(each) for each in kinds), default=0), WIDEST_KIND)
        must = len("required") * any(each.required is not None for each in shown)
        grid = _Grid(indent, name, kind, must, self._rows.width)
        for member, words in zip(shown, kinds, strict=True):
            if self._is_over:
                self._end()
                return
            self._member(member, words, grid, depth, above)
        if (more := len(members) - len(shown)) > 0:
            self._rows.add([(f"{' ' * indent}… and {more:,} more", "dim")], indent)

    @property
    def _is_over(self) -> bool:
        return len(self._rows.made) >= MOST_ROWS_OF_MEMBERS

    def _end(self) -> None:
        """Say that there is more, once for all that is left out."""
        said: WordLine = [("  … the rest is left out", "dim")]
        if self._rows.made[-1] != said:
            self._rows.add(said)

    def kind(self, member: SchemaMember) -> str:
        """What it may be, in few words; of a long list of values, what kind they are of."""
        node = self._reader.node(member.schema)
        if _lists(node):
            return _kinds_of(node)
        if _lists(items := self._items(node)):
            return f"array of {_kinds_of(items)}"
        return member.kind or self._words(member.schema)

    def _words(self, schema: Any) -> str:
        """Its kind in words, made once for each schema: many members may share one."""
        known = self._kinds.get(id(schema))
        if known is None:
            known = self._kinds[id(schema)] = (schema, kind_words(self._reader, schema))
        return known[1]

    def _items(self, node: Node) -> Node:
        """What the elements of an array are, where it is nothing else."""
        return self._reader.node(node.items) if node.kinds == ("array",) and not node.prefix else ANYTHING

    def inside(self, schema: Any, indent: int, depth: int = 0, above: _Above = frozenset()) -> None:
        """What stands in an object, in each element of an array, or in one of several alternatives."""
        if self._is_over:
            return
        node = self._reader.node(schema)
        if members := [*_members(node)]:
            self._members(members, indent, depth, above)
        elif isinstance(node.items, dict) and depth <= DEEPEST:
            self.inside(node.items, indent, depth + 1, above)
        if depth <= DEEPEST:
            self._alternatives(node, indent, depth, above)

    def _members(self, members: list[SchemaMember], indent: int, depth: int, above: _Above) -> None:
        key = tuple(id(each.schema) for each in members)
        if key in above:
            self._rows.add([(" " * indent + "as above", "dim")], indent)
        elif depth >= DEEPEST:
            count = f"{len(members):,} member{'s' * (len(members) != 1)}"
            self._rows.add([(f"{' ' * indent}… {count} inside", "dim")], indent)
        else:
            self.table(members, indent, depth + 1, above | {key})

    def _alternatives(self, node: Node, indent: int, depth: int, above: _Above) -> None:
        """Those that have members: the kind in words tells of the others."""
        shown = [each for each in node.alternatives[:MOST_ALTERNATIVES] if self._has_members(each)]
        called = self._told_apart(shown)
        for schema, words in zip(shown, called, strict=True):
            if self._is_over:
                return
            if len(shown) > 1:
                said = "either " if schema is shown[0] else "or "
                self._rows.add([(" " * indent + said, "dim"), (words, "middle")], indent + 2)
            self.inside(schema, indent + 2 * (len(shown) > 1), depth + 1, above)
        if (more := len(node.alternatives) - MOST_ALTERNATIVES) > 0:
            at_least = "at least " if len(node.alternatives) == MOST_CHOICES else ""
            self._rows.add([(f"{' ' * indent}… or {at_least}{more:,} more", "dim")], indent)

    def _told_apart(self, schemas: Sequence[Any]) -> list[str]:
        """What alternatives are called: by the title, or by the kind where another has the same title."""
        titles = [self._reader.node(each).title for each in schemas]
        return [
            title if title and titles.count(title) == 1 else self._words(each) or title or "anything"
            for title, each in zip(titles, schemas, strict=True)
        ]

    def _has_members(self, schema: Any) -> bool:
        """Whether there is anything to show inside it, be it in one of its own alternatives."""
        looked_at: set[int] = set()
        rest = [schema]
        while rest and len(looked_at) < MOST_LOOKED_AT:
            looked_at.add(id(each := rest.pop()))
            node = self._reader.node(each)
            if node.properties or node.prefix or (isinstance(node.items, dict) and "array" in node.kinds):
                return True
            rest += [inner for inner in node.alternatives[:MOST_ALTERNATIVES] if id(inner) not in looked_at]
        return False

    def _member(self, member: SchemaMember, kind: str, grid: _Grid, depth: int, above: _Above) -> None:
        node = self._reader.node(member.schema)
        doc = self._doc(member.doc or node.doc)
        is_line = "\n" not in doc
        said = [inline(doc) if self._is_markdown else [(doc, "text")]] if is_line and doc else []
        told = joined([*said, *_facts(node, self._items(node))])
        head, below = grid.head(member, kind), grid.indent + 4
        if grid.is_roomy or grid.fits([*head, *told]):
            self._rows.add([*head, *told], grid.column)
        else:
            self._rows.add(head, below)
            if told:
                self._rows.add([(" " * below, "text"), *told], below)
        if not is_line:
            self._write(doc, self._rows, below, "middle")
        if isinstance(member.schema, dict):
            self.inside(member.schema, grid.indent + 2, depth, above)

    def _doc(self, text: str) -> str:
        """As much of it as there is room for."""
        room = min(LONGEST_DOC, self._room)
        doc = text.strip()
        doc = doc if len(doc) <= room else f"{doc[:room]}…"
        self._room -= min(len(doc), room)
        return doc


class _Grid(NamedTuple):
    """Columns of a table: the name, the kind, whether it must be there, and then what is said of it."""

    indent: int
    name: int
    kind: int
    must: int
    width: int | None

    @property
    def column(self) -> int:
        """Where begins what is said of it."""
        return self.indent + sum(each + len("  ") for each in (self.name, self.kind, self.must) if each)

    @property
    def is_roomy(self) -> bool:
        """There is room for what is said beside all this."""
        return self.width is None or self.column <= self.width * 3 // 5

    def fits(self, words: WordLine) -> bool:
        return self.width is None or sum(columns(text) for text, _ in words) <= self.width

    def head(self, member: SchemaMember, kind: str) -> WordLine:
        """In columns where there is room, else one after the other."""
        name, must = _name(member), {True: "required", False: "optional", None: ""}[member.required]
        if self.is_roomy:
            name += " " * (self.name - columns(name))
            kind += " " * (self.kind - columns(kind))
            must = must.ljust(self.must)
        parts = [(name, "json-key"), (kind, "middle"), (must, "bold" if member.required else "dim")]
        parts += [("! deprecated", "careful")] if member.deprecated else []
        return [(" " * self.indent, "text"), *(piece for text, role in parts if text for piece in ((text, role), GAP))]


def _name(member: SchemaMember) -> str:
    return printable(member.name[:LONGEST_NAME])


def _lists(node: Node) -> bool:
    """Whether its values are too many, or too long, for the words of its kind."""
    choices = node.choices or ()
    return len(choices) > 1 and sum(len(value_words(each)) + 3 for each in choices[:MOST_VALUES]) > WIDEST_KIND


def _facts(node: Node, items: Node) -> Iterator[WordLine]:
    """What else is known, each in a few words."""
    if _lists(node):
        yield [("one of ", "dim"), *_values(node)]
    if _lists(items):
        yield [("each one of ", "dim"), *_values(items)]
    if limits := limit_words(node):
        yield [(limits, "text")]
    if node.default is not UNSET:
        yield [("default ", "dim"), (short(node.default), "text")]
    if node.examples:
        yield [("for example ", "dim"), (short(node.examples[0]), "text")]
    if node.read_only:
        yield [("read only", "dim")]


def _kinds_of(node: Node) -> str:
    return " or ".join(dict.fromkeys(kind_of_value(each) for each in (node.choices or ())[:MOST_VALUES]))


def _values(node: Node) -> WordLine:
    """The only values that may be there."""
    values = node.choices or ()
    words: WordLine = []
    for number, value in enumerate(values[:MOST_VALUES]):
        words += [(" | " if number else "", "dim"), (value_words(value), "text")]
    if (more := len(values) - MOST_VALUES) > 0:
        at_least = "at least " if len(values) == MOST_CHOICES else ""
        words.append((f" … and {at_least}{more:,} more", "dim"))
    return words


def _members(node: Node) -> Iterator[SchemaMember]:
    """The members of an object, or the first elements of an array, each of which has a schema of its own."""
    for name, schema in node.properties.items():
        yield SchemaMember(name, schema, name in node.required, deprecated=_is_deprecated(schema))
    if isinstance(node.additional, dict) and node.additional:
        yield SchemaMember("(any other name)", node.additional)
    for place, schema in enumerate(node.prefix, start=1):
        yield SchemaMember(f"#{place}", schema)
    if node.prefix and isinstance(node.items, dict):
        yield SchemaMember("(any further)", node.items)


def _is_deprecated(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("deprecated") is True
