"""The response pane: the outcome, the body in each way of looking at it, and what is typed over it."""

from __future__ import annotations
