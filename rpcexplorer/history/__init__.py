"""Recorded calls: record, file, store, filter, statistics, case."""

from __future__ import annotations
