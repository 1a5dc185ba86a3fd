"""Secrets in text, replaced by their references in every spelling."""

from __future__ import annotations
