"""Command lines as shells take them apart. Nothing is run, and nothing is filled in."""

from __future__ import annotations
