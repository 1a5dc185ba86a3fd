from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.history.folder import History


@pytest.fixture
def one(tmp_path: Path) -> History:
    """A history without calls, in a folder that is there; nobody waits for a lock."""
    (tmp_path / "history").mkdir()
    return History(tmp_path / "history", writer="me@here", lock_seconds=0)
