"""A call from draft to exchange. No files."""

from __future__ import annotations
