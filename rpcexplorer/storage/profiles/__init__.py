"""The profiles of this run: the files they come from, what those may hold, and changes to them."""

from __future__ import annotations
