"""Discovery of the tools, prompts and resources of MCP servers.

Each tool is listed as a method. Prompts and resources get one method each. A tool is called by its own name: the
client sends ``tools/call``, and the result is in its envelope. All questions are sent after the handshake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.openrpc import with_references
from rpcexplorer.discovery.questions import EMPTY, NOT_OFFERED, Answer, Dialogue, Question
from rpcexplorer.discovery.reader import (
    Collected,
    Document,
    Room,
    dict_of,
    docs_of,
    line_of,
    list_of,
    name_of,
    text_of,
)
from rpcexplorer.model.method import Described, DescribedError, DescribedParam
from rpcexplorer.model.problem import counted
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.schema.node import SchemaReader

PROTOCOL: Final = "tools/list"
MAX_PAGES: Final = 100
"""Pages to ask for: a server may never end."""
MAX_LISTED: Final = 200
"""Prompts or resources to name in their description."""
OWN_NAMES: Final = frozenset({"ping", "initialize"})
"""Methods of the protocol itself whose names a tool could have."""
STRUCTURED: Final = "structuredContent"
"""The member of a result that the output schema is for."""
ENVELOPE: Final = {"content": {"type": "array", "items": {"type": "object"}}, "isError": {"type": "boolean"}}
OUT: Final = "output"
"""Prefix of output references with the name of an input reference."""


def tools(described: Collection[str]) -> Dialogue:  # noqa: ARG001 - it has a say of its own on every method
    """Ask for the tools page by page, then for prompts and resources."""
    answer = yield Question(PROTOCOL, "{}")
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    if not isinstance(answer.value, dict) or not isinstance(answer.value.get("tools"), list):
        return Listing(refusal="the response is not a list of tools" if answer.value else EMPTY)
    collected, reader = Collected(), ToolReader()
    shadowed: list[str] = []

    def take(tool: dict[str, Any]) -> None:
        name = tool.get("name")
        if isinstance(name, str) and ("/" in name or name in OWN_NAMES):
            shadowed.append(name_of(name))
        elif name := collected.take_name(name):
            collected.described[name] = reader.tool(tool)

    skipped = yield from _pages(PROTOCOL, "tools", answer, take)
    skipped += reader.room.left_out()
    if shadowed:
        names = line_of(", ".join(name for name in shadowed if name))
        skipped.append(f"tools with the name of an MCP method skipped: {names}. Call them with tools/call")
    for method, member, describe in (
        ("prompts/list", "prompts", _prompts),
        ("resources/list", "resources", _resources),
    ):
        entries: list[dict[str, Any]] = []
        answer = yield Question(method, "{}", aside=True)
        skipped += yield from _pages(method, member, answer, entries.append)
        name, found = describe(entries)
        if found and collected.take_name(name):
            collected.described[name] = found
    return collected.listing("", *skipped)


def _pages(
    method: str, member: str, answer: Answer, take: Callable[[dict[str, Any]], None]
) -> Generator[Question, Answer, list[str]]:
    """Take the entries of all pages; return sentences if that ended early."""
    cursors = set[str]()
    while not answer.refusal:
        page = dict_of(answer.value)
        for entry in list_of(page.get(member)):
            take(dict_of(entry))
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str) or not cursor or cursor in cursors:
            return []
        if len(cursors) == MAX_PAGES - 1:
            return [f"{method}: only the first {MAX_PAGES} pages were read"]
        cursors.add(cursor)
        answer = yield Question(method, f'{{"cursor":{spelled(cursor)}}}', aside=True)
    if answer.refusal.startswith(NOT_OFFERED) and not cursors:
        return []
    return [f"{method}: {answer.refusal}"]


class ToolReader:
    """Reads tools. Each tool has its own definitions."""

    def __init__(self) -> None:
        self.room = Room()

    def tool(self, tool: dict[str, Any]) -> Described:
        taken, given = tool.get("inputSchema"), tool.get("outputSchema")
        if not self.room.take([taken, given]):
            taken = given = None
        definitions = dict(Document(taken, room=self.room).definitions([taken]))
        of_output = Document(given, room=self.room).definitions([given])
        if not definitions.keys().isdisjoint(of_output):  # one reference may have two targets
            given = _apart(given)
            of_output = {f"{OUT}{name}": _apart(definition) for name, definition in of_output.items()}
        definitions |= of_output
        node = SchemaReader(definitions).node(taken)
        params = [
            DescribedParam(name, schema, name in node.required, _doc_of(schema))
            for name, schema in node.properties.items()
            if name_of(name) and isinstance(schema, dict | bool)
        ]
        notes = dict_of(tool.get("annotations"))
        read_only = notes.get("readOnlyHint")
        result: Any = UNSET
        if isinstance(given, dict):
            result = {"type": "object", "properties": {**ENVELOPE, STRUCTURED: given}}
        return Described(
            tuple(params),
            result,
            extra=node.additional is not False or len(params) < len(node.properties),
            draft=line_of(dict_of(taken).get("$schema")),
            protocol=PROTOCOL,
            definitions=definitions,
            by="name",
            safe=read_only if isinstance(read_only, bool) else None,
            **docs_of(tool.get("description"), tool.get("title"), notes.get("title")),
        )


def _apart(schema: Any) -> Any:
    """Return a schema of the output with references that no input has."""
    return with_references(schema, lambda reference: f"{OUT}{reference}")


def _doc_of(schema: Any) -> str:
    return text_of(dict_of(schema).get("description"))


def _prompts(prompts: list[dict[str, Any]]) -> tuple[str, Described | None]:
    shapes: dict[str, Any] = {}
    for prompt in prompts:
        name = name_of(prompt.get("name"))
        if name:
            shapes[name] = _arguments(name, prompt)
    arguments: dict[str, Any] = {"type": "object"}
    if len(shapes) == 1:
        (arguments,) = shapes.values()
    elif len(shapes) <= MAX_LISTED:
        arguments = {"anyOf": [*shapes.values()]}
    params = (
        DescribedParam("name", {"type": "string", "enum": [*shapes]}, True),
        DescribedParam("arguments", arguments, False),
    )
    doc = f"Gets a prompt of the server ({counted(len(shapes), 'prompt')})"
    return "prompts/get", _reading(doc, prompts, "name", params)


def _arguments(name: str, prompt: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a prompt as a schema; all of them are strings."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for entry in map(dict_of, list_of(prompt.get("arguments"))):
        param = name_of(entry.get("name"))
        if param:
            properties[param] = {"type": "string"}
            doc = _doc_of(entry)
            if doc:
                properties[param]["description"] = doc
            if entry.get("required") is True:
                required.append(param)
    schema = {"title": name, "type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


def _resources(resources: list[dict[str, Any]]) -> tuple[str, Described | None]:
    names = list(dict.fromkeys(name_of(entry.get("uri")) for entry in resources))
    names = [name for name in names if name]
    params = (DescribedParam("uri", {"type": "string", "examples": names[:MAX_LISTED]}, True),)
    doc = f"Reads a resource of the server ({counted(len(names), 'resource')})"
    return "resources/read", _reading(doc, resources, "uri", params)


UNKNOWN_ENTRY: Final = (DescribedError(-32602, "Invalid params"), DescribedError(-32002, "Resource not found"))
"""Errors that MCP itself declares for a prompt or a resource that the server does not have."""


def _reading(doc: str, entries: list[dict[str, Any]], key: str, params: tuple[DescribedParam, ...]) -> Described | None:
    """Return the method that reads all entries and lists their names, or None."""
    lines: dict[str, str] = {}
    for entry in entries:
        name = name_of(entry.get(key))
        if name and len(lines) < MAX_LISTED:
            words = docs_of(entry.get("description"), entry.get("title"))["doc"]
            lines[name] = f"{name}: {words}" if words else name
    if not lines:
        return None
    details = text_of("\n".join(lines.values()))
    return Described(params, errors=UNKNOWN_ENTRY, protocol=PROTOCOL, doc=doc, details=details, by="name", safe=True)
