"""Secrets in text: found in every spelling and replaced by their references."""

from __future__ import annotations
