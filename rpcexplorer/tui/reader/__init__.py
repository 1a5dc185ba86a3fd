"""A document on view, whoever shows it: pages, folds, search, and a list of objects as a table."""

from __future__ import annotations
