"""Calls from other programs: curl, HAR, Postman, envelopes."""

from __future__ import annotations
