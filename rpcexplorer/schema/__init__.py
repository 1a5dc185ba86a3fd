"""JSON Schema: node, check, explain, complete, example, form."""

from __future__ import annotations
