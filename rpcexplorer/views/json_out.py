"""Our own values as JSON text, for ``--json``; and what services said, in the midst of them."""

from __future__ import annotations

import json
from typing import Any

import msgspec


def json_of(value: Any) -> bytes:
    return msgspec.json.encode(value)


def raw_of(value: Any) -> msgspec.Raw:
    """A value that a service said, as a part of ours; null, where it has more levels than can be written."""
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except UnicodeEncodeError:  # half a character, which only an escape can spell
        return msgspec.Raw(json.dumps(value).encode())
    except RecursionError:
        return msgspec.Raw(b"null")
