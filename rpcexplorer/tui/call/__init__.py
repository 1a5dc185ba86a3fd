"""The call screen: choose a method, edit its params, send, read the response."""

from __future__ import annotations
