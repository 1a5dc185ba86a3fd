"""A batch in words and rows: what each call is, and what came of it."""

from __future__ import annotations
