"""What was typed for each method, sent or not; and what gave way to another call."""

from __future__ import annotations
