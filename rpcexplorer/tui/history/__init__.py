"""The history screen."""

from __future__ import annotations
