"""Finding a value in text, however it is spelled there."""

from __future__ import annotations
