"""The history of calls: a folder of TOML files that grow at their end."""

from __future__ import annotations
