"""What was found in a text from another program, for a program. No credential is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Raw

from rpcexplorer.importing.request import Imported
from rpcexplorer.redaction.addresses import redacted_address
from rpcexplorer.views.importing.lines import hiding


def as_values(found: Imported) -> Mapping[str, Any]:
    """All of it for a program; params in the spelling that they have."""
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
                "credentials": [{"field": each.field, "place": each.place} for each in call.credentials],
                "notes": call.notes,
            }
            for call in found.calls
        ],
        "skipped": [{"request": each.number, "why": each.why} for each in found.skipped],
        "notes": found.notes,
    }
