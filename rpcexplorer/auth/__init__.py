"""The auth types and their list, without I/O."""

from __future__ import annotations
