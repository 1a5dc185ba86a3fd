"""Secrets from file, keyring and environment, each bound to a destination."""

from __future__ import annotations
