"""Values beside a schema: whether one fits, the smallest that does, and which schema holds at a place of another."""

from __future__ import annotations
