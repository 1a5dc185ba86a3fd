"""Imported calls in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Raw

from rpcexplorer.importing.request import Imported, ImportedCall, Skipped
from rpcexplorer.importing.servers import FORM, ImportedServer, ImportedServers
from rpcexplorer.model.problem import joined_words
from rpcexplorer.model.profile import PROCESS, joined
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.redactor import Redactor
from rpcexplorer.text.printable import fitted, printable

PARAMS: Final = 48
METHOD: Final = 24
NUMBERS: Final = 6


def hiding(calls: Iterable[ImportedCall]) -> Redactor:
    """Return a redactor for the credentials of imported calls."""
    secrets = {}
    for call in calls:
        for credential in call.credentials:
            secrets[credential.secret.reveal()] = credential.secret
    return Redactor(secrets.values(), guesses=True)


def call_line(call: ImportedCall, hide: Redactor) -> str:
    """Return method, params, URL and credential fields on one line."""
    marks = []
    if call.notification:
        marks.append("notification")
    if call.in_batch:
        marks.append("in a batch")
    if call.times > 1:
        marks.append(f"{call.times} times")
    params = " ".join(hide.text(call.params).split())
    fields = dict.fromkeys(credential.field for credential in call.credentials)
    parts = [fitted(call.method, METHOD), fitted(params, PARAMS), printable(redacted_address(call.address))]
    parts += [", ".join(marks), ", ".join(fields)]
    return "  ".join(part for part in parts if part).rstrip()


def skipped_lines(skipped: Sequence[Skipped]) -> Iterator[str]:
    reasons: dict[str, list[int]] = {}
    for request in skipped:
        reasons.setdefault(request.why, []).append(request.number)
    for why, numbers in reasons.items():
        noun = "request" if len(numbers) == 1 else "requests"
        yield f"{noun} {joined_words(map(str, numbers), NUMBERS)} skipped: {why}"


def note_lines(calls: Sequence[ImportedCall]) -> Iterator[str]:
    notes: dict[str, list[str]] = {}
    for call in calls:
        for note in call.notes:
            notes.setdefault(note, []).append(call.method)
    for note, methods in notes.items():
        yield f"{joined_words(dict.fromkeys(methods), 3)}: {note}"


def other_addresses(calls: Iterable[ImportedCall], endpoint: str) -> str:
    """Return a few URLs other than ``endpoint``; empty if there are none."""
    addresses = dict.fromkeys(call.address.partition("?")[0] for call in calls if call.address)
    addresses.pop(endpoint, None)
    return joined_words((printable(redacted_address(url)) for url in addresses), 3)


def as_values(found: Imported) -> Mapping[str, Any]:
    """Return everything for a program; params keep their spelling."""
    hide = hiding(found.calls)
    return {
        "form": found.form,
        "calls": [_call_values(call, hide) for call in found.calls],
        "skipped": [{"request": request.number, "why": request.why} for request in found.skipped],
        "notes": found.notes,
    }


def server_rows(server: ImportedServer) -> list[tuple[str, str]]:
    """Return what would be written of a server, and its secrets without their values."""
    values = dict(server.values)
    url, path = values.pop("url"), values.pop("path", "")
    rows = [("url", joined(url, path))] if url != PROCESS else []
    for key, value in values.items():
        if isinstance(value, Mapping):
            rows += [(f"{key}.{name}", inner) for name, inner in value.items()]
        elif key == "command":
            rows.append((key, shlex.join(value)))
        elif isinstance(value, str):
            rows.append((key, value))
    rows += [(f"secret {field}", "in the file, not shown") for field in server.secrets]
    for field, variable in server.missing.items():
        rows.append((f"secret {field}", f"refers to {variable}" if variable else "not in the file"))
    hide = Redactor(server.secrets.values(), guesses=True)
    return [(printable(key), printable(hide.text(value))) for key, value in rows]


def server_line(server: ImportedServer) -> str:
    """Return the rows of a server as one text, which begins with its command or URL."""
    rows = dict(server_rows(server))
    start = rows.pop("command", "") or rows.pop("url", "")
    parts = [f"{key} {value}" for key, value in rows.items() if key != "preset"]
    return ", ".join([start, *parts])


def servers_as_values(found: ImportedServers, problems: Mapping[str, str]) -> Mapping[str, Any]:
    """Return everything for a program, but no secret."""
    servers = []
    for server in found.servers:
        problem = problems[server.name]
        rows = {} if problem else dict(server_rows(server))
        servers.append(
            {"server": server.name, "profile": server.profile, "keys": rows, "notes": server.notes, "problem": problem}
        )
    return {"form": FORM, "servers": servers, "notes": found.notes}


def _call_values(call: ImportedCall, hide: Redactor) -> Mapping[str, Any]:
    params = Raw(hide.text(call.params).encode("utf-8", "surrogatepass")) if call.params else None
    return {
        "request": call.number,
        "method": call.method,
        "params": params,
        "address": redacted_address(call.address),
        "notification": call.notification,
        "batch": call.in_batch,
        "name": call.name,
        "times": call.times,
        "credentials": [{"field": found.field, "place": found.place} for found in call.credentials],
        "notes": call.notes,
    }
