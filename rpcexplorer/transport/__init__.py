"""From bytes to bytes: the port, and HTTP behind it."""

from __future__ import annotations
