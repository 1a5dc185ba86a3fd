"""Export of a call in formats for other programs."""

from __future__ import annotations
