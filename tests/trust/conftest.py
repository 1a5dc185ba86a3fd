"""What most of these tests start from: a command line with a home of its own, and collections that are short."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture(scope="module")
def only_what_is_new() -> Iterator[None]:
    """Keep what was there before out of every collection: that of the whole program takes a while."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
