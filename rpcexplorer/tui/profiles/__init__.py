"""The profiles screen, and the form of a profile."""

from __future__ import annotations
