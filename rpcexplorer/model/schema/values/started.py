"""What a value to start from is: by itself, as every start of the program has one, and few have one to make."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Started(Struct, frozen=True):
    """A value to start from."""

    value: Any
    why_not: str = ""
    """Why it is not yet right: which place a person has to fill, and what is wanted there. Empty where it is right."""
