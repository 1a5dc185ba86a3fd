"""Calls that other programs have written down, as drafts: text in, calls out; nothing is read, run or sent for it."""

from __future__ import annotations
