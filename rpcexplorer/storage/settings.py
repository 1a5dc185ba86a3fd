"""``settings.toml``: read with a complaint for each thing that is wrong, changed one key at a time.

What the settings mean, and their defaults, is in model/settings.py.
"""

from __future__ import annotations

from typing import Any

from rpcexplorer.files.paths import Paths
from rpcexplorer.files.toml import KeyPath, TomlFile, read_toml, split_dotted
from rpcexplorer.files.toml_edit import edit
from rpcexplorer.files.toml_shape import (
    Each,
    TableRule,
    beside,
    choice,
    file_name,
    flag,
    read_shape,
    size,
    text,
    version,
)
from rpcexplorer.model.problem import Complaint
from rpcexplorer.model.settings import HistorySettings, Settings

SHAPE = TableRule(
    "settings.toml",
    {
        "version": version,
        "theme": file_name,
        "keymap": Each("commands and their keys", text),
        "history": TableRule("history", {"record": flag, "folder": beside, "body_limit": size(0)}),
        "secrets": TableRule("secrets", {"store": choice("file", "keyring")}),
        "reply": TableRule("reply", {"limit": size(1)}),
    },
)


def load_settings(paths: Paths) -> tuple[Settings, list[Complaint]]:
    """Read the settings; what is wrong or missing has its default."""
    file = read_toml(paths.settings)
    if not isinstance(file, TomlFile):
        return Settings(), [file] if file else []
    reading = read_shape(SHAPE, file)
    other: dict[str, Any] = {}
    if store := reading.values("secrets").get("store"):
        other["secret_store"] = store
    if limit := reading.values("reply").get("limit"):
        other["reply_limit"] = limit
    settings = Settings(
        theme=reading.values().get("theme", ""),
        keymap=reading.values("keymap"),
        history=HistorySettings(**reading.values("history")),
        **other,
    )
    return settings, [complaint for _, complaint in reading.complaints]


def save_setting(paths: Paths, key: str | KeyPath, value: Any) -> Complaint | None:
    """Set one key, or unset it with None; the rest of the file stays as it is."""
    path = split_dotted(key) if isinstance(key, str) else key
    return edit(paths.settings, paths.state, SHAPE, [(path, value)])
