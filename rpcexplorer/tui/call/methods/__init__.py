"""The left column of the call screen: the methods, and the newest calls."""

from __future__ import annotations
