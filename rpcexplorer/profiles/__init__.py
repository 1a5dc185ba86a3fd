"""Profiles of sessions.toml: shape, loading, merging, presets, changes."""

from __future__ import annotations
