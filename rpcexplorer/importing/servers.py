"""Servers in the settings of another program: ``mcp.json`` and its kin become profiles.

Nothing in such a file is run, read or replaced: a reference such as ``${API_KEY}`` stands for a secret that the user
provides, or for a variable that the process inherits.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from rpcexplorer.importing.request import SECRETIVE
from rpcexplorer.importing.shell import Private
from rpcexplorer.model.problem import cut
from rpcexplorer.model.profile import PROCESS, TOKEN_MARK, scheme_of, split_address, typed_whole
from rpcexplorer.model.secret import PROFILE_NAME, Secret, is_secret_value, is_secret_variable
from rpcexplorer.patterns import regex

FORM: Final = "MCP servers"
MAX_SERVERS: Final = 100
"""Servers of one file. Each is written on its own."""
WORKSPACE: Final = "${workspaceFolder}"
URL_SCHEMES: Final = frozenset({"http", "https", "ws", "wss"})
OF_PRESET: Final = frozenset({"accept", "content-type"})
"""Headers that MCP prescribes."""
FOLDERS_OF_EDITORS: Final = frozenset({".vscode", ".cursor"})
_WITH_COMMENTS = regex(r'("(?:[^"\\]|\\.)*+"?)|//[^\n]*|/\*(?:.*?\*/|.*)', re.DOTALL)
"""Strings match first, so that ``//`` in a URL begins no comment."""
_TRAILING_COMMA = regex(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*[}\]])', re.DOTALL)
"""Strings match first, so that a comma in them stays."""
_REFERENCE = regex(r"\$\{(?:env:)?(?P<name>[^{}\r\n]*)\}|^\$(?P<bare>[A-Za-z_]\w*)$")
"""``${NAME}`` and ``${env:NAME}`` inside a text, ``$NAME`` only as the whole text."""


class WrittenServer(Private):
    """A server as another program wrote it."""

    type: str = ""
    command: str = ""
    args: list[str] = field(default_factory=list)
    env: dict[str, str | int | float | bool | None] = field(default_factory=dict)
    env_file: str = field(default="", name="envFile")
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict)


class ImportedServer(Private):
    """A profile for a server, or why there is none."""

    name: str
    """Its name in the file."""
    profile: str = ""
    """A name that a profile can have."""
    values: Mapping[str, Any] = {}
    """The keys of the profile, without secrets."""
    secrets: Mapping[str, Secret] = {}
    """The values in the file, by field."""
    missing: Mapping[str, str] = {}
    """The fields without a value in the file, each with the environment variable that the file names, if any."""
    notes: tuple[str, ...] = ()
    problem: str = ""


class ImportedServers(Struct, frozen=True):
    servers: tuple[ImportedServer, ...] = ()
    notes: tuple[str, ...] = ()


def read_servers(text: str, root: str) -> ImportedServers | None:
    """Return the servers in a text; None if it is of another format.

    ``root`` is the folder of the project that the text belongs to, from which its paths begin.
    """
    if '"mcpServers"' not in text and '"servers"' not in text:
        return None
    found = _table_of_servers(text)
    if isinstance(found, str):
        return ImportedServers(notes=(found,))
    if found is None:
        return None
    servers = tuple(_imported(name, written, root) for name, written in [*found.items()][:MAX_SERVERS])
    if len(found) > MAX_SERVERS:
        rest = f"Only the first {MAX_SERVERS} are imported."
        return ImportedServers(servers, (f"The file has {len(found):,} servers. {rest}",))
    return ImportedServers(servers, () if servers else ("The file has no servers.",))


def root_of(file: Path) -> Path:
    """Return the folder of the project that a file of servers belongs to."""
    folder = file.absolute().parent
    return folder.parent if folder.name in FOLDERS_OF_EDITORS else folder


def _table_of_servers(text: str) -> dict[str, Any] | str | None:
    """Return the servers by name, or what is wrong. The text is JSON, perhaps with comments and trailing commas."""
    plain = _WITH_COMMENTS.sub(lambda found: found[1] or "", text)
    plain = _TRAILING_COMMA.sub(lambda found: found[1] or "", plain)
    try:
        document = msgspec.json.decode(plain)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        is_of_calls = '"mcpServers"' not in text or '"jsonrpc"' in text
        return None if is_of_calls else "The file is not valid JSON."
    if not isinstance(document, dict) or "openrpc" in document:
        return None
    if "mcpServers" in document:
        found = document["mcpServers"]
        return found if isinstance(found, dict) else "mcpServers must be an object with a member for each server."
    found = document.get("servers")
    return found if isinstance(found, dict) else None


def _imported(name: str, written: Any, root: str) -> ImportedServer:
    profile = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-._")[:64]
    if not PROFILE_NAME.fullmatch(profile):
        return ImportedServer(name, problem="its name has no letters or digits. Rename it in the file")
    try:
        server = msgspec.convert(written, WrittenServer)
    except msgspec.ValidationError as error:
        member = str(error).partition("`$.")[2].rstrip("`")
        return ImportedServer(name, problem=f"{member or 'its entry'} has a value of the wrong type")
    if server.type.lower() == "sse":
        instead = "If the server has streamable HTTP, write its URL and type http"
        return ImportedServer(name, problem=f"rpcexplorer does not support the old transport HTTP+SSE. {instead}")
    if bool(server.command) == bool(server.url):
        return ImportedServer(name, problem="it must have either command or url")
    return _process(name, profile, server, root) if server.command else _over_http(name, profile, server)


def _process(name: str, profile: str, server: WrittenServer, root: str) -> ImportedServer:
    words = [word.replace(WORKSPACE, root) for word in (server.command, *server.args)]
    folder = server.cwd.replace(WORKSPACE, root)
    for text in (*words, folder):
        if reference := _REFERENCE.search(text):
            instead = "Write the value in the file, or add the profile with `rpcexplorer profiles add`"
            return ImportedServer(
                name, problem=f"{_shown(reference)} in command, args or cwd is not replaced. {instead}"
            )
    if "/" in words[0]:
        words[0] = _placed(root, words[0])
    environment: dict[str, str] = {}
    secrets: dict[str, Secret] = {}
    missing: dict[str, str] = {}
    for variable, value in server.env.items():
        if value is None:
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        reference = _REFERENCE.search(text.replace(WORKSPACE, root))
        if reference:
            source = _variable_of(reference)
            if source != variable or is_secret_variable(variable, ""):  # Others are inherited.
                missing[variable] = source
        elif not is_secret_variable(variable, text):
            environment[variable] = text.replace(WORKSPACE, root)
        elif text:
            secrets[variable] = Secret(text, f"import.{variable}")
        else:
            missing[variable] = ""
    values: dict[str, Any] = {"url": PROCESS, "preset": "mcp", "command": words}
    values |= {"folder": _placed(root, folder) if folder else "", "environment": environment}
    values["environment_secrets"] = [*secrets, *missing]
    notes = ("envFile is not read. Write its variables into `environment`",) if server.env_file else ()
    return ImportedServer(name, profile, _without_empty(values), secrets, missing, notes)


def _over_http(name: str, profile: str, server: WrittenServer) -> ImportedServer:
    if reference := _REFERENCE.search(server.url):
        return ImportedServer(name, problem=f"{_shown(reference)} in url is not replaced. Write the value in the file")
    if scheme_of(server.url) not in URL_SCHEMES:
        return ImportedServer(name, problem="its url must begin with http://, https://, ws:// or wss://")
    url, path = split_address(typed_whole(server.url))
    auth: dict[str, str] = {}
    headers: dict[str, str] = {}
    secrets: dict[str, Secret] = {}
    missing: dict[str, str] = {}
    notes = []
    for header, text in server.headers.items():
        reference = _REFERENCE.search(text)
        if not reference and not SECRETIVE.search(header) and not is_secret_value(text):
            if header.lower() not in OF_PRESET:
                headers[header] = text
            continue
        if auth:
            notes.append(f"header {cut(header)} was dropped: a profile sends one kind of credentials")
            continue
        auth, token = _auth_of(header, text)
        if reference := _REFERENCE.search(token):
            missing["token"] = _variable_of(reference)
        else:
            secrets["token"] = Secret(token, "import.token")
    values = {"url": url, "path": path, "preset": "mcp", "headers": headers, "auth": auth}
    return ImportedServer(name, profile, _without_empty(values), secrets, missing, tuple(notes))


def _auth_of(header: str, text: str) -> tuple[dict[str, str], str]:
    """Return the auth table for a header, and its token."""
    scheme, blank, token = text.strip().partition(" ")
    if header.lower() != "authorization" or not blank:
        return {"kind": "header", "header": header}, text
    if scheme.lower() == "bearer":
        return {"kind": "bearer"}, token.strip()
    return {"kind": "header", "header": header, "value": f"{scheme} {TOKEN_MARK}"}, token.strip()


def _shown(reference: re.Match[str]) -> str:
    """Return a reference without a default value, which may be a secret."""
    beginning, default, _ = reference[0].partition(":-")
    if default:
        beginning += "}"
    return cut(beginning)


def _variable_of(reference: re.Match[str]) -> str:
    """Return the environment variable that a text refers to, or nothing for an input or a part of a text."""
    name = (reference["name"] or reference["bare"] or "").partition(":-")[0]
    is_whole = reference[0] == reference.string
    return name if is_whole and ":" not in name else ""


def _placed(root: str, path: str) -> str:
    if root == "." or path.startswith("~"):
        return path
    return os.path.normpath(os.path.join(root, path))  # noqa: PTH118 - as files of profiles have it


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value or key == "path"}
