"""Import of calls from other programs: curl, HAR, Postman, JSON-RPC requests."""

from __future__ import annotations
