"""What ``help`` tells. Electrum answers with names; Bitcoin Core and its kin with text: headings, and a line a method.

A line is a method's name and its params, those in parentheses optional: ``getblock "blockhash" ( verbosity )``. The
help of one method lays out what each of them is, what comes back, and examples. Nothing here fails at another text: it
is no list then.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from rpcexplorer.client.discovery.collecting import Collected
from rpcexplorer.client.discovery.commands import examples_of
from rpcexplorer.client.discovery.layouts import LONGEST_LINE, Row, laid_out, rows_of
from rpcexplorer.client.discovery.limits import KIND, example_of, first_line_of, line_of, name_of, text_of
from rpcexplorer.client.discovery.names import NO_LIST, read_names
from rpcexplorer.client.discovery.questions import EMPTY, Asking, Question, one_by_one, too_many_to_explain
from rpcexplorer.client.discovery.schemas import Schemas
from rpcexplorer.client.discovery.system import with_help
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter, described_by
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.schema.node import SchemaReader

DIALECT = "help"
MOST_POSITIONS = 64
"""Params of one method."""
_MARK = "=="
_METHOD = re.compile(r"[A-Za-z_][\w.:-]*")
_WORD = re.compile(r'"[^"]*"|[^\s()\[\]{}"]+')
_OPENING, _CLOSING = "[{", "]}"
ARGUMENTS, RESULT, EXAMPLES = "Arguments", "Result", "Example"
"""How the headings of a method's own help begin."""


def help_text(described: Collection[str]) -> Asking:
    """The text, or list; and each method's own help as well, where that is given."""
    answer = yield Question(DIALECT)
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    is_text = isinstance(answer.value, str)
    if not is_text and not _is_of_names(answer.value):
        return Listing(refusal=NO_LIST)
    listing = read_text(answer.value) if is_text else read_names(answer.value, DIALECT)
    methods = {method.name: method for method in listing.methods}
    wanted = [name for name in methods if name not in described]
    in_full = dict[str, Described]()

    def explained(method: Method, value: Any) -> Method:
        known, told = read_help(method, value)
        if told:
            in_full[method.name] = told
        return known if told or is_text else with_help(method, value)

    said = yield from one_by_one(DIALECT, methods, wanted, explained)
    said = [sentence.replace(DIALECT, "of each method", 1) for sentence in said if is_text or in_full]
    said = [*listing.skipped, *said, *too_many_to_explain(wanted)]
    return replace(listing, methods=tuple(methods.values()), skipped=tuple(said), described=in_full)


def read_text(told: str) -> Listing:
    """Read lines of methods below headings. Prose, which has no headings, is no list."""
    if not told.strip():
        return Listing(refusal=EMPTY)
    collected, group = Collected(), ""
    for line in told.splitlines():
        if line.startswith(_MARK) and line.endswith(_MARK):
            group = line_of(line.strip("= "), KIND)
        elif group and line.strip():
            found = _METHOD.match(line)
            if found and (name := collected.room_for(found[0])):
                collected.take(_method(name, group, line[found.end() : LONGEST_LINE], collected))
    return collected.listing() if collected.methods else Listing(refusal=NO_LIST)


def _is_of_names(value: Any) -> bool:
    """Whether it can be a list of methods: other help in a list has words in its lines."""
    return not value or (isinstance(value, list) and all(isinstance(each, str) and " " not in each for each in value))


def _method(name: str, group: str, params: str, collected: Collected) -> Method:
    parameters = tuple(_positions(params))
    parameters = parameters if collected.parameters_fit(parameters) else ()
    return Method(name, group, source="discovered", parameters=parameters, by="position", dialect=DIALECT)


def _positions(params: str) -> Iterator[Parameter]:
    """The params of a line, in their order: ``[…]`` and ``{…}`` have a kind, and no name."""
    required, at, count = True, 0, 0
    while at < len(params) and count < MOST_POSITIONS:
        if params[at] in "()":
            required, at = params[at] == ")", at + 1
        elif params[at] in _OPENING:
            yield Parameter("", required, "array" if params[at] == "[" else "object")
            at, count = _behind(params, at), count + 1
        elif word := _WORD.match(params, at):
            quoted = word[0].startswith('"')
            yield Parameter(name_of(word[0].strip('"')), required, "string" if quoted else "")
            at, count = word.end(), count + 1
        else:
            at += 1


def _behind(params: str, start: int) -> int:
    """Where the bracket that opens at ``start`` has closed again; the end of the line where it does not."""
    depth = 0
    for at in range(start, len(params)):
        depth += (params[at] in _OPENING) - (params[at] in _CLOSING)
        if depth == 0:
            return at + 1
    return len(params)


def read_help(method: Method, value: Any) -> tuple[Method, Described | None]:
    """The method with what its own help says of it, and all of that; as it is where the text is about another one."""
    if not isinstance(value, str) or not value.startswith(method.name):
        return method, None
    _, *lines = value[: 64 * LONGEST_LINE].replace("\r\n", "\n").split("\n")
    told, sections = _sections(lines)
    details = text_of("\n".join(told))
    doc = first_line_of(details)
    laid = [*_arguments(line for title, body in sections if title == ARGUMENTS for line in body)]
    params = tuple(_described(*each) for each in laid)
    parameters = tuple(_parameter(*each) for each in laid) or method.parameters
    results = [_result(body) for title, body in sections if title == RESULT]
    several = {"anyOf": results} if results and UNSET not in results else UNSET
    commands = [line for title, body in sections if title == EXAMPLES for line in body]
    reader = SchemaReader({})
    described = Described(
        params if params or not parameters else described_by(method).params,
        results[0] if len(results) == 1 else several,
        examples=tuple(examples_of(commands, method.name, [reader.node(schema).kinds for _, schema in laid])),
        tags=(method.doc,) if method.doc else (),
        dialect=DIALECT,
    )
    said = replace(
        method,
        doc=doc or method.doc,
        details="" if details == doc else details,
        parameters=parameters,
        result=Schemas({}).kind(results[0]) if results else "",
    )
    return said, described


def _sections(lines: list[str]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """What stands above the first heading, and what below each."""
    told = list[str]()
    sections = list[tuple[str, list[str]]]()
    below = told
    for line in lines:
        title = next((each for each in (ARGUMENTS, RESULT, EXAMPLES) if line.startswith(each)), "")
        if title and line.rstrip().endswith(":") and (title == RESULT or len(line.split()) == 1):
            below = []
            sections.append((title, below))
        else:
            below.append(line)
    return told, sections


def _arguments(lines: Iterable[str]) -> Iterator[tuple[Row, dict[str, Any]]]:
    """What stands under *Arguments*, for as long as the numbers go up, each with its schema."""
    groups = list[list[Row]]()
    for row in rows_of(lines):
        if row.number and (row.number != len(groups) + 1 or len(groups) == MOST_POSITIONS):
            break
        if row.number:
            groups.append([row])
        elif groups:
            groups[-1].append(row)
    for first, *inside in groups:
        schema = _filled(first.schema(), laid_out(inside))
        schema.pop("description", None)
        yield first, schema


def _described(row: Row, schema: dict[str, Any]) -> DescribedParam:
    """A param in full. One that may be left out is null where others follow."""
    if row.required is False and schema:
        kinds = schema.get("type", [])
        schema = dict(schema)
        if kinds:
            schema["type"] = [*(kinds if isinstance(kinds, list) else [kinds]), "null"]
        for choices, null in (("enum", None), ("anyOf", {"type": "null"})):
            if choices in schema:
                schema[choices] = [*schema[choices], null]
    return DescribedParam(_name(row), schema or True, row.required, text_of(row.doc))


def _parameter(row: Row, schema: dict[str, Any]) -> Parameter:
    """The line of a param."""
    default = example_of(schema.get("default"))
    return Parameter(_name(row), row.required, Schemas({}).kind(schema), first_line_of(row.doc), default)


def _name(row: Row) -> str:
    return name_of(row.head.strip('"'))


def _filled(schema: dict[str, Any], shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """A schema with what is laid out below its line, where that is of its kind."""
    types = schema.get("type")
    kinds = types if isinstance(types, list) else [types]
    shapes = [shape for shape in shapes if shape.get("type") in kinds]
    if not shapes:
        return schema
    if len(kinds) == len(shapes) == 1:
        return schema | shapes[0]
    rest = [kind for kind in kinds if all(shape["type"] != kind for shape in shapes)]
    del schema["type"]
    return {**schema, "anyOf": [*shapes, *({"type": kind} for kind in rest)]}


def _result(lines: list[str]) -> Any:
    """The schema of what a section lays out. What is inside may be left out: few texts say when it is."""
    shapes = laid_out(rows_of(lines))
    return shapes[0] if shapes else UNSET
