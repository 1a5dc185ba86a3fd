"""Widgets. A widget does not know its screen."""

from __future__ import annotations
