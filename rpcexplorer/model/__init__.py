"""Values that all packages share. No I/O."""

from __future__ import annotations
