"""What is asked of a history, and what can be said of many calls at once."""

from __future__ import annotations
