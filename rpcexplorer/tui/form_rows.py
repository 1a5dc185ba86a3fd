"""The rows of the form, and the fields to type in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Offset, Region
from textual.strip import Strip

from rpcexplorer.jsontext.params import Typo
from rpcexplorer.model.problem import counted
from rpcexplorer.schema.elicitation import titled_choices
from rpcexplorer.schema.fit import is_one_of
from rpcexplorer.schema.form import FormField, Settled, typed_problem
from rpcexplorer.schema.node import SchemaReader
from rpcexplorer.schema.words import kind_words, value_words
from rpcexplorer.text.exchange import DOTS
from rpcexplorer.text.printable import clipped, columns, fitted
from rpcexplorer.tui.theme import Pieces, ThemeStyles, line, width_of
from rpcexplorer.tui.widgets.editor import Editor
from rpcexplorer.tui.widgets.inputs import Entry
from rpcexplorer.tui.widgets.picker import Pick
from rpcexplorer.tui.widgets.rows import LineView, RowList, SheetLine
from rpcexplorer.tui.widgets.verdict import ProblemLine, Verdict

INDENT: Final = 2
"""Columns for each level."""
WIDEST: Final = 32
"""Columns for the names."""
VALUES: Final = (14, 24, 40)
"""Columns for values: the least, the most for a folded object or array, and the most for others.

A longer value leaves half of the width for its type.
"""
KIND: Final = 60
"""Columns for the type and limits of a value."""
LEAST_DOC: Final = 20
"""Columns below which the docs of a value are left to the lines below the list."""
SIGNS: Final = {"absent": ("○", "dim"), "null": ("∅", "middle"), "value": ("●", "accent")}
"""Signs of the three states, so that they do not depend on colour."""


class FormList(RowList[FormField], inherit_bindings=False):
    """The rows of the form. The screen has the keys that edit and fold one."""

    DEFAULT_CSS = "FormList { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = LineView.BINDINGS

    def __init__(self, advice: Sequence[Pieces] = (), secrets: Collection[str] = ()) -> None:
        """``advice`` is shown if there are no rows; ``secrets`` are names of params whose values are not."""
        super().__init__()
        self.empty = advice
        self._secrets = secrets
        self._names = self._values = self._kinds = 0

    def watch_items(self) -> None:
        reach = (INDENT * row.depth + columns(row.name[:WIDEST]) + 2 for row in self.items)
        self._names = min(max(reach, default=0), WIDEST)
        least, folded, most = VALUES
        values = (width_of(self._value(row, folded if row.is_container else most)) for row in self.items)
        self._values = max([least, *values])
        self._kinds = max((width_of(_type_words(row, KIND)) for row in self.items if not row.wrong), default=0)
        super().watch_items()

    @property
    def value_column(self) -> int:
        width = self.scrollable_content_region.width
        return min(self._names, max(width // 2 - 4, 8)) + 4

    def draw(self, item: FormField, width: int, styles: ThemeStyles, *, chosen: bool) -> Strip:
        ground = "selection" if chosen else "background"
        room = width - self.value_column
        kind_column = min(self._values, max(room - self._kinds, room // 3))
        own_room = max(room - width_of(_type_words(item, KIND)), room // 2)
        value = self._value(item, kind_column if item.is_container else max(kind_column, own_room))
        value = [*value, (" " * (kind_column - width_of(value)), "text")]
        kind = self._kind_and_doc(item, room - width_of(value))
        indent = " " * min(INDENT * item.depth, self.value_column // 2)
        fold = "  "
        if item.folds:
            fold = "▾ " if item.open else "▸ "
        name = f"{item.name}*" if item.required else item.name
        name_role = "text bold"
        if item.state == "absent":
            name_role = "middle"
        elif not item.known:
            name_role = "careful bold"
        sign, role = SIGNS[item.state]
        name_columns = self.value_column - 4 - len(indent)
        words = [(indent + fold, "middle"), (f"{sign} ", role), (fitted(name, name_columns), name_role), *value]
        return line([*words, *kind], width, styles, ground=ground)

    def is_secret(self, row: FormField) -> bool:
        return bool(row.path) and row.path[0] in self._secrets

    def _value(self, row: FormField, room: int) -> Pieces:
        if row.state == "value" and self.is_secret(row):
            return [(DOTS, "middle")]
        return _value(row, room)

    def _kind_and_doc(self, item: FormField, room: int) -> Pieces:
        """Return the type, and the first line of the docs if there is room for it."""
        kind = _type_words(item, room)
        doc = item.doc.strip().partition("\n")[0]
        doc_room = room - self._kinds - 3
        if item.wrong or not doc or doc_room < LEAST_DOC:
            return kind
        return [*kind, (" " * (self._kinds - width_of(kind)), "dim"), (f"  {clipped(doc, doc_room)}", "dim")]


def _value(row: FormField, room: int) -> Pieces:
    if row.state == "absent":
        return [("absent", "dim")]
    if row.text[:1] in ("{", "["):
        count = counted(row.items, "element" if row.is_array else "member")
        text = "" if row.open else clipped(row.line, room - len(count) - 2)
        return [(f"{text}  ", "text"), (count, "dim")] if text else [(count, "dim")]
    roles = {'"': "json-string", "t": "json-literal", "f": "json-literal", "n": "json-literal"}
    return [(clipped(row.line, room), roles.get(row.text[:1], "json-number"))]


def _type_words(row: FormField, room: int) -> Pieces:
    """Return the problem of a row, or else its type and limits."""
    room = min(room, KIND)
    if row.wrong:
        return [("  ! ", "careful bold"), (clipped(row.wrong, room - 5), "careful"), (" ", "text")]
    if not row.known:
        return [("  not in the schema ", "careful")]
    words = ", ".join(word for word in (row.kind, row.limits, *row.remarks) if word)
    return [(f"  {clipped(words, room - 3)} ", "dim")]


MOST_LINES: Final = 10
LEAST_WIDTH: Final = 24
EMPTY: Final = frozenset({"[]", "{}"})


class LineInPlace(Entry):
    """A field for a string, without its quotes."""

    DEFAULT_CSS = """
    LineInPlace, LineInPlace:focus {
        display: none; overlay: screen; constrain: inside inside; background: $surface; width: 20; padding: 0;
    }
    """

    def __init__(self, take: Callable[[], object]) -> None:
        super().__init__(take=lambda _: take())

    def open(self, text: str, at: Region, *, masked: bool = False) -> None:
        """Open over a region of the screen, with the cursor at the end."""
        self.display = True
        self.password = masked
        self.value = text
        self.cursor_position = len(text)
        self.styles.width = max(at.width, LEAST_WIDTH)
        self.absolute_offset = Offset(at.x, at.y)
        self.screen.set_focus(self)


class JsonInPlace(Vertical):
    """A field for a value as JSON, with its first problem below.

    Enter applies a valid value. In an invalid text, Enter begins a new line, unless the cursor is at the end and no
    text is missing.
    """

    DEFAULT_CSS = """
    JsonInPlace {
        display: none; overlay: screen; constrain: inside inside; background: $surface; width: 20; height: auto;
        border-left: outer $accent;
    }
    """

    def __init__(self, take: Callable[[], object]) -> None:
        super().__init__()
        self._take = take
        self.editor, self._line = Editor(), ProblemLine()
        self._verdict = Verdict(self.editor, self._line, self._judged, self._read)
        self._had_fix = False
        self._kind = ""
        self.editor.intercept = self._key

    def compose(self) -> ComposeResult:
        yield self.editor
        yield self._line

    @property
    def text(self) -> str:
        return self.editor.text

    def _read(self, text: str) -> tuple[Typo | None, str, None]:
        return typed_problem(text, self._kind), "", None

    def open(self, text: str, at: Region, kind: str = "") -> None:
        """Open over a region of the screen; ``kind``: the type in words."""
        self._kind = kind
        self.display = True
        self.editor.load(text)
        if text not in EMPTY:  # The cursor stays between the brackets.
            self.editor.move_cursor(self.editor.document.end)
        self.styles.width = max(at.width, LEAST_WIDTH)
        self._fit()
        self.absolute_offset = Offset(at.x, at.y)
        self._verdict.update()
        self.screen.set_focus(self.editor)

    def _fit(self) -> None:
        """Fit the height to the text, with one more line if it has several."""
        lines = self.editor.document.line_count
        if lines > 1:
            lines += 1
        self.editor.styles.height = min(lines, MOST_LINES)

    def refuse(self, what: str) -> None:
        """Show that an invalid text was not used, and go to its problem."""
        problem, self._line.refused = self._verdict.problem, what
        if problem is not None and problem.line != self.editor.cursor_location[0] + 1:
            self.go_to_problem()

    @property
    def known_problem(self) -> Typo | None:
        """The problem that is shown; newer text may not be read yet."""
        return self._line.read if self.display and isinstance(self._line.read, Typo) else None

    def fix(self) -> None:
        problem = self._verdict.problem
        if problem is not None and problem.fix:
            self.editor.put(problem.fix.text)

    def go_to_problem(self) -> None:
        problem = self._verdict.problem
        if problem is not None:
            self.editor.go_to(problem.offset)

    def _judged(self) -> None:
        self._line.display = self._line.read is not None
        has_fix = self.known_problem is not None and self.known_problem.fix is not None
        if has_fix != self._had_fix:
            self._had_fix = has_fix
            self.refresh_bindings()

    @on(Editor.Changed)
    def _text_changed(self, event: Editor.Changed) -> None:
        event.stop()
        if self.display:
            self._fit()
            self._verdict.update()

    @on(ProblemLine.Pressed)
    def _verdict_clicked(self, event: ProblemLine.Pressed) -> None:
        event.stop()
        if event.fix:
            self.fix()
        else:
            self.go_to_problem()
        self.screen.set_focus(self.editor)

    def _key(self, key: str) -> bool:
        if key != "enter":
            return False
        problem, text = self._verdict.problem, self.text
        if problem is not None:
            is_inside = self.editor.cursor_offset < len(text)
            lacks_text = 0 < len(text.rstrip()) <= problem.offset
            if is_inside or lacks_text:
                return False
        self._take()
        return True


ABSENT, NULL = "absent", "null"
"""Ids of choices that are not values."""
LONGEST_NAME: Final = 80
LONGEST_DOC: Final = 4_000
"""Characters of the docs that are shown."""
HOW_TO_TYPE: Final[SheetLine] = (
    (" Enter", "bold"), (" save   ", "middle"), ("Esc", "bold"), (" cancel", "middle"),
)  # fmt: skip


def doc_lines(row: FormField | None, reader: SchemaReader) -> list[SheetLine]:
    if row is None:
        return []
    kind = "not in the schema"
    if row.known:
        kind = ", ".join(word for word in (row.kind, row.limits) if word) or "anything"
    words: list[tuple[str, str]] = [(f" {row.name}", "bold"), (f"  {kind}", "middle")]
    if row.required:
        words.append(("  required", "careful"))
    if row.place.alternatives:
        at = row.place.chosen
        chosen = alternative_words(reader, row.place, at) if at >= 0 else "none"
        words.append((f"  alternative: {chosen} ({len(row.place.alternatives)})", "middle"))
    words += [(f"  {remark}", "careful") for remark in row.remarks]
    if row.wrong:
        words.append((f"  ! {row.wrong}", "careful"))
    docs = [line for line in row.doc[:LONGEST_DOC].splitlines() if line.strip()]
    return [words, *([(" ", "text"), (line, "text")] for line in docs)]


def picks(row: FormField, reader: SchemaReader) -> list[Pick]:
    """Return the choices for a row: alternatives or values, null, absent."""
    place, found = row.place, list[Pick]()

    def add(id: str, label: str, words: str, *, is_current: bool) -> None:
        found.append(Pick(id, label, words, "current" if is_current else ""))

    for at, schema in enumerate(place.alternatives):
        is_current = at == place.chosen and row.state == "value"
        add(f"={at}", alternative_words(reader, place, at), kind_words(reader, schema), is_current=is_current)
    if not place.alternatives:
        choices = place.node.choices or ()
        titles = _titles(row.schema, choices)
        for at, choice in enumerate(choices):
            add(f"={at}", value_words(choice), titles[at], is_current=_is_here(row, choice))
    if place.nullable:
        add(NULL, "null", "", is_current=row.state == "null")
    if not row.stays:
        add(ABSENT, "absent", "omit the value", is_current=row.state == "absent")
    return found


def element_picks(row: FormField, choices: Sequence[Any], chosen: Sequence[Any]) -> list[Pick]:
    """Return the values that an array can have, of which the chosen ones are marked."""
    titles = _titles(row.place.node.items, choices)
    return [
        Pick(str(at), value_words(choice), titles[at], "✓" if is_one_of(choice, chosen) else "")
        for at, choice in enumerate(choices)
    ]


def _titles(schema: Any, choices: Sequence[Any]) -> list[str]:
    """Return the titles of choices that are not the choices themselves."""
    titles = [title for _, title in titled_choices(schema)]
    if len(titles) != len(choices) or titles == [*map(value_words, choices)]:
        return [""] * len(choices)
    return titles


def alternative_words(reader: SchemaReader, place: Settled, at: int) -> str:
    """Return a name for an alternative.

    It is the title, the name of the reference, the value of a constant member, or the type with its members.
    """
    schema = place.alternatives[at]
    node = reader.node(schema)
    if node.title:
        return node.title[:LONGEST_NAME]
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    if isinstance(reference, str):
        return (reference.rpartition("/")[2] or reference)[:LONGEST_NAME]
    for name, member in list(node.properties.items())[:20]:
        choices = reader.node(member).choices
        if choices is not None and len(choices) == 1:
            return f"{name[:LONGEST_NAME]}: {value_words(choices[0])}"
    members = ", ".join(list(node.properties)[:4])[:LONGEST_NAME]
    kind = kind_words(reader, schema) or "anything"
    return f"{kind} of {members}" if members else kind


def _is_here(row: FormField, value: Any) -> bool:
    import json

    try:
        return row.state == "value" and is_one_of(json.loads(row.text), [value])
    except (ValueError, RecursionError):
        return False
