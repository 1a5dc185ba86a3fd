"""A reply of any size as lines, folds and rows, decoded where somebody looks."""

from __future__ import annotations
