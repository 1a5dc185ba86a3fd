"""JSON Schema as services write it: what a method takes and gives, as an editor, a form and a checker need it."""

from __future__ import annotations
