"""What servers of the Model Context Protocol offer: their tools as methods, and prompts and resources behind two more.

A tool is called by its own name; the client puts that into ``tools/call``. All of it is asked after the handshake.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from functools import partial
from typing import Any, Final

from rpcexplorer.client.discovery.collecting import MOST_METHODS, Collected
from rpcexplorer.client.discovery.limits import KIND, first_line_of, line_of, name_of, text_of
from rpcexplorer.client.discovery.questions import EMPTY, NOT_OFFERED, Answered, Asking, Question
from rpcexplorer.client.discovery.schemas import Schemas, one_of
from rpcexplorer.model.draft import spelled
from rpcexplorer.model.methods.listing import Listing
from rpcexplorer.model.methods.method import Method, Parameter

Take = Callable[[dict[str, Any]], None]

DIALECT = "tools/list"
MOST_PAGES = 100
MOST_LISTED = 200
"""Prompts or resources that are named where they are described."""
OWN_NAMES: Final = frozenset({"ping", "initialize"})
"""Methods of the protocol itself whose names a tool could have."""


def tools(described: Collection[str]) -> Asking:  # noqa: ARG001 - it has a say of its own on every method
    """Page by page; then the prompts and resources, if there are any."""
    answer = yield Question(DIALECT, "{}")
    if answer.refusal:
        return Listing(refusal=answer.refusal)
    if not isinstance(answer.value, dict) or not isinstance(answer.value.get("tools"), list):
        return Listing(refusal="answered, but not with a list of tools" if answer.value else EMPTY)
    collected, shadowed = Collected(), list[str]()
    said = yield from _further(DIALECT, "tools", answer, lambda tool: _take(tool, collected, shadowed))
    if shadowed:
        named = line_of(", ".join(shadowed))
        said.append(f"only tools/call reaches what is named like a method of the protocol: {named}")
    prompts, resources = list[dict[str, Any]](), list[dict[str, Any]]()
    for method, member, entries in (("prompts/list", "prompts", prompts), ("resources/list", "resources", resources)):
        answer = yield Question(method, "{}", aside=True)
        said += yield from _further(method, member, answer, partial(_keep, entries))
    for made in (_prompts(prompts), _resources(resources)):
        if made and collected.room_for(made.name):
            collected.take(made)
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


def _take(tool: dict[str, Any], collected: Collected, shadowed: list[str]) -> None:
    name = tool.get("name")
    if isinstance(name, str) and ("/" in name or name in OWN_NAMES):
        if len(shadowed) <= MOST_LISTED and name_of(name):
            shadowed.append(name_of(name))
    elif room := collected.room_for(name):
        collected.take(_tool(room, tool, collected))


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


def _prompts(prompts: list[dict[str, Any]]) -> Method | None:
    named = _named(prompts, "name")
    if not named:
        return None
    parameters = (_choice("name", named), Parameter("arguments", False, "object"))
    return _reading("prompts/get", f"Gets one of {len(named):,} prompts", named, parameters)


def _resources(resources: list[dict[str, Any]]) -> Method | None:
    named = _named(resources, "uri")
    if not named:
        return None
    return _reading("resources/read", f"Reads one of {len(named):,} resources", named, (_choice("uri", named),))


def _named(entries: list[dict[str, Any]], key: str) -> dict[str, str]:
    """What there is, by name, each with what is said of it."""
    return {
        name: line_of(entry.get("title")) or first_line_of(entry.get("description"))
        for entry in entries
        if (name := name_of(entry.get(key)))
    }


def _choice(name: str, named: dict[str, str]) -> Parameter:
    return Parameter(name, True, line_of(one_of(list(named)), KIND), example=next(iter(named)))


def _reading(name: str, doc: str, named: dict[str, str], parameters: tuple[Parameter, ...]) -> Method:
    lines = [f"{each}: {said}" if said else each for each, said in list(named.items())[:MOST_LISTED]]
    return Method(
        name, doc, safe=True, source="discovered", parameters=parameters, by="name", details=text_of("\n".join(lines)),
        dialect=DIALECT,
    )  # fmt: skip
