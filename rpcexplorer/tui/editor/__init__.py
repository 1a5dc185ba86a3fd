"""The editor for JSON, as the params and a value of a form are written in it."""

from __future__ import annotations
