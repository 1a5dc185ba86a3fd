"""Saved calls on screen: to keep one, to replace and remove it, and to give what is left open in one."""

from __future__ import annotations
