"""The differences between two JSON texts."""

from __future__ import annotations
