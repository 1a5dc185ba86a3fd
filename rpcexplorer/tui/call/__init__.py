"""The call screen and its panes."""

from __future__ import annotations
