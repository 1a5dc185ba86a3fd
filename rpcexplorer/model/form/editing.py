"""What becomes of the text of the params when a row of their form changes. Nothing here is kept: text in, text out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rpcexplorer.jsontext.edit import Path, added, changed, indent_of_line, removed, span_of, whole
from rpcexplorer.jsontext.scan import elements
from rpcexplorer.model.form.field import FormField
from rpcexplorer.model.form.starting import plain_text, starting_text
from rpcexplorer.model.schema.node import SchemaReader
from rpcexplorer.model.templates.inert import inert_value


class FormText:
    """A text with the rows that were made of it."""

    def __init__(self, reader: SchemaReader, text: str, rows: Sequence[FormField]) -> None:
        self._reader, self.text = reader, text
        self._rows: Mapping[Path, FormField] = {row.path: row for row in rows if row.alone}

    def start(self, path: Path) -> str:
        """What a place begins with."""
        row = self._rows.get(path)
        if row is None:
            return "null"
        return starting_text(self._reader, row.schema, row.place.alternative)

    def value(self, path: Path) -> str:
        """What a place begins with that is to have a value: null only where nothing else is known to be right."""
        text, row = self.start(path), self._rows.get(path)
        return plain_text(row.place.node) if text == "null" and row is not None else text

    def indent(self, row: FormField) -> str:
        """That of the line where a value stands."""
        return indent_of_line(self.text, row.span[0]) if row.state != "absent" else ""

    def with_value(self, path: Path, value: str) -> str:
        """The text with a value at a place; what has to be around it and before it comes along."""
        return self._placed(self.text, path, value)

    def without(self, path: Path) -> str:
        return removed(self.text, path) if span_of(self.text, path) else self.text

    def with_element(self, path: Path) -> tuple[str, Path]:
        """The text with one more element in an array, as that begins, and its path."""
        text = self._with_container(self.text, path, "[")
        span = span_of(text, path)
        inside = (*path, len(elements(text[slice(*span)]) or ()) if span else 0)
        return added(text, path, self._new(inside)), inside

    def with_member(self, path: Path, name: str) -> tuple[str, Path]:
        """The text with one more member in an object, as that begins; one that is there stays as it is."""
        text, inside = self._with_container(self.text, path, "{"), (*path, name)
        return (text if span_of(text, inside) else added(text, path, self._new(inside), name)), inside

    def _new(self, path: Path) -> str:
        """What a place begins with that may have no row yet."""
        if path in self._rows:
            return self.value(path)
        around, last = self._rows.get(path[:-1]), path[-1]
        if around is None:
            return "null"
        node = around.place.node
        schema = node.element(last) if isinstance(last, int) else node.member(last)
        return starting_text(self._reader, schema)

    def _placed(self, text: str, path: Path, value: str) -> str:
        if span_of(text, path) is not None:
            return changed(text, path, value)
        parent, last = path[:-1], path[-1]
        text = self._with_container(text, parent, "{" if isinstance(last, str) else "[")
        if span_of(text, path) is not None:
            return changed(text, path, value)
        if isinstance(last, str):
            return added(text, parent, value, last, key=inert_value(last))  # a service has given the name
        span = span_of(text, parent)
        for at in range(len(elements(text[slice(*span)]) or ()) if span else 0, last):
            text = added(text, parent, self.start((*parent, at)))
        return added(text, parent, value)

    def _with_container(self, text: str, path: Path, opener: str) -> str:
        """The text with an object or array at a place, with what it begins with where there was none."""
        span = whole(text) if not path else span_of(text, path)
        if not path or (span is not None and text[span[0] : span[0] + 1] == opener):
            return text
        start = self.start(path)
        if not start.startswith(opener):
            start = "{}" if opener == "{" else "[]"
        return self._placed(text, path, start)
