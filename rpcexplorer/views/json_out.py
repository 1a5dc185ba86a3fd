"""Our own values as JSON text, for ``--json``."""

from __future__ import annotations

from typing import Any

import msgspec


def json_of(value: Any) -> bytes:
    return msgspec.json.encode(value)
