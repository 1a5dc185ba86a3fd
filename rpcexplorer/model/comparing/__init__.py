"""Two replies compared: what differs and where, exact to the letter. How it is shown is for `views/comparing/`."""

from __future__ import annotations

__all__ = [
    "ComparedPlace",
    "ComparedVerdict",
    "Comparison",
    "Difference",
    "DifferenceKind",
    "PassedOver",
    "compared",
    "compared_texts",
]
