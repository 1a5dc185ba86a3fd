"""Values that everybody shares. No I/O."""

from __future__ import annotations
