"""JSON Schema: check, explain, complete, examples and forms."""

from __future__ import annotations
