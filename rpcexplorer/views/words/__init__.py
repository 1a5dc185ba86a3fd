"""Values of the model in words and lines, for both fronts."""

from __future__ import annotations
