"""The batch screen."""

from __future__ import annotations
