"""TOML files that people write: read with places, checked against a shape, edited in place."""

from __future__ import annotations
