"""Calls from draft to exchange, without files."""

from __future__ import annotations
