"""Measures that more than one part of the screen keeps to, in columns."""

from __future__ import annotations

from typing import Final

GUTTER: Final = 6
"""Left of the text, unless the numbers need more. The reply's text starts in the same column."""
AFTER_NUMBER: Final = 3
"""Of these, the ones between the number and the text."""
NARROW: Final = 100
"""Below it the methods fold away."""
