"""JSON as text, exact to the letter. Imports nothing of ours."""

from __future__ import annotations
