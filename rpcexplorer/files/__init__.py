"""Paths, safe reading and writing, private files, TOML read and edited."""

from __future__ import annotations
