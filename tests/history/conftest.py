from __future__ import annotations

from pathlib import Path

import pytest

from rpcexplorer.history.folder import History


@pytest.fixture
def one(tmp_path: Path) -> History:
    """Return an empty history in an existing folder with no wait for locks."""
    (tmp_path / "history").mkdir()
    return History(tmp_path / "history", writer="me@here", lock_seconds=0)
