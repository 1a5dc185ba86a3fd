"""Discovery of the methods that a service has."""

from __future__ import annotations
