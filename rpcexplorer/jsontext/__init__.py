"""JSON as text, exact to the character. Imports no other package of ours."""

from __future__ import annotations
