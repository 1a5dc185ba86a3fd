"""What many calls have in common, as text."""

from __future__ import annotations
