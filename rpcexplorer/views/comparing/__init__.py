"""A comparison as words and lines, for both fronts. What differs is found in `model/comparing/`."""

from __future__ import annotations

__all__ = ["ComparedLine", "LineKind", "compared_lines", "summary"]
