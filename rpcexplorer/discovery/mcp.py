"""Discovery of the tools, prompts and resources of MCP servers.

Each tool is listed as a method. Prompts and resources get one method each. A tool is called by its own name: the
client sends ``tools/call``, and the result is in its envelope. All questions are sent after the handshake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from functools import partial
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.openrpc import with_references
from rpcexplorer.discovery.questions import EMPTY, NOT_OFFERED, Answer, Dialogue, Question
from rpcexplorer.discovery.reader import (
    MAX_ENTRIES,
    MAX_METHOD_CHARACTERS,
    MAX_METHODS,
    MAX_TOTAL_CHARACTERS,
    Collected,
    docs_of,
    line_of,
    name_of,
    text_of,
)
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.problem import counted
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.schema.node import Definitions, SchemaReader, weight

PROTOCOL: Final = "tools/list"
MAX_PAGES: Final = 100
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
            shadowed.extend([name_of(name)] if len(shadowed) <= MAX_LISTED and name_of(name) else ())
        elif name := collected.take_name(name):
            collected.described[name] = reader.tool(tool)

    skipped = yield from _pages(PROTOCOL, "tools", answer, take)
    if reader.left_out:
        skipped.append(f"schemas of {counted(reader.left_out, 'tool')} skipped: too large to store")
    if shadowed:
        names = line_of(", ".join(shadowed))
        skipped.append(f"tools with the name of an MCP method skipped: {names}. Call them with tools/call")
    for method, member, describe in (
        ("prompts/list", "prompts", _prompts),
        ("resources/list", "resources", _resources),
    ):
        entries: list[dict[str, Any]] = []
        answer = yield Question(method, "{}", aside=True)
        skipped += yield from _pages(method, member, answer, partial(_keep, entries))
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
        page = answer.value if isinstance(answer.value, dict) else {}
        entries, cursor = page.get(member), page.get("nextCursor")
        for entry in entries if isinstance(entries, list) else ():
            take(entry if isinstance(entry, dict) else {})
        if not isinstance(cursor, str) or not cursor or cursor in cursors:
            return []
        if len(cursors) == MAX_PAGES - 1:
            return [f"{method}: only the first {MAX_PAGES} pages were read"]
        cursors.add(cursor)
        answer = yield Question(method, f'{{"cursor":{spelled(cursor)}}}', aside=True)
    return [] if answer.refusal.startswith(NOT_OFFERED) and not cursors else [f"{method}: {answer.refusal}"]


def _keep(entries: list[dict[str, Any]], entry: dict[str, Any]) -> None:
    if len(entries) < MAX_METHODS:
        entries.append(entry)


class ToolReader:
    """Reads tools, with their schemas while there is room.

    Each tool has its own definitions.
    """

    def __init__(self) -> None:
        self._room = MAX_TOTAL_CHARACTERS
        self.left_out = 0

    def tool(self, tool: dict[str, Any]) -> Described:
        taken, given = tool.get("inputSchema"), tool.get("outputSchema")
        limit = min(MAX_METHOD_CHARACTERS, self._room)
        size = weight([taken, given], limit)
        self._room -= min(size, limit)  # also of schemas that are dropped, because measuring them takes time
        if size > limit:
            self.left_out += 1
            taken = given = None
        into, out = Definitions(taken), Definitions(given)
        definitions = {**into.gather([taken])}
        if definitions.keys() & out.gather([given]).keys():  # one reference may have two targets
            apart = partial(with_references, redirect=lambda reference: f"{OUT}{reference}")
            given = apart(given)
            definitions |= {f"{OUT}{name}": apart(definition) for name, definition in out.found.items()}
        else:
            definitions |= out.found
        node = SchemaReader(into.found).node(taken)
        params = tuple(
            DescribedParam(name, schema, name in node.required, _doc_of(schema))
            for name, schema in [*node.properties.items()][:MAX_ENTRIES]
            if name_of(name) and isinstance(schema, dict | bool)
        )
        notes = tool.get("annotations")
        notes = notes if isinstance(notes, dict) else {}
        read_only = notes.get("readOnlyHint")
        return Described(
            params,
            {"type": "object", "properties": {**ENVELOPE, STRUCTURED: given}} if isinstance(given, dict) else UNSET,
            extra=node.additional is not False or len(params) < len(node.properties),
            draft=line_of(taken.get("$schema")) if isinstance(taken, dict) else "",
            protocol=PROTOCOL,
            definitions=definitions,
            by="name",
            safe=read_only if isinstance(read_only, bool) else None,
            **docs_of(tool.get("description"), tool.get("title"), notes.get("title")),
        )


def _doc_of(schema: Any) -> str:
    return text_of(schema.get("description")) if isinstance(schema, dict) else ""


def _prompts(prompts: list[dict[str, Any]]) -> tuple[str, Described | None]:
    shapes = {name: _arguments(name, prompt) for prompt in prompts if (name := name_of(prompt.get("name")))}
    arguments: dict[str, Any] = {"type": "object"}
    if len(shapes) == 1:
        (arguments,) = shapes.values()
    elif len(shapes) <= MAX_LISTED:
        arguments = {"anyOf": [*shapes.values()]}
    params = (
        DescribedParam("name", {"type": "string", "enum": [*shapes]}, True),
        DescribedParam("arguments", arguments, False),
    )
    return "prompts/get", _reading(
        f"Gets a prompt of the server ({counted(len(shapes), 'prompt')})", prompts, "name", params
    )


def _arguments(name: str, prompt: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a prompt as a schema; all of them are strings."""
    arguments = prompt.get("arguments")
    schema: dict[str, Any] = {"title": name, "type": "object", "properties": {}}
    for entry in arguments[:MAX_ENTRIES] if isinstance(arguments, list) else ():
        if isinstance(entry, dict) and (param := name_of(entry.get("name"))):
            doc = _doc_of(entry)
            schema["properties"][param] = {"type": "string", **({"description": doc} if doc else {})}
            if entry.get("required") is True:
                schema.setdefault("required", []).append(param)
    return schema


def _resources(resources: list[dict[str, Any]]) -> tuple[str, Described | None]:
    names = [name for entry in resources if (name := name_of(entry.get("uri")))]
    params = (DescribedParam("uri", {"type": "string", "examples": names[:MAX_LISTED]}, True),)
    count = len(dict.fromkeys(names))
    return "resources/read", _reading(
        f"Reads a resource of the server ({counted(count, 'resource')})", resources, "uri", params
    )


def _reading(doc: str, entries: list[dict[str, Any]], key: str, params: tuple[DescribedParam, ...]) -> Described | None:
    """Return the method that reads all entries and lists their names, or None."""
    lines: dict[str, str] = {}
    for entry in entries:
        if len(lines) < MAX_LISTED and (name := name_of(entry.get(key))):
            words = docs_of(entry.get("description"), entry.get("title"))["doc"]
            lines[name] = f"{name}: {words}" if words else name
    if not lines:
        return None
    details = text_of("\n".join(lines.values()))
    return Described(params, protocol=PROTOCOL, doc=doc, details=details, by="name", safe=True)
