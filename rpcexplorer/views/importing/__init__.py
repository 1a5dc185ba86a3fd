"""What was found in a text from another program, as people and programs read it."""

from __future__ import annotations
