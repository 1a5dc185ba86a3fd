"""What servers of the Model Context Protocol offer: their tools as methods, and prompts and resources behind two more.

A tool is called by its own name; the client puts that into ``tools/call``, and what comes back is in its envelope. All
of it is asked after the handshake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from functools import partial
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.questions import EMPTY, NOT_OFFERED, Answered, Asking, Question
from rpcexplorer.discovery.reader import (
    KIND,
    MOST,
    MOST_HELD,
    MOST_METHODS,
    MOST_OF_ALL,
    Collected,
    Schemas,
    first_line_of,
    line_of,
    name_of,
    one_of,
    text_of,
)
from rpcexplorer.model.method import Described, DescribedParam, Method, Parameter
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.schema.node import Definitions, SchemaReader, weight

Take = Callable[[dict[str, Any]], None]
DIALECT = "tools/list"
MOST_PAGES = 100
MOST_LISTED = 200
"""Prompts or resources that are named where they are described."""
OWN_NAMES: Final = frozenset({"ping", "initialize"})
"""Methods of the protocol itself whose names a tool could have."""
STRUCTURED: Final = "structuredContent"
"""Where a result has what the schema of the output is of."""
ENVELOPE: Final = {"content": {"type": "array", "items": {"type": "object"}}, "isError": {"type": "boolean"}}
OUT: Final = "output"
"""What stands before references of an output that would be taken for those of the input."""
REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
DEEPEST: Final = 200
"""Levels of a schema whose references are told apart."""


def tools(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
    """Page by page; then the prompts and resources, if there are any."""
    answer = yield Question(DIALECT, "{}")
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    if not isinstance(answer.value, dict) or not isinstance(answer.value.get("tools"), list):
        return Listing(refusal="answered, but not with a list of tools" if answer.value else EMPTY)
    collected, shadowed = Collected(), list[str]()
    reader = ToolReader()
    said = yield from _further(DIALECT, "tools", answer, lambda tool: _take(tool, collected, shadowed, reader))
    said += reader.left_out()
    if shadowed:
        named = line_of(", ".join(shadowed))
        said.append(f"only tools/call reaches what is named like a method of the protocol: {named}")
    prompts, resources = list[dict[str, Any]](), list[dict[str, Any]]()
    for method, member, entries in (("prompts/list", "prompts", prompts), ("resources/list", "resources", resources)):
        answer = yield Question(method, "{}", aside=True)
        said += yield from _further(method, member, answer, partial(_keep, entries))
    for made in (_prompts(prompts), _resources(resources)):
        if made and collected.room_for(made[0].name):
            collected.take(*made)
    return collected.listing("", *said)


def _further(method: str, member: str, answer: Answered, take: Take) -> Generator[Question, Answered, list[str]]:
    """Take the entries of the first page and of all that follow; a sentence where that ended early."""
    cursors = set[str]()
    while not answer.refusal:
        page = answer.value if isinstance(answer.value, dict) else {}
        entries, cursor = page.get(member), page.get("nextCursor")
        for entry in entries if isinstance(entries, list) else ():
            take(entry if isinstance(entry, dict) else {})
        if not isinstance(cursor, str) or not cursor or cursor in cursors:
            return []
        if len(cursors) == MOST_PAGES - 1:
            return [f"{method}: only the first {MOST_PAGES} pages were asked for"]
        cursors.add(cursor)
        answer = yield Question(method, f'{{"cursor":{spelled(cursor)}}}', aside=True)
    return [] if answer.refusal.startswith(NOT_OFFERED) and not cursors else [f"{method}: {answer.refusal}"]


def _keep(entries: list[dict[str, Any]], entry: dict[str, Any]) -> None:
    if len(entries) < MOST_METHODS:
        entries.append(entry)


def _take(tool: dict[str, Any], collected: Collected, shadowed: list[str], reader: ToolReader) -> None:
    name = tool.get("name")
    if isinstance(name, str) and ("/" in name or name in OWN_NAMES):
        if len(shadowed) <= MOST_LISTED and name_of(name):
            shadowed.append(name_of(name))
    elif room := collected.room_for(name):
        collected.take(_tool(room, tool, collected), reader.tool(tool))


class ToolReader:
    """Reads tools in full, as long as there is room. Each has schemas of its own, with what these refer to inside."""

    def __init__(self) -> None:
        self._room = MOST_OF_ALL
        self._cut = 0

    def tool(self, tool: dict[str, Any]) -> Described | None:
        taken, given = tool.get("inputSchema"), tool.get("outputSchema")
        limit = min(MOST_HELD, self._room)
        size = weight([taken, given], limit)
        self._room -= min(size, limit)  # also of what is not kept, for looking at it takes time
        if size > limit:
            self._cut += 1
            return None
        into, out = Definitions(taken), Definitions(given)
        definitions = {**into.gather([taken])}
        if definitions.keys() & out.gather([given]).keys():  # the two may mean something else by one reference
            given = _apart(given)
            definitions |= {f"{OUT}{name}": _apart(each) for name, each in out.found.items()}
        else:
            definitions |= out.found
        node = SchemaReader(into.found).node(taken)
        params = tuple(
            DescribedParam(name, schema, name in node.required, _doc_of(schema))
            for name, schema in [*node.properties.items()][:MOST]
            if name_of(name) and isinstance(schema, dict | bool)
        )
        return Described(
            params,
            {"type": "object", "properties": {**ENVELOPE, STRUCTURED: given}} if isinstance(given, dict) else UNSET,
            extra=node.additional is not False or len(params) < len(node.properties),
            draft=line_of(taken.get("$schema")) if isinstance(taken, dict) else "",
            dialect=DIALECT,
            definitions=definitions,
        )

    def left_out(self) -> list[str]:
        return [f"schemas of {self._cut:,} tools left out: more than can be kept"] if self._cut else []


def _apart(schema: Any, depth: int = 0) -> Any:
    """A schema whose references are told apart from those of another one."""
    if depth > DEEPEST:
        return True
    if isinstance(schema, list):
        return [_apart(each, depth + 1) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"{OUT}{value}" if key in REFERENCES and isinstance(value, str) else _apart(value, depth + 1)
        for key, value in schema.items()
    }


def _doc_of(schema: Any) -> str:
    return text_of(schema.get("description")) if isinstance(schema, dict) else ""


def _tool(name: str, tool: dict[str, Any], collected: Collected) -> Method:
    schema, notes = tool.get("inputSchema"), tool.get("annotations")
    details = text_of(tool.get("description"))
    notes = notes if isinstance(notes, dict) else {}
    doc = line_of(tool.get("title")) or line_of(notes.get("title")) or first_line_of(details)
    read_only = notes.get("readOnlyHint")
    return Method(
        name,
        doc,
        safe=read_only if isinstance(read_only, bool) else None,
        source="discovered",
        parameters=Schemas(schema).properties(schema, collected),
        by="name",
        details="" if details == doc else details,
        result=Schemas(tool.get("outputSchema")).kind(tool.get("outputSchema")),
        dialect=DIALECT,
    )


def _prompts(prompts: list[dict[str, Any]]) -> tuple[Method, Described] | None:
    named = _named(prompts, "name")
    if not named:
        return None
    parameters = (_choice("name", named), Parameter("arguments", False, "object"))
    shapes = [_arguments(prompt) for prompt in prompts if name_of(prompt.get("name"))][:MOST_LISTED]
    arguments = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
    in_full = (
        DescribedParam("name", {"type": "string", "enum": list(named)}, True),
        DescribedParam("arguments", arguments if len(shapes) == len(named) else {"type": "object"}, False),
    )
    return _reading("prompts/get", f"Gets one of {len(named):,} prompts", named, parameters, in_full)


def _arguments(prompt: dict[str, Any]) -> dict[str, Any]:
    """What a prompt takes, as a schema: text, whatever it is."""
    told = prompt.get("arguments")
    entries = [each for each in told if isinstance(each, dict)][:MOST] if isinstance(told, list) else []
    schema: dict[str, Any] = {"title": name_of(prompt.get("name")), "type": "object", "properties": {}}
    for entry in entries:
        if name := name_of(entry.get("name")):
            doc = text_of(entry.get("description"))
            schema["properties"][name] = {"type": "string", **({"description": doc} if doc else {})}
            if entry.get("required") is True:
                schema.setdefault("required", []).append(name)
    return schema


def _resources(resources: list[dict[str, Any]]) -> tuple[Method, Described] | None:
    named = _named(resources, "uri")
    if not named:
        return None
    in_full = DescribedParam("uri", {"type": "string", "examples": list(named)[:MOST_LISTED]}, True)
    doc = f"Reads one of {len(named):,} resources"
    return _reading("resources/read", doc, named, (_choice("uri", named),), (in_full,))


def _named(entries: list[dict[str, Any]], key: str) -> dict[str, str]:
    """What there is, by name, each with what is said of it."""
    return {
        name: line_of(entry.get("title")) or first_line_of(entry.get("description"))
        for entry in entries
        if (name := name_of(entry.get(key)))
    }


def _choice(name: str, named: dict[str, str]) -> Parameter:
    return Parameter(name, True, line_of(one_of(list(named)), KIND), example=next(iter(named)))


def _reading(
    name: str, doc: str, named: dict[str, str], parameters: tuple[Parameter, ...], in_full: tuple[DescribedParam, ...]
) -> tuple[Method, Described]:
    lines = [f"{each}: {said}" if said else each for each, said in list(named.items())[:MOST_LISTED]]
    method = Method(
        name, doc, safe=True, source="discovered", parameters=parameters, by="name", details=text_of("\n".join(lines)),
        dialect=DIALECT,
    )  # fmt: skip
    return method, Described(in_full, dialect=DIALECT)
