"""The difference of two JSON texts."""

from __future__ import annotations
