"""The statistics screen."""

from __future__ import annotations
