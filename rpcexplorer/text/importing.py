"""Imported calls in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Raw

from rpcexplorer.importing.request import Imported, ImportedCall, Skipped
from rpcexplorer.model.problem import joined_words
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.redaction.redactor import Redactor
from rpcexplorer.text.printable import fitted, printable

PARAMS: Final = 48
METHOD: Final = 24
NUMBERS: Final = 6


def hiding(calls: Iterable[ImportedCall]) -> Redactor:
    """Return a redactor for the credentials of imported calls."""
    return Redactor(
        {found.secret.reveal(): found.secret for call in calls for found in call.credentials}.values(), guesses=True
    )


def call_line(call: ImportedCall, hide: Redactor) -> str:
    """Return method, params, URL and credential fields on one line."""
    fields = dict.fromkeys(credential.field for credential in call.credentials)
    marks = ["notification"] * call.notification + ["in a batch"] * call.in_batch
    more = [*marks, f"{call.times} times"] if call.times > 1 else marks
    parts = [fitted(call.method, METHOD), fitted(" ".join(hide.text(call.params).split()), PARAMS)]
    parts += [printable(redacted_address(call.address)), ", ".join(more), ", ".join(fields)]
    return "  ".join(filter(None, parts)).rstrip()


def skipped_lines(skipped: Sequence[Skipped]) -> Iterator[str]:
    reasons: dict[str, list[int]] = {}
    for request in skipped:
        reasons.setdefault(request.why, []).append(request.number)
    for why, numbers in reasons.items():
        yield f"request{'s' * (len(numbers) > 1)} {joined_words(map(str, numbers), NUMBERS)} skipped: {why}"


def note_lines(calls: Sequence[ImportedCall]) -> Iterator[str]:
    notes: dict[str, list[str]] = {}
    for call in calls:
        for note in call.notes:
            notes.setdefault(note, []).append(call.method)
    for note, methods in notes.items():
        yield f"{joined_words(dict.fromkeys(methods), 3)}: {note}"


def other_addresses(calls: Iterable[ImportedCall], endpoint: str) -> str:
    """Return a few URLs other than ``endpoint``; empty if there are none."""
    others = {call.address.partition("?")[0]: None for call in calls if call.address}
    return joined_words((printable(redacted_address(url)) for url in others if url != endpoint), 3)


def as_values(found: Imported) -> Mapping[str, Any]:
    """Return everything for a program; params keep their spelling."""
    hide = hiding(found.calls)
    return {
        "form": found.form,
        "calls": [
            {
                "request": call.number,
                "method": call.method,
                "params": Raw(hide.text(call.params).encode("utf-8", "surrogatepass")) if call.params else None,
                "address": redacted_address(call.address),
                "notification": call.notification,
                "batch": call.in_batch,
                "name": call.name,
                "times": call.times,
                "credentials": [{"field": found.field, "place": found.place} for found in call.credentials],
                "notes": call.notes,
            }
            for call in found.calls
        ],
        "skipped": [{"request": request.number, "why": request.why} for request in found.skipped],
        "notes": found.notes,
    }
