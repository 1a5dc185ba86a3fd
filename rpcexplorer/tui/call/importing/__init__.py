"""Calls of other programs on their way into the editor: pasted ones taken apart, those of a file."""

from __future__ import annotations
