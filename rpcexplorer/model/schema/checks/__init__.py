"""What a text is checked by, what a check has found, in words, and what mends it."""

from __future__ import annotations
