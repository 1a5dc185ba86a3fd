"""secrets.toml, keyring, environment: looked up and bound to a destination."""

from __future__ import annotations
