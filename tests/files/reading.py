"""The number of bytes that are read from files."""

from __future__ import annotations

import os

import pytest


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the sizes of all reads from now on."""
    read, sizes = os.read, []

    def reading(descriptor: int, length: int) -> bytes:
        got = read(descriptor, length)
        sizes.append(len(got))
        return got

    monkeypatch.setattr(os, "read", reading)
    return sizes
