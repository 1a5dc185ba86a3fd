"""The methods that the demo offers, and the table of them."""

from __future__ import annotations
