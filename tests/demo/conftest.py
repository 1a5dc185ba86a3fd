"""A running service for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rpcexplorer.demo.http import DemoThread


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with DemoThread() as demo:
        yield demo.url
