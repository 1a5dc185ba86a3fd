"""Import of calls from curl, HAR, Postman and JSON-RPC requests."""

from __future__ import annotations
