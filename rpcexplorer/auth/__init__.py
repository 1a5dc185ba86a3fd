"""The auth types and their registry. No I/O."""

from __future__ import annotations
