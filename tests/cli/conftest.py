from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rpcexplorer.demo.http import DemoThread
from tests.fakes.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with DemoThread() as demo:
        yield demo.url
