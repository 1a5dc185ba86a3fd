"""The screen. The only package that imports Textual."""

from __future__ import annotations
