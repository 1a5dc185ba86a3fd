"""One running service for all tests that talk to a socket and leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rpcexplorer.demo.http import DemoThread


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with DemoThread() as demo:
        yield demo.url
