"""What servers of the Model Context Protocol offer: their tools as methods, and prompts and resources behind two more.

A tool is called by its own name; the client puts that into ``tools/call``, and the result is in its envelope. All
of it is asked after the handshake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from functools import partial
from typing import Any, Final

from msgspec import UNSET

from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.openrpc import with_references
from rpcexplorer.discovery.questions import EMPTY, NOT_OFFERED, Answered, Asking, Question
from rpcexplorer.discovery.reader import (
    MOST,
    MOST_HELD,
    MOST_METHODS,
    MOST_OF_ALL,
    Collected,
    docs_of,
    line_of,
    name_of,
    text_of,
)
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.rpc.messages import spelled
from rpcexplorer.schema.node import Definitions, SchemaReader, weight

DIALECT: Final = "tools/list"
MOST_PAGES: Final = 100
MOST_LISTED: Final = 200
"""Prompts or resources that are named in their description."""
OWN_NAMES: Final = frozenset({"ping", "initialize"})
"""Methods of the protocol itself whose names a tool could have."""
STRUCTURED: Final = "structuredContent"
"""The member of a result that the output schema is for."""
ENVELOPE: Final = {"content": {"type": "array", "items": {"type": "object"}}, "isError": {"type": "boolean"}}
OUT: Final = "output"
"""Prefix of references of an output that would be taken for those of the input."""


def tools(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
    """Ask page by page; then for the prompts and resources, if there are any."""
    answer = yield Question(DIALECT, "{}")
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    if not isinstance(answer.value, dict) or not isinstance(answer.value.get("tools"), list):
        return Listing(refusal="answered, but not with a list of tools" if answer.value else EMPTY)
    collected, reader = Collected(), ToolReader()
    shadowed: list[str] = []

    def take(tool: dict[str, Any]) -> None:
        name = tool.get("name")
        if isinstance(name, str) and ("/" in name or name in OWN_NAMES):
            shadowed.extend([name_of(name)] if len(shadowed) <= MOST_LISTED and name_of(name) else ())
        elif name := collected.room_for(name):
            collected.described[name] = reader.tool(tool)

    skipped = yield from _pages(DIALECT, "tools", answer, take)
    if reader.left_out:
        skipped.append(f"schemas of {reader.left_out:,} tools skipped: more than can be stored")
    if shadowed:
        names = line_of(", ".join(shadowed))
        skipped.append(f"only tools/call reaches what is named like a method of the protocol: {names}")
    for method, member, describe in (
        ("prompts/list", "prompts", _prompts),
        ("resources/list", "resources", _resources),
    ):
        entries: list[dict[str, Any]] = []
        answer = yield Question(method, "{}", aside=True)
        skipped += yield from _pages(method, member, answer, partial(_keep, entries))
        name, found = describe(entries)
        if found and collected.room_for(name):
            collected.described[name] = found
    return collected.listing("", *skipped)


def _pages(
    method: str, member: str, answer: Answered, take: Callable[[dict[str, Any]], None]
) -> Generator[Question, Answered, list[str]]:
    """Take the entries of the first page and of all that follow; return a sentence if that ended early."""
    cursors = set[str]()
    while not answer.refusal:
        page = answer.value if isinstance(answer.value, dict) else {}
        entries, cursor = page.get(member), page.get("nextCursor")
        for entry in entries if isinstance(entries, list) else ():
            take(entry if isinstance(entry, dict) else {})
        if not isinstance(cursor, str) or not cursor or cursor in cursors:
            return []
        if len(cursors) == MOST_PAGES - 1:
            return [f"{method}: only the first {MOST_PAGES} pages were read"]
        cursors.add(cursor)
        answer = yield Question(method, f'{{"cursor":{spelled(cursor)}}}', aside=True)
    return [] if answer.refusal.startswith(NOT_OFFERED) and not cursors else [f"{method}: {answer.refusal}"]


def _keep(entries: list[dict[str, Any]], entry: dict[str, Any]) -> None:
    if len(entries) < MOST_METHODS:
        entries.append(entry)


class ToolReader:
    """Reads tools, with their schemas as long as there is room. Each has definitions of its own inside."""

    def __init__(self) -> None:
        self._room = MOST_OF_ALL
        self.left_out = 0

    def tool(self, tool: dict[str, Any]) -> Described:
        taken, given = tool.get("inputSchema"), tool.get("outputSchema")
        limit = min(MOST_HELD, self._room)
        size = weight([taken, given], limit)
        self._room -= min(size, limit)  # also of what is not kept, for looking at it takes time
        if size > limit:
            self.left_out += 1
            taken = given = None
        into, out = Definitions(taken), Definitions(given)
        definitions = {**into.gather([taken])}
        if definitions.keys() & out.gather([given]).keys():  # one reference may mean two things
            apart = partial(with_references, led=lambda reference: f"{OUT}{reference}")
            given = apart(given)
            definitions |= {f"{OUT}{name}": apart(each) for name, each in out.found.items()}
        else:
            definitions |= out.found
        node = SchemaReader(into.found).node(taken)
        params = tuple(
            DescribedParam(name, schema, name in node.required, _doc_of(schema))
            for name, schema in [*node.properties.items()][:MOST]
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
            dialect=DIALECT,
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
    elif len(shapes) <= MOST_LISTED:
        arguments = {"anyOf": [*shapes.values()]}
    params = (
        DescribedParam("name", {"type": "string", "enum": [*shapes]}, True),
        DescribedParam("arguments", arguments, False),
    )
    return "prompts/get", _reading(f"Gets one of {len(shapes):,} prompts", prompts, "name", params)


def _arguments(name: str, prompt: dict[str, Any]) -> dict[str, Any]:
    """Return what a prompt takes, as a schema: text, whatever it is."""
    arguments = prompt.get("arguments")
    schema: dict[str, Any] = {"title": name, "type": "object", "properties": {}}
    for entry in arguments[:MOST] if isinstance(arguments, list) else ():
        if isinstance(entry, dict) and (param := name_of(entry.get("name"))):
            doc = _doc_of(entry)
            schema["properties"][param] = {"type": "string", **({"description": doc} if doc else {})}
            if entry.get("required") is True:
                schema.setdefault("required", []).append(param)
    return schema


def _resources(resources: list[dict[str, Any]]) -> tuple[str, Described | None]:
    names = [name for entry in resources if (name := name_of(entry.get("uri")))]
    params = (DescribedParam("uri", {"type": "string", "examples": names[:MOST_LISTED]}, True),)
    count = len(dict.fromkeys(names))
    return "resources/read", _reading(f"Reads one of {count:,} resources", resources, "uri", params)


def _reading(doc: str, entries: list[dict[str, Any]], key: str, params: tuple[DescribedParam, ...]) -> Described | None:
    """Return the method that all entries are behind, which names them; None without any."""
    lines: dict[str, str] = {}
    for entry in entries:
        if len(lines) < MOST_LISTED and (name := name_of(entry.get(key))):
            words = docs_of(entry.get("description"), entry.get("title"))["doc"]
            lines[name] = f"{name}: {words}" if words else name
    if not lines:
        return None
    details = text_of("\n".join(lines.values()))
    return Described(params, dialect=DIALECT, doc=doc, details=details, by="name", safe=True)
