"""A call as something to paste elsewhere."""

from __future__ import annotations
