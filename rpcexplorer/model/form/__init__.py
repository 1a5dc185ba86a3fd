"""Params as a form: a row for each place that the text or the schema has, and what becomes of the text by a change."""

from __future__ import annotations
