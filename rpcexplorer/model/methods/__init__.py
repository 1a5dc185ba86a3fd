"""Methods: what is known of each, what a discovery brings, and all of them in one list."""

from __future__ import annotations
