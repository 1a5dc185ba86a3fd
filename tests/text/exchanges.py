"""Helpers: calls with fixed values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from rpcexplorer.model.exchange import Exchange, Outcome
from rpcexplorer.transport.port import NO_PHASES, Phases, Response

WHEN = datetime(2026, 11, 21, 10, 40, 12, tzinfo=UTC)


def exchange(
    outcome: Outcome, *, status: int | None = 200, body: bytes = b"", phases: Phases = NO_PHASES, **fields: Any
) -> Exchange:
    """Return an exchange of the method ``user.get`` by default."""
    response = Response(status, "OK", "HTTP/1.1", (), body, len(body)) if status else Response()
    response = replace(response, phases=phases)
    usual = {"method": "user.get", "params": '{"id": 42}', "seconds": 0.0341, "sent": 112, "response": response}
    known = {"id": "01jd4x9a2mk7c3q", "when": WHEN, "profile": "staging", "url": "https://rpc.example.com/api/v2/"}
    return Exchange(**{"kind": "call", "outcome": outcome, **known, **usual, **fields})
