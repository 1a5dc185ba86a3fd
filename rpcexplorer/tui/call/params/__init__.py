"""The params pane: an editor for JSON, what is wrong with it, and the request to come."""

from __future__ import annotations
