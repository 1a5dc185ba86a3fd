"""Secrets of profiles: where they are kept, which route each may go, and files that hold one by mistake."""

from __future__ import annotations
