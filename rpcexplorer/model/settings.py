"""Settings of one person: theme, keymap, history, secrets, limits. Values and their defaults; the file is storage's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

MIB = 1024 * 1024


class HistorySettings(Struct, frozen=True):
    record: bool = True
    folder: str | None = None
    """None: ``history/`` in the state folder."""
    body_limit: int = MIB
    """Bytes of a reply that are recorded; longer ones are cut and marked with their true size."""


class Settings(Struct, frozen=True):
    theme: str = ""
    """Empty: the default theme."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Command id -> keys, comma-separated."""
    history: HistorySettings = HistorySettings()
    secret_store: Literal["file", "keyring"] = "file"  # noqa: S105 - where, not what
    reply_limit: int = 256 * MIB
    """Bytes of a reply that are taken in at all; the rest is left on the wire."""
