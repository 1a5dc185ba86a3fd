"""Readers of service descriptions other than OpenRPC."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from rpcexplorer.client.agent_card import AgentCard, read_agent_card
from rpcexplorer.discovery.methods import Listing
from rpcexplorer.discovery.openrpc import named_entries, read_openrpc
from rpcexplorer.discovery.questions import EMPTY, NOT_OFFERED, Dialogue, DiscoveryProtocol, Question, one_question
from rpcexplorer.discovery.reader import (
    KIND,
    Collected,
    MethodReader,
    dict_of,
    docs_of,
    line_of,
    list_of,
    name_of,
    text_of,
    title_of,
)
from rpcexplorer.model.method import Described, DescribedParam
from rpcexplorer.model.profile import Profile, split_socket
from rpcexplorer.rpc.messages import decoded


def read_service(value: Any, protocol: str) -> Listing:
    """Read a description in the format of JSON-RPC 1.1 or flask-jsonrpc."""
    if not value:
        return Listing(refusal=EMPTY)
    about = dict_of(value)
    entries = about.get("procs", about.get("methods"))
    if not isinstance(entries, dict | list):
        return Listing(refusal="the response is not a service description with procs or methods")
    collected, reader = Collected(), MethodReader(value, protocol, is_inline=True, default_required=None)
    for own_name, entry in named_entries(entries):
        described = entry if isinstance(entry, dict) else {"name": own_name or entry}
        name = collected.take_name(described.get("name") or own_name)
        if name:
            docs = docs_of(described.get("description", described.get("help")), described.get("summary"))
            is_safe = True if described.get("idempotent") is True else None
            collected.described[name] = reader.method(described, safe=is_safe, **docs)
    title = title_of(value, "name")
    return collected.listing(f'"{title}"' if title else "", *reader.document.room.left_out())


system_describe = one_question(Question("system.describe"), partial(read_service, protocol="system.describe"))
rpc_describe = one_question(Question("rpc.describe"), partial(read_service, protocol="rpc.describe"))
KODI_PROTOCOL: Final = "JSONRPC.Introspect"
READ_PERMISSION: Final = "ReadData"
"""The permission of methods that change nothing."""


def read_introspection(value: Any, protocol: str = KODI_PROTOCOL) -> Listing:
    """Read the result of Kodi's ``JSONRPC.Introspect``."""
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not isinstance(value.get("methods"), dict):
        return Listing(refusal="the response is not a method list like Kodi's")
    collected, reader = Collected(), MethodReader(value, protocol, types=value.get("types"), is_inline=True)
    for member, found in (("methods", collected.described), ("notifications", collected.events)):
        for own_name, given in dict_of(value.get(member)).items():
            name = collected.take_name(own_name, found)
            if name:
                entry = dict_of(given)
                permission = entry.get("permission")
                is_safe = permission == READ_PERMISSION if isinstance(permission, str) else None
                found[name] = reader.method(entry, safe=is_safe, **docs_of(entry.get("description")))
    title, about = line_of(value.get("description"), KIND), line_of(value.get("version"), 20)
    if title:
        about = f'"{title}" {about}'.strip()
    return collected.listing(about, *reader.document.room.left_out())


introspect = one_question(Question(KODI_PROTOCOL, "[true,true]"), read_introspection)
"""Asks for descriptions and permissions.

An array, because other servers may reject any object.
"""
MOPIDY_PROTOCOL: Final = "core.describe"


def read_description(value: Any) -> Listing:
    """Read the Python params and docstrings of Mopidy's ``core.describe``."""
    if not value:
        return Listing(refusal=EMPTY)
    if not isinstance(value, dict) or not all(isinstance(entry, dict) for entry in value.values()):
        return Listing(refusal="the response is not a method list like Mopidy's")
    collected = Collected()
    for own_name, entry in value.items():
        name = collected.take_name(own_name)
        if name:
            params = [dict_of(param) for param in list_of(entry.get("params"))]
            takes_many = any(True in (param.get("varargs"), param.get("kwargs")) for param in params)
            collected.described[name] = Described(
                tuple(map(_python_param, params)),
                extra=takes_many or not isinstance(entry.get("params"), list),
                protocol=MOPIDY_PROTOCOL,
                deprecated=".. deprecated::" in text_of(entry.get("description")),
                **docs_of(entry.get("description")),
            )
    return collected.listing()


def _python_param(param: dict[str, Any]) -> DescribedParam:
    if "default" in param:
        return DescribedParam(name_of(param.get("name")), {"default": param["default"]}, False)
    is_required = True not in (param.get("varargs"), param.get("kwargs"))
    return DescribedParam(name_of(param.get("name")), required=is_required)


describe = one_question(Question(MOPIDY_PROTOCOL), read_description)
DOCUMENT_NAME: Final = "openrpc.json"
"""The usual name of a document that describes a service."""


def read_document(value: Any, name: str) -> Listing:
    """Read a description in any known format, or one in a whole response."""
    if isinstance(value, dict) and "methods" not in value and isinstance(value.get("result"), dict):
        value = value["result"]
    if isinstance(value, dict) and "openrpc" not in value:
        if "procs" in value or "sdversion" in value:
            return read_service(value, name)
        if isinstance(value.get("types"), dict):
            return read_introspection(value, name)
    return read_openrpc(value, name)


_A2A: Final = Path(__file__).parents[1] / "presets" / "a2a.json"
"""The methods of A2A with their schemas, which no agent card contains."""
_WITH_SKILLS: Final = ("SendMessage", "SendStreamingMessage")
MAX_SKILLS: Final = 20
"""Skills, and examples of each, to describe."""


def read_agent(card: AgentCard, name: str, endpoint: str) -> Listing:
    """Return the methods of A2A. The agent and its skills are the details of those that send a message."""
    listing = read_openrpc(decoded(_A2A.read_bytes()), name)
    lines = [line_of(card.name), "", text_of(card.description)]
    for skill in card.skills[:MAX_SKILLS]:
        lines += ["", f"{line_of(skill.name)}: {line_of(skill.description)}"]
        lines += [f"- {line_of(example)}" for example in skill.examples[:MAX_SKILLS]]
    details, described = text_of("\n".join(lines)), dict(listing.described)
    for method in _WITH_SKILLS:
        described[method] = replace(described[method], details=details)
    problem = card.about_addresses(endpoint)
    return replace(listing, described=described, about=line_of(card.title), skipped=(problem,) if problem else ())


def at_path(path: str, *, endpoint: str = "", guess: bool = False) -> DiscoveryProtocol:
    """Return the protocol that reads the document at a path of the service.

    With ``guess``, the document may be missing. ``endpoint``: the address of the calls, which an agent card may differ
    from.
    """

    def ask(described: Collection[str]) -> Dialogue:  # noqa: ARG001 - it has a say of its own on every method
        answer = yield Question(path, document=True, guess=guess)
        listing = Listing(refusal=answer.refusal)
        if not answer.refusal and (card := read_agent_card(answer.value)):
            listing = read_agent(card, path, endpoint)
        elif not answer.refusal:
            listing = read_document(answer.value, path)
        if guess and listing.refusal and not listing.refusal.startswith(NOT_OFFERED):
            return Listing(refusal=f"{NOT_OFFERED} ({listing.refusal.rstrip('.')})")
        return listing

    return DiscoveryProtocol(f"GET {path}", ask)


def paths_to_try(profile: Profile) -> list[str]:
    """Return the usual paths of a document.

    They are below the endpoint, next to it, and at the origin.
    """
    address = urlsplit(split_socket(profile.endpoint)[1])
    if address.scheme not in {"http", "https"}:
        return []
    inside, siblings = address.path.rstrip("/"), address.path.rpartition("/")[0].rstrip("/")
    paths = dict.fromkeys(f"{folder}/{DOCUMENT_NAME}" for folder in (inside, siblings, ""))
    return [path for path in paths if "{" not in path]
