"""Replies compared, and calls sent once more to compare what comes of them."""

from __future__ import annotations
