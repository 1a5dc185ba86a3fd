"""sessions.toml: shape, loading and merging, presets, editing."""

from __future__ import annotations
