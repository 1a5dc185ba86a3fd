"""Help texts of Bitcoin Core and compatible nodes."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from rpcexplorer.discovery.lists import NOT_A_LIST, read_names, with_help
from rpcexplorer.discovery.methods import LINE, Listing
from rpcexplorer.discovery.questions import EMPTY, Dialogue, Question, ask_companion, count_unexplained, value_of
from rpcexplorer.discovery.reader import KIND, Collected, docs_of, kind_of, line_of, name_of, text_of
from rpcexplorer.model.method import Described, DescribedParam, ExampleCall
from rpcexplorer.patterns import regex
from rpcexplorer.schema.node import KINDS, SchemaReader, kind_of_value, kinds_of
from rpcexplorer.schema.words import kind_words

MAX_LINE: Final = 2_000
MAX_DEPTH: Final = 32
"""Levels of brackets inside brackets."""
MAX_CHOICES: Final = 100
"""Values listed for one part, or different elements of an array."""
_STANDARD: Final = frozenset(KINDS.values())
_UNSAID: Final = frozenset(("any", "json", "value"))
"""Types that allow any value."""
_BETWEEN_KINDS: Final = regex(r" or | / |/")
_NUMBER: Final = regex(r"(\d{1,2})\. +")
_KEY: Final = regex(r'"([^"]{0,200})" ?: ?')
_QUOTED: Final = regex(r""""([^"]{1,60})"|'([^']{1,60})'""")
_LISTED: Final = regex(r"""["']([^"'\s]{1,60})["'],?$""")
_ONE_OF: Final = regex(r"\b[Oo]ne of\b|\b[Oo]ptions(?: are\b|:)")
_MAY_BE: Final = regex(r"""["']([\w-]{1,60})["'] (?:to|for)\b""")
_NAMES_OF_OTHERS: Final = regex(r"\bis the key\b|\b[Tt]he key \(string\)")
"""Words that mark a member whose name the caller chooses."""
_DEFAULT: Final = regex(r"(?:^|,) *default=")


class Row(Struct):
    """A line of a layout with notes, and the docs in the lines below it."""

    number: int = 0
    """Number of an argument; 0 inside an argument and in results."""
    head: str = ""
    notes: str = ""
    doc: str = ""
    listed: list[str] = field(default_factory=list)
    """Values listed below it, one on each line."""

    @property
    def kinds(self) -> list[str]:
        """Types that the value may have; empty if any."""
        return _kinds(self.notes.partition(",")[0]) or []

    @property
    def required(self) -> bool | None:
        words = {word.strip() for word in self.notes.split(",")[1:]}
        return True if "required" in words else False if "optional" in words else None

    def schema(self) -> dict[str, Any]:
        """Return the schema of the value, without its inner rows."""
        kinds = self.kinds
        schema: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
        if doc := text_of(self.doc):
            schema["description"] = doc
        if not kinds or "string" in kinds:
            schema |= self._choices()
        default = self._default(schema.get("enum", schema.get("examples", [])))
        return schema if default is None else {**schema, "default": default}

    def _choices(self) -> dict[str, Any]:
        """Return the listed values as ``enum`` if they are all, else as examples."""
        cue = _ONE_OF.search(self.doc)
        named = self.listed
        if cue and not named:
            named = [double or single for double, single in _QUOTED.findall(self.doc, cue.end())]
        choices = [*dict.fromkeys(named)][:MAX_CHOICES]
        if cue and len(choices) > 1 and self.kinds == ["string"] and "case insensitive" not in self.doc:
            return {"enum": choices}
        choices = choices or [*dict.fromkeys(_MAY_BE.findall(self.doc))][:MAX_CHOICES]
        return {"examples": choices} if len(choices) > 1 else {}

    def _default(self, choices: list[str]) -> Any:
        """Return the default if it is a value. Many defaults are sentences."""
        found = _DEFAULT.search(self.notes)
        default = self.notes[found.end() :].strip() if found else ""
        if not default or default in choices:
            return default or None
        if default in {"''", '""'}:
            return ""
        value: Any = [] if default == "empty array" else value_of(default.encode()).value
        kind = kind_of_value(value)
        fits = kind in self.kinds or (kind == "integer" and "number" in self.kinds)
        return value if fits and (kind != "string" or value in choices or not choices) else None


class _OpenBracket:
    """An open bracket and its content so far."""

    def __init__(self, bracket: str, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.is_array = bracket == "["
        self.members: dict[str, Any] = {}
        self.required: list[str] = []
        self.elements: list[Any] = []
        self.others: Any = None
        """Schema of members with any name."""
        self.goes_on = False
        """More members like the previous one follow."""

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
        """Put the content into the schema."""
        if not isinstance(self.schema.get("type"), list):
            self.schema["type"] = "array" if self.is_array else "object"
        inside = {"type": "array", **self._items()} if self.is_array else {"type": "object", **self._members()}
        schema = _filled(self.schema, [inside])
        self.schema.clear()
        self.schema.update(schema)

    def _items(self) -> dict[str, Any]:
        some = self.elements[:MAX_CHOICES]
        distinct = [schema for at, schema in enumerate(some) if schema not in some[:at]]
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
    """Yield the rows of a section; other lines belong to the previous row."""
    row: Row | None = None
    for line in lines:
        text = line[:MAX_LINE].strip()
        found = _row(text)
        if found:
            if row:
                yield row
            row = found
        elif row and text:
            if listed := _LISTED.match(text):
                row.listed.append(listed[1])
            else:
                row.doc = f"{row.doc}\n{text}".strip() if len(row.doc) < MAX_LINE else row.doc
    if row:
        yield row


def layout_schemas(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the schemas of the outermost values, with their content."""
    outermost = _OpenBracket("[", {})
    stack = [outermost]
    for row in rows:
        head = row.head.rstrip(", ")
        if head.startswith("..."):
            stack[-1].goes_on |= bool(stack[-1].members)
        elif head in {"]", "}"}:
            if len(stack) > 1:
                stack.pop().close()
        elif len(stack) <= MAX_DEPTH:
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
    """Return the row that a line starts, or None if it continues a row."""
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


def _closed(text: str, start: int, pairs: str = "()") -> int:
    """Return where the bracket at ``start`` closes, or the length of the text."""
    opening, closing = pairs[::2], pairs[1::2]
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in opening) - (text[at] in closing)
        if depth == 0:
            return at
    return len(text)


def _kinds(words: str) -> list[str] | None:
    """Return types such as ``numeric or string`` in the words of JSON Schema.

    The result is empty if any type is allowed, and None if the words are not types.
    """
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


MAX_EXAMPLES: Final = 20
PROMPT: Final = "> "
BY_NAME: Final = "-named"


def examples_of(lines: Iterable[str], method: str, kinds: Sequence[Sequence[str]]) -> Iterator[ExampleCall]:
    """Yield each example call of a method once, with the words above it.

    ``kinds``: the types of each of its params.
    """
    words, found = "", list[Any]()
    for line in lines:
        if not line.startswith(PROMPT):
            words = line_of(line, LINE).rstrip(":") or words
            continue
        params = _params(line[len(PROMPT) :], method, kinds)
        if params is not None and params not in found:
            found.append(params)
            yield ExampleCall(words, params)
        words = ""
        if len(found) == MAX_EXAMPLES:
            return


def _params(command: str, method: str, kinds: Sequence[Sequence[str]]) -> Any:
    """Return the params that a command of the node's own client would send.

    None if it is a command of another program or does not match the method. Nearly all texts repeat each command for
    curl.
    """
    try:
        _, *words = shlex.split(command)
    except ValueError:  # missing closing quotation mark
        return None
    is_by_name = BY_NAME in words
    called, *words = [word for word in words if not (is_by_name and word == BY_NAME)] or [""]
    if called != method:
        return None
    if is_by_name:
        pairs = [word.partition("=") for word in words]
        return {name: _value(value, ()) for name, _, value in pairs} if all(sign for _, sign, _ in pairs) else None
    values = [_value(word, kinds[at] if at < len(kinds) else ()) for at, word in enumerate(words)]
    return None if len(values) > len(kinds) or any(value is UNSET for value in values) else values


def _value(word: str, kinds: Sequence[str]) -> Any:
    """Return the value of a word in a command.

    UNSET if the value cannot have one of these types.
    """
    if [*kinds] == ["string"]:
        return word
    answer = value_of(word.encode("utf-8", "replace"))
    if not answer.refusal:
        return answer.value
    return word if not kinds or "string" in kinds else UNSET


PROTOCOL: Final = "help"
MAX_POSITIONS: Final = 64
"""Params of one method."""
_MARK: Final = "=="
_METHOD: Final = regex(r"[A-Za-z_][\w.:-]*")
_WORD: Final = regex(r'"[^"]*"|[^\s()\[\]{}"]+')
ARGUMENTS, RESULT, EXAMPLES = "Arguments", "Result", "Example"
"""First words of the headings in a method's help."""


def help_text(described: Collection[str]) -> Dialogue:
    """Read the overview or list, and the help of each method if there is one."""
    answer = yield Question(PROTOCOL)
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    is_text = isinstance(answer.value, str)
    if not is_text and not _is_of_names(answer.value):
        return Listing(refusal=NOT_A_LIST)
    listing = read_text(answer.value) if is_text else read_names(answer.value, PROTOCOL)
    found = dict(listing.described)
    wanted = [name for name in found if name not in described]
    has_help = is_text

    def explain(name: str, value: Any) -> None:
        nonlocal has_help
        if isinstance(value, str) and value.startswith(name):
            found[name], has_help = read_help(name, found[name], value), True
        elif not is_text:
            found[name] = with_help(found[name], value)

    refused = yield from ask_companion(PROTOCOL, wanted, explain)
    refused = [sentence.replace(PROTOCOL, "help texts", 1) for sentence in refused if has_help]
    skipped = (*listing.skipped, *refused, *count_unexplained(wanted))
    return replace(listing, described=found, skipped=skipped)


def read_text(text: str) -> Listing:
    """Read an overview of methods below headings. Prose has no headings."""
    if not text.strip():
        return Listing(refusal=EMPTY)
    collected, group = Collected(), ""
    for line in text.splitlines():
        if line.startswith(_MARK) and line.endswith(_MARK):
            group = line_of(line.strip("= "), KIND)
        elif group and line.strip():
            method = _METHOD.match(line)
            if method and (name := collected.take_name(method[0])):
                params = tuple(_positions(line[method.end() : MAX_LINE]))
                collected.described[name] = Described(params, protocol=PROTOCOL, doc=group, by="position")
    return collected.listing() if collected.described else Listing(refusal=NOT_A_LIST)


def _is_of_names(value: Any) -> bool:
    """Return whether the value can be a list of methods.

    Lists with other help have several words in their lines.
    """
    return not value or (
        isinstance(value, list) and all(isinstance(element, str) and " " not in element for element in value)
    )


def _positions(params: str) -> Iterator[DescribedParam]:
    """Yield the params of a line in order.

    ``[…]`` and ``{…}`` have a type, but no name.
    """
    required, at, count = True, 0, 0
    while at < len(params) and count < MAX_POSITIONS:
        if params[at] in "()":
            required, at = params[at] == ")", at + 1
        elif params[at] in "[{":
            yield DescribedParam("", {"type": "array" if params[at] == "[" else "object"}, required)
            at, count = _closed(params, at, "[]{}") + 1, count + 1
        elif word := _WORD.match(params, at):
            schema: Any = {"type": "string"} if word[0].startswith('"') else True
            yield DescribedParam(name_of(word[0].strip('"')), schema, required)
            at, count = word.end(), count + 1
        else:
            at += 1


def read_help(name: str, described: Described, text: str) -> Described:
    """Return the description with the facts from the method's own help.

    The notes inside a result are not read.
    """
    _, *lines = text[: 64 * MAX_LINE].replace("\r\n", "\n").split("\n")
    above: list[str] = []
    sections: dict[str, list[list[str]]] = {ARGUMENTS: [], RESULT: [], EXAMPLES: []}
    below = above
    for line in lines:
        title = next((section for section in sections if line.startswith(section)), "")
        if title and line.rstrip().endswith(":") and (title == RESULT or len(line.split()) == 1):
            below = []
            sections[title].append(below)
        else:
            below.append(line)
    params = tuple(_arguments(chain.from_iterable(sections[ARGUMENTS])))
    results = [_result(body) for body in sections[RESULT]]
    several = {"anyOf": results} if results and UNSET not in results else UNSET
    kinds = [
        [kind for kind in kinds_of(param.schema) if kind != "null"] if isinstance(param.schema, dict) else []
        for param in params
    ]
    docs = docs_of("\n".join(above))
    return replace(
        described,
        params=params or described.params,
        result=results[0] if len(results) == 1 else several,
        examples=tuple(examples_of(chain.from_iterable(sections[EXAMPLES]), name, kinds)),
        tags=(described.doc,) if described.doc else (),
        doc=docs["doc"] or described.doc,
        details=docs["details"],
    )


def _arguments(lines: Iterable[str]) -> Iterator[DescribedParam]:
    """Yield the params while their numbers increase.

    An optional param may be null, because params may follow it.
    """
    groups = list[list[Row]]()
    for row in rows_of(lines):
        if row.number and (row.number != len(groups) + 1 or len(groups) == MAX_POSITIONS):
            break
        if row.number:
            groups.append([row])
        elif groups:
            groups[-1].append(row)
    for first, *inside in groups:
        schema = _filled(first.schema(), layout_schemas(inside))
        schema.pop("description", None)
        kind = ""
        if first.required is False and schema:
            kind = kind_words(SchemaReader({}), schema)  # without null
            if kinds := schema.get("type"):
                schema["type"] = [*(kinds if isinstance(kinds, list) else [kinds]), "null"]
            for choices, null in (("enum", None), ("anyOf", {"type": "null"})):
                if choices in schema:
                    schema[choices] = [*schema[choices], null]
        yield DescribedParam(
            name_of(first.head.strip('"')), schema or True, first.required, text_of(first.doc), kind=kind
        )


def _filled(schema: dict[str, Any], shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema with the layout below its line, if the types match."""
    types = schema.get("type")
    kinds = types if isinstance(types, list) else [types]
    shapes = [shape for shape in shapes if shape.get("type") in kinds]
    if not shapes:
        return dict(schema)
    if len(kinds) == len(shapes) == 1:
        return schema | shapes[0]
    rest = [kind for kind in kinds if all(shape["type"] != kind for shape in shapes)]
    others = {key: value for key, value in schema.items() if key != "type"}
    return {**others, "anyOf": [*shapes, *({"type": kind} for kind in rest)]}


def _result(lines: list[str]) -> Any:
    """Return the schema of a result from its first line."""
    row = next(rows_of(lines), None)
    if row is None:
        return UNSET
    bracket = {"[": {"type": "array"}, "{": {"type": "object"}}.get(row.head[:1], {})
    return bracket | row.schema()
