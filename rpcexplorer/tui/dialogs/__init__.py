"""Questions and lists that open over a screen."""

from __future__ import annotations
