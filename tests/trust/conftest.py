"""A command line with its own home, and short garbage collections."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def only_what_is_new() -> Iterator[None]:
    """Freeze older objects: a collection of the whole program is slow."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
