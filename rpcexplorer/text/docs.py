"""The docs of a method as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from msgspec import UNSET, Struct

from rpcexplorer.auth.registry import KINDS, auth_of
from rpcexplorer.discovery.methods import MethodChange, MethodChanges, result_kind, source_of
from rpcexplorer.jsontext.layout import indented
from rpcexplorer.model.method import (
    By,
    Described,
    DescribedError,
    ExampleCall,
    Method,
    MethodSource,
    method_of,
)
from rpcexplorer.model.problem import counted
from rpcexplorer.model.profile import Profile
from rpcexplorer.schema.node import ANYTHING, MOST_CHOICES, Node, SchemaReader, kind_of_value
from rpcexplorer.schema.start import starting_point
from rpcexplorer.schema.words import kind_words, limit_words, value_words
from rpcexplorer.text.json_text import coloured, json_of
from rpcexplorer.text.markdown import PageRows, inline, markdown, plain
from rpcexplorer.text.printable import columns, printable
from rpcexplorer.text.profile import goes_with
from rpcexplorer.text.wrapping import WordLine, width_of
from rpcexplorer.variables.references import inert

_Above = frozenset[tuple[int, ...]]
MAX_INLINE_CHARACTERS: Final = 60
"""Characters of a value inside a row."""
MAX_VALUE_ROWS: Final = 60
MAX_VALUE_CHARACTERS: Final = 10_000
MAX_LEVELS: Final = 4
"""Nested levels shown. Array elements and alternatives count as levels."""
MAX_MEMBERS: Final = 200
MAX_VALUES: Final = 200
MAX_ALTERNATIVES: Final = 20
"""Alternatives shown at one place. The others are counted."""
MAX_SEARCHED_ALTERNATIVES: Final = 50
"""Alternatives inside one, for one of them that has members."""
MAX_NAME_COLUMNS: Final = 28
MAX_KIND_COLUMNS: Final = 24
MIN_KIND_COLUMNS: Final = len("integer")
MAX_NAME_CHARACTERS: Final = 200
MAX_DOC_CHARACTERS: Final = 2_000
MAX_MEMBER_ROWS: Final = 400
"""Rows of a page before members are omitted, to leave room for the rest."""
LABEL_COLUMNS: Final = 12
MAX_ERRORS: Final = 100
MAX_EXAMPLES: Final = 20
MAX_RESULT_ROWS: Final = 12
NO_MARKDOWN: Final = frozenset({"help", "system.methodHelp", "system.listMethods", "core.describe"})
"""Protocols whose texts are laid out for a terminal: lines are kept."""
_BY: Final[dict[By, str]] = {"name": "by name, as an object", "position": "by position, as an array"}
_SOURCES: Final[dict[MethodSource, str]] = {
    "service": "assumed from the preset service",
    "profile": "the profile",
    "discovered": "discovery",
    "history": "an earlier call",
    "saved": "a saved call",
}
_SAFETY: Final = {
    True: 'yes: rpcexplorer asks only if confirm = "always"',
    False: 'no: rpcexplorer asks unless confirm = "never"',
    None: "unknown, so rpcexplorer treats it as unsafe",
}
_OTHERS: Final = {"profile": "the profile", "service": "the preset service"}
CHANGE_SIGNS: Final = {"new": ("+", "well"), "gone": ("-", "wrong"), "changed": ("~", "careful")}


def spelled(value: Any) -> str:
    """Spell a value as JSON on one line that can be copied and sent."""
    try:
        return inert(json_of(value).decode())
    except (UnicodeEncodeError, RecursionError, TypeError):
        return "(cannot be written as JSON)"


def short(value: Any, limit: int = MAX_INLINE_CHARACTERS) -> str:
    text = spelled(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def json_rows(value: Any, rows: PageRows, indent: int, most: int = MAX_VALUE_ROWS) -> None:
    text = spelled(value)
    room = MAX_INLINE_CHARACTERS
    if rows.width is not None:
        room = min(room, rows.width - indent)
    lines = [text] if len(text) <= room else indented(text[:MAX_VALUE_CHARACTERS]).splitlines()
    for line in lines[:most]:
        deep = indent + len(line) - len(line.lstrip())
        rows.add([(" " * indent, "text"), *coloured(line[:MAX_VALUE_CHARACTERS])], deep + 2, "anywhere")
    rows.rest(len(lines) - most, indent, "line")


def joined(parts: Iterable[WordLine]) -> WordLine:
    """Join pieces with a dot; a space is enough after a sentence."""
    words: WordLine = []
    for part in parts:
        if words and part:
            is_sentence = words[-1][0].endswith((".", "!", "?"))
            words.append((" " if is_sentence else " · ", "dim"))
        words += part
    return words


class SchemaMember(NamedTuple):
    name: str
    schema: Any
    required: bool | None = None
    doc: str = ""
    deprecated: bool = False
    kind: str = ""
    """The type in words, used if the schema does not describe it."""


class Widths(NamedTuple):
    """Columns of the members of a page."""

    name: int = 0
    """Width of the longest name, with its indent."""
    kind: int = 0
    must: int = 0
    """Width of the words *required* and *optional*."""


UNMEASURED: Final = Widths()


class MemberRows:
    def __init__(
        self, reader: SchemaReader, rows: PageRows, *, is_markdown: bool = True, widths: Widths = UNMEASURED
    ) -> None:
        """``widths``: those of a run before, so that all levels share them."""
        self._reader, self._rows, self.widths = reader, rows, widths
        self._write = markdown if is_markdown else plain
        self._is_markdown = is_markdown
        self._kinds: dict[int, tuple[Any, str]] = {}
        """Keyed by id of a schema, which is stored too, so that its id is not reused."""

    def table(
        self, members: Sequence[SchemaMember], indent: int = 2, depth: int = 0, above: _Above = frozenset()
    ) -> None:
        shown = members[: min(MAX_MEMBERS, MAX_MEMBER_ROWS - len(self._rows.made))]
        kinds = [printable(self.kind(member)) for member in shown]
        name = max([columns(_name(member)) for member in shown], default=0)
        kind = max(map(columns, kinds), default=0)
        says_required = any(member.required is not None for member in shown)
        must = len("required") if says_required else 0
        own = Widths(indent + min(name, MAX_NAME_COLUMNS), min(kind, MAX_KIND_COLUMNS), must)
        self.widths = Widths(*map(max, self.widths, own))
        grid = _Grid(indent, self.widths, self._rows.width)
        for member, words in zip(shown, kinds, strict=True):
            if self._is_full():
                omitted: WordLine = [("  … the rest is omitted", "dim")]
                if self._rows.made[-1] != omitted:  # All omitted members share one such row.
                    self._rows.add(omitted)
                return
            self._member(member, words, grid, depth, above)
        self._rows.rest(len(members) - len(shown), indent)

    def _is_full(self) -> bool:
        return len(self._rows.made) >= MAX_MEMBER_ROWS

    def kind(self, member: SchemaMember) -> str:
        """Return the kind in few words; for many values, only their kinds."""
        node = self._reader.node(member.schema)
        if _lists(node):
            return _kinds_of(node)
        items = self._items(node)
        if _lists(items):
            return f"array of {_kinds_of(items)}"
        return member.kind or self._words(member.schema)

    def _words(self, schema: Any) -> str:
        """Return the kind in words, made once for each schema."""
        known = self._kinds.get(id(schema))
        if known is None:
            known = self._kinds[id(schema)] = (schema, kind_words(self._reader, schema))
        return known[1]

    def _items(self, node: Node) -> Node:
        if node.kinds == ("array",) and not node.prefix:
            return self._reader.node(node.items)
        return ANYTHING

    def inside(self, schema: Any, indent: int, depth: int = 0, above: _Above = frozenset()) -> None:
        """Add the members of an object, of elements, or of alternatives."""
        if self._is_full():
            return
        node = self._reader.node(schema)
        members = list(_members(node))
        if members:
            self._members(members, indent, depth, above)
        elif isinstance(node.items, dict) and depth <= MAX_LEVELS:
            self.inside(node.items, indent, depth + 1, above)
        if depth > MAX_LEVELS:
            return
        # Alternatives without members are already named in the type column.
        shown = [schema for schema in node.alternatives[:MAX_ALTERNATIVES] if self._has_members(schema)]
        titles = [self._reader.node(schema).title for schema in shown]
        for inner, title in zip(shown, titles, strict=True):
            if self._is_full():
                return
            inner_indent = indent
            if len(shown) > 1:
                is_known_by_title = title and titles.count(title) == 1
                words = title if is_known_by_title else self._words(inner) or title or "anything"
                either = "either " if inner is shown[0] else "or "
                self._rows.add([(" " * indent + either, "dim"), (words, "middle")], indent + 2)
                inner_indent += 2
            self.inside(inner, inner_indent, depth + 1, above)
        more = len(node.alternatives) - MAX_ALTERNATIVES
        if more > 0:
            at_least = "at least " if len(node.alternatives) == MOST_CHOICES else ""
            self._rows.add([(f"{' ' * indent}… or {at_least}{more:,} more", "dim")], indent)

    def _members(self, members: list[SchemaMember], indent: int, depth: int, above: _Above) -> None:
        key = tuple(id(member.schema) for member in members)
        if key in above:
            self._rows.add([(" " * indent + "same members as above", "dim")], indent)
        elif depth >= MAX_LEVELS:
            self._rows.add([(f"{' ' * indent}… {counted(len(members), 'member')} inside", "dim")], indent)
        else:
            self.table(members, indent, depth + 1, above | {key})

    def _has_members(self, schema: Any) -> bool:
        """Return whether a schema, or an alternative in it, has members."""
        looked_at: set[int] = set()
        rest = [schema]
        while rest and len(looked_at) < MAX_SEARCHED_ALTERNATIVES:
            inner = rest.pop()
            looked_at.add(id(inner))
            node = self._reader.node(inner)
            if node.properties or node.prefix or (isinstance(node.items, dict) and "array" in node.kinds):
                return True
            rest += [other for other in node.alternatives[:MAX_ALTERNATIVES] if id(other) not in looked_at]
        return False

    def _member(self, member: SchemaMember, kind: str, grid: _Grid, depth: int, above: _Above) -> None:
        node = self._reader.node(member.schema)
        doc = _cut((member.doc or node.doc).strip(), MAX_DOC_CHARACTERS)
        is_line = "\n" not in doc
        start: WordLine = []
        if is_line and doc:
            start = inline(doc) if self._is_markdown else [(doc, "text")]
        facts = joined([start, *_facts(node, self._items(node))])
        head, below = grid.head(member, kind), grid.indent + 4
        if grid.is_roomy or grid.fits([*head, *facts]):
            self._rows.add([*head, *facts], grid.column)
        else:
            self._rows.add(head, below)
            if facts:
                self._rows.add([(" " * below, "text"), *facts], below)
        if not is_line:
            self._write(doc, self._rows, below, "middle")
        if isinstance(member.schema, dict):
            self.inside(member.schema, grid.indent + 2, depth, above)


def widths_of(tables: Iterable[Sequence[SchemaMember]], reader: SchemaReader, width: int | None) -> Widths:
    """Return the columns that all levels of these members share on a page of a width."""
    measuring = MemberRows(reader, PageRows(width))
    for members in tables:
        measuring.table(members)
    return measuring.widths


class ParamRow(NamedTuple):
    """A param in a row of its own."""

    name: str
    is_required: bool
    kind: str
    about: str
    """Its limits, the names of its members, or its docs."""
    default: str


def param_rows(described: Described) -> list[ParamRow]:
    reader = SchemaReader(described.definitions)
    members, rows = MemberRows(reader, PageRows()), list[ParamRow]()
    for at, param in enumerate(described.params[:MAX_MEMBERS], start=1):
        node = reader.node(param.schema)
        doc = (param.doc or node.doc).partition("\n")[0]
        about = limit_words(node) or " ".join([*node.properties][:MAX_VALUES]) or doc
        default = "" if node.default is UNSET else f"= {short(node.default, MAX_KIND_COLUMNS)}"
        kind = members.kind(SchemaMember(param.name, param.schema, kind=param.kind))
        rows.append(ParamRow(param.name or f"#{at}", bool(param.required), kind, about[:MAX_DOC_CHARACTERS], default))
    return rows


class _Grid(NamedTuple):
    """A table at one level: name, type, and required or optional."""

    indent: int
    widths: Widths
    width: int | None

    @property
    def kind(self) -> int:
        """Columns of the type. On a narrow page some types are longer."""
        if self.width is None:
            return self.widths.kind
        return min(self.widths.kind, self._room(self.width * 3 // 5 if self.is_roomy else self.width))

    @property
    def column(self) -> int:
        name, _, must = self.widths
        return _end(name) + _end(self.kind) + _end(must)

    @property
    def is_roomy(self) -> bool:
        """Return whether the text fits on the same row as the other columns."""
        return self.width is None or self._room(self.width * 3 // 5) >= min(self.widths.kind, MIN_KIND_COLUMNS)

    def _room(self, width: int) -> int:
        """Return the columns that the others leave of a width."""
        name, _, must = self.widths
        return width - _end(name) - _end(must) - len("  ")

    def fits(self, words: WordLine) -> bool:
        return self.width is None or width_of(words) <= self.width

    def head(self, member: SchemaMember, kind: str) -> WordLine:
        name = _name(member)
        must = {True: "required", False: "optional", None: ""}[member.required]
        if self.kind >= min(self.widths.kind, MIN_KIND_COLUMNS):  # Otherwise the page is too narrow for columns.
            name += " " * (self.widths.name - self.indent - columns(name))
            kind += " " * (self.kind - columns(kind))
            must = must.ljust(self.widths.must)
        parts = [(name, "json-key"), (kind, "middle"), (must, "bold" if member.required else "dim")]
        if member.deprecated:
            parts.append(("! deprecated", "careful"))
        words: WordLine = [(" " * self.indent, "text")]
        for text, role in parts:
            if text:
                words += [(text, role), ("  ", "text")]
        return words


def _end(width: int) -> int:
    """Return the columns of a cell with the blanks after it; 0 for an empty one."""
    return width + len("  ") if width else 0


def _name(member: SchemaMember) -> str:
    return printable(member.name[:MAX_NAME_CHARACTERS])


def _lists(node: Node) -> bool:
    """Return whether its values are too many to be its kind in words."""
    choices = node.choices or ()
    between = len(" | ")
    return (
        len(choices) > 1 and sum(len(value_words(value)) + between for value in choices[:MAX_VALUES]) > MAX_KIND_COLUMNS
    )


def _facts(node: Node, items: Node) -> Iterator[WordLine]:
    if _lists(node):
        yield [("one of ", "dim"), *_values(node)]
    if _lists(items):
        yield [("each element is one of ", "dim"), *_values(items)]
    limits = limit_words(node)
    if limits:
        yield [(limits, "text")]
    if node.default is not UNSET:
        yield [("default ", "dim"), (short(node.default), "text")]
    if node.examples:
        yield [("for example ", "dim"), (short(node.examples[0]), "text")]
    if node.read_only:
        yield [("read-only", "dim")]


def _kinds_of(node: Node) -> str:
    choices = node.choices or ()
    return " or ".join(dict.fromkeys(map(kind_of_value, choices[:MAX_VALUES])))


def _values(node: Node) -> WordLine:
    values = node.choices or ()
    words: WordLine = []
    for value in values[:MAX_VALUES]:
        if words:
            words.append((" | ", "dim"))
        words.append((value_words(value), "text"))
    more = len(values) - MAX_VALUES
    if more > 0:
        at_least = "at least " if len(values) == MOST_CHOICES else ""
        words.append((f" … and {at_least}{more:,} more", "dim"))
    return words


def _members(node: Node) -> Iterator[SchemaMember]:
    for name, schema in node.properties.items():
        deprecated = isinstance(schema, dict) and schema.get("deprecated") is True
        yield SchemaMember(name, schema, name in node.required, deprecated=deprecated)
    if isinstance(node.additional, dict) and node.additional:
        yield SchemaMember("(any other name)", node.additional)
    for place, schema in enumerate(node.prefix, start=1):
        yield SchemaMember(f"#{place}", schema)
    if node.prefix and isinstance(node.items, dict):
        yield SchemaMember("(other elements)", node.items)


class ShownExample(NamedTuple):
    first: int
    end: int
    call: ExampleCall


class DocsPage(Struct, frozen=True):
    rows: list[WordLine]
    examples: tuple[ShownExample, ...] = ()


def docs_page(
    method: Method | None,
    described: Described | None = None,
    asked: datetime | None = None,
    profile: Profile | None = None,
    *,
    width: int | None = None,
    on_screen: bool = False,
) -> DocsPage:
    """Lay out the page for a method; without a width nothing is wrapped.

    ``asked`` is the time of discovery. With ``on_screen``, the page omits the name, and you can choose examples.
    """
    rows = PageRows(width)
    if method is None:
        rows.add([("  No method selected. Press F2 to choose one.", "dim")])
        return DocsPage(rows.made)
    page = _Docs(method, described or Described(protocol=method.protocol), rows)
    if not on_screen:
        deprecated = "   ! deprecated" if method.deprecated else ""
        rows.add([("  ", "text"), (method.name, "accent bold"), (deprecated, "careful")])
    page.summary()
    page.params()
    page.result()
    page.errors()
    examples = list(page.examples(on_screen=on_screen))
    if not examples:
        page.start(on_screen=on_screen)
    page.facts(asked, profile)
    return DocsPage(rows.made, tuple(examples))


class _Docs:
    def __init__(self, method: Method, described: Described, rows: PageRows) -> None:
        self._method, self._described, self._rows = method, described, rows
        self._reader = SchemaReader(described.definitions)
        self._sources = dict(method.sources)
        self._is_markdown = (described.protocol or method.protocol) not in NO_MARKDOWN
        widths = widths_of((self._param_members(), self._result_members()), self._reader, rows.width)
        self._members = MemberRows(self._reader, rows, is_markdown=self._is_markdown, widths=widths)

    def summary(self) -> None:
        method, rows = self._method, self._rows
        if method.doc:
            rows.add([("  ", "text"), *self._inline(method.doc), (self._source("doc"), "dim")], 2)
        if self._described.details:
            rows.blank()
            source = self._sources.get("details", self._described.protocol)
            laid_out = plain if source in NO_MARKDOWN else markdown
            laid_out(self._described.details, rows, 2, "middle")
            if self._source("details"):
                rows.add([(self._source("details"), "dim")], 2)

    def params(self) -> None:
        found, method = self._described.params, self._method
        if not found:
            return
        by = _BY[method.by] if method.by else ""
        self._heading("Params", by + self._source("parameters"))
        self._members.table(self._param_members())

    def _param_members(self) -> list[SchemaMember]:
        members = []
        for at, param in enumerate(self._described.params or (), start=1):
            name = param.name or f"#{at}"
            members.append(SchemaMember(name, param.schema, param.required, param.doc, param.deprecated, param.kind))
        return members

    def result(self) -> None:
        members = self._result_members()
        if members:
            self._heading("Result", self._source("result"))
            self._members.table(members)

    def _result_members(self) -> list[SchemaMember]:
        described = self._described
        if described.result is UNSET:
            return []
        name, kind = described.result_name or "result", result_kind(described)
        return [SchemaMember(name, described.result, None, described.result_doc, kind=kind)]

    def errors(self) -> None:
        errors = self._described.errors
        if not errors:
            return
        self._heading("Errors", "")
        wide = max(len(_code(error)) for error in errors[:MAX_ERRORS])
        for error in errors[:MAX_ERRORS]:
            words = [(f"  {_code(error):>{wide}}", "wrong"), ("  ", "text"), *self._inline(error.message)]
            if error.data is not UNSET:
                words += [("  data ", "dim"), (short(error.data), "middle")]
            self._rows.add(words, wide + 4)
        self._rows.rest(len(errors) - MAX_ERRORS)

    def examples(self, *, on_screen: bool) -> Iterator[ShownExample]:
        examples = self._described.examples
        if not examples:
            return
        self._heading("Examples", "Press Enter to insert one" if on_screen else "")
        for number, call in enumerate(examples[:MAX_EXAMPLES], start=1):
            first = len(self._rows.made)
            words: WordLine = [("  ", "text"), (_cut(call.name, MAX_DOC_CHARACTERS) or f"Example {number}", "middle")]
            if call.doc:
                words += [("  ", "text"), *self._inline(call.doc.partition("\n")[0], "dim")]
            self._rows.add(words, 4)
            json_rows(call.params, self._rows, 4)
            yield ShownExample(first, len(self._rows.made), call)
            if call.result is not UNSET:
                self._rows.add([("    result", "dim")])
                json_rows(call.result, self._rows, 6, MAX_RESULT_ROWS)
        self._rows.rest(len(examples) - MAX_EXAMPLES)

    def start(self, *, on_screen: bool) -> None:
        """Add params to start from; if nothing is known, say how to go on."""
        method, described = self._method, self._described
        start = method.params if on_screen else starting_point(method, described)
        if start is not None:
            self._heading("Starting point", "")
            json_rows(start, self._rows, 2)
        elif not (method.doc or described.details or described.params):
            self._rows.blank()
            self._rows.add([("  The docs and params of this method are unknown.", "text")], 2)
            discover = "Press F9 to discover methods. " if on_screen else ""
            self._rows.add([(f"  {discover}You can send any params.", "dim")], 2)

    def facts(self, asked: datetime | None, profile: Profile | None) -> None:
        """Add credentials, safety and the source of this information."""
        method, described = self._method, self._described
        self._rows.blank()
        claim = note = ""
        kind = KINDS.get(method.auth) if method.auth else None
        if kind is not None:
            source = _OTHERS.get(source_of(method, "auth"), "the service")
            claim = f"according to {source}, this method {kind.needed}"
        if profile is None:
            self._fact("auth", claim or "unknown")
        else:
            if claim and method.auth != auth_of(profile).kind:
                note = f"  {claim}"
            self._fact("auth", goes_with(profile, method_of(method.name)), note)
        self._fact("safe", _SAFETY[method.safe], self._source("safe"))
        if described.tags:
            self._fact("tags", _cut(", ".join(described.tags), MAX_DOC_CHARACTERS))
        if described.result is UNSET and described.result_kind:
            self._fact("result", described.result_kind, self._source("result"))
        source = _SOURCES[method.source]
        if method.protocol:
            also = " and discovery" if method.source == "profile" else ""
            source += f"{also} ({printable(method.protocol)})"
            if asked is not None:
                source += f" on {asked.astimezone():%-d %B %Y at %H:%M}"
        self._fact("source", source)

    def _fact(self, label: str, value: str, note: str = "") -> None:
        self._rows.add([(f"  {label:<{LABEL_COLUMNS}}", "dim"), (value, "text"), (note, "dim")], LABEL_COLUMNS + 2)

    def _source(self, fact: str) -> str:
        """Return the source of a fact if most of the page has another one."""
        source = self._sources.get(fact, "")
        return f"  from {_OTHERS.get(source, source)}" if source else ""

    def _heading(self, words: str, note: str) -> None:
        self._rows.blank()
        self._rows.add([(f"  {words}", "bold"), (f"  {note.strip()}" if note else "", "dim")], 4)

    def _inline(self, text: str, role: str = "text") -> WordLine:
        text = " ".join(text[:MAX_DOC_CHARACTERS].split())
        return inline(text, role) if self._is_markdown else [(text, role)]


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


def _code(error: DescribedError) -> str:
    return "?" if error.code is None else str(error.code)[:20]


def changes_counted(changes: Iterable[MethodChange]) -> str:
    """Count changes: ``2 new, 1 gone, 3 changed``; empty for none."""
    counts = Counter[str](change.kind for change in changes)
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in CHANGE_SIGNS if counts[kind])


def changes_found(changes: MethodChanges) -> str:
    form = "%-d %B %Y at %H:%M"
    found = f"Changes from {changes.before.astimezone():{form}} to {changes.when.astimezone():{form}}."
    if not changes.more:
        return found
    return f"{found} {counted(changes.more, 'more change')} {'was' if changes.more == 1 else 'were'} not saved."


def change_row(change: MethodChange) -> dict[str, Any]:
    return {"name": change.name, "kind": change.kind, "what": change.what, "breaks": change.breaks}


def change_lines(change: MethodChange) -> list[WordLine]:
    """Return a method with its change, and the details below."""
    sign, role = CHANGE_SIGNS[change.kind]
    lines: list[WordLine] = [[(f" {sign} ", role), (printable(change.name), "text bold"), (f"  {change.kind}", role)]]
    if change.breaks:
        lines[0].append(("  breaks", "wrong"))
    lines += [[("     ", "text"), (printable(detail), "middle")] for detail in change.what]
    return lines
